# SPDX-License-Identifier: BSD-3-Clause
"""Noise with known labels, added to a clean scan whose sensor stands at the origin.

Kinds that end a ray early (rain, snow, dust, fog) replace the point behind; the others add points.
"""

import numpy as np
from scipy.spatial import cKDTree

KINDS = ("real", "isolated", "rain", "snow", "dust", "fog", "mixed_pixel", "clump", "jitter", "streak")
TRAINED = ("isolated", "rain", "snow", "dust", "fog", "mixed_pixel", "clump")
UNSEEN = ("jitter", "streak")  # never trained on
CAMERA_WEIGHTS = {"rain": 0.1, "snow": 0.3, "dust": 0.3, "fog": 0.1, "mixed_pixel": 2.0}


class _Scan:
    def __init__(self, x, rng):
        self.x, self.rng = x, rng
        self.range = np.linalg.norm(x, axis=1)
        self.direction = x / np.maximum(self.range, 1e-6)[:, None]
        self.median = np.median(self.range)
        self.gone = np.zeros(len(x), bool)

    def replace(self, chosen, distance):
        """Ends the chosen rays at `distance`, at the latest just before what they hit."""
        self.gone[chosen] = True
        latest = self.rng.uniform(0.3, 0.97, len(chosen)) * self.range[chosen]
        return self.direction[chosen] * np.minimum(distance, latest)[:, None]

    def some(self, count, among=None):
        among = np.arange(len(self.x)) if among is None else among
        return self.rng.choice(among, min(count, len(among)), replace=False)


def _isolated(scan, count):
    low, high = np.quantile(scan.x, [0.005, 0.995], axis=0)
    return scan.rng.uniform(low, high, (count, 3))


def _rain(scan, count):
    scale = scan.rng.uniform(0.1, 0.4) * scan.median
    return scan.replace(scan.some(count), 0.04 * scan.median + scan.rng.exponential(scale, count))


def _snow(scan, count):
    scale = scan.rng.uniform(0.1, 0.5) * scan.median
    return scan.replace(scan.some(count), 0.05 * scan.median + scan.rng.gamma(2.0, scale / 2.0, count))


def _dust(scan, count):
    """A cloud within a cone of rays."""
    axis = scan.direction[scan.rng.integers(len(scan.x))]
    widest = np.sort(scan.direction @ axis)[-min(len(scan.x), 3 * count + 50)]
    inside = np.nonzero(scan.direction @ axis >= min(widest, np.cos(0.25)))[0]
    chosen = scan.some(count, inside)
    middle = scan.rng.uniform(0.3, 0.8) * np.median(scan.range[chosen]) if len(chosen) else 0.0
    spread = scan.rng.uniform(0.1, 0.35)
    return scan.replace(chosen, middle * np.exp(spread * scan.rng.standard_normal(len(chosen))))


def _fog(scan, count):
    """Returns close to the sensor; rays to far points are the likelier to end."""
    scale = scan.rng.uniform(0.05, 0.2) * scan.median
    far = np.nonzero(scan.range > scan.median)[0]
    return scan.replace(scan.some(count, far), 0.03 * scan.median + scan.rng.exponential(scale, min(count, len(far))))


def _mixed_pixel(scan, count):
    """Between a ray's own range and that of a neighbour which differs by more than 6 %."""
    asked = scan.some(8 * count)
    _, near = cKDTree(scan.direction).query(scan.direction[asked], k=6)
    ranges = scan.range[near]
    own = scan.range[asked]
    other = ranges[np.arange(len(asked)), np.abs(ranges - own[:, None]).argmax(1)]
    differs = np.abs(other - own) > 0.06 * np.minimum(other, own)
    asked, own, other = asked[differs][:count], own[differs][:count], other[differs][:count]
    share = scan.rng.uniform(0.15, 0.85, len(asked))
    return scan.direction[asked] * (own * (1.0 - share) + other * share)[:, None]


def _clump(scan, count):
    """Small ghosts of 2 to 15 points in free space."""
    points = [np.zeros((0, 3))]
    while count > 0:
        size, ray = scan.rng.integers(2, 16), scan.rng.integers(len(scan.x))
        centre = scan.x[ray] * scan.rng.uniform(0.2, 0.9)
        radius = np.exp(scan.rng.uniform(np.log(0.003), np.log(0.03)))
        points.append(centre + scan.rng.standard_normal((size, 3)) * radius
                      * max(0.5 * scan.median, np.linalg.norm(centre)))
        count -= size
    return np.vstack(points)


def _jitter(scan, count):
    """Heavy-tailed errors of range."""
    chosen = scan.some(count)
    scan.gone[chosen] = True
    error = scan.rng.choice((-1.0, 1.0), len(chosen)) * (0.03 + 0.02 * np.abs(scan.rng.standard_t(2, len(chosen))))
    return scan.direction[chosen] * np.maximum(scan.range[chosen] * (1.0 + error), 0.02 * scan.median)[:, None]


def _streak(scan, count):
    """Bundles of rays with ranges at random: sun, another sensor's light."""
    axis = scan.direction[scan.some(3)]
    closest = np.argsort(-(scan.direction @ axis.T).max(1))[:max(2 * count, 1)]
    chosen = scan.some(count, closest)
    scan.gone[chosen] = True
    return scan.direction[chosen] * scan.rng.uniform(0.05, 2.5, len(chosen))[:, None] * scan.median


def inject(x, label, rng, share, camera=False, kinds=TRAINED):
    """Returns points, what real ones lie on, and the index into KINDS of each point (0: real).

    share: about how many of the points are noise. Most scans are ruled by one or two kinds.
    """
    scan = _Scan(x, rng)
    weights = rng.dirichlet(np.full(len(kinds), 0.6))
    if camera:
        weights *= [CAMERA_WEIGHTS.get(kind, 1.0) for kind in kinds]
        weights /= weights.sum()
    added, added_kind = [], []
    for kind, weight in zip(kinds, weights):
        count = int(weight * share * len(x))
        if count < 2:
            continue
        points = globals()["_" + kind](scan, count)
        added.append(points)
        added_kind.append(np.full(len(points), KINDS.index(kind), np.uint8))
    kept = ~scan.gone
    points = np.vstack([x[kept], *added])
    kind = np.concatenate([np.zeros(kept.sum(), np.uint8), *added_kind])
    label = np.concatenate([label[kept], np.zeros(len(points) - kept.sum(), np.uint8)])
    return points, label, kind
