# SPDX-License-Identifier: BSD-3-Clause
"""The whole report from outside: schema, page and numbers recomputed."""

import copy
import json
import os
import unittest

import jsonschema
import numpy as np
import pcd
import report_page
from program import ProgramTest, real_cloud, relative_l2

SCHEMA = os.path.join(os.path.dirname(__file__), "../../../src/report/equivariance.schema.json")


class Report(ProgramTest):
    def report(self, cloud, *options):
        self.run_program("equivariance", cloud, "--json", self.path("r.json"), "--html", self.path("r.html"),
                         "--cloud", self.path("r.pcd"), *options)
        count = report_page.check(*(self.path(f"r.{ending}") for ending in ("json", "html", "pcd")), SCHEMA)
        with open(self.path("r.json"), encoding="utf-8") as file:
            return json.load(file), count

    def test_one_model(self):
        report, count = self.report(self.scene("--points", 500), "--permutations", 6)
        self.assertGreater(count, 200)
        self.assertEqual(report["level"], 3)
        self.assertEqual({change["group"] for change in report["changes"]},
                         {"permutation", "jitter", "translation", "rotation", "reflection", "subset", "duplicates"})
        self.assertEqual([r["model"] for r in report["smooth"]], ["preset:position", "preset:kernel-elu"])
        self.assertIn("--permutations 6", report["command"])

    def test_models_side_by_side(self):
        document, _ = self.report(self.scene("--points", 400), "--compare",
                                  "preset:linformer@none,preset:linformer,preset:position", "--repeats", 1)
        self.assertEqual([r["ordering"] for r in document["reports"]], ["none", "morton", "morton"])
        self.assertEqual([r["level"] for r in document["reports"]], [1, 3, 3])
        self.assertIn("--compare preset:linformer@none,preset:linformer,preset:position --html", document["command"])

    def test_sample_is_stated(self):
        report, _ = self.report(self.scene("--points", 500), "--points", 120, "--ordering", "none")
        self.assertEqual((report["sampled"], report["points"], report["cloud_points"]), (True, 120, 500))

    def test_real_clouds(self):
        for name in ("rgbd/table_scene_mug_stereo.pcd", "outdoor/hdl_251370668.pcd"):
            path = real_cloud(name)
            if path:
                self.report(path, "--points", 3000, "--compare", "preset:linformer@none,preset:linformer",
                            "--permutations", 4, "--repeats", 1)

    def test_errors_are_those_of_the_features(self):
        scene = self.scene("--points", 500)
        cloud = pcd.read(scene)
        backwards = self.path("backwards.pcd")
        pcd.write(cloud.rows(slice(None, None, -1)), backwards)
        options = ("--model", "preset:linformer", "--ordering", "none")
        report = self.json_of("equivariance", scene, *options, "--permutations", 1)
        valid = cloud.valid()
        a, b = self.features(backwards, *options)[::-1][valid], self.features(scene, *options)[valid]
        trial = report["changes"][0]["trials"][0]
        self.assertAlmostEqual(trial["relative_l2"], relative_l2(a, b), delta=1e-3 * relative_l2(a, b))
        self.assertAlmostEqual(trial["max_abs"], np.abs(a - b).max(), delta=1e-3 * np.abs(a - b).max())
        flips = np.mean(a.argmax(1) != b.argmax(1))
        self.assertAlmostEqual(trial["label_flips"], flips, delta=0.005)

    def test_tolerance_per_group(self):
        scene = self.scene("--points", 300)
        self.json_of("equivariance", scene, "--tolerance", "permutation=0,jitter=10")
        done = self.run_program("equivariance", scene, "--tolerance", "jitter=1e-9", code=1)
        self.assertIn("jitter", done.stderr)
        self.fails("equivariance", scene, "--tolerance", "colour=1")
        self.fails("equivariance", scene, "--tolerance", "jitter=-1")
        self.fails("equivariance", scene, "--sigma", "wide")
        self.fails("equivariance", scene, "--groups", "colour")

    def test_sigma_in_metres_and_in_spacings(self):
        report = self.json_of("equivariance", self.scene("--points", 300), "--groups", "jitter", "--sigma", "0.02,0.5s")
        sizes = [change["size"] for change in report["changes"]]
        self.assertEqual(sorted(sizes), sorted([0.02, 0.5 * report["median_spacing"]]))


class Checker(ProgramTest):
    """The script that recomputes finds what is wrong."""

    def setUp(self):
        super().setUp()
        self.report = self.json_of("equivariance", self.scene("--points", 200), "--ordering", "none")
        with open(SCHEMA, encoding="utf-8") as file:
            self.schema = json.load(file)

    def test_wrong_numbers_are_found(self):
        report_page.check_report(self.report, None, None)
        for name in ("max_relative_l2", "mean_relative_l2", "p95_emlp", "max_abs"):
            wrong = copy.deepcopy(self.report)
            wrong["permutation"][name] *= 1.01
            with self.assertRaises(AssertionError):
                report_page.check_report(wrong, None, None)

    def test_wrong_pages_are_found(self):
        level = '<span data-from="/level">{}</span>'
        report_page.check_page(self.report, level.format(1))
        for page in (level.format(2), "<script></script>", '<img src="x">'):
            with self.assertRaises(AssertionError):
                report_page.check_page(self.report, page)

    def test_schema_refuses_what_it_does_not_know(self):
        jsonschema.validate(self.report, self.schema)
        for change in (lambda r: r.pop("level"), lambda r: r.update(level=4), lambda r: r["changes"][0].pop("size"),
                       lambda r: r["permutation"].update(more=1)):
            wrong = copy.deepcopy(self.report)
            change(wrong)
            with self.assertRaises(jsonschema.ValidationError):
                jsonschema.validate(wrong, self.schema)


if __name__ == "__main__":
    unittest.main()
