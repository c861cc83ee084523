# SPDX-License-Identifier: BSD-3-Clause
"""What each verb does, seen from outside."""

import re
import unittest

import numpy as np
import pcd
from program import ProgramTest, bytes_of, same_bits


class Help(ProgramTest):
    def test_every_verb_has_an_example(self):
        self.assertRegex(self.run_program("--version").stdout, r"^pcl_attention \d+\.\d+\.\d+\n$")
        self.assertIn("features", self.run_program("--help").stdout)
        for verb in (["features"], ["filter"], ["sample"], ["clean"], ["order"], ["equivariance"], ["model"],
                     ["model", "create"], ["model", "info"], ["devices"], ["scene"]):
            text = self.run_program(*verb, "--help").stdout
            self.assertRegex(text, r"Example.*\n +pcl_attention ", verb)


class Scene(ProgramTest):
    def test_same_seed_same_bytes(self):
        for i, options in enumerate((["--seed", 5], ["--seed", 5], ["--seed", 6])):
            self.run_program("scene", self.path(f"{i}.pcd"), *options)
        files = [bytes_of(self.path(f"{i}.pcd")) for i in range(3)]
        self.assertEqual(files[0], files[1])
        self.assertNotEqual(files[0], files[2])

    def test_organised(self):
        cloud = pcd.read(self.scene("--points", 700, "--organised"))
        self.assertGreater(cloud.height, 10)
        self.assertEqual(cloud.width * cloud.height, len(cloud.points))
        self.assertTrue(0 < (~cloud.valid()).sum() < 200)


class Order(ProgramTest):
    def test_shuffles_become_the_same_file(self):
        scene = pcd.read(self.scene("--points", 2000))
        doubled = pcd.Cloud(np.concatenate([scene.points, scene.points[:500]]), viewpoint=scene.viewpoint)
        doubled.points["intensity"][2000:] *= 2
        outputs = []
        for seed in (1, 2, 3):
            permutation = np.random.default_rng(seed).permutation(2500)
            pcd.write(doubled.rows(permutation), self.path("in.pcd"))
            summary = self.json_of("order", self.path("in.pcd"), self.path("out.pcd"))
            outputs.append(bytes_of(self.path("out.pcd")))
        self.assertEqual(outputs[0], outputs[1])
        self.assertEqual(outputs[0], outputs[2])
        valid = doubled.valid()
        result = pcd.read(self.path("out.pcd"))
        self.assertEqual(sorted(p.tobytes() for p in result.points),
                         sorted(p.tobytes() for p in doubled.points[valid]))
        self.assertEqual(result.viewpoint, scene.viewpoint)
        self.assertEqual(summary["points"], 2500)
        self.assertEqual(summary["valid_points"], valid.sum())
        self.assertEqual(summary["ties"], int(valid[2000:].sum()))
        self.assertEqual(summary["longest_tie_run"], 2)
        self.assertEqual(max(summary["bits_per_axis"]), 21)
        self.assertGreater(summary["cell"], 0)

    def test_sorted_along_the_morton_curve(self):
        rng = np.random.default_rng(1)
        pcd.write(pcd.from_xyz(rng.integers(-500, 500, (3000, 3)) * 0.01 + 0.005), self.path("in.pcd"))
        self.run_program("order", self.path("in.pcd"), self.path("out.pcd"), "--cell", 0.01,
                         "--origin", "-5,-5,-5")
        cells = np.floor((pcd.read(self.path("out.pcd")).xyz() + 5) / 0.01).astype(int)
        keys = np.zeros(len(cells), "u8")
        for bit in range(21):
            for axis in range(3):
                keys |= (((cells[:, axis] >> bit) & 1).astype("u8") << np.uint64(3 * bit + 2 - axis))
        self.assertTrue((np.diff(keys.astype("i8")) >= 0).all())

    def test_neighbours_along_a_hilbert_curve_share_a_face(self):
        cells = np.stack(np.meshgrid(*[np.arange(8)] * 3, indexing="ij"), -1).reshape(-1, 3)
        cells = np.random.default_rng(2).permutation(cells)
        pcd.write(pcd.from_xyz(cells * 0.5 + 0.25), self.path("in.pcd"))
        summary = self.json_of("order", self.path("in.pcd"), self.path("out.pcd"), "--cell", 0.5,
                               "--curve", "hilbert")
        self.assertEqual(summary["curve"], "hilbert")
        walk = np.round(pcd.read(self.path("out.pcd")).xyz() / 0.5 - 0.5).astype(int)
        self.assertTrue((np.abs(np.diff(walk, axis=0)).sum(axis=1) == 1).all())

    def test_attributes_need_not_be_finite_and_stay_byte_for_byte(self):
        cloud = pcd.from_xyz(np.random.default_rng(3).random((300, 3)), "f8",
                             t=np.arange(300, dtype="u4"), ring=np.arange(300, dtype="u2"),
                             curvature=np.full(300, np.nan, "f4"))
        cloud.points["z"][17] = np.nan
        pcd.write(cloud, self.path("in.pcd"))
        summary = self.json_of("order", self.path("in.pcd"), self.path("out.pcd"))
        result = pcd.read(self.path("out.pcd"))
        self.assertEqual((summary["points"], summary["valid_points"], len(result.points)), (300, 299, 299))
        self.assertEqual(sorted(p.tobytes() for p in result.points),
                         sorted(p.tobytes() for p in np.delete(cloud.points, 17)))

    def test_cell_too_fine_for_the_cloud(self):
        pcd.write(pcd.from_xyz([[0, 0, 0], [2e5, 0, 0]]), self.path("in.pcd"))
        line = self.fails("order", self.path("in.pcd"), self.path("out.pcd"), "--cell", 0.001)
        self.assertRegex(line, r"0\.\d+")


class Features(ProgramTest):
    def test_summary(self):
        scene = self.scene("--points", 900)
        valid = int(pcd.read(scene).valid().sum())
        summary = self.json_of("features", scene, self.path("out.pcd"), "--model", "preset:position")
        expected = {"points": 900, "valid_points": valid, "rows": 900, "width": 64, "ordering": "morton",
                    "nan_rows": 900 - valid, "random_weights": True}
        self.assertEqual({key: summary[key] for key in expected}, expected)
        self.assertRegex(summary["model_hash"], r"^[0-9a-f]{16}$")
        self.assertEqual(set(summary["seconds"]), {"read", "gather", "order", "neighbourhood", "encode", "scatter", "write"})
        text = self.run_program("features", scene, self.path("out.npy")).stdout
        self.assertIn("random weights: for order tests and timing, not for matching", text)
        self.assertIn(f"{valid} valid", text)

    def test_numbers_of_single_and_double_output(self):
        scene = self.scene("--points", 400)
        double, single = self.features(scene), self.features(scene, dtype="f32")
        self.assertEqual((double.dtype, single.dtype), (np.dtype("f8"), np.dtype("f4")))
        self.assertTrue(np.allclose(double, single, rtol=1e-5, atol=1e-6, equal_nan=True))

    def test_rows_and_batches(self):
        rng = np.random.default_rng(4)
        batch = rng.random((3, 50, 3))
        for kind in ("f4", "f8"):
            np.save(self.path("batch.npy"), batch.astype(kind))
            rows = self.features(self.path("batch.npy"))
            self.assertEqual(rows.shape, (3, 50, 64))
            for b in range(3):
                np.save(self.path("item.npy"), batch[b].astype(kind))
                self.assertTrue(same_bits(self.features(self.path("item.npy")), rows[b]))
        pcd.write(pcd.from_xyz(batch[1], "f8"), self.path("item.pcd"))
        self.assertTrue(same_bits(self.features(self.path("item.pcd")), rows[1]))

    def test_mask_leaves_points_out_of_the_summary(self):
        rng = np.random.default_rng(5)
        points, keep = rng.random((80, 3)), rng.random(80) < 0.6
        np.save(self.path("all.npy"), points)
        np.save(self.path("kept.npy"), points[keep])
        np.save(self.path("mask.npy"), keep)
        masked = self.features(self.path("all.npy"), "--mask", self.path("mask.npy"), "--model", "preset:full")
        alone = self.features(self.path("kept.npy"), "--model", "preset:full")
        self.assertFalse(np.isnan(masked).any())
        unmasked = self.features(self.path("all.npy"), "--model", "preset:full")
        self.assertFalse(same_bits(masked, unmasked))
        self.assertEqual(alone.shape, masked[keep].shape)

    def test_mask_of_a_batch(self):
        rng = np.random.default_rng(5)
        points, keep = rng.random((2, 40, 3)), rng.random((2, 40)) < 0.6
        np.save(self.path("all.npy"), points)
        np.save(self.path("mask.npy"), keep)
        rows = self.features(self.path("all.npy"), "--mask", self.path("mask.npy"))
        for b in range(2):
            np.save(self.path("one.npy"), points[b])
            np.save(self.path("one_mask.npy"), keep[b])
            one = self.features(self.path("one.npy"), "--mask", self.path("one_mask.npy"))
            self.assertTrue(same_bits(one, rows[b]))

    def test_queries_over_a_surface(self):
        scene = self.scene("--points", 1000)
        cloud, full = pcd.read(scene), self.features(scene)
        chosen = np.array([5, 900, 3])
        pcd.write(cloud.rows(chosen), self.path("queries.pcd"))
        rows = self.features(self.path("queries.pcd"), "--surface", scene)
        self.assertTrue(same_bits(rows, full[chosen]))

    def test_field_names_and_zero_returns(self):
        cloud = pcd.from_xyz(np.random.default_rng(6).random((60, 3)))
        cloud.points["x"][7] = cloud.points["y"][7] = cloud.points["z"][7] = 0
        pcd.write(cloud, self.path("in.pcd"))
        kept = self.features(self.path("in.pcd"))
        dropped = self.features(self.path("in.pcd"), "--zero-returns", "invalid")
        self.assertEqual(np.flatnonzero(np.isnan(kept).any(axis=1)).tolist(), [])
        self.assertEqual(np.flatnonzero(np.isnan(dropped).all(axis=1)).tolist(), [7])
        names = {"x": "easting", "y": "northing", "z": "height"}
        renamed = np.zeros(60, [(names[n], "f4") for n in "xyz"])
        for old, new in names.items():
            renamed[new] = cloud.points[old]
        pcd.write(pcd.Cloud(renamed), self.path("renamed.pcd"))
        mapping = [word for old, new in names.items() for word in ("--field", f"{old}={new}")]
        self.assertTrue(same_bits(self.features(self.path("renamed.pcd"), *mapping), kept))

    def test_no_points(self):
        np.save(self.path("none.npy"), np.zeros((0, 3)))
        self.assertEqual(self.features(self.path("none.npy")).shape, (0, 64))
        np.save(self.path("none.npy"), np.zeros((2, 0, 3), "f4"))
        self.assertEqual(self.features(self.path("none.npy")).shape, (2, 0, 64))
        pcd.write(pcd.from_xyz(np.zeros((0, 3))), self.path("none.pcd"))
        self.assertEqual(self.features(self.path("none.pcd")).shape, (0, 64))
        for suffix in ("pcd", "ply"):
            out = self.path(f"out.{suffix}")
            summary = self.json_of("features", self.path("none.pcd"), out)
            self.assertEqual((summary["rows"], summary["width"]), (0, 64))
            self.run_program("order", out, self.path("ordered.pcd"))
        self.assertEqual(len(pcd.read(self.path("out.pcd")).points), 0)
        self.assertEqual(self.json_of("equivariance", self.path("none.pcd"))["points"], 0)

    def test_all_points_invalid(self):
        pcd.write(pcd.from_xyz(np.full((5, 3), np.nan)), self.path("in.pcd"))
        rows = self.features(self.path("in.pcd"))
        self.assertEqual(rows.shape, (5, 64))
        self.assertTrue(np.isnan(rows).all())

    def test_coarse_coordinates_are_reported(self):
        local = np.random.default_rng(7).random((200, 3)) * 10
        pcd.write(pcd.from_xyz(local + [5e5, 5e6, 100], "f4"), self.path("single.pcd"))
        pcd.write(pcd.from_xyz(local + [5e5, 5e6, 100], "f8"), self.path("double.pcd"))
        notes = {name: self.json_of("features", self.path(f"{name}.pcd"), self.path("out.npy"))["note"]
                 for name in ("single", "double")}
        self.assertIn("0.5", notes["single"])
        self.assertEqual(notes["double"], "")

    def test_utm_doubles_give_the_features_of_the_cloud_without_its_offset(self):
        local = np.random.default_rng(8).random((500, 3)) * 50
        pcd.write(pcd.from_xyz(local, "f8"), self.path("local.pcd"))
        pcd.write(pcd.from_xyz(local + [5e5, 5e6, 0], "f8"), self.path("utm.pcd"))
        a, b = self.features(self.path("local.pcd")), self.features(self.path("utm.pcd"))
        self.assertLess(np.linalg.norm(a - b) / np.linalg.norm(b), 1e-4)

    def test_length_policies(self):
        scene = self.scene("--points", 300)
        self.assertIn("4096", self.fails("features", scene, self.path("out.npy"), "--length", "strict"))
        rows = {name: self.features(scene, "--length", name) for name in ("pad", "slice", "resample")}
        self.assertFalse(same_bits(rows["pad"], rows["slice"]) or same_bits(rows["pad"], rows["resample"]))


class Equivariance(ProgramTest):
    KEYS = {"points", "valid_points", "engine", "ordering", "level", "permutation", "order"}
    PERMUTATION_KEYS = {"count", "max_relative_l2", "mean_relative_l2", "p95_relative_l2", "max_abs",
                        "worst_point", "bitwise_equal"}

    def test_tolerance_decides_the_exit_code(self):
        scene = self.scene("--points", 600)
        report = self.json_of("equivariance", scene, "--ordering", "none", "--tolerance", 1e-6, code=1)
        self.assertLessEqual(self.KEYS, set(report))
        self.assertLessEqual(self.PERMUTATION_KEYS, set(report["permutation"]))
        self.assertLessEqual({"ties", "longest_tie_run"}, set(report["order"]))
        self.assertEqual(report["permutation"]["count"], 8)
        self.json_of("equivariance", scene, "--ordering", "none", "--tolerance", 10)
        self.json_of("equivariance", scene, "--ordering", "morton", "--tolerance", 0)

    def test_cloud_of_errors(self):
        scene = self.scene("--points", 600, "--organised")
        cloud = pcd.read(scene)
        report = self.json_of("equivariance", scene, "--ordering", "none", "--cloud", self.path("error.pcd"))
        result = pcd.read(self.path("error.pcd"))
        error = result.points["equivariance_error"]
        self.assertEqual((result.width, result.height), (cloud.width, cloud.height))
        self.assertTrue(np.array_equal(np.isnan(error), ~cloud.valid()))
        self.assertGreater(np.nanmax(error), 1e-3)
        for name in cloud.points.dtype.names:
            self.assertTrue(same_bits(np.array(result.points[name]), np.array(cloud.points[name])))
        self.assertTrue(cloud.valid()[report["permutation"]["worst_point"]])


class Model(ProgramTest):
    def test_a_saved_preset_gives_the_rows_of_the_preset(self):
        scene, file = self.scene("--points", 300), self.path("model.safetensors")
        self.run_program("model", "create", "linformer", file, "--seed", 9)
        saved = self.features(scene, "--model", file)
        preset = self.features(scene, "--model", "preset:linformer", "--seed", 9)
        self.assertTrue(same_bits(saved, preset))

    def test_info(self):
        file = self.path("model.safetensors")
        self.run_program("model", "create", "position", file)
        text = self.run_program("model", "info", file).stdout
        summary = self.json_of("model", "info", file)
        self.assertIn(summary["hash"], text)
        self.assertEqual(summary["k_by_layer"], [125, 125])
        self.assertEqual([f["name"] for f in summary["input_fields"]], ["x", "y", "z"])
        count = sum(int(np.prod(t["shape"])) for t in summary["tensors"])
        self.assertEqual(summary["parameters"], count)
        self.assertTrue(re.search(r"tensor layers\.0\.", text))


if __name__ == "__main__":
    unittest.main()
