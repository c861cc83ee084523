# SPDX-License-Identifier: BSD-3-Clause
"""Files in and out: encodings, what is kept, and formats other than PCD."""

import os
import struct
import unittest

import numpy as np
import numpy.lib.recfunctions as rfn
import pcd
import ply
from program import ProgramTest, real_cloud, same_bits


class Pcd(ProgramTest):
    def test_three_encodings_give_the_same_rows(self):
        cloud = pcd.read(self.scene("--points", 500, "--organised"))
        rows = []
        for encoding in ("ascii", "binary", "binary_compressed"):
            pcd.write(cloud, self.path("in.pcd"), encoding)
            rows.append(self.features(self.path("in.pcd")))
        self.assertTrue(same_bits(rows[0], rows[1]) and same_bits(rows[0], rows[2]))

    def test_output_keeps_the_input_and_adds_one_field(self):
        scene = self.scene("--points", 500, "--organised")
        cloud = pcd.read(scene)
        cloud.viewpoint = "1.5 -2 0.25 0.5 0.5 -0.5 0.5"
        pcd.write(cloud, scene)
        self.run_program("features", scene, self.path("out.pcd"))
        result = pcd.read(self.path("out.pcd"))
        self.assertEqual(result.points.dtype.names, cloud.points.dtype.names + ("attention",))
        self.assertEqual(result.points["attention"].shape, (len(cloud.points), 64))
        self.assertEqual((result.width, result.height), (cloud.width, cloud.height))
        self.assertEqual(result.viewpoint, cloud.viewpoint)
        for name in cloud.points.dtype.names:
            self.assertTrue(same_bits(np.array(result.points[name]), np.array(cloud.points[name])))
        self.assertTrue(same_bits(np.array(result.points["attention"]), self.features(scene, dtype="f32")))

    def test_a_second_run_replaces_the_field(self):
        scene = self.scene("--points", 200)
        self.run_program("features", scene, self.path("one.pcd"))
        self.run_program("features", self.path("one.pcd"), self.path("two.pcd"), "--model", "preset:position")
        one, two = pcd.read(self.path("one.pcd")), pcd.read(self.path("two.pcd"))
        self.assertEqual(one.points.dtype, two.points.dtype)
        self.assertFalse(same_bits(np.array(one.points["attention"]), np.array(two.points["attention"])))

    def test_all_types_arrays_and_padding(self):
        n, rng = 70, np.random.default_rng(1)
        types = [("_", "u1", (3,)), ("x", "f8"), ("ring", "u2"), ("y", "f4"), ("label", "i1"), ("z", "i2"),
                 ("id", "u8"), ("big", "i8"), ("fpfh", "f4", (33,)), ("colour", "u4"), ("t", "i4"), ("_2", "u1")]
        points = np.zeros(n, [(name, "<" + kind, *shape) for name, kind, *shape in types])
        for name in points.dtype.names:
            points[name] = rng.integers(0, 100, points[name].shape)
        named = [name for name in points.dtype.names if not name.startswith("_")]
        unpadded = rfn.repack_fields(points[named])  # padding in compressed files is read in several ways
        rows = []
        for encoding in ("ascii", "binary", "binary_compressed"):
            source = unpadded if encoding == "binary_compressed" else points
            pcd.write(pcd.Cloud(source), self.path("in.pcd"), encoding)
            rows.append(self.features(self.path("in.pcd")))
            self.run_program("features", self.path("in.pcd"), self.path("out.pcd"))
            result = pcd.read(self.path("out.pcd"))
            self.assertEqual(result.points.dtype.names, (*named, "attention"))
            for name in named:
                self.assertEqual(result.points[name].tolist(), points[name].tolist(), f"{name} {encoding}")
        self.assertTrue(same_bits(rows[0], rows[1]) and same_bits(rows[0], rows[2]))


def _header(fields="x y z", size="4 4 4", kind="F F F", count="1 1 1", points=3, data="ascii"):
    return (f"# .PCD v0.7\nVERSION 0.7\nFIELDS {fields}\nSIZE {size}\nTYPE {kind}\nCOUNT {count}\n"
            f"WIDTH {points}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {points}\nDATA {data}\n").encode()


class SoundIfOdd(ProgramTest):
    """PCD files that are unusual and right: the rows are those of the same numbers in a .npy."""

    def check(self, content, xyz, name):
        with open(self.path("in.pcd"), "wb") as file:
            file.write(content)
        np.save(self.path("in.npy"), np.array(xyz))
        rows = self.features(self.path("in.pcd"), "--model", "preset:position")
        self.assertTrue(same_bits(rows, self.features(self.path("in.npy"), "--model", "preset:position")), name)

    def test_ascii(self):
        xyz = [[1.5, -2, 0.25], [4, 5, 6], [-7, 8, 9.125]]
        body = b"1.5 -2 0.25\n4 5 6\n-7 8 9.125\n"
        plain, short = _header() + body, [list(map(float, row)) for row in xyz]
        xyz = np.array(short, "f4")
        mixed = _header("_ x _ y z", "1 4 2 4 4", "U F I F F", "1 1 2 1 1")
        for name, content in {
                "plain": plain, "CRLF": plain.replace(b"\n", b"\r\n"), "no last newline": plain[:-1],
                "CRLF, no last newline": plain.replace(b"\n", b"\r\n")[:-2],
                "capitals": _header("X Y Z") + body, "signs": _header() + body.replace(b" 5", b" +5."),
                "exponents": _header() + body.replace(b"1.5", b"15e-1"), "tabs": plain.replace(b" ", b"\t"),
                "padding": mixed + b"1 1.5 2 3 -2 0.25\n? 4 - - 5 6\n0 -7 0 0 8 9.125\n",
        }.items():
            self.check(content, xyz, name)
        self.check(_header(size="8 8 8") + body.replace(b"4 5", b"4.000000000001 5"),
                   np.array(short) + [[0, 0, 0], [1e-12, 0, 0], [0, 0, 0]], "double")
        self.check(_header(size="2 2 2", kind="I I I") + b"1 -2 3\n400 5 6\n-7 8 -32768\n",
                   np.array([[1, -2, 3], [400, 5, 6], [-7, 8, -32768]], "f4"), "int16")
        self.check(_header() + b"nan 1 2\n1e39 0 0\n1 2 3\n",
                   np.array([[np.nan, 1, 2], [np.inf, 0, 0], [1, 2, 3]], "f4"), "not finite")

    def test_binary(self):
        for text in (b"DATA ascii\nDATA binary\n1 2 3\n4 5 6\n\n", b"\nFIELDS a b\nDATA binary\n1 2 3\n4 5 6\n",
                     b"#\nPOINTS 1\nWIDTH 1\nDATA binary\n1 2 3"):
            words = np.frombuffer(text, "f4", 9).reshape(3, 3)
            self.check(_header(data="binary") + text + b"behind" * 9, words, text)
        whole = np.array([[1, -2, 3], [400, 5, 6], [-7, 8, -32768]], "<i2")
        self.check(_header(size="2 2 2", kind="I I I", data="binary") + whole.tobytes(), whole.astype("f4"), "int16")
        utm = np.array([[5e5, 5e6, 1], [5e5 + 1e-4, 5e6, 2], [5e5, 5e6 + 1, 3]])
        self.check(_header(size="8 8 8", data="binary") + utm.tobytes() + b"\0" * 100, utm, "double, bytes behind")

    def test_a_locale_with_decimal_commas_changes_nothing(self):
        scene = self.path("in.pcd")
        with open(scene, "wb") as file:
            file.write(_header() + b"1.5 -2 0.25\n4 5 6\n-7 8 9.125\n")
        rows = self.features(scene)
        old = os.environ.get("LC_ALL")
        os.environ["LC_ALL"] = "de_DE.UTF-8"
        try:
            self.assertTrue(same_bits(self.features(scene), rows))
        finally:
            os.environ.pop("LC_ALL")
            os.environ.update({} if old is None else {"LC_ALL": old})


class OtherFormats(ProgramTest):
    def test_ply_round_trip(self):
        scene = self.scene("--points", 400)
        cloud, rows = pcd.read(scene), self.features(scene, dtype="f32")
        self.run_program("features", scene, self.path("out.ply"))
        vertices = ply.read_vertices(self.path("out.ply"))
        names = cloud.points.dtype.names
        self.assertEqual(vertices.dtype.names, names + tuple(f"attention_{i}" for i in range(64)))
        for name in names:
            self.assertTrue(same_bits(np.array(vertices[name]), np.array(cloud.points[name])))
        for i in range(64):
            self.assertTrue(same_bits(np.array(vertices[f"attention_{i}"]), np.ascontiguousarray(rows[:, i])))
        self.assertTrue(same_bits(self.features(self.path("out.ply"), dtype="f32"), rows))
        self.run_program("features", self.path("out.ply"), self.path("again.pcd"))
        again = pcd.read(self.path("again.pcd"))
        self.assertTrue(same_bits(np.array(again.points["attention_63"]), np.ascontiguousarray(rows[:, 63])))

    def test_colour_and_normals_through_ply(self):
        rng = np.random.default_rng(2)
        cloud = pcd.from_xyz(rng.random((30, 3)), rgba=rng.integers(0, 2**32, 30, "u4"),
                             normal_x=rng.random(30).astype("f4"), label=rng.integers(0, 9, 30).astype("u2"))
        pcd.write(cloud, self.path("in.pcd"))
        self.run_program("order", self.path("in.pcd"), self.path("out.ply"))
        self.run_program("order", self.path("in.pcd"), self.path("expected.pcd"))
        expected, vertices = pcd.read(self.path("expected.pcd")), ply.read_vertices(self.path("out.ply"))
        colour = expected.points["rgba"]
        for name, shift in (("red", 16), ("green", 8), ("blue", 0), ("alpha", 24)):
            self.assertEqual(vertices[name].tolist(), ((colour >> shift) & 255).tolist(), name)
        self.assertEqual(vertices["nx"].tolist(), expected.points["normal_x"].tolist())
        self.run_program("order", self.path("out.ply"), self.path("back.pcd"))
        back = pcd.read(self.path("back.pcd"))
        self.assertEqual(back.points.dtype.names, expected.points.dtype.names)
        for name in back.points.dtype.names:
            self.assertEqual(back.points[name].tobytes(), expected.points[name].tobytes(), name)

    def test_ply_has_no_64_bit_integers(self):
        pcd.write(pcd.from_xyz(np.zeros((3, 3)), stamp=np.arange(3, dtype="u8")), self.path("in.pcd"))
        self.assertIn("stamp", self.fails("order", self.path("in.pcd"), self.path("out.ply")))

    def test_kitti(self):
        scan = np.random.default_rng(3).random((250, 4)).astype("<f4")
        with open(self.path("scan.bin"), "wb") as file:
            file.write(scan.tobytes())
        pcd.write(pcd.from_xyz(scan[:, :3], intensity=scan[:, 3]), self.path("scan.pcd"))
        self.assertTrue(same_bits(self.features(self.path("scan.bin")), self.features(self.path("scan.pcd"))))
        self.run_program("order", self.path("scan.bin"), self.path("out.pcd"))
        self.assertEqual(sorted(p.tobytes() for p in pcd.read(self.path("out.pcd")).points),
                         sorted(row.tobytes() for row in scan))

    def test_ply_of_either_byte_order(self):
        xyz = np.random.default_rng(4).random((40, 3)).astype("f4")
        rows = []
        for order, word in (("<", "little"), (">", "big")):
            header = (f"ply\nformat binary_{word}_endian 1.0\nelement vertex 40\nproperty float x\n"
                      "property float y\nproperty float z\nend_header\n")
            with open(self.path("in.ply"), "wb") as file:
                file.write(header.encode() + b"".join(struct.pack(order + "3f", *p) for p in xyz))
            rows.append(self.features(self.path("in.ply")))
        self.assertTrue(same_bits(rows[0], rows[1]))


class RealFiles(ProgramTest):
    def test_features_of_formats(self):
        for name, points in (("formats/double_xyz.ply", 1), ("formats/diamond_big_endian.ply", 6),
                             ("formats/points_ascii_with_lists.ply", 5), ("formats/empty_binary.ply", 0),
                             ("formats/nhood_v05.pcd", 36), ("formats/utm17_tab.pcd", 10),
                             ("objects/object_template_0.pcd", 1397), ("objects/colored_cloud.pcd", 1000),
                             ("indoor_lidar/hesai_at128_packed35.pcd", 25572)):
            path = real_cloud(name)
            if path is None:
                self.skipTest("no real clouds")
            rows = self.features(path, "--model", "preset:position")
            self.assertEqual(rows.shape, (points, 64), name)
            self.assertTrue(np.isfinite(rows).all(), name)

    def test_one_cloud_in_three_encodings(self):
        paths = [real_cloud(name) for name in
                 ("formats/milk_ascii.pcd", "formats/milk_binary.pcd", "objects/milk.pcd")]
        if None in paths:
            self.skipTest("no real clouds")
        rows = [self.features(path) for path in paths]
        self.assertTrue(same_bits(rows[0], rows[1]) and same_bits(rows[0], rows[2]))


if __name__ == "__main__":
    unittest.main()
