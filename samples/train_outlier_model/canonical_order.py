# SPDX-License-Identifier: BSD-3-Clause
"""The canonical (Morton) order of include/pcl_attention/ordering.h, on the box of the points."""

import numpy as np

CELLS = 1 << 21


def _spread(x):
    x = x.astype(np.uint64)
    for shift, mask in ((32, 0x001F00000000FFFF), (16, 0x001F0000FF0000FF), (8, 0x100F00F00F00F00F),
                        (4, 0x10C30C30C30C30C3), (2, 0x1249249249249249)):
        x = (x | (x << np.uint64(shift))) & np.uint64(mask)
    return x


def canonical_order(positions):
    """Row of each rank, for float32 positions [n × 3]."""
    x = positions.astype(np.float64) + 0.0  # −0 becomes +0
    low = x.min(0)
    longest = (x.max(0) - low).max()
    inverse = CELLS / longest if longest > 0.0 else 0.0
    cell = np.clip(np.floor((x - low) * inverse), 0, CELLS - 1)
    key = _spread(cell[:, 0]) << np.uint64(2) | _spread(cell[:, 1]) << np.uint64(1) | _spread(cell[:, 2])
    return np.lexsort((x[:, 2], x[:, 1], x[:, 0], key))
