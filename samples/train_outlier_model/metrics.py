# SPDX-License-Identifier: BSD-3-Clause
"""Average precision, F1 at a threshold, share of points removed."""

import numpy as np


def average_precision(score, noise):
    """Mean of the precision at every noise point, highest scores first."""
    found = noise[np.argsort(-score, kind="stable")] > 0
    hits = np.cumsum(found)
    return float((hits[found] / (np.nonzero(found)[0] + 1.0)).mean()) if found.any() else np.nan


def f1(removed, noise):
    return float(2.0 * (removed & (noise > 0)).sum() / max(removed.sum() + (noise > 0).sum(), 1))


def share(removed, among):
    return float(removed[among].mean()) if among.any() else np.nan


def best_threshold(scores, noises, groups, most_removed):
    """The threshold with the largest mean F1 over scans, among those that in no group of scans (a name for each scan)
    remove more than `most_removed` of the real points in the mean."""
    pooled = np.concatenate([s[:: max(1, len(s) // 4000)] for s in scores])
    groups = np.asarray(groups)
    best, best_f1 = np.inf, -1.0
    for t in np.quantile(pooled, 1.0 - np.geomspace(0.2, 0.0005, 200)):
        wrong = np.array([share(s > t, n == 0) for s, n in zip(scores, noises)])
        mean = np.mean([f1(s > t, n) for s, n in zip(scores, noises)])
        if mean > best_f1 and all(wrong[groups == name].mean() <= most_removed for name in set(groups)):
            best, best_f1 = t, mean
    return float(best)
