# SPDX-License-Identifier: BSD-3-Clause
"""Reads x, y, z of PCD (ascii, binary, binary_compressed), KITTI .bin and .npy files."""

import numpy as np


def _lzf(data, size):
    out, i = bytearray(), 0
    while i < len(data):
        control = data[i]
        i += 1
        if control < 32:
            out += data[i:i + control + 1]
            i += control + 1
            continue
        length = control >> 5
        if length == 7:
            length += data[i]
            i += 1
        start = len(out) - ((control & 31) << 8) - data[i] - 1
        i += 1
        length += 2
        if start + length <= len(out):
            out += out[start:start + length]
        else:
            for k in range(length):
                out.append(out[start + k])
    if len(out) != size:
        raise ValueError(f"compressed data gives {len(out)} bytes, expected {size}")
    return bytes(out)


def _pcd(path):
    with open(path, "rb") as file:
        header = {}
        while "DATA" not in header:
            line = file.readline()
            if not line:
                raise ValueError(f"{path}: no DATA line in the header")
            word, *rest = line.decode("latin-1").split() or [""]
            header[word] = rest
        body = file.read()
    names, points = header["FIELDS"], int(header["POINTS"][0])
    counts = [int(c) for c in header.get("COUNT", ["1"] * len(names))]
    types = [f"<{t.lower()}{s}" for t, s in zip(header["TYPE"], header["SIZE"])]
    if header["DATA"][0] == "ascii":
        starts = np.concatenate([[0], np.cumsum(counts)])
        table = np.array(body.split(), float).reshape(points, -1)
        return np.stack([table[:, starts[names.index(axis)]] for axis in "xyz"], 1)
    if header["DATA"][0] == "binary":
        row = np.dtype([(f"{i}", t, (c,)) for i, (t, c) in enumerate(zip(types, counts))])
        table = np.frombuffer(body, row, points)
        return np.stack([table[f"{names.index(axis)}"][:, 0] for axis in "xyz"], 1).astype(float)
    packed, size = np.frombuffer(body[:8], "<u4")
    plain = _lzf(body[8:8 + packed], size)
    columns, at = {}, 0
    for name, t, count in zip(names, types, counts):
        columns[name] = np.frombuffer(plain, t, points * count, at)
        at += points * count * np.dtype(t).itemsize
    return np.stack([columns[axis] for axis in "xyz"], 1).astype(float)


def read_cloud(path, zero_is_invalid=False):
    """Valid points [n × 3] in double."""
    path = str(path)
    if path.endswith(".bin"):
        x = np.fromfile(path, "<f4").reshape(-1, 4)[:, :3].astype(float)
    elif path.endswith(".npy"):
        x = np.load(path)[:, :3].astype(float)
    elif path.endswith(".pcd"):
        x = _pcd(path)
    else:
        raise ValueError(f"{path}: expected .pcd, .bin or .npy")
    valid = np.isfinite(x).all(1)
    if zero_is_invalid:
        valid &= (x != 0.0).any(1)
    return x[valid]
