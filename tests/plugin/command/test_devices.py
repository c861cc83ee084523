# SPDX-License-Identifier: BSD-3-Clause
"""What the program does with and without a CUDA device."""

import unittest

from program import ProgramTest, relative_l2, same_bits


class Devices(ProgramTest):
    def setUp(self):
        super().setUp()
        self.found = self.json_of("devices")
        self.working = [i for i, device in enumerate(self.found["devices"]) if device["works"]]

    def test_devices_are_listed_or_the_reason_why_there_is_none(self):
        printed = self.run_program("devices").stdout
        self.assertIn(f"devices: {len(self.found['devices'])} for cuda", printed)
        self.assertEqual(bool(self.found["fault"]), not self.found["devices"])
        self.assertIn(self.found["fault"], printed)
        self.assertIn(self.found["architectures"], printed)
        for i, device in enumerate(self.found["devices"]):
            self.assertIn(f"cuda:{i} {device['name']}", printed)
            self.assertEqual(device["works"], device["fault"] == "")

    def test_wrong_names(self):
        scene = self.scene("--points", 100)
        for name in ("cuda:", "cuda:x", "cuda:-1", "cuda:0x", "cpu:0", "CUDA", ""):
            self.assertIn("--device", self.fails("features", scene, self.path("o.npy"), "--device", name))

    def test_a_device_that_is_not_there(self):
        scene = self.scene("--points", 100)
        for verb in ("features", "filter"):
            line = self.fails(verb, scene, self.path("o.pcd"), "--device", "cuda:99")
            self.assertIn("cuda", line)
            self.assertIn("no CUDA device", line)
        self.assertIn("no CUDA device", self.fails("equivariance", scene, "--device", "cuda:99"))

    def test_without_a_device_cuda_fails_and_auto_is_the_cpu(self):
        if self.working:
            self.skipTest("there is a CUDA device")
        scene = self.scene("--points", 500)
        line = self.fails("features", scene, self.path("o.npy"), "--device", "cuda")
        if self.found["fault"]:
            self.assertIn(self.found["fault"], line)
        self.assertTrue(same_bits(self.features(scene, "--device", "auto"), self.features(scene, "--device", "cpu")))
        self.assertIn("cpu", self.json_of("features", scene, self.path("o.npy"))["engine"])

    def test_a_device_agrees_with_the_reference_and_auto_takes_it(self):
        if not self.working:
            self.skipTest("no CUDA device")
        scene = self.scene("--points", 5000)
        reference = self.features(scene, "--device", "reference")
        for i in self.working:
            self.assertLessEqual(relative_l2(self.features(scene, "--device", f"cuda:{i}"), reference), 1e-5)
        if 0 in self.working:
            self.assertIn("cuda:0", self.json_of("features", scene, self.path("o.npy"))["engine"])


if __name__ == "__main__":
    unittest.main()
