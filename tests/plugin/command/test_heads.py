# SPDX-License-Identifier: BSD-3-Clause
"""What `heads` draws and writes."""

import os
import struct
import unittest
import zlib

import numpy as np
import pcd
from program import ProgramTest, bytes_of


def read_png(path):
    """Pixels [height, width, 3] of an RGB PNG."""
    data = bytes_of(path)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, width, height = 8, b"", 0, 0
    while at < len(data):
        (size,), kind = struct.unpack(">I", data[at:at + 4]), data[at + 4:at + 8]
        body = data[at + 8:at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
            assert tuple(body[8:]) == (8, 2, 0, 0, 0)
        if kind == b"IDAT":
            packed += body
        at += 12 + size
    rows = np.frombuffer(zlib.decompress(packed), "u1").reshape(height, 1 + 3 * width)
    pixels = np.zeros((height, width, 3), "u1")
    for y, row in enumerate(rows):
        pixels[y] = unfilter(row[0], row[1:].astype(int), pixels[y - 1].reshape(-1).astype(int) if y else
                             np.zeros(3 * width, int)).reshape(width, 3)
    return pixels


def unfilter(kind, row, above):
    if kind == 0:
        return row
    if kind == 2:
        return (row + above) % 256
    result = np.zeros(len(row), int)
    for i, value in enumerate(row):
        left, corner = (result[i - 3], above[i - 3]) if i >= 3 else (0, 0)
        if kind == 1:
            predicted = left
        elif kind == 3:
            predicted = (left + above[i]) // 2
        else:
            guess = left + above[i] - corner
            predicted = min((left, above[i], corner), key=lambda number: abs(guess - number))
        result[i] = (value + predicted) % 256
    return result


class Heads(ProgramTest):
    def test_picture_shows_every_head(self):
        summary = self.json_of("heads", self.scene("--points", 800), "--model", "preset:linformer", "--png",
                               self.path("h.png"), "--rows", 100)
        self.assertEqual((summary["layers"], summary["heads"]), (2, 4))
        self.assertEqual(len(summary["rows"]), 100)
        pixels = read_png(self.path("h.png")).astype(int)
        # Dark red is the largest weight of a head: each of the eight matrices has a scale of its own.
        dark = (pixels == [103, 0, 13]).all(axis=2)
        columns = np.flatnonzero(dark.any(axis=0))
        self.assertEqual((np.diff(columns) > 8).sum() >= 3, True)
        bars = [y for y in range(len(dark)) if dark[y].sum() >= 4 and dark[y - 1].sum() == 0]
        self.assertGreaterEqual(len(bars), 2)
        height, width = dark.shape
        self.assertTrue(400 < height < 1200 and 700 < width < 1600, dark.shape)

    def test_same_cloud_same_picture(self):
        scene = self.scene("--points", 500)
        for name in ("a.png", "b.png"):
            self.run_program("heads", scene, "--model", "preset:position", "--png", self.path(name),
                             "--threads", 1 if name == "a.png" else 2)
        self.assertEqual(bytes_of(self.path("a.png")), bytes_of(self.path("b.png")))

    def test_cloud_holds_attention_received_and_strongest_slots(self):
        scene = self.scene("--points", 700, "--organised")
        self.run_program("heads", scene, "--model", "preset:position", "--cloud", self.path("h.pcd"),
                         "--layer", 1)
        before, after = pcd.read(scene), pcd.read(self.path("h.pcd"))
        self.assertEqual((after.width, after.height), (before.width, before.height))
        valid = before.valid()
        names = after.points.dtype.names
        for field in ("received", "received_1", "slot_1", "received_4", "slot_4"):
            self.assertIn(field, names)
        self.assertNotIn("slot_5", names)
        received = after.points["received_2"]
        self.assertTrue(np.isnan(received[~valid]).all())
        self.assertAlmostEqual(float(received[valid].sum()), 1.0, places=4)
        self.assertAlmostEqual(float(after.points["received"][valid].sum()), 1.0, places=4)
        slots = after.points["slot_3"]
        self.assertTrue(((slots[valid] >= 0) & (slots[valid] < 125)).all())
        self.assertTrue((slots[~valid] == -1).all())
        self.assertGreater(len(np.unique(slots[valid])), 1)

    def test_rows_of_numbers_and_all_of_them(self):
        np.save(self.path("rows.npy"), np.random.default_rng(1).random((90, 3)).astype("f4"))
        summary = self.json_of("heads", self.path("rows.npy"), "--model", "preset:full", "--png",
                               self.path("h.png"), "--rows", 0)
        self.assertEqual(sorted(summary["rows"]), list(range(90)))

    def test_no_points(self):
        pcd.write(pcd.from_xyz(np.zeros((0, 3))), self.path("none.pcd"))
        self.run_program("heads", self.path("none.pcd"), "--model", "preset:full", "--png", self.path("h.png"),
                         "--cloud", self.path("h.pcd"))
        read_png(self.path("h.png"))
        self.assertEqual(len(pcd.read(self.path("h.pcd")).points), 0)

    def test_failures(self):
        scene = self.scene("--points", 300)
        self.assertIn("--png or --cloud", self.fails("heads", scene))
        self.assertIn("--layer is 3", self.fails("heads", scene, "--png", self.path("h.png"), "--layer", 3))
        np.save(self.path("rows.npy"), np.zeros((9, 3), "f4"))
        self.assertIn("needs a cloud", self.fails("heads", self.path("rows.npy"), "--cloud", self.path("h.pcd")))
        self.assertFalse(os.path.exists(self.path("h.png")))
        self.assertIn(self.path("none/h.png"), self.fails("heads", scene, "--png", self.path("none/h.png")))

    def test_help_has_an_example(self):
        self.assertRegex(self.run_program("heads", "--help").stdout, r"Example.*\n +pcl_attention ")


if __name__ == "__main__":
    unittest.main()
