# SPDX-License-Identifier: BSD-3-Clause
"""Chooses the networks that ship and their thresholds on validation scans, and writes the model files."""

import json
import struct
from pathlib import Path

import numpy as np

import dataset
from dataset import subset
from export import export_fixture, export_model
from metrics import average_precision, best_threshold, f1, share
from training import prepare, scores

MOST_REMOVED = 0.0025  # of the real points, in the mean over the generated, the real, the merged validation scans
NAMES = {False: "outlier", True: "outlier_sensor"}


def choose_threshold(found, scans):
    groups = ["merged" if s["merged"] else "generated" if s["generated"] else "real" for s in scans]
    return best_threshold(found, [s["kind"] for s in scans], groups, MOST_REMOVED)


def validate(network, scans, sensor):
    """Threshold, and mean average precision, F1 and share of real points removed at it."""
    scans = [s for s in scans if not (sensor and s["merged"])]
    found = [scores(network, fields, positions) for fields, positions, _ in prepare(scans, sensor)]
    noises = [s["kind"] for s in scans]
    t = choose_threshold(found, scans)
    return {"threshold": t, "average_precision": float(np.mean([average_precision(s, n) for s, n in zip(found, noises)])),
            "f1": float(np.mean([f1(s > t, n) for s, n in zip(found, noises)])),
            "real_points_removed": float(np.mean([share(s > t, n == 0) for s, n in zip(found, noises)]))}


def _facts(options, mechanism, seed, steps, validation):
    clouds = [{key: entry[key] for key in ("file", "source", "licence")}
              for entry in dataset.entries_of(options.clouds) if entry["split"] == "train"]
    return {"made_by": "samples/train_outlier_model", "scan_seed": dataset.SEEDS["train"], "mechanism": mechanism,
            "network_seed": seed, "steps": steps,
            "generated_scenes": "streets, rooms, yards; BSD-3-Clause", "clouds": clouds, "validation": validation,
            "decision": "remove a point if its logit is positive; the threshold is in the bias of the head"}


def write_models(options, candidates, load_network):
    """outlier.safetensors, outlier_sensor.safetensors, each of the candidate with the largest average precision on
    validation scans, and the cloud with logits that the tests read."""
    rng = np.random.default_rng(0)
    scans = [subset(s, 20000, rng) for s in dataset.load(Path(options.work) / "scans", "validation")]
    networks, thresholds = {}, {}
    Path(options.out).mkdir(parents=True, exist_ok=True)
    for sensor, name in NAMES.items():
        tried = [(job, network, validate(network, scans, sensor)) for job in candidates if job[1] == sensor
                 for network in (load_network(options.work, *job),)]
        for job, _, found in tried:
            print(name, job, found, flush=True)
        (mechanism, _, seed, steps), network, found = max(tried, key=lambda one: one[2]["average_precision"])
        key = "logits_sensor" if sensor else "logits"
        networks[key], thresholds[key] = network, found["threshold"]
        export_model(Path(options.out) / f"{name}.safetensors", network, name, sensor, found["threshold"],
                     _facts(options, mechanism, seed, steps, found))
    if options.fixture:
        Path(options.fixture).parent.mkdir(parents=True, exist_ok=True)
        export_fixture(options.fixture, networks, thresholds)


def shipped(folder):
    """Mechanism, with the sensor's origin, seed, steps: of the networks in the model files."""
    return [(facts["mechanism"], sensor, facts["network_seed"], facts["steps"]) for sensor, name in NAMES.items()
            for facts in (read_facts(Path(folder) / f"{name}.safetensors"),)]


def read_facts(path):
    """What export_model() wrote for people."""
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        return json.loads(json.loads(file.read(size))["__metadata__"]["pcl_attention.training"])
