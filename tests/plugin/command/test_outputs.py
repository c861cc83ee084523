# SPDX-License-Identifier: BSD-3-Clause
"""Outputs of every verb appear under their final name whole or not at all."""

import os
import subprocess
import unittest

import safetensors_file
from program import COMMAND, ProgramTest, bytes_of
from test_model_import import cases


class Outputs(ProgramTest):
    def setUp(self):
        super().setUp()
        self.cloud = self.scene("--points", 200)

    def writers(self):
        """Pairs of a name and arguments for every verb and kind of file that it writes; OUT stands for the
        path, in a folder of its own."""
        state, case = self.path("state.safetensors"), cases()[0]
        safetensors_file.write(state, case.state)
        small = ["--model", "preset:position"]
        return [
            ("o.npy", ["features", self.cloud, "OUT", *small]),
            ("o.pcd", ["features", self.cloud, "OUT", *small]),
            ("o.ply", ["features", self.cloud, "OUT", *small]),
            ("o.pcd", ["filter", self.cloud, "OUT", *small]),
            ("o.ply", ["filter", self.cloud, "OUT", *small]),
            ("o.pcd", ["sample", self.cloud, "OUT", *small]),
            ("o.ply", ["sample", self.cloud, "OUT", *small, "--keep-organised"]),
            ("o.pcd", ["sample", self.cloud, self.path("kept.pcd"), *small, "--removed", "OUT"]),
            ("o.pcd", ["clean", self.cloud, "OUT", "--threshold", 1]),
            ("o.ply", ["clean", self.cloud, "OUT", "--keep-organised", "--probability-field", "p"]),
            ("o.pcd", ["clean", self.cloud, self.path("kept.pcd"), "--threshold", 0, "--removed", "OUT"]),
            ("o.pcd", ["order", self.cloud, "OUT"]),
            ("o.ply", ["order", self.cloud, "OUT"]),
            ("o.png", ["heads", self.cloud, *small, "--png", "OUT"]),
            ("o.pcd", ["heads", self.cloud, *small, "--cloud", "OUT"]),
            ("o.pcd", ["equivariance", self.cloud, *small, "--permutations", 1, "--cloud", "OUT"]),
            ("o.html", ["equivariance", self.cloud, *small, "--permutations", 1, "--html", "OUT"]),
            ("o.json", ["equivariance", self.cloud, *small, "--permutations", 1, "--json", "OUT"]),
            ("o.safetensors", ["model", "create", "position", "OUT"]),
            ("o.safetensors", ["model", "import", state, "OUT", *case.options]),
            ("o.json", ["model", "info", "preset:position", "--json", "OUT"]),
            ("o.pcd", ["scene", "OUT", "--points", 100]),
            ("o.ply", ["scene", "OUT", "--points", 100]),
        ]

    def summaries(self):
        """Verbs that write a file and a summary about it."""
        state, case = self.path("state.safetensors"), cases()[0]
        safetensors_file.write(state, case.state)
        for verb in ("features", "filter", "sample", "clean", "order"):
            yield verb, self.cloud, self.path("whole.pcd")
        yield "heads", self.cloud, "--png", self.path("whole.png")
        yield "equivariance", self.cloud, "--permutations", 1, "--html", self.path("whole.html")
        yield ("model", "import", state, self.path("whole.safetensors"), *case.options)

    def expect_nothing_written(self, arguments, path, **more):
        before = sorted(os.listdir(self.folder)), bytes_of(self.cloud)
        words = [path if word == "OUT" else word for word in arguments]
        line = self.fails(*words, **more)
        self.assertIn(f"{path}: cannot write: ", line, words)
        self.assertEqual((sorted(os.listdir(self.folder)), bytes_of(self.cloud)), before, words)
        return line

    def test_places_that_cannot_be_written_to(self):
        os.mkdir(self.path("closed"), 0o500)
        for name, arguments in self.writers():
            self.expect_nothing_written(arguments, self.path(f"missing/{name}"))
            self.expect_nothing_written(arguments, f"{self.cloud}/{name}")
            self.expect_nothing_written(arguments, f"/proc/{name}")
            if os.geteuid() != 0:
                self.expect_nothing_written(arguments, self.path(f"closed/{name}"))
            os.mkdir(self.path(name))
            self.assertIn("it is a folder", self.expect_nothing_written(arguments, self.path(name)))
            os.rmdir(self.path(name))

    def test_a_full_disk(self):
        for name, arguments in self.writers():
            for room in (0, 200):
                self.expect_nothing_written(arguments, self.path(f"full-{name}"), disk=room)
            with open(self.path(name), "wb") as file:
                file.write(b"what was here before")
            self.expect_nothing_written(arguments, self.path(name), disk=200)
            self.assertEqual(bytes_of(self.path(name)), b"what was here before")
            os.remove(self.path(name))

    def test_nothing_is_written_if_the_summary_cannot_be(self):
        for arguments in self.summaries():
            self.expect_nothing_written([*arguments, "--json", "OUT"], self.path("missing/o.json"))

    def test_long_work_is_not_begun_for_a_file_that_cannot_be_written(self):
        """Long work begins with an estimate; fails() takes one line."""
        cloud = self.scene("--points", 60000)
        full, out = ["--model", "preset:full"], self.path("missing/o.pcd")
        for arguments in (["features", cloud, out, *full], ["filter", cloud, out, *full],
                          ["sample", cloud, out, *full], ["heads", cloud, *full, "--cloud", out],
                          ["equivariance", cloud, *full, "--cloud", out]):
            self.assertIn("missing", self.fails(*arguments))

    def test_a_failure_in_the_middle_leaves_what_was_there(self):
        out = self.path("out.npy")
        with open(out, "wb") as file:
            file.write(b"what was here before")
        before = sorted(os.listdir(self.folder))
        self.fails("features", self.cloud, out, "--length", "strict")
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        self.assertEqual(bytes_of(out), b"what was here before")

    def test_standard_output_on_a_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w") as full:
            done = subprocess.run([COMMAND, "model", "info", "preset:full"], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
