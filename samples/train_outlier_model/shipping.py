# SPDX-License-Identifier: BSD-3-Clause
"""Chooses the networks that ship and their thresholds on validation scans, and writes the model files."""

import json
import struct
from pathlib import Path

import numpy as np

import dataset
from export import export_fixture, export_model
from metrics import average_precision, best_threshold, f1, share
from training import prepare, scores

MOST_REMOVED = 0.004  # of the real points of a validation scan, in the mean
NAMES = {False: "outlier", True: "outlier_sensor"}


def subset(scan, count, rng):
    """`count` points at random, still by rank."""
    n = len(scan["kind"])
    rows = np.sort(rng.choice(n, min(count, n), replace=False))
    return {key: value[rows] if np.ndim(value) > 0 and len(value) == n else value for key, value in scan.items()}


def validate(network, scans, sensor):
    """Threshold, and mean average precision, F1 and share of real points removed at it."""
    scans = [s for s in scans if not (sensor and s["merged"])]
    found = [scores(network, fields, positions) for fields, positions, _ in prepare(scans, sensor)]
    noises = [s["kind"] for s in scans]
    t = best_threshold(found, noises, MOST_REMOVED)
    return {"threshold": t, "average_precision": float(np.mean([average_precision(s, n) for s, n in zip(found, noises)])),
            "f1": float(np.mean([f1(s > t, n) for s, n in zip(found, noises)])),
            "real_points_removed": float(np.mean([share(s > t, n == 0) for s, n in zip(found, noises)]))}


def _facts(options, mechanism, seed, steps, validation):
    clouds = [{key: entry[key] for key in ("file", "source", "licence")}
              for entry in dataset.entries_of(options.clouds) if entry["split"] == "train"]
    return {"made_by": "samples/train_outlier_model", "scan_seed": 1, "mechanism": mechanism, "network_seed": seed, "steps": steps,
            "generated_scenes": "streets, rooms, yards; BSD-3-Clause", "clouds": clouds, "validation": validation,
            "decision": "remove a point if its logit is positive; the threshold is in the bias of the head"}


def write_models(options, jobs, load_network):
    """outlier.safetensors, outlier_sensor.safetensors, and the cloud with logits that the tests read."""
    rng = np.random.default_rng(0)
    scans = [subset(s, 20000, rng) for s in dataset.load(Path(options.work) / "scans", "validation")]
    networks, thresholds = {}, {}
    Path(options.out).mkdir(parents=True, exist_ok=True)
    for mechanism, sensor, seed, steps in jobs:
        name, key = NAMES[sensor], "logits_sensor" if sensor else "logits"
        networks[key] = load_network(options.work, mechanism, sensor, seed, steps)
        found = validate(networks[key], scans, sensor)
        thresholds[key] = found["threshold"]
        print(name, found, flush=True)
        export_model(Path(options.out) / f"{name}.safetensors", networks[key], name, sensor, found["threshold"],
                     _facts(options, mechanism, seed, steps, found))
    if options.fixture:
        Path(options.fixture).parent.mkdir(parents=True, exist_ok=True)
        export_fixture(options.fixture, networks, thresholds)


def read_facts(path):
    """What export_model() wrote for people."""
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        return json.loads(json.loads(file.read(size))["__metadata__"]["pcl_attention.training"])
