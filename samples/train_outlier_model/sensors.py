# SPDX-License-Identifier: BSD-3-Clause
"""Sensor patterns: which rays a sensor sends, and the cloud that it makes of a scene."""

import numpy as np

from scenes import EDGE, SURFACE

# name → kind, beams or rows, columns, elevation from and to (degrees)
SENSORS = {
    "spinning_16": ("spinning", 16, 1400, -15.0, 15.0),
    "spinning_32": ("spinning", 32, 1000, -25.0, 15.0),
    "spinning_64": ("spinning", 64, 800, -24.8, 2.0),
    "spinning_40": ("spinning", 40, 900, -30.0, 30.0),
    "raster": ("raster", 110, 300, -12.5, 12.5),
    "camera": ("camera", 150, 200, -22.0, 22.0),
    "camera_wide": ("camera", 130, 230, -32.0, 32.0),
    "rosette": ("rosette", 1, 26000, -38.0, 38.0),
}


def _on_sphere(azimuth, elevation):
    return np.stack([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)], -1)


def rays(name, rng):
    """Unit directions [rows × columns × 3] in the sensor's frame: x ahead, z up. A rosette has one row."""
    kind, rows, columns, low, high = SENSORS[name]
    turn = rng.uniform(0.0, 2.0 * np.pi)
    low, high = np.deg2rad(low), np.deg2rad(high)
    if kind == "rosette":
        t = np.arange(columns) * 0.0137 + turn
        radius = high * np.abs(np.sin(3.61 * t))
        return _on_sphere(radius * np.cos(t), radius * np.sin(t))[None]
    elevation = np.linspace(low, high, rows)
    if kind == "spinning":
        azimuth = turn + np.arange(columns) * 2.0 * np.pi / columns
    else:
        azimuth = np.deg2rad(60.0 if kind == "raster" else 1.2 * np.rad2deg(high)) * np.linspace(-1.0, 1.0, columns)
    e, a = np.meshgrid(elevation, azimuth, indexing="ij")
    if kind == "camera":
        d = np.stack([np.ones_like(a), np.tan(a), np.tan(e)], -1)
        return d / np.linalg.norm(d, axis=-1, keepdims=True)
    return _on_sphere(a, e)


def is_camera(name):
    return SENSORS[name][0] == "camera"


def _edges(grid):
    """Points with a neighbour in their row that returns from more than 10 % farther away."""
    farther = [np.roll(grid, shift, 1) > 1.1 * grid for shift in (1, -1)]
    edge = np.isfinite(grid) & (farther[0] | farther[1])
    edge[:, [0, -1]] = False
    return edge


def scan(scene, name, origin, rng):
    """Returns x [n × 3] in the sensor's frame, and SURFACE, THIN or EDGE for each point."""
    directions = rays(name, rng)
    shape = directions.shape[:2]
    if shape[0] > 1 or not is_camera(name):
        yaw = rng.uniform(0.0, 2.0 * np.pi)
        c, s = np.cos(yaw), np.sin(yaw)
        directions = directions @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    d = directions.reshape(-1, 3)
    distance, label = scene.cast(origin, d, 0.0012, rng)
    if shape[0] > 1:
        edge = _edges(distance.reshape(shape)).ravel()
        label = np.where(edge & (label == SURFACE), EDGE, label)
    noise = 0.002 * distance**2 if is_camera(name) else rng.uniform(0.005, 0.025)
    distance = distance + noise * rng.standard_normal(len(d))
    kept = np.isfinite(distance) & (distance > 0.1) & (rng.random(len(d)) > rng.uniform(0.0, 0.1))
    return (d * np.where(kept, distance, 0.0)[:, None])[kept], label[kept].astype(np.uint8)


def to_camera_frame(x):
    """x right, y down, z ahead."""
    return np.stack([-x[:, 1], -x[:, 2], x[:, 0]], 1)
