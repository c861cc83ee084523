# SPDX-License-Identifier: BSD-3-Clause
"""A reader and writer of .safetensors of its own: names to NumPy arrays, and the metadata."""

import json
import struct

import numpy as np

TYPES = {"F32": "<f4", "F64": "<f8", "F16": "<f2", "BOOL": "?", "I64": "<i8", "I32": "<i4"}


def read(path):
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
        data = file.read()
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        tensors[name] = np.frombuffer(data[begin:end], TYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors, metadata


def write(path, tensors, metadata=None):
    header, data = {"__metadata__": metadata} if metadata else {}, b""
    words = {np.dtype(word): name for name, word in TYPES.items()}
    for name, tensor in tensors.items():
        tensor = np.ascontiguousarray(tensor)
        header[name] = {"dtype": words[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + tensor.nbytes]}
        data += tensor.tobytes()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)
