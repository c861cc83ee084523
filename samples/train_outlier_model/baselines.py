# SPDX-License-Identifier: BSD-3-Clause
"""PCL's statistical and radius outlier removal, and a radius that grows with range, tuned for the mean F1.

They work on the distances that dataset.py keeps beside the fields. Each is a score and a limit per scan: a point is
removed if its score is above the limit.
"""

import numpy as np

from metrics import f1
from neighbourhood import KTH

MEANS = (4, 8, 16, 32)


def statistical(scan, mean_k, factor):
    """StatisticalOutlierRemoval: mean distance to mean_k neighbours > mean + factor · standard deviation."""
    score = scan["distances"][:, MEANS.index(mean_k)].astype(float)
    return score, score.mean() + factor * score.std(ddof=1)


def radius(scan, neighbours, reach):
    """RadiusOutlierRemoval: fewer than `neighbours` others within `reach`."""
    return scan["distances"][:, 4 + KTH.index(neighbours)].astype(float), reach


def range_radius(scan, neighbours, angle, least):
    """The same with a reach of max(least, angle · range); needs the sensor's origin."""
    reach = np.maximum(least, angle * np.exp(scan["fields"][:, 13].astype(float)))
    return scan["distances"][:, 4 + KTH.index(neighbours)] / reach, 1.0


GRIDS = {
    "statistical": (statistical, [(k, f) for k in MEANS for f in np.geomspace(0.05, 8.0, 24)]),
    "radius": (radius, [(k, r) for k in KTH for r in np.geomspace(0.005, 20.0, 40)]),
    "range radius": (range_radius, [(k, a, r) for k in KTH for a in np.geomspace(0.001, 0.3, 25)
                                    for r in (0.01, 0.03, 0.1)]),
}


def tune(name, scans):
    """The setting with the largest mean F1 over the scans."""
    method, grid = GRIDS[name]

    def mean_f1(setting):
        return np.mean([f1(score > limit, s["kind"]) for s in scans for score, limit in (method(s, *setting),)])

    return max(grid, key=mean_f1)


def apply(name, setting, scan):
    """Score per point, and which points are removed."""
    score, limit = GRIDS[name][0](scan, *setting)
    return score, score > limit
