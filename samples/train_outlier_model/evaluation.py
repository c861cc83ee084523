# SPDX-License-Identifier: BSD-3-Clause
"""Scores every method on the test scans and writes the table. Nothing is chosen here: settings come from the training
scans, thresholds from the validation scans."""

import json
from pathlib import Path

import numpy as np

import baselines
import dataset
import noise
from dataset import subset
from metrics import average_precision, f1, share
from scenes import EDGE, THIN
from shipping import choose_threshold, shipped
from training import prepare, scores

POINTS, FULL_POINTS = 10000, 4096  # of each scan, at random
NOT_WORTH_A_SHARE = 30  # fewer thin, edge or noise points of a kind than this in a scan give no share

COLUMNS = ("AP validation", "AP", "F1", "AP generated", "AP real", "AP unseen", "F1 unseen", "AP merged", "F1 merged",
           "real removed", "thin removed", "edges removed")


def measure(score, removed, scan):
    """The numbers of one scan, in per cent; NaN where they do not apply."""
    kind, label = scan["kind"], scan["label"]
    real = kind == 0
    numbers = {"AP": average_precision(score, kind), "F1": f1(removed, kind), "real removed": share(removed, real)}
    for name, which in (("thin", THIN), ("edges", EDGE)):
        among = real & (label == which)
        numbers[name + " removed"] = share(removed, among) if among.sum() >= NOT_WORTH_A_SHARE else np.nan
    for i, name in enumerate(noise.KINDS[1:], 1):
        numbers[name] = share(removed, kind == i) if (kind == i).sum() >= NOT_WORTH_A_SHARE else np.nan
    return {name: 100.0 * number for name, number in numbers.items()}


def _mean(rows, name):
    values = [row[name] for row in rows if not np.isnan(row[name])]
    return float(np.mean(values)) if values else float("nan")


def summarise(pairs):
    """Means over scans of (scan, numbers)."""
    known = [(s, r) for s, r in pairs if not s["merged"] and not s["unseen"]]
    unseen = [r for s, r in pairs if s["unseen"]]
    merged = [r for s, r in pairs if s["merged"]]
    every = [r for _, r in pairs]
    result = {"AP": _mean([r for _, r in known], "AP"), "F1": _mean([r for _, r in known], "F1"),
              "AP generated": _mean([r for s, r in known if s["generated"]], "AP"),
              "AP real": _mean([r for s, r in known if not s["generated"]], "AP"),
              "AP unseen": _mean(unseen, "AP"), "F1 unseen": _mean(unseen, "F1"),
              "AP merged": _mean(merged, "AP"), "F1 merged": _mean(merged, "F1")}
    result |= {name: _mean(every, name) for name in ("real removed", "thin removed", "edges removed")}
    return result | {name: _mean(every, name) for name in noise.KINDS[1:]}


def _network_run(network, sensor, validation, test):
    validation, test = ([s for s in scans if not (sensor and s["merged"])] for scans in (validation, test))
    score = [[scores(network, fields, positions) for fields, positions, _ in prepare(scans, sensor)]
             for scans in (validation, test)]
    limit = choose_threshold(score[0], validation)
    chosen_by = np.mean([average_precision(found, s["kind"]) for s, found in zip(validation, score[0])])
    return {"AP validation": 100.0 * float(chosen_by)} | summarise(
        [(s, measure(found, found > limit, s)) for s, found in zip(test, score[1])])


def _baseline_rows(training, test):
    rows = []
    for name in baselines.GRIDS:
        sensor = name == "range radius"
        usable = [s for s in training if not (sensor and s["merged"])]
        setting = baselines.tune(name, usable)
        pairs = [(s, measure(*baselines.apply(name, setting, s), s)) for s in test if not (sensor and s["merged"])]
        rows.append({"method": f"{name} {tuple(round(float(v), 4) for v in setting)}", "sensor": sensor,
                     "runs": [summarise(pairs)]})
    return rows


def _kept(path, make):
    """What make() returned when the file was written, or returns now."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(make()))
    return json.loads(path.read_text())


def _network_rows(work, load_network, jobs, scans, note):
    rows = {}
    for mechanism, sensor, seed, steps in jobs:
        row = rows.setdefault((mechanism, sensor), {"method": mechanism + note, "sensor": sensor, "runs": []})
        name = f"{mechanism}_{'sensor' if sensor else 'plain'}_{steps}_{seed}_{len(scans['test'][0]['kind'])}.json"
        row["runs"].append(_kept(Path(work) / "results" / name, lambda: _network_run(
            load_network(work, mechanism, sensor, seed, steps), sensor, scans["validation"], scans["test"])))
        print(name, {name: round(row["runs"][-1][name], 2) for name in COLUMNS}, flush=True)
    return list(rows.values())


def evaluate(work, ship, long, of_the_table, load_network):
    """One row per method: the numbers of each seed."""
    rng = np.random.default_rng(0)
    scans = {split: [subset(s, POINTS, rng) for s in dataset.load(Path(work) / "scans", split)]
             for split in dataset.SPLITS}
    few = {split: [subset(s, FULL_POINTS, rng) for s in scans[split]] for split in ("validation", "test")}
    at_4k = [job for job in of_the_table if job[0] == "full" or job[:2] == ("anchored", False)]
    rest = [job for job in of_the_table if job[0] != "full"]
    return (_kept(Path(work) / "results" / "baselines.json", lambda: _baseline_rows(scans["train"], scans["test"]))
            + _network_rows(work, load_network, ship, scans, ", as shipped")
            + _network_rows(work, load_network, long, scans, f", {long[0][3]} steps")
            + _network_rows(work, load_network, rest, scans, "")
            + _network_rows(work, load_network, at_4k, few, ", 4k points"))


def _cell(row, name):
    values = [run.get(name, np.nan) for run in row["runs"]]
    if np.isnan(values).all():
        return ""
    digits = 2 if "removed" in name else 1
    text = f"{np.mean(values):.{digits}f}"
    return text if len(values) == 1 else f"{text} ± {np.std(values, ddof=1):.{digits}f}"


def _markdown(rows, names):
    lines = ["| method | seeds | " + " | ".join(names) + " |", "| --- | ---: |" + " ---: |" * len(names)]
    for row in rows:
        seeds = "" if row["method"].split(" (")[0] in baselines.GRIDS else str(len(row["runs"]))
        lines.append("| " + " | ".join([row["method"], seeds, *(_cell(row, name) for name in names)]) + " |")
    return lines


def write_table(options, long, of_the_table, load_network):
    rows = evaluate(options.work, shipped(options.out), long, of_the_table, load_network)
    lines = ["# Test scans, in per cent", "", "Written by `samples/train_outlier_model/run.py table`; see README.md.", ""]
    for sensor, title in ((False, "Without the sensor's origin"), (True, "With the sensor's origin")):
        chosen = [row for row in rows if row["sensor"] == sensor]
        names = [name for name in COLUMNS if not (sensor and "merged" in name)]
        lines += [f"## {title}", "", *_markdown(chosen, names), "", "Found, by kind of noise:", "",
                  *_markdown(chosen, noise.KINDS[1:]), ""]
    Path(options.table).parent.mkdir(parents=True, exist_ok=True)
    Path(options.table).write_text("\n".join(lines))
