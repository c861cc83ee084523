# SPDX-License-Identifier: BSD-3-Clause
"""A generated scene, shuffled outside the program."""

import itertools
import unittest

import numpy as np
import pcd
from program import ProgramTest, relative_l2, same_bits
from shuffled import check_report, check_shuffled

ORDER_FREE = ("position", "inducing", "full", "kernel-elu", "kernel-quadratic", "kernel-rebased",
              "kernel-taylor", "kernel-favor")


class ShuffledScene(ProgramTest):
    def test_shuffled_rows(self):
        check_shuffled(self, self.scene("--points", 3000, "--organised"))

    def test_report_agrees_with_two_files(self):
        scene = self.scene("--points", 2000)
        without = check_report(self, scene, "--ordering", "none")
        self.assertEqual(without["level"], 1)
        self.assertGreater(without["permutation"]["max_relative_l2"], 1e-3)
        self.assertEqual(without["ordering"], "none")
        for curve in ("morton", "hilbert"):
            behind = check_report(self, scene, "--ordering", curve)
            self.assertEqual(behind["ordering"], curve)
            self.assertEqual(behind["level"], 3)
            self.assertEqual(behind["permutation"]["max_relative_l2"], 0)

    def test_mechanisms_that_ignore_the_order(self):
        scene = self.scene("--points", 1500)
        for name in ORDER_FREE:
            report = check_report(self, scene, "--model", f"preset:{name}", "--ordering", "none")
            self.assertGreaterEqual(report["level"], 2, name)
            self.assertLessEqual(report["permutation"]["max_relative_l2"], 1e-6, name)

    def test_anchored_says_that_it_needs_an_order(self):
        scene = self.scene("--points", 1500)
        self.assertEqual(check_report(self, scene, "--model", "preset:anchored")["level"], 3)
        self.assertIn("order none", self.fails("features", scene, self.path("out.pcd"), "--model",
                                               "preset:anchored", "--ordering", "none"))

    def test_every_mechanism_samples(self):
        scene = self.scene("--points", 900)
        for name in ORDER_FREE + ("linformer", "linformer-smooth", "linformer-segment", "anchored"):
            self.run_program("sample", scene, self.path("some.pcd"), "--model", f"preset:{name}", "--count", 100)
            self.assertEqual(len(pcd.read(self.path("some.pcd")).points), 100, name)

    def test_duplicates_and_attributes_do_not_break_the_order(self):
        scene = pcd.read(self.scene("--points", 1200))
        doubled = pcd.Cloud(np.concatenate([scene.points, scene.points]))
        doubled.points["intensity"] = np.random.default_rng(1).random(len(doubled.points))
        pcd.write(doubled, self.path("doubled.pcd"))
        check_shuffled(self, self.path("doubled.pcd"))

    def test_presets_differ(self):
        scene = self.scene("--points", 1000)
        valid = pcd.read(scene).valid()
        rows = {name: self.features(scene, "--model", f"preset:{name}")[valid]
                for name in ORDER_FREE + ("linformer", "linformer-smooth", "linformer-segment", "anchored")}
        for a, b in itertools.combinations(rows, 2):
            self.assertGreater(relative_l2(rows[a], rows[b]), 1e-3, f"{a} and {b}")

    def test_seeds_differ_and_repeat(self):
        scene = self.scene("--points", 500)
        valid = pcd.read(scene).valid()
        first, again = self.features(scene, "--seed", 4), self.features(scene, "--seed", 4)
        self.assertTrue(same_bits(first, again))
        self.assertGreater(relative_l2(self.features(scene, "--seed", 5)[valid], first[valid]), 1e-3)

    def test_threads_do_not_change_a_bit(self):
        scene = self.scene("--points", 5000)
        rows = [self.features(scene, "--threads", n) for n in (1, 2, 8)]
        self.assertTrue(same_bits(rows[0], rows[1]) and same_bits(rows[0], rows[2]))


if __name__ == "__main__":
    unittest.main()
