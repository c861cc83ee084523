# SPDX-License-Identifier: BSD-3-Clause
"""Sensors: which rays one sends, how exactly it measures, and the cloud that it makes of a scene."""

from dataclasses import dataclass

import numpy as np

from scenes import EDGE, SURFACE


@dataclass
class Sensor:
    kind: str               # spinning, raster, camera, rosette
    rows: int
    columns: int
    low: float              # elevation of the lowest row, degrees
    high: float             # and of the highest; of a rosette, half the opening
    half_width: float = 180.0  # azimuth, degrees
    uneven: float = 0.0     # 0: rows at equal steps; towards 1: closer in the middle
    row_offset: float = 0.0  # standard deviation of what each row measures too far, metres
    noise: float = 0.0      # of range, metres; of a camera to be multiplied by range²; 0: drawn for each scan
    step: float = 0.0       # of inverse depth of a camera, 1/metres; 0: none
    raised: float = 0.0     # above where a scene has its sensors, metres


SENSORS = {
    "spinning_32": Sensor("spinning", 32, 1000, -25.0, 15.0),
    "spinning_128": Sensor("spinning", 128, 512, -25.0, 15.0, uneven=0.5),
    "raster": Sensor("raster", 110, 300, -12.5, 12.5, 60.0),
    "camera_wide": Sensor("camera", 130, 230, -32.0, 32.0, 38.4),
    "spinning_40": Sensor("spinning", 40, 900, -30.0, 30.0),
    "rosette": Sensor("rosette", 1, 26000, -38.0, 38.0),
}


def _between(rng, low, high):
    """Log-uniform."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def _any_sensor(kind, rng):
    rays, uneven = _between(rng, 12000, 60000), rng.uniform(0.0, 0.9) * (rng.random() < 0.5)
    raised = rng.uniform(-0.7, 1.5) * (rng.random() < 0.5)
    noise, row_offset = _between(rng, 0.003, 0.04), rng.uniform(0.0, 0.02) * (rng.random() < 0.5)
    if kind == "spinning":
        rows = int(_between(rng, 12, 130))
        return Sensor(kind, rows, int(np.clip(rays / rows, 300, 2500)), -rng.uniform(8.0, 35.0), rng.uniform(0.0, 35.0),
                      180.0, uneven, row_offset, noise, 0.0, raised)
    if kind == "raster":
        rows, half_width = int(_between(rng, 40, 200)), rng.uniform(25.0, 70.0)
        half = rng.uniform(8.0, 40.0)
        return Sensor(kind, rows, int(rays / rows), -half, half, half_width, uneven, row_offset, noise, 0.0, raised)
    rows, half = int(np.sqrt(rays / 1.33)), rng.uniform(17.0, 35.0)
    return Sensor(kind, rows, int(1.33 * rows), -half, half, 1.2 * half, noise=_between(rng, 0.0007, 0.004),
                  step=_between(rng, 0.0005, 0.004) * (rng.random() < 0.5))


def get(name, rng):
    """One of SENSORS, or of `spinning_any`, `raster_any`, `camera_any` one with properties at random."""
    return _any_sensor(kind_of(name), rng) if name.endswith("_any") else SENSORS[name]


def kind_of(name):
    return name.split("_")[0]


def is_camera(name):
    return kind_of(name) == "camera"


def _on_sphere(azimuth, elevation):
    return np.stack([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)], -1)


def rays(sensor, rng):
    """Unit directions [rows × columns × 3] in the sensor's frame: x ahead, z up. A rosette has one row."""
    turn = rng.uniform(0.0, 2.0 * np.pi)
    low, high = np.deg2rad(sensor.low), np.deg2rad(sensor.high)
    if sensor.kind == "rosette":
        t = np.arange(sensor.columns) * 0.0137 + turn
        radius = high * np.abs(np.sin(3.61 * t))
        return _on_sphere(radius * np.cos(t), radius * np.sin(t))[None]
    at = np.linspace(-1.0, 1.0, sensor.rows)
    at = (1.0 - sensor.uneven) * at + sensor.uneven * at**3
    elevation = low + (high - low) * (at + 1.0) / 2.0
    if sensor.kind == "spinning":
        azimuth = turn + np.arange(sensor.columns) * 2.0 * np.pi / sensor.columns
    else:
        azimuth = np.deg2rad(sensor.half_width) * np.linspace(-1.0, 1.0, sensor.columns)
    e, a = np.meshgrid(elevation, azimuth, indexing="ij")
    if sensor.kind == "camera":
        d = np.stack([np.ones_like(a), np.tan(a), np.tan(e)], -1)
        return d / np.linalg.norm(d, axis=-1, keepdims=True)
    return _on_sphere(a, e)


def _edges(grid):
    """Points with a neighbour in their row that returns from more than 10 % farther away."""
    farther = [np.roll(grid, shift, 1) > 1.1 * grid for shift in (1, -1)]
    edge = np.isfinite(grid) & (farther[0] | farther[1])
    edge[:, [0, -1]] = False
    return edge


def _measured(distance, sensor, shape, rng):
    """Ranges with the sensor's errors."""
    if sensor.kind == "camera":
        distance = distance + (sensor.noise or 0.002) * distance**2 * rng.standard_normal(len(distance))
        if sensor.step > 0.0:
            distance = 1.0 / (np.maximum(np.round(1.0 / (distance * sensor.step)), 1.0) * sensor.step)
        return distance
    offset = np.repeat(sensor.row_offset * rng.standard_normal(shape[0]), shape[1])
    return distance + offset + (sensor.noise or rng.uniform(0.005, 0.025)) * rng.standard_normal(len(distance))


def scan(scene, sensor, origin, rng):
    """Returns x [n × 3] relative to the sensor, and SURFACE, THIN or EDGE for each point."""
    directions = rays(sensor, rng)
    shape = directions.shape[:2]
    yaw = rng.uniform(0.0, 2.0 * np.pi)
    c, s = np.cos(yaw), np.sin(yaw)
    d = (directions @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])).reshape(-1, 3)
    distance, label = scene.cast(origin, d, 0.0012, rng)
    if shape[0] > 1:
        edge = _edges(distance.reshape(shape)).ravel()
        label = np.where(edge & (label == SURFACE), EDGE, label)
    hit = np.isfinite(distance)
    distance = _measured(np.where(hit, distance, 1.0), sensor, shape, rng)
    kept = hit & (distance > 0.1) & (rng.random(len(d)) > rng.uniform(0.0, 0.1))
    return (d * distance[:, None])[kept], label[kept].astype(np.uint8)


def to_camera_frame(x):
    """x right, y down, z ahead."""
    return np.stack([-x[:, 1], -x[:, 2], x[:, 0]], 1)
