# SPDX-License-Identifier: BSD-3-Clause
"""The fields of include/pcl_attention/neighbourhood.h in NumPy, double, rounded once."""

import numpy as np
from scipy.spatial import cKDTree

NEIGHBOURS = 32
FIELDS = ("log_distance_1", "log_mean_distance_4", "log_mean_distance_8", "log_mean_distance_16",
          "log_mean_distance_32", "log_density_ratio_4", "log_density_ratio_8", "log_density_ratio_16",
          "extent_ratio_2", "extent_ratio_3", "log_spread", "abs_normal_z", "abs_normal_view", "log_range")
LENGTHS = (0, 1, 2, 3, 4, 10, 13)  # fields that all move by ln s when the cloud is scaled by s
SENSOR_FIELDS = (12, 13)           # fields that need the sensor's origin
KTH = (2, 4, 8, 16)


def nearest(x):
    """Index and distance of the ≤ 32 nearest others, equal distances by index (= rank)."""
    n = len(x)
    k = min(NEIGHBOURS, n - 1)
    _, index = cKDTree(x).query(x, k=min(n, NEIGHBOURS + 8))
    index = index.reshape(n, -1)
    offset = x[index] - x[:, None]
    squared = offset[..., 0] ** 2 + offset[..., 1] ** 2 + offset[..., 2] ** 2
    squared[index == np.arange(n)[:, None]] = -1.0  # the point itself comes first
    order = np.lexsort((index, squared), axis=1)[:, 1:k + 1]
    index = np.take_along_axis(index, order, 1)
    return index, np.sqrt(np.maximum(np.take_along_axis(squared, order, 1), 0.0))


def _means(distance):
    sums = np.cumsum(distance, 1)
    return {k: sums[:, min(k, sums.shape[1]) - 1] / min(k, sums.shape[1]) for k in (4, 8, 16, 32)}


def _shape(x, index):
    near = x[index[:, :16]]
    offset = near - near.mean(1, keepdims=True)
    values, vectors = np.linalg.eigh(np.einsum("nki,nkj->nij", offset, offset) / offset.shape[1])
    return np.maximum(values, 0.0) + 1e-18, vectors[:, :, 0]  # ascending; normal


def describe(positions, origin, sensor):
    """Fields [n × 14] float32 of float32 positions in canonical order, and distances for baselines.

    origin: what was subtracted from the coordinates; sensor: where the sensor stood, in the coordinates.
    Distances [n × 8]: mean of 4, 8, 16, 32 nearest, then that of the 2nd, 4th, 8th, 16th.
    """
    x = positions.astype(np.float64)
    index, distance = nearest(x)
    floor = 1e-4 * np.median(distance[:, min(8, distance.shape[1]) - 1]) + 1e-9
    means = _means(distance)
    logs = {k: np.log(mean + floor) for k, mean in means.items()}
    values, normal = _shape(x, index)
    view = x + (np.asarray(origin) - np.asarray(sensor))
    length = np.sqrt((view**2).sum(1))
    ratios = [logs[k] - logs[k][index[:, :k]].mean(1) for k in (4, 8, 16)]
    columns = [np.log(distance[:, 0] + floor), *(logs[k] for k in (4, 8, 16, 32)), *ratios,
               np.sqrt(values[:, 1] / values[:, 2]), np.sqrt(values[:, 0] / values[:, 2]),
               0.5 * np.log(values.sum(1) + floor * floor), np.abs(normal[:, 2]),
               np.abs((normal * view).sum(1)) / np.maximum(length, 1e-6), np.log(length + 1e-6)]
    kth = [distance[:, min(k, distance.shape[1]) - 1] for k in KTH]
    return np.stack(columns, 1).astype(np.float32), np.stack([*means.values(), *kth], 1).astype(np.float32)
