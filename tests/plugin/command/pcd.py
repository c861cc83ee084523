# SPDX-License-Identifier: BSD-3-Clause
"""A reader and writer of PCD files that shares nothing with the program under test."""

import struct

import numpy as np

_KIND = {"F": "f", "I": "i", "U": "u", "B": "u"}


class Cloud:
    """points: structured array, one record per point; width × height of them; viewpoint as text."""

    def __init__(self, points, width=None, height=1, viewpoint="0 0 0 1 0 0 0"):
        self.points = points
        self.width = len(points) if width is None else width
        self.height = height
        self.viewpoint = viewpoint

    def rows(self, index):
        return Cloud(self.points[index], viewpoint=self.viewpoint)

    def xyz(self):
        return np.stack([self.points[name].astype("f8") for name in "xyz"], axis=1)

    def valid(self, names="xyz"):
        return np.all([np.isfinite(self.points[name].astype("f8")) for name in names], axis=0)


def _dtype(fields, sizes, types, counts):
    names = [f"_{i}" if name == "_" else name for i, name in enumerate(fields)]
    return np.dtype([
        (name, f"<{_KIND[t]}{s}") if c == "1" else (name, f"<{_KIND[t]}{s}", (int(c),))
        for name, s, t, c in zip(names, sizes, types, counts)
    ])


def lzf_decompress(data, size):
    out = bytearray()
    i = 0
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
            for k in range(start, start + length):
                out.append(out[k])
    assert len(out) == size, "LZF: wrong length"
    return bytes(out)


def lzf_compress(data):
    """Literal runs only: valid LZF, if not small."""
    runs = (data[i:i + 32] for i in range(0, len(data), 32))
    return b"".join(bytes([len(run) - 1]) + run for run in runs)


def read(path):
    with open(path, "rb") as file:
        content = file.read()
    header, at = {}, 0
    while "DATA" not in header:
        end = content.index(b"\n", at)
        words = content[at:end].decode().split()
        at = end + 1
        if words and not words[0].startswith("#"):
            header[words[0]] = words[1:]
    counts = header.get("COUNT", ["1"] * len(header["FIELDS"]))
    dtype = _dtype(header["FIELDS"], header["SIZE"], header["TYPE"], counts)
    width, height = int(header["WIDTH"][0]), int(header["HEIGHT"][0])
    n, body = width * height, content[at:]
    points = np.zeros(n, dtype)
    if header["DATA"] == ["ascii"]:
        lines = [line.split() for line in body.decode().splitlines() if line.strip()]
        for i, line in enumerate(lines[:n]):
            k = 0
            for name in dtype.names:
                count = int(np.prod(dtype[name].shape)) if dtype[name].shape else 1
                kind = float if dtype[name].base.kind == "f" else int
                values = [kind(word) for word in line[k:k + count]]
                points[name][i] = values if dtype[name].shape else values[0]
                k += count
    elif header["DATA"] == ["binary"]:
        points[:] = np.frombuffer(body, dtype, n)
    else:
        packed, size = struct.unpack("<II", body[:8])
        raw, k = lzf_decompress(body[8:8 + packed], size), 0
        for name in dtype.names:
            part = dtype[name]
            points[name] = np.frombuffer(raw, part, n, k)
            k += n * part.itemsize
    return Cloud(points, width, height, " ".join(header.get("VIEWPOINT", "0 0 0 1 0 0 0".split())))


def _header(cloud, encoding):
    dtype = cloud.points.dtype
    lines = {"FIELDS": [], "SIZE": [], "TYPE": [], "COUNT": []}
    for name in dtype.names:
        lines["FIELDS"].append("_" if name.startswith("_") else name)
        lines["SIZE"].append(str(dtype[name].base.itemsize))
        lines["TYPE"].append(dtype[name].base.kind.upper())
        lines["COUNT"].append(str(int(np.prod(dtype[name].shape)) if dtype[name].shape else 1))
    text = "# .PCD v0.7\nVERSION 0.7\n"
    text += "".join(f"{key} {' '.join(words)}\n" for key, words in lines.items())
    text += f"WIDTH {cloud.width}\nHEIGHT {cloud.height}\nVIEWPOINT {cloud.viewpoint}\n"
    return (text + f"POINTS {len(cloud.points)}\nDATA {encoding}\n").encode()


def _ascii(cloud):
    lines = []
    for point in cloud.points:
        words = []
        for name in cloud.points.dtype.names:
            for value in np.atleast_1d(point[name]):
                words.append(f"{value:.17g}" if value.dtype.kind == "f" else str(value))
        lines.append(" ".join(words))
    return ("\n".join(lines) + "\n").encode()


def write(cloud, path, encoding="binary"):
    body = cloud.points.tobytes()
    if encoding == "ascii":
        body = _ascii(cloud)
    elif encoding == "binary_compressed":
        raw = b"".join(np.ascontiguousarray(cloud.points[name]).tobytes() for name in cloud.points.dtype.names)
        packed = lzf_compress(raw)
        body = struct.pack("<II", len(packed), len(raw)) + packed
    with open(path, "wb") as file:
        file.write(_header(cloud, encoding) + body)


def from_xyz(xyz, kind="f4", **more):
    """A cloud of x y z and further named columns."""
    columns = {**{name: np.asarray(xyz, kind)[:, i] for i, name in enumerate("xyz")}, **more}
    points = np.zeros(len(xyz), [(name, values.dtype) for name, values in columns.items()])
    for name, values in columns.items():
        points[name] = values
    return Cloud(points)
