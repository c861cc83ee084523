# SPDX-License-Identifier: BSD-3-Clause
"""What `filter` rewrites and adds, and that all else stays."""

import os
import unittest

import numpy as np
import pcd
from program import ProgramTest, same_bits


class Filter(ProgramTest):
    def check_others_stay(self, before, after, written):
        self.assertEqual((after.width, after.height, after.viewpoint),
                         (before.width, before.height, before.viewpoint))
        for name in before.points.dtype.names:
            if name not in written:
                self.assertTrue(same_bits(np.array(after.points[name]), np.array(before.points[name])), name)

    def test_rewrites_and_adds(self):
        scene = self.scene("--points", 500, "--organised")
        before = pcd.read(scene)
        before.viewpoint = "1.5 -2 0.25 0.5 0.5 -0.5 0.5"
        pcd.write(before, scene)
        rows = self.features(scene, "--model", "preset:position", dtype="f32")
        summary = self.json_of("filter", scene, self.path("out.pcd"), "--model", "preset:position", "--fields",
                               "score,intensity")
        after = pcd.read(self.path("out.pcd"))
        self.assertEqual(after.points.dtype.names, before.points.dtype.names + ("score",))
        self.check_others_stay(before, after, ("intensity",))
        self.assertTrue(same_bits(np.array(after.points["score"]), np.ascontiguousarray(rows[:, 0])))
        self.assertTrue(same_bits(np.array(after.points["intensity"]), np.ascontiguousarray(rows[:, 1])))
        self.assertTrue(np.array_equal(np.isnan(after.points["score"]), ~before.valid()))
        expected = {"points": len(before.points), "valid_points": int(before.valid().sum()),
                    "nan_rows": int((~before.valid()).sum()), "fields": ["score", "intensity"],
                    "added_fields": ["score"], "ordering": "morton", "random_weights": True}
        self.assertEqual({key: summary[key] for key in expected}, expected)
        self.assertRegex(summary["model_hash"], r"^[0-9a-f]{16}$")

    def test_without_fields_one_is_added(self):
        scene = self.scene("--points", 300)
        rows = self.features(scene, dtype="f32")
        text = self.run_program("filter", scene, self.path("out.pcd")).stdout
        self.assertIn("random weights", text)
        after = pcd.read(self.path("out.pcd"))
        self.check_others_stay(pcd.read(scene), after, ())
        self.assertTrue(same_bits(np.array(after.points["attention"]), np.ascontiguousarray(rows[:, 0])))

    def test_arrays_doubles_and_padding(self):
        n, rng = 90, np.random.default_rng(1)
        types = [("_", "u1", (3,)), ("x", "f8"), ("ring", "u2"), ("y", "f4"), ("z", "f4"), ("id", "u8"),
                 ("fpfh", "f4", (5,)), ("weight", "f8"), ("_2", "u1")]
        points = np.zeros(n, [(name, "<" + kind, *shape) for name, kind, *shape in types])
        for name in points.dtype.names:
            points[name] = rng.integers(0, 100, points[name].shape)
        before = pcd.Cloud(points)
        pcd.write(before, self.path("in.pcd"))
        rows = self.features(self.path("in.pcd"), dtype="f32")
        self.run_program("filter", self.path("in.pcd"), self.path("out.pcd"), "--fields", "fpfh,weight")
        after = pcd.read(self.path("out.pcd"))
        self.check_others_stay(before, after, ("fpfh", "weight", "_", "_2"))
        self.assertTrue(same_bits(np.array(after.points["fpfh"]), np.ascontiguousarray(rows[:, :5])))
        self.assertEqual(after.points["weight"].tolist(), rows[:, 5].astype("f8").tolist())

    def test_in_place(self):
        scene = self.scene("--points", 200)
        self.run_program("filter", scene, self.path("out.pcd"), "--fields", "intensity")
        self.run_program("filter", scene, scene, "--fields", "intensity")
        self.assertTrue(same_bits(pcd.read(scene).points, pcd.read(self.path("out.pcd")).points))

    def test_other_formats(self):
        scan = np.random.default_rng(3).random((250, 4)).astype("<f4")
        with open(self.path("scan.bin"), "wb") as file:
            file.write(scan.tobytes())
        self.run_program("filter", self.path("scan.bin"), self.path("a.ply"), "--fields", "intensity")
        self.run_program("filter", self.path("a.ply"), self.path("b.pcd"), "--fields", "score")
        result = pcd.read(self.path("b.pcd"))
        self.assertEqual(result.points.dtype.names, ("x", "y", "z", "intensity", "score"))
        self.assertTrue(np.array_equal(result.xyz(), scan[:, :3].astype("f8")))
        self.assertTrue(same_bits(np.array(result.points["intensity"]), np.array(result.points["score"])))

    def test_field_names_and_zero_returns(self):
        xyz = np.random.default_rng(6).random((60, 3)).astype("f4")
        xyz[7] = 0
        points = np.zeros(60, [("easting", "f4"), ("y", "f4"), ("z", "f4")])
        points["easting"], points["y"], points["z"] = xyz.T
        pcd.write(pcd.Cloud(points), self.path("in.pcd"))
        self.run_program("filter", self.path("in.pcd"), self.path("out.pcd"), "--field", "x=easting",
                         "--zero-returns", "invalid")
        self.assertEqual(np.flatnonzero(np.isnan(pcd.read(self.path("out.pcd")).points["attention"])).tolist(), [7])

    def test_no_points_and_no_valid_points(self):
        pcd.write(pcd.from_xyz(np.zeros((0, 3))), self.path("none.pcd"))
        for suffix in ("pcd", "ply"):
            summary = self.json_of("filter", self.path("none.pcd"), self.path(f"out.{suffix}"))
            self.assertEqual((summary["points"], summary["added_fields"]), (0, ["attention"]))
        self.assertEqual(pcd.read(self.path("out.pcd")).points.dtype.names, ("x", "y", "z", "attention"))
        pcd.write(pcd.from_xyz(np.full((5, 3), np.nan)), self.path("nan.pcd"))
        self.run_program("filter", self.path("nan.pcd"), self.path("out.pcd"))
        self.assertTrue(np.isnan(pcd.read(self.path("out.pcd")).points["attention"]).all())

    def test_failures(self):
        scene, out = self.scene("--points", 100), self.path("o.pcd")
        cloud = pcd.from_xyz(np.zeros((4, 3)), ring=np.zeros(4, "u2"), rgb=np.zeros(4, "f4"),
                             wide=np.zeros((4,), "f4"))
        pcd.write(cloud, self.path("in.pcd"))
        for names, said in (("ring", "'ring' cannot be written"), ("rgb", "'rgb' cannot be written"),
                            ("wide,wide", "'wide' is named twice"), ("new,new", "'new' is named twice"),
                            ("_", "names of fields"), ("a b", "names of fields"),
                            (",".join(f"f{i}" for i in range(65)), "65 numbers, rows have 64")):
            self.assertIn(said, self.fails("filter", self.path("in.pcd"), out, "--fields", names), names)
        self.fails("filter", scene)
        self.fails("filter", scene, out, "--fields")
        self.fails("filter", scene, out, "--fields", "")
        self.fails("filter", scene, self.path("o.npy"))
        self.fails("filter", scene, self.path("o.bin"))
        np.save(self.path("rows.npy"), np.zeros((5, 3)))
        self.assertIn("came .npy", self.fails("filter", self.path("rows.npy"), out))
        self.assertIn("none.pcd", self.fails("filter", self.path("none.pcd"), out))
        self.assertIn("linformer", self.fails("filter", scene, out, "--model", "preset:nothing"))
        line = self.fails("filter", scene, out, "--field", "x=easting")
        self.assertIn("'easting'", line)
        self.assertIn("intensity", line)
        self.assertFalse(os.path.exists(out))


if __name__ == "__main__":
    unittest.main()
