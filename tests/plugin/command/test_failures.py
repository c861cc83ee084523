# SPDX-License-Identifier: BSD-3-Clause
"""What cannot be done: exit code 2, one line that says why, and no output left behind."""

import unittest

import numpy as np
import pcd
from program import ProgramTest, bytes_of, real_cloud


class Arguments(ProgramTest):
    def test_the_command_line(self):
        self.fails()
        self.fails("nonsense")
        self.fails("features")
        self.fails("features", "a.pcd", "b.pcd", "--model")
        self.fails("features", "a.pcd", "b.pcd", "--no-such-option")
        self.fails("scene", self.path("a.pcd"), "--points", "many")
        self.fails("model")
        self.assertIn("linformer", self.fails("model", "create", "nothing", self.path("m.safetensors")))
        scene = self.scene("--points", 100)
        self.assertIn("linformer", self.fails("features", scene, self.path("o.npy"), "--model", "preset:nothing"))
        for option, value in (("--ordering", "peano"), ("--device", "abacus"), ("--field", "intensity"),
                              ("--length", "stretch"), ("--threads", "-1"), ("--dtype", "f16")):
            self.assertIn(option, self.fails("features", scene, self.path("o.npy"), option, value))
        for verb, option in (("heads", "--rows"), ("heads", "--layer"), ("equivariance", "--points")):
            self.assertIn(option, self.fails(verb, scene, option, -1))
        self.fails("equivariance", scene, "--permutations", 0)
        self.fails("equivariance", scene, "--tolerance", -1)
        self.fails("order", scene, self.path("o.pcd"), "--cell", 0)
        self.fails("order", scene, self.path("o.pcd"), "--origin", "1,2,3")

    def test_what_does_not_go_together(self):
        scene, rows = self.scene("--points", 100), self.path("rows.npy")
        np.save(rows, np.zeros((5, 3)))
        self.assertIn(".npy", self.fails("features", rows, self.path("o.pcd")))
        self.assertIn("f64", self.fails("features", scene, self.path("o.pcd"), "--dtype", "f64"))
        self.assertIn("surface", self.fails("features", scene, self.path("o.npy"), "--surface", rows))
        self.assertIn("--cloud", self.fails("equivariance", rows, "--cloud", self.path("o.pcd")))
        self.fails("features", scene, self.path("o.bin"))
        self.fails("features", scene, self.path("o.xyz"))
        self.fails("order", rows, self.path("o.pcd"))
        np.save(rows, np.zeros((5, 4)))
        self.assertIn("[5, 4]", self.fails("features", rows, self.path("o.npy")))
        np.save(rows, np.zeros(15))
        self.fails("features", rows, self.path("o.npy"))
        np.save(rows, np.zeros((2, 5, 3)))
        self.assertIn("batch", self.fails("equivariance", rows))

    def test_masks_of_another_size(self):
        scene, mask = self.scene("--points", 100), self.path("mask.npy")
        for shape in ((99,), (100, 1), (1, 100)):
            np.save(mask, np.ones(shape, bool))
            self.assertIn("100", self.fails("features", scene, self.path("o.npy"), "--mask", mask))


class Input(ProgramTest):
    def test_files_that_are_not_there(self):
        for name in ("none.pcd", "none.ply", "none.bin", "none.npy"):
            line = self.fails("features", self.path(name), self.path("o.npy"))
            self.assertIn(name, line)
        scene = self.scene("--points", 50)
        self.assertIn("none.safetensors", self.fails("features", scene, self.path("o.npy"), "--model",
                                                     self.path("none.safetensors")))

    def test_missing_fields_are_listed(self):
        points = np.zeros(4, [("range", "f4"), ("azimuth", "f4")])
        pcd.write(pcd.Cloud(points), self.path("in.pcd"))
        line = self.fails("features", self.path("in.pcd"), self.path("o.npy"))
        self.assertIn("'x'", line)
        self.assertIn("azimuth", line)

    def test_damaged_clouds(self):
        scene = self.scene("--points", 50)
        content = bytes_of(scene)
        damages = {
            "cut": content[:-1], "empty": b"", "header only": content[:content.index(b"DATA")],
            "count": content.replace(b"COUNT 1 1 1 1", b"COUNT 1 0 1 1"),
            "size": content.replace(b"SIZE 4 4 4 4", b"SIZE 4 4 4 3"),
            "points": content.replace(b"POINTS 50", b"POINTS 49"),
            "width": content.replace(b"WIDTH 50", b"WIDTH 400000000").replace(b"POINTS 50", b"POINTS 400000000"),
            "text": b"not a cloud\n",
        }
        for name, damaged in damages.items():
            with open(self.path("in.pcd"), "wb") as file:
                file.write(damaged)
            self.assertIn("in.pcd", self.fails("features", self.path("in.pcd"), self.path("o.npy")), name)

    def test_a_compressed_cloud_whose_bytes_are_no_lzf(self):
        pcd.write(pcd.read(self.scene("--points", 50)), self.path("in.pcd"), "binary_compressed")
        content = bytes_of(self.path("in.pcd"))
        body = content.index(b"compressed\n") + len(b"compressed\n") + 8
        for damaged in (content[:body] + b"\xff" * (len(content) - body), content[:body] + bytes(len(content) - body)):
            with open(self.path("in.pcd"), "wb") as file:
                file.write(damaged)
            line = self.fails("features", self.path("in.pcd"), self.path("o.npy"))
            self.assertIn("in.pcd: PCL's reader refuses it", line)

    def test_malformed_real_files(self):
        for name in ("comma_separated.pcd", "missing_header.pcd", "width0_points14673.pcd",
                     "ply_bool_property.ply", "ply_extra_values.ply", "ply_header_only.ply"):
            path = real_cloud(f"malformed/{name}")
            if path is None:
                self.skipTest("no real clouds")
            self.assertIn(name, self.fails("features", path, self.path("o.npy")))


if __name__ == "__main__":
    unittest.main()
