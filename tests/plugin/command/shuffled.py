# SPDX-License-Identifier: BSD-3-Clause
"""What is asked of every cloud: rows shuffled outside the program, features compared un-shuffled."""

import numpy as np
import pcd
from program import relative_l2, same_bits


def check_shuffled(test, path, preset="preset:linformer"):
    """Shuffles the rows of a .pcd and compares features with and without a canonical order."""
    cloud = pcd.read(path)
    n, valid = len(cloud.points), cloud.valid()
    permutation = np.random.default_rng(11).permutation(n)
    shuffled = test.path("shuffled.pcd")
    pcd.write(cloud.rows(permutation), shuffled)

    ordered = test.features(path, "--model", preset, "--ordering", "morton")
    back = np.empty_like(ordered)
    back[permutation] = test.features(shuffled, "--model", preset, "--ordering", "morton")
    test.assertEqual(ordered.shape, (n, 64))
    test.assertTrue(same_bits(ordered, back), "canonical order: rows differ")
    test.assertTrue(np.array_equal(np.isnan(ordered).all(axis=1), ~valid), "NaN rows are not the invalid points")
    test.assertTrue(np.array_equal(np.isnan(ordered).any(axis=1), ~valid), "NaN in a row of a valid point")
    distinct_points = len(np.unique(cloud.xyz()[valid], axis=0))
    test.assertGreater(len(np.unique(ordered[valid], axis=0)), 0.99 * distinct_points)

    as_given = test.features(path, "--model", preset, "--ordering", "none")
    back[permutation] = test.features(shuffled, "--model", preset, "--ordering", "none")
    error = relative_l2(back[valid], as_given[valid])
    print(f"{path}: {n} points, {valid.sum()} valid, without an order relative L2 {error:.3e}, with it 0")
    test.assertGreater(error, 1e-3)
    return error


def check_report(test, path, *options):
    """The report's number for the permutation `reversed` is the one computed here from two files."""
    cloud = pcd.read(path)
    backwards = test.path("reversed.pcd")
    pcd.write(cloud.rows(slice(None, None, -1)), backwards)
    valid = cloud.valid()
    expected = test.features(path, *options)[valid]
    found = test.features(backwards, *options)[::-1][valid]
    report = test.json_of("equivariance", path, "--permutations", 1, *options)
    error = relative_l2(found, expected)
    test.assertEqual(report["points"], len(cloud.points))
    test.assertEqual(report["valid_points"], int(valid.sum()))
    test.assertEqual(report["permutation"]["count"], 1)
    test.assertAlmostEqual(report["permutation"]["max_relative_l2"], error, delta=1e-9 * max(error, 1e-6))
    test.assertAlmostEqual(report["permutation"]["max_abs"], np.abs(found - expected).max(), delta=1e-12)
    test.assertEqual(report["permutation"]["bitwise_equal"], same_bits(found, expected))
    return report
