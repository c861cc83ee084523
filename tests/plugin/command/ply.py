# SPDX-License-Identifier: BSD-3-Clause
"""A reader of the vertices of PLY files that shares nothing with the program under test."""

import numpy as np

_TYPES = {"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "float": "f4",
          "double": "f8", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4",
          "uint32": "u4", "float32": "f4", "float64": "f8"}


def read_vertices(path):
    """The vertices as a structured array; they come first in the file and hold no lists."""
    with open(path, "rb") as file:
        content = file.read()
    end = content.index(b"\n", content.index(b"end_header")) + 1
    lines = [line.split() for line in content[:end].decode().splitlines()]
    encoding = next(words[1] for words in lines if words[:1] == ["format"])
    elements = [i for i, words in enumerate(lines) if words[:1] == ["element"]]
    assert lines[elements[0]][1] == "vertex"
    fields = []
    for words in lines[elements[0] + 1:]:
        if words[0] == "element" or words[0] == "end_header":
            break
        if words[0] == "property":
            fields.append((words[2], (">" if encoding == "binary_big_endian" else "<") + _TYPES[words[1]]))
    n = int(lines[elements[0]][2])
    if encoding != "ascii":
        return np.frombuffer(content[end:], np.dtype(fields), n)
    vertices = np.zeros(n, fields)
    for i, line in enumerate(content[end:].decode().splitlines()[:n]):
        vertices[i] = tuple(line.split())
    return vertices
