# SPDX-License-Identifier: BSD-3-Clause
"""Which points `sample` keeps, and how it writes them."""

import os
import unittest

import numpy as np
import pcd
from program import ProgramTest, bytes_of, same_bits

POSITION = ("--model", "preset:position")


def places(points, among):
    """Indices of points in `among`; all points of a scene differ."""
    index = {point.tobytes(): i for i, point in enumerate(among)}
    return np.array([index[point.tobytes()] for point in points], int)


class Sample(ProgramTest):
    def attention(self, cloud):
        """What each point receives, by the verb that shows it."""
        self.run_program("heads", cloud, *POSITION, "--cloud", self.path("heads.pcd"))
        return pcd.read(self.path("heads.pcd")).points["received"].astype("f8")

    def kept(self, cloud, *options, out="out.pcd"):
        self.run_program("sample", cloud, self.path(out), *POSITION, *options)
        return places(pcd.read(self.path(out)).points, pcd.read(cloud).points)

    def test_keeps_the_points_that_receive_most(self):
        scene = self.scene("--points", 800)
        received, valid = self.attention(scene), pcd.read(scene).valid()
        m = int(valid.sum())
        for options, number in ((("--count", 100), 100), (("--count", 5000), m), (("--count", 0), 0),
                                (("--fraction", 0.25), -(-m // 4)), (("--fraction", 1), m), ((), -(-m // 2)),
                                (("--threshold", 0), m)):
            kept = self.kept(scene, *options)
            self.assertEqual(len(kept), number, options)
            self.assertTrue((np.diff(kept) > 0).all(), "the sequence of the cloud")
            left = np.setdiff1d(np.flatnonzero(valid), kept)
            if len(kept) and len(left):
                self.assertGreaterEqual(received[kept].min(), received[left].max() * (1 - 1e-6))
        kept, shares = self.kept(scene, "--threshold", 1.1), received * m
        self.assertTrue(0 < len(kept) < m)
        self.assertGreater(shares[kept].min(), 1.1 - 1e-5)
        self.assertLess(shares[np.setdiff1d(np.flatnonzero(valid), kept)].max(), 1.1 + 1e-5)

    def test_negative_and_removed(self):
        scene = self.scene("--points", 600)
        cloud = pcd.read(scene)
        kept = self.kept(scene, "--count", 50, "--removed", self.path("removed.pcd"))
        others = self.kept(scene, "--count", 50, "--negative")
        self.assertEqual(sorted([*kept, *others]), np.flatnonzero(cloud.valid()).tolist())
        expected = np.setdiff1d(np.arange(600), kept)
        self.assertTrue(same_bits(pcd.read(self.path("removed.pcd")).points, cloud.points[expected]))

    def test_summary(self):
        scene = self.scene("--points", 400)
        valid = int(pcd.read(scene).valid().sum())
        summary = self.json_of("sample", scene, self.path("out.pcd"), "--count", 30, "--removed",
                               self.path("removed.ply"))
        expected = {"points": 400, "valid_points": valid, "kept": 30, "removed": 370, "random_weights": True,
                    "removed_output": self.path("removed.ply")}
        self.assertEqual({key: summary[key] for key in expected}, expected)
        self.assertIn("30 kept", self.run_program("sample", scene, self.path("out.pcd"), "--count", 30).stdout)

    def test_keep_organised(self):
        scene = self.scene("--points", 700, "--organised")
        cloud = pcd.read(scene)
        cloud.viewpoint = "1.5 -2 0.25 0.5 0.5 -0.5 0.5"
        pcd.write(cloud, scene)
        kept = self.kept(scene, "--count", 90)
        self.run_program("sample", scene, self.path("grid.pcd"), *POSITION, "--count", 90, "--keep-organised")
        grid = pcd.read(self.path("grid.pcd"))
        self.assertEqual((grid.width, grid.height, grid.viewpoint), (cloud.width, cloud.height, cloud.viewpoint))
        self.assertEqual(np.flatnonzero(grid.valid()).tolist(), kept.tolist())
        self.assertTrue(same_bits(grid.points[kept], cloud.points[kept]))
        self.assertTrue(same_bits(np.array(grid.points["intensity"]), np.array(cloud.points["intensity"])))
        removed = np.setdiff1d(np.arange(len(cloud.points)), kept)
        for name in "xyz":
            self.assertTrue(np.isnan(grid.points[name][removed]).all())

    def test_a_shuffled_cloud_keeps_the_same_points(self):
        scene = self.scene("--points", 500)
        cloud = pcd.read(scene)
        permutation = np.random.default_rng(2).permutation(500)
        pcd.write(cloud.rows(permutation), self.path("shuffled.pcd"))
        kept, others = self.kept(scene, "--count", 77), self.kept(self.path("shuffled.pcd"), "--count", 77)
        self.assertEqual(sorted(kept), sorted(permutation[others]))
        self.kept(scene, "--count", 77, "--threads", 1, out="one.pcd")
        self.kept(scene, "--count", 77, "--threads", 2, out="two.pcd")
        self.assertEqual(bytes_of(self.path("one.pcd")), bytes_of(self.path("two.pcd")))

    def test_other_formats_and_field_names(self):
        scan = np.random.default_rng(3).random((120, 4)).astype("<f4")
        scan[5, :3] = 0
        with open(self.path("scan.bin"), "wb") as file:
            file.write(scan.tobytes())
        self.run_program("sample", self.path("scan.bin"), self.path("a.ply"), "--fraction", 1, "--zero-returns",
                         "invalid")
        self.run_program("sample", self.path("a.ply"), self.path("b.pcd"), "--fraction", 1)
        result = pcd.read(self.path("b.pcd"))
        self.assertTrue(np.array_equal(result.xyz(), np.delete(scan, 5, 0)[:, :3].astype("f8")))
        points = np.zeros(120, [("easting", "f4"), ("y", "f4"), ("z", "f4")])
        points["easting"], points["y"], points["z"] = scan[:, :3].T
        pcd.write(pcd.Cloud(points), self.path("named.pcd"))
        self.run_program("sample", self.path("named.pcd"), self.path("c.pcd"), "--count", 9, "--field", "x=easting")
        self.assertEqual(len(pcd.read(self.path("c.pcd")).points), 9)

    def test_no_points_and_no_valid_points(self):
        pcd.write(pcd.from_xyz(np.zeros((0, 3))), self.path("none.pcd"))
        pcd.write(pcd.from_xyz(np.full((5, 3), np.nan)), self.path("nan.pcd"))
        for name, points in (("none", 0), ("nan", 5)):
            for more in ((), ("--keep-organised",), ("--negative",), ("--threshold", 1), ("--count", 3)):
                summary = self.json_of("sample", self.path(f"{name}.pcd"), self.path("out.pcd"), *more)
                self.assertEqual((summary["points"], summary["valid_points"], summary["kept"]), (points, 0, 0))
                self.assertEqual(len(pcd.read(self.path("out.pcd")).points),
                                 points if more == ("--keep-organised",) else 0)
        self.run_program("sample", self.path("none.pcd"), self.path("out.ply"))

    def test_failures(self):
        scene, out = self.scene("--points", 100), self.path("o.pcd")
        for options, said in ((("--count", -1), "--count"), (("--count", "many"), "--count"),
                              (("--fraction", 1.5), "fraction"), (("--fraction", "nan"), "fraction"),
                              (("--threshold", -1), "threshold"), (("--threshold", "inf"), "threshold"),
                              (("--count", 3, "--fraction", 0.5), "excludes"),
                              (("--threshold", 1, "--fraction", 0.5), "excludes"),
                              (("--count", 3, "--threshold", 0.5), "excludes"),
                              (("--removed", out), "one file"), (("--removed", self.path("o.npy")), "o.npy"),
                              (("--model", "preset:nothing"), "linformer"),
                              (("--field", "x=easting"), "'easting'")):
            self.assertIn(said, self.fails("sample", scene, out, *options), options)
        self.fails("sample", scene)
        self.fails("sample", scene, self.path("o.npy"))
        np.save(self.path("rows.npy"), np.zeros((5, 3)))
        self.assertIn("came .npy", self.fails("sample", self.path("rows.npy"), out))
        self.assertIn("none.pcd", self.fails("sample", self.path("none.pcd"), out))
        pcd.write(pcd.from_xyz(np.arange(12).reshape(4, 3), "i2"), self.path("whole.pcd"))
        self.run_program("sample", self.path("whole.pcd"), self.path("two.pcd"), "--count", 2)
        self.assertIn("'x' cannot be written", self.fails("sample", self.path("whole.pcd"), out, "--keep-organised"))
        self.assertFalse(os.path.exists(out))


if __name__ == "__main__":
    unittest.main()
