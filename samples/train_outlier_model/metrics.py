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


def best_threshold(scores, noises, most_removed=None):
    """The threshold with the largest mean F1 over scans; with `most_removed`, among those that remove at most that
    share of real points in the mean."""
    pooled = np.concatenate([s[:: max(1, len(s) // 4000)] for s in scores])
    candidates = np.quantile(pooled, np.linspace(0.8, 0.9995, 200))
    best, best_f1 = candidates[-1], -1.0
    for t in candidates:
        wrong = np.mean([share(s > t, n == 0) for s, n in zip(scores, noises)])
        mean = np.mean([f1(s > t, n) for s, n in zip(scores, noises)])
        if mean > best_f1 and (most_removed is None or wrong <= most_removed):
            best, best_f1 = t, mean
    return float(best)
