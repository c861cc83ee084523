# SPDX-License-Identifier: BSD-3-Clause
"""Recomputes what a report says from its JSON, its page and the cloud of errors beside it.

python3 report_page.py REPORT.json REPORT.html ERRORS.pcd SCHEMA.json
"""

import html.parser
import json
import math
import sys

import jsonschema
import numpy as np
import pcd


class Numbers(html.parser.HTMLParser):
    """Collects (JSON pointer, text) of all numbers of a page, and what the page asks a browser to load."""

    def __init__(self):
        super().__init__()
        self.found, self.loads, self._open = [], [], None

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.loads += [tag] if tag in ("script", "link", "img", "iframe", "object") else []
        self.loads += [name for name in attributes if name in ("src", "href", "xlink:href")]
        pointer = attributes.get("data-from")
        if pointer is None:
            return
        if "data-text" in attributes:
            self.found.append((pointer, attributes["data-text"]))
        if tag in ("span", "text"):
            self._open = (pointer, "")

    def handle_data(self, data):
        if self._open:
            self._open = (self._open[0], self._open[1] + data)

    def handle_endtag(self, tag):
        if self._open and tag in ("span", "text"):
            self.found.append(self._open)
            self._open = None


def look_up(document, pointer):
    for part in pointer.split("/")[1:]:
        document = document[int(part)] if isinstance(document, list) else document[part]
    return document


def shows(text, value):
    """True if the text is this number as the page writes numbers."""
    if value is None:
        return text in ("∞", "–")
    if isinstance(value, int) and text == str(value):
        return True
    return text in ("0" if value == 0 else f"{value:.2e}", f"{value:.5f}")


def p95(values):
    return sorted(values)[(len(values) * 95 + 99) // 100 - 1]


def number(value):
    return math.inf if value is None else value


def check_summary(summary, trials):
    """Largest, mean and p95 of the trials, the worst of them, and the rest of a summary."""
    for name in ("relative_l2", "emlp"):
        values = [number(trial[name]) for trial in trials]
        assert number(summary[f"max_{name}"]) == max(values), name
        assert math.isclose(number(summary[f"mean_{name}"]), sum(values) / len(values), rel_tol=1e-12), name
        assert number(summary[f"p95_{name}"]) == p95(values), name
    worst = max(trials, key=lambda trial: trial["max_abs"])
    assert summary["max_abs"] == worst["max_abs"] and summary["worst_point"] == worst["worst_point"]
    assert summary.get("worst_change", summary.get("worst_permutation")) == worst["change"]
    assert summary["count"] == len(trials)
    assert summary["bitwise_equal"] == all(trial["bitwise_equal"] for trial in trials)
    assert summary["nan_mismatches"] == sum(trial["nan_mismatches"] for trial in trials)


def level(permutation, engine):
    if permutation["bitwise_equal"]:
        return 3
    return 2 if number(permutation["max_relative_l2"]) <= (1e-12 if engine == "reference" else 1e-6) else 1


def check_histogram(histogram, errors):
    errors = np.asarray(errors, "f8")
    assert histogram["invalid"] == int(np.isnan(errors).sum())
    assert histogram["zero"] == int((errors == 0).sum())
    positive = np.clip(errors[errors > 0], histogram["edges"][0], np.nextafter(histogram["edges"][-1], 0))
    counts, _ = np.histogram(positive, np.array(histogram["edges"]))
    assert counts.tolist() == histogram["counts"], (counts, histogram["counts"])


def check_report(report, errors, jitter):
    trials = [trial for change in report["changes"] if change["group"] == "permutation" for trial in change["trials"]]
    if trials:
        check_summary(report["permutation"], trials)
        assert report["level"] == level(report["permutation"], report["engine"])
    for change in report["changes"]:
        check_summary(change["error"], change["trials"])
        flips = [trial["label_flips"] for trial in change["trials"]]
        assert change["max_label_flips"] == max(flips)
        assert math.isclose(change["mean_label_flips"], sum(flips) / len(flips), abs_tol=1e-15)
    if errors is not None:
        outside = report["cloud_points"] - report["points"]  # of a sample: not measured, NaN in the cloud
        for histogram, values in ((report["histogram"], errors), (report["jitter_histogram"], jitter)):
            if values is not None:
                check_histogram(dict(histogram, invalid=histogram["invalid"] + outside), values)
        assert report["valid_points"] == int((~np.isnan(errors)).sum())


def check_page(document, page):
    """Returns how many numbers of the page agree with the JSON."""
    numbers = Numbers()
    numbers.feed(page)
    assert not numbers.loads, numbers.loads
    for pointer, text in numbers.found:
        value = look_up(document, pointer)
        assert shows(text, value), (pointer, text, value)
    return len(numbers.found)


def field(cloud, name, index, count):
    name = name if count == 1 else f"{name}_{index}"
    return cloud.points[name] if name in cloud.points.dtype.names else None


def check(json_path, html_path, cloud_path, schema_path):
    with open(json_path, encoding="utf-8") as file:
        document = json.load(file)
    with open(schema_path, encoding="utf-8") as file:
        jsonschema.validate(document, json.load(file))
    reports = document.get("reports", [document])
    cloud = pcd.read(cloud_path)
    for i, report in enumerate(reports):
        errors = field(cloud, "equivariance_error", i, len(reports))
        check_report(report, errors, field(cloud, "jitter_error", i, len(reports)))
    with open(html_path, encoding="utf-8") as file:
        return check_page(document, file.read())


if __name__ == "__main__":
    print(f"{check(*sys.argv[1:5])} numbers on the page agree with {sys.argv[1]}, and that with {sys.argv[3]}")
