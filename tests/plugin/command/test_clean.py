# SPDX-License-Identifier: BSD-3-Clause
"""Which points `clean` keeps, recomputed from the probabilities it writes, and how it writes them."""

import os
import unittest

import numpy as np
import pcd
import safetensors_file
from program import ProgramTest, bytes_of, real_cloud, same_bits

SENSOR = ("--sensor-origin", "0.5,-0.25,1")


class Clean(ProgramTest):
    def probabilities(self, cloud, *options):
        """What is written at every point, with all of them kept in their place."""
        self.run_program("clean", cloud, self.path("all.pcd"), "--keep-organised", "--probability-field", "p", *options)
        return pcd.read(self.path("all.pcd")).points["p"]

    def check(self, path, *options):
        """Kept, removed and counted points are those the written probabilities say."""
        cloud = pcd.read(path)
        p, valid = self.probabilities(path, *options), cloud.valid()
        self.assertTrue(np.array_equal(np.isnan(p), ~valid), "NaN exactly at the invalid points")
        self.assertTrue(((p[valid] >= 0) & (p[valid] <= 1)).all())
        summary = self.json_of("clean", path, self.path("kept.pcd"), "--removed", self.path("removed.pcd"), *options)
        keep = p < summary["threshold"]  # False for NaN
        for name, which in (("kept", keep), ("removed", ~keep)):
            self.assertTrue(same_bits(pcd.read(self.path(f"{name}.pcd")).points, cloud.points[which]), name)
        expected = {"points": len(p), "valid_points": int(valid.sum()), "invalid_points": int((~valid).sum()),
                    "outliers": int((valid & ~keep).sum()), "kept": int(keep.sum()), "removed": int((~keep).sum())}
        self.assertEqual({key: summary[key] for key in expected}, expected)
        self.assertRegex(summary["model_hash"], r"^[0-9a-f]{16}$")
        return p, summary

    def test_keeps_what_its_probabilities_say(self):
        scene = self.scene("--points", 3000)
        for options in ((), SENSOR):
            p, summary = self.check(scene, *options)
            self.assertEqual(summary["model"].endswith("sensor"), bool(options))
            middle = str(np.nanmedian(p.astype("f8")))
            _, divided = self.check(scene, "--threshold", middle, *options)
            self.assertTrue(0 < divided["outliers"] < divided["valid_points"])

    def test_finds_dust(self):
        """Which points are dust is known from the same scene without it."""
        for seed, options in ((1, ()), (2, ("--sensor-origin", "0.5,0.6,1.6"))):
            scene = ("--points", 6000, "--seed", seed)
            clear = pcd.read(self.scene(*scene)).points
            path = self.scene(*scene, "--stray", 0.02)
            cloud = pcd.read(path)
            dust = cloud.valid() & (cloud.points["x"] != clear["x"])
            outlier = self.probabilities(path, *options) >= 0.5
            found, taken = outlier[dust].mean(), outlier[cloud.valid() & ~dust].mean()
            print(f"dust: {dust.sum()} points, {found:.0%} found, {taken:.1%} of the others removed, {options}")
            self.assertGreater(found, 0.6)
            self.assertLess(taken, 0.03)

    def test_thresholds_at_the_ends(self):
        scene = self.scene("--points", 500)
        valid = int(pcd.read(scene).valid().sum())
        _, none = self.check(scene, "--threshold", 0)
        self.assertEqual((none["kept"], none["outliers"]), (0, valid))
        p, every = self.check(scene, "--threshold", 1)
        self.assertEqual(every["kept"], int((p < 1).sum()))

    def test_the_field_is_in_every_output(self):
        scene = self.scene("--points", 800)
        p = self.probabilities(scene)
        middle = str(np.nanmedian(p.astype("f8")))
        self.run_program("clean", scene, self.path("kept.pcd"), "--removed", self.path("removed.ply"),
                         "--threshold", middle, "--probability-field", "p")
        kept = pcd.read(self.path("kept.pcd")).points
        self.assertEqual(kept.dtype.names, (*pcd.read(scene).points.dtype.names, "p"))
        self.assertTrue(same_bits(np.array(kept["p"]), p[p < np.float64(middle)]))
        self.assertIn(b"property float p\n", bytes_of(self.path("removed.ply")))
        self.assertIn("a field 'p' already", self.fails("clean", self.path("kept.pcd"), self.path("o.pcd"),
                                                        "--probability-field", "p"))

    def test_negative_keeps_the_outliers(self):
        scene = self.scene("--points", 900)
        p = self.probabilities(scene)
        middle = float(np.nanmedian(p.astype("f8")))
        summary = self.json_of("clean", scene, self.path("o.pcd"), "--threshold", middle, "--negative")
        expected = pcd.read(scene).points[p >= middle]
        self.assertTrue(same_bits(pcd.read(self.path("o.pcd")).points, expected))
        self.assertEqual((summary["outliers"], summary["kept"]), (len(expected), len(expected)))

    def test_keep_organised(self):
        scene = self.scene("--points", 700, "--organised")
        cloud = pcd.read(scene)
        cloud.viewpoint = "1.5 -2 0.25 0.5 0.5 -0.5 0.5"
        pcd.write(cloud, scene)
        p = self.probabilities(scene)
        middle = float(np.nanmedian(p.astype("f8")))
        for spelling in ("--keep-organised", "--keep-organized"):
            self.run_program("clean", scene, self.path("grid.pcd"), "--threshold", middle, spelling)
            grid = pcd.read(self.path("grid.pcd"))
            self.assertEqual((grid.width, grid.height, grid.viewpoint), (cloud.width, cloud.height, cloud.viewpoint))
            self.assertTrue(np.array_equal(grid.valid(), p < middle))
            self.assertTrue(same_bits(grid.points[p < middle], cloud.points[p < middle]))

    def test_a_shuffled_cloud_and_other_threads_keep_the_same_points(self):
        scene = self.scene("--points", 2000)
        cloud = pcd.read(scene)
        permutation = np.random.default_rng(2).permutation(len(cloud.points))
        pcd.write(cloud.rows(permutation), self.path("shuffled.pcd"))
        for options in ((), SENSOR):
            p = self.probabilities(scene, *options)
            self.assertTrue(same_bits(self.probabilities(self.path("shuffled.pcd"), *options), p[permutation]))
            for threads in (1, 2):
                self.assertTrue(same_bits(self.probabilities(scene, "--threads", threads, *options), p))

    def test_the_sensor_chooses_the_model_unless_one_is_given(self):
        scene = self.scene("--points", 400)
        without, with_sensor = self.check(scene), self.check(scene, *SENSOR)
        self.assertNotEqual(without[1]["model_hash"], with_sensor[1]["model_hash"])
        self.assertFalse(same_bits(with_sensor[0], self.probabilities(scene, "--sensor-origin", 0, 0, 9)))
        named = self.check(scene, "--model", "shipped:outlier", *SENSOR)
        self.assertTrue(same_bits(named[0], without[0]))
        self.assertIn("give --sensor-origin", self.fails("clean", scene, self.path("o.pcd"), "--model",
                                                         "shipped:outlier-sensor"))

    def test_a_model_file_brings_its_threshold(self):
        shipped = os.path.join(os.path.dirname(__file__), "../../../src/weights/outlier/outlier.safetensors")
        tensors, metadata = safetensors_file.read(shipped)
        info = self.run_program("model", "info", "shipped:outlier").stdout
        for key in metadata:
            if key != "pcl_attention":
                self.assertIn(f"metadata {key}: {metadata[key]}", info)
        scene = self.scene("--points", 300)
        _, summary = self.check(scene)
        self.assertEqual(summary["threshold"], float(metadata.get("outlier_threshold", 0.5)))
        for text, threshold in (("0.125", 0.125), (None, 0.5)):
            metadata["outlier_threshold"] = text
            own = {key: value for key, value in metadata.items() if value is not None}
            safetensors_file.write(self.path("own.safetensors"), tensors, own)
            _, summary = self.check(scene, "--model", self.path("own.safetensors"))
            self.assertEqual(summary["threshold"], threshold)
        metadata["outlier_threshold"] = "often"
        safetensors_file.write(self.path("own.safetensors"), tensors, metadata)
        self.assertIn('"often", expected a number from 0 to 1',
                      self.fails("clean", scene, self.path("o.pcd"), "--model", self.path("own.safetensors")))

    def test_summary_line(self):
        text = self.run_program("clean", self.scene("--points", 600), self.path("o.pcd")).stdout
        for word in ("clean: 600 points", "kept", "removed", "invalid", "probability at or above", "model outlier",
                     "neighbourhood 0."):
            self.assertIn(word, text)

    def test_in_place(self):
        scene = self.scene("--points", 500)
        self.run_program("clean", scene, self.path("out.pcd"))
        self.run_program("clean", scene, scene)
        self.assertTrue(same_bits(pcd.read(scene).points, pcd.read(self.path("out.pcd")).points))

    def test_other_formats_field_names_and_zero_returns(self):
        scan = np.random.default_rng(3).random((400, 4)).astype("<f4")
        scan[5, :3] = 0
        with open(self.path("scan.bin"), "wb") as file:
            file.write(scan.tobytes())
        self.run_program("clean", self.path("scan.bin"), self.path("a.ply"), "--threshold", 1, "--zero-returns",
                         "invalid")
        self.run_program("clean", self.path("a.ply"), self.path("b.pcd"), "--threshold", 1)
        self.assertTrue(np.array_equal(pcd.read(self.path("b.pcd")).xyz(), np.delete(scan, 5, 0)[:, :3].astype("f8")))
        points = np.zeros(400, [("easting", "f8"), ("y", "f4"), ("z", "f4")])
        points["easting"], points["y"], points["z"] = scan[:, :3].T
        pcd.write(pcd.Cloud(points), self.path("named.pcd"))
        self.run_program("clean", self.path("named.pcd"), self.path("c.pcd"), "--threshold", 1, "--field", "x=easting")
        self.assertEqual(len(pcd.read(self.path("c.pcd")).points), 400)

    def test_few_points(self):
        for n in (0, 1, 2):
            pcd.write(pcd.from_xyz(np.arange(3 * n).reshape(n, 3)), self.path("few.pcd"))
            for options in ((), SENSOR):
                self.check(self.path("few.pcd"), *options)
        pcd.write(pcd.from_xyz(np.full((5, 3), np.nan)), self.path("nan.pcd"))
        _, summary = self.check(self.path("nan.pcd"))
        self.assertEqual((summary["kept"], summary["outliers"], summary["invalid_points"]), (0, 0, 5))
        self.run_program("clean", self.path("nan.pcd"), self.path("out.ply"))

    def test_real_clouds(self):
        for name, options in (("outdoor/ouster_os1_128_seq_0.pcd", ("--sensor-origin", "0,0,0")),
                              ("indoor_lidar/room_scan1.pcd", ())):
            path = real_cloud(name)
            if path is not None:
                _, summary = self.check(path, *options)
                print(name, {key: summary[key] for key in ("points", "invalid_points", "outliers", "threshold")})

    def test_failures(self):
        scene, out = self.scene("--points", 100), self.path("o.pcd")
        for options, said in ((("--threshold", 1.5), "threshold"), (("--threshold", "nan"), "threshold"),
                              (("--threshold", -0.1), "threshold"), (("--threshold", "high"), "--threshold"),
                              (("--removed", out), "one file"), (("--removed", self.path("o.npy")), "o.npy"),
                              (("--model", "preset:position"), "expected head_output 1"),
                              (("--model", self.path("none.safetensors")), "none.safetensors"),
                              (("--field", "x=easting"), "'easting'"), (("--sensor-origin", "1,2"), "--sensor-origin"),
                              (("--sensor-origin", "1,2,nan"), "sensor_origin"), (("--seed", 3), "--seed"),
                              (("--probability-field", "x"), "'x' already"),
                              (("--probability-field", "a b"), "names of fields")):
            self.assertIn(said, self.fails("clean", scene, out, *options), options)
        self.fails("clean", scene)
        self.fails("clean", scene, self.path("o.npy"))
        np.save(self.path("rows.npy"), np.zeros((5, 3)))
        self.assertIn("came .npy", self.fails("clean", self.path("rows.npy"), out))
        self.assertIn("none.pcd", self.fails("clean", self.path("none.pcd"), out))
        self.assertFalse(os.path.exists(out))

    def test_the_sensor_for_other_verbs(self):
        scene, model = self.scene("--points", 300), ("--model", "shipped:outlier-sensor")
        here, there = self.features(scene, *model), self.features(scene, *model, *SENSOR)
        self.assertFalse(same_bits(here, there))
        p = self.probabilities(scene, *SENSOR)
        valid = ~np.isnan(p)
        self.assertLess(np.abs(1 / (1 + np.exp(-there[valid, 0])) - p[valid]).max(), 1e-6)
        report = self.json_of("equivariance", scene, "--permutations", 3, "--groups", "permutation,floor,layers", *model,
                              *SENSOR)
        self.assertEqual(report["level"], 3)


if __name__ == "__main__":
    unittest.main()
