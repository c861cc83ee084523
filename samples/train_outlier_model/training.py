# SPDX-License-Identifier: BSD-3-Clause
"""Trains one network on random subsets of labelled scans."""

import time

import numpy as np
import torch
from torch.nn import functional

import neighbourhood
from networks import Network

POINTS = 2048  # of one scan per step, varied by a factor of √2 either way; of `full` half as many
RATE, WEIGHT_DECAY, WARM_UP = 3e-3, 1e-2, 50
SCALE_SPREAD = 1.0    # of ln s, all lengths of a scan times s
PLACE_SPREAD = 0.3    # of ln s, positions alone: one far point changes the sphere's radius
REAL_SHARE = 1 / 3   # of the steps take a real scan, if there are any
TILTED = 0.15         # share of steps without a known vertical: abs_normal_z drawn at random


def columns(sensor):
    """Fields of a model with or without the sensor's origin."""
    return [i for i in range(len(neighbourhood.FIELDS)) if sensor or i not in neighbourhood.SENSOR_FIELDS]


def place(positions, normalization="unit_sphere"):
    """Normalised coordinates, as src/attention/placement.h."""
    x = positions.astype(np.float64)
    x = x - x.mean(0)
    if normalization == "unit_sphere":
        x /= np.sqrt((x**2).sum(1).max())
    elif normalization == "rms":
        x /= np.sqrt((x**2).sum(1).mean())
    return x.astype(np.float32)


def prepare(scans, sensor, normalization="unit_sphere"):
    """Tensors of each scan: fields, placed positions, is noise."""
    chosen = columns(sensor)
    return [(torch.from_numpy(np.ascontiguousarray(s["fields"][:, chosen])),
             torch.from_numpy(place(s["positions"], normalization)),
             torch.from_numpy((s["kind"] > 0).astype(np.float32))) for s in scans]


def _draw(tensors, rng, lengths, vertical, points):
    """A subset of one scan, generated or real, by rank, as a batch of one."""
    group = tensors[int(rng.random() < REAL_SHARE and len(tensors[1]) > 0)]
    fields, positions, noise = group[rng.integers(len(group))]
    count = min(len(noise), int(points * np.exp(rng.uniform(-0.35, 0.35))))
    rows = np.sort(rng.choice(len(noise), count, replace=False))
    fields = fields[rows].clone()
    fields[:, lengths] += float(rng.normal(0.0, SCALE_SPREAD))
    if rng.random() < TILTED:
        fields[:, vertical] = torch.from_numpy(rng.random(count, np.float32))
    positions = positions[rows] * float(np.exp(rng.normal(0.0, PLACE_SPREAD)))
    return fields[None], positions[None], noise[rows][None]


def _rate(step, steps):
    return min(1.0, (step + 1) / WARM_UP) * (0.02 + 0.49 * (1.0 + np.cos(np.pi * step / steps)))


def train(mechanism, scans, sensor, seed, steps, normalization="unit_sphere", log=print):
    """Returns the trained network. The same seed gives the same numbers on one machine."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    if sensor:
        scans = [s for s in scans if not s["merged"]]
    tensors = [prepare([s for s in scans if bool(s["generated"]) != real], sensor, normalization) for real in (False, True)]
    chosen = columns(sensor)
    lengths = [chosen.index(i) for i in neighbourhood.LENGTHS if i in chosen]
    vertical = chosen.index(neighbourhood.FIELDS.index("abs_normal_z"))
    points = POINTS // 2 if mechanism == "full" else POINTS
    network = Network(mechanism, len(chosen))
    every = torch.cat([fields[::13] for group in tensors for fields, _, _ in group])
    network.mean.copy_(every.mean(0))
    network.deviation.copy_(every.std(0) + 1e-3)
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=WEIGHT_DECAY)
    start, losses = time.process_time(), []
    for step in range(steps):
        fields, positions, noise = _draw(tensors, rng, lengths, vertical, points)
        for group in optimiser.param_groups:
            group["lr"] = RATE * _rate(step, steps)
        loss = functional.binary_cross_entropy_with_logits(network(fields, positions), noise)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        losses.append(loss.item())
        if (step + 1) % 500 == 0:
            log(f"{mechanism} sensor={int(sensor)} seed={seed} step {step + 1}: loss {np.mean(losses[-500:]):.4f}, "
                f"{time.process_time() - start:.0f} s of CPU", flush=True)
    return network.eval()


def scores(network, fields, positions):
    """Logits of all points of one scan at once."""
    with torch.no_grad():
        return network(fields[None], positions[None])[0].numpy()
