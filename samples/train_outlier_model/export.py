# SPDX-License-Identifier: BSD-3-Clause
"""Writes a trained network as a model file of the library, and a small cloud with the network's logits."""

import json
import struct

import numpy as np
import torch

import dataset
import neighbourhood
from canonical_order import canonical_order
from networks import CHANNELS, DEPTH, FEED_FORWARD, HEADS, SLOTS
from training import columns, prepare


def _double(tensor):
    return tensor.detach().double().numpy()


def _configuration(network, name, sensor, normalization):
    anchored = network.mechanism == "anchored"
    config = {"format_version": 1, "name": name,
              "input": {"fields": [{"name": "neighbourhood." + neighbourhood.FIELDS[i]} for i in columns(sensor)],
                        "normalization": normalization},
              "order": "morton", "embedding": "linear", "channels": CHANNELS, "heads": HEADS,
              "head_width": CHANNELS // HEADS, "depth": DEPTH, "mechanism": network.mechanism, "norm": "pre",
              "feed_forward": FEED_FORWARD, "activation": "gelu", "head_output": 1}
    if network.mechanism in ("anchored", "inducing"):
        config["slots"] = SLOTS
    if anchored:
        config["anchor_sigmas"] = []
    if network.mechanism == "kernel":
        config["kernel"] = {"similarity": "elu"}
    return config


def _linear(tensors, name, map_):
    tensors[name + ".weight"] = _double(map_.weight)
    if map_.bias is not None:
        tensors[name + ".bias"] = _double(map_.bias)


def tensors_of(network, threshold):
    """The library's tensors; standardisation goes into the embedding, the threshold into the head's bias."""
    tensors = {}
    weight = _double(network.embedding.weight) / _double(network.deviation)
    tensors["embedding.weight"] = weight
    tensors["embedding.bias"] = _double(network.embedding.bias) - weight @ _double(network.mean)
    for i, attention in enumerate(network.attention):
        name = f"layers.{i}.attention"
        for part in ("query", "key", "value", "output"):
            _linear(tensors, f"{name}.{part}", getattr(attention, part))
        if hasattr(attention, "slots"):
            tensors[name + ".slots.weight"] = np.broadcast_to(_double(attention.slots), (SLOTS, CHANNELS))
        if hasattr(attention, "log_sigma"):
            tensors[name + ".anchor_sigma"] = np.exp(_double(attention.log_sigma))
        _linear(tensors, name + ".norm", network.norms[i])
        feed = f"layers.{i}.feed_forward"
        _linear(tensors, feed + ".0", network.feed[i][0])
        _linear(tensors, feed + ".1", network.feed[i][2])
        _linear(tensors, feed + ".norm", network.feed_norms[i])
    _linear(tensors, "head", network.head)
    tensors["head.bias"] = tensors["head.bias"] - threshold
    return tensors


def write_safetensors(path, tensors, metadata=None):
    """float32, in the sequence of the names; the bytes depend on the content alone."""
    header, data = {"__metadata__": metadata} if metadata else {}, b""
    for name in sorted(tensors):
        bytes_ = np.ascontiguousarray(tensors[name], "<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(np.shape(tensors[name])),
                        "data_offsets": [len(data), len(data) + len(bytes_)]}
        data += bytes_
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def export_model(path, network, name, sensor, threshold, facts, normalization="unit_sphere"):
    """A point is an outlier if its logit is positive. `facts` is for people: the library does not read it."""
    write_safetensors(path, tensors_of(network, threshold),
                      {"pcl_attention": json.dumps(_configuration(network, name, sensor, normalization)),
                       "pcl_attention.training": json.dumps(facts | {"threshold": threshold})})


def export_fixture(path, networks, thresholds):
    """A generated cloud, its fields, and for each network the logits by PyTorch in double.

    networks: {"logits": without, "logits_sensor": with the sensor's origin}. Rows of the file are shuffled.
    """
    rng = np.random.default_rng(7)
    made = dataset.generated_scan("room", "raster", rng, 0.05)
    rows = np.sort(rng.choice(len(made["kind"]), 1500, replace=False))
    points = (made["positions"][rows].astype(float) + made["origin"]).astype(np.float32)
    points = points[canonical_order((points.astype(float) - points.min(0).astype(float)).astype(np.float32))]
    sensor = np.array([0.25, -0.5, 0.125])
    made = dataset.finish(points.astype(float), made["label"][rows], made["kind"][rows], sensor, merged=False,
                          generated=True)
    tensors = {"points": points, "sensor": sensor, "fields": made["fields"]}
    for name, network in networks.items():
        fields, positions, _ = prepare([made], name.endswith("sensor"))[0]
        with torch.no_grad():
            logits = network.double()(fields[None].double(), positions[None].double())[0] - thresholds[name]
        network.float()
        tensors[name] = logits.numpy()
    shuffled = rng.permutation(len(points))
    write_safetensors(path, {name: t if name == "sensor" else t[shuffled] for name, t in tensors.items()})
