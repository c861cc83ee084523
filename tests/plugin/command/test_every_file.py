# SPDX-License-Identifier: BSD-3-Clause
"""Every real file gives a row per point or one sentence that says why not. What was read is held against
readers that share nothing with the program. Prints the counts."""

import collections
import os
import re
import subprocess
import unittest

import numpy as np
import pcd
import ply
from program import COMMAND, DATA, ProgramTest, real_cloud

KITTI = np.dtype([(name, "<f4") for name in ("x", "y", "z", "intensity")])


def columns(path):
    """The columns of a cloud by name in small letters."""
    if path.endswith(".bin"):
        points = np.fromfile(path, KITTI)
    else:
        points = ply.read_vertices(path) if path.endswith(".ply") else pcd.read(path).points
    return {name.lower(): points[name].astype("f8") for name in points.dtype.names}


def what_was_read(path, fields, out):
    """Points whose `fields` are finite have a row, and x y z are those of the file."""
    given, result = columns(path), columns(out)
    valid = np.all([np.isfinite(given[name]) for name in fields], axis=0)
    if not np.array_equal(np.isfinite(result["row"]), valid):
        return "wrong: rows"
    same = all(np.array_equal(given[name], result[name], equal_nan=True) for name in "xyz")
    return "read" if same else "wrong: coordinates"


def what_was_said(path, fields, text):
    if "/malformed/" in path:
        return "malformed, file and line named" if f"{path}:" in text and re.search(r":\d+: ", text) else "wrong: error"
    if not path.endswith((".pcd", ".ply", ".bin")):
        return "another format" if f"{path}: expected a name that ends in .pcd" in text else "wrong: error"
    missing = [name for name in fields if f"no field '{name}'" in text]
    return f"field {missing[0]} named as missing" if missing else "wrong: error"


class EveryFile(ProgramTest):
    def verdict(self, path, fields, *options):
        out = self.path("out.pcd")
        done = subprocess.run([COMMAND, "filter", path, out, "--model", "preset:position", "--fields", "row", *options],
                              capture_output=True, text=True, timeout=600)
        if done.returncode == 0:
            verdict = what_was_read(path, fields, out)
            os.remove(out)
            return verdict
        whole = done.returncode == 2 and done.stderr.count("\n") == 1 and not os.path.exists(out)
        return what_was_said(path, fields, done.stderr) if whole else "wrong: no sentence"

    def count(self, fields, *options):
        if real_cloud("README.md") is None:
            self.skipTest("no real clouds")
        verdicts = {}
        for folder, _, names in os.walk(DATA):
            for name in names:
                if name.endswith((".pcd", ".ply", ".bin", ".las", ".off", ".xyz")):
                    path = os.path.join(folder, name)
                    verdicts[path] = self.verdict(path, fields, *options)
        counts = collections.Counter(verdicts.values())
        wrong = {path: verdict for path, verdict in verdicts.items() if verdict.startswith("wrong")}
        print(f"{len(verdicts)} files, a model that reads {' '.join(fields)}: "
              + ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())) + f", {len(wrong)} wrong")
        self.assertEqual(wrong, {})
        self.assertGreater(counts["read"], 0)

    def test_a_model_of_coordinates(self):
        self.count(("x", "y", "z"))

    def test_a_model_that_reads_intensity(self):
        self.count(("x", "y", "intensity"), "--field", "z=intensity")


if __name__ == "__main__":
    unittest.main()
