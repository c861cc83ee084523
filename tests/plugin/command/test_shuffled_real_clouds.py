# SPDX-License-Identifier: BSD-3-Clause
"""Real clouds, shuffled outside the program."""

import unittest

from program import ProgramTest, real_cloud
from shuffled import check_report, check_shuffled


class ShuffledRealClouds(ProgramTest):
    def check(self, name):
        path = real_cloud(name)
        if path is None:
            self.skipTest(f"no real cloud {name}")
        return path

    def test_street_scan(self):
        path = self.check("outdoor/ouster_os1_128_seq_0.pcd")
        self.assertGreater(check_shuffled(self, path), 1e-3)

    def test_street_scan_report(self):
        path = self.check("outdoor/ouster_os1_128_seq_0.pcd")
        report = check_report(self, path, "--ordering", "none")
        self.assertEqual((report["points"], report["valid_points"]), (131072, 107647))
        self.assertGreater(report["permutation"]["max_relative_l2"], 1e-3)
        behind = self.json_of("equivariance", path, "--permutations", 2, "--ordering", "morton", "--tolerance", 0)
        self.assertEqual(behind["permutation"]["max_relative_l2"], 0)
        self.assertEqual(behind["level"], 3)

    def test_street_scan_with_a_projection_by_position(self):
        path = self.check("outdoor/ouster_os1_128_seq_0.pcd")
        report = self.json_of("equivariance", path, "--permutations", 1, "--model", "preset:position",
                              "--ordering", "none")
        self.assertEqual(report["level"], 2)

    def test_depth_image(self):
        check_shuffled(self, self.check("rgbd/capture0001.pcd"))

    def test_small_cloud(self):
        check_shuffled(self, self.check("objects/lamppost.pcd"))


if __name__ == "__main__":
    unittest.main()
