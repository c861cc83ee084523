# SPDX-License-Identifier: BSD-3-Clause
"""Runs the program under test; what the tests of this folder share."""

import json
import os
import resource
import shutil
import subprocess
import tempfile
import unittest

import numpy as np

COMMAND = os.environ["PCL_ATTENTION_COMMAND"]
DATA = os.environ.get("PCL_ATTENTION_DATA", os.environ.get("PCL_ATTENTION_REAL_DATA", ""))


def real_cloud(name):
    """Path of a real cloud, or None (and a line that says so)."""
    path = os.path.join(DATA, name)
    if DATA and os.path.exists(path):
        return path
    print(f"skipped: no real cloud {name}; set PCL_ATTENTION_DATA")
    return None


def relative_l2(a, b):
    """‖a − b‖ / ‖b‖; infinite when a number is not finite."""
    a, b = np.asarray(a, "f8"), np.asarray(b, "f8")
    if a.shape != b.shape or not (np.isfinite(a).all() and np.isfinite(b).all()):
        return float("inf")
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


def same_bits(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="pcl_attention_")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_program(self, *arguments, code=0, disk=None):
        """Runs the program, holds its exit code against `code`, returns what it printed. A file cannot grow
        beyond `disk` bytes: write() fails then, as on a full disk."""

        def fill_disk():
            resource.setrlimit(resource.RLIMIT_FSIZE, (disk, disk))

        full = {} if disk is None else {"preexec_fn": fill_disk, "restore_signals": False}
        done = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=600, **full)
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def fails(self, *arguments, disk=None):
        """Runs the program, which must fail with one line on standard error; returns that line."""
        done = self.run_program(*arguments, code=2, disk=disk)
        lines = done.stderr.strip().split("\n")
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("pcl_attention: "), lines[0])
        return lines[0]

    def scene(self, *options):
        path = self.path("scene.pcd")
        self.run_program("scene", path, *options)
        return path

    def features(self, cloud, *options, dtype="f64"):
        out = self.path("features.npy")
        self.run_program("features", cloud, out, "--dtype", dtype, *options)
        rows = np.load(out)
        os.remove(out)
        return rows

    def json_of(self, *arguments, code=0):
        out = self.path("summary.json")
        self.run_program(*arguments, "--json", out, code=code)

        def refuse(word):
            raise ValueError(f"{word} in JSON")

        with open(out) as file:
            summary = json.load(file, parse_constant=refuse)
        os.remove(out)
        return summary
