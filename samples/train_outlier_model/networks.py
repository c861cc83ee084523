# SPDX-License-Identifier: BSD-3-Clause
"""Networks as include/pcl_attention/config.h can express them, and two that attend to nothing to compare with.

All are pre-norm, with a linear embedding of standardised fields and one logit per point. Tensors are
[scans × points × channels]; points come by canonical rank.
"""

import math

import torch
from torch import nn
from torch.nn import functional

MECHANISMS = ("mlp", "pooling", "kernel", "inducing", "anchored", "full")
CHANNELS, HEADS, DEPTH, FEED_FORWARD = 48, 4, 2, 192
SLOTS, TRAINING_SLOTS = 128, 64  # anchors in use and in training; all share one query, so that they may differ
FIRST_SIGMAS = (0.005, 0.02, 0.07, 0.25)


def choose_anchors(positions, slots):
    """Every ⌊n/k⌋-th point by rank, k of them or all."""
    n = positions.shape[1]
    return positions[:, ::max(1, n // slots)][:, :min(slots, n)]


def squared_distances(anchors, positions):
    """[scans × anchors × points], from differences, so that near points lose no digits."""
    return sum((anchors[:, :, None, axis] - positions[:, None, :, axis]).square() for axis in range(3))


def _split(x):
    return x.unflatten(-1, (HEADS, -1)).transpose(1, 2)  # scans × heads × points × width


def _join(x):
    return x.transpose(1, 2).flatten(2)


class Attention(nn.Module):
    """What every mechanism has: queries, keys, values without bias, an output map with one."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(CHANNELS, CHANNELS, bias=False) for _ in range(3))
        self.output = nn.Linear(CHANNELS, CHANNELS)

    def forward(self, x, near):
        q, k, v = (_split(part(x)) for part in (self.query, self.key, self.value))
        return self.output(_join(self.mix(q, k, v, near)))


class Full(Attention):
    def mix(self, q, k, v, near):
        return functional.scaled_dot_product_attention(q, k, v)


class Kernel(Attention):
    def mix(self, q, k, v, near):
        q, k = functional.elu(q) + 1.0, functional.elu(k) + 1.0
        return q @ (k.transpose(2, 3) @ v) / (q @ k.sum(2)[..., None])


class Inducing(Attention):
    """k learned queries gather from all points; every point reads the k rows."""

    def __init__(self):
        super().__init__()
        self.slots = nn.Parameter(torch.randn(TRAINING_SLOTS, CHANNELS))

    def bias(self, near):
        return 0.0

    def slot_rows(self, near):
        return self.slots

    def mix(self, q, k, v, near):
        slots, bias = _split(self.slot_rows(near)[None]), self.bias(near)
        scale = 1.0 / math.sqrt(q.shape[-1])
        gather = torch.softmax(slots @ k.transpose(2, 3) * scale + bias, -1)
        keys, values = gather @ k, gather @ v
        back = bias if isinstance(bias, float) else bias.transpose(2, 3)
        return torch.softmax(q @ keys.transpose(2, 3) * scale + back, -1) @ values


class Anchored(Inducing):
    """The same with slots at anchors among the points, and −d²/2σ² of each head added to both scores.

    All anchors share one query, since which place an anchor has says nothing of its rank.
    """

    def __init__(self):
        super().__init__()
        self.slots = nn.Parameter(0.1 * torch.randn(1, CHANNELS))
        self.log_sigma = nn.Parameter(torch.tensor(FIRST_SIGMAS).log())

    def slot_rows(self, near):
        return self.slots.expand(near.shape[1], -1)

    def bias(self, near):
        return -near[:, None] * (0.5 * torch.exp(-2.0 * self.log_sigma))[:, None, None]


class Pooling(nn.Module):
    """No attention: every point gets a linear map of the mean and the maximum over all points."""

    def __init__(self):
        super().__init__()
        self.output = nn.Linear(2 * CHANNELS, CHANNELS)

    def forward(self, x, near):
        return self.output(torch.cat([x.mean(1, keepdim=True), x.amax(1, keepdim=True)], -1))


class Nothing(nn.Module):
    def forward(self, x, near):
        return torch.zeros(())


PARTS = {"mlp": Nothing, "pooling": Pooling, "kernel": Kernel, "inducing": Inducing, "anchored": Anchored, "full": Full}


class Network(nn.Module):
    def __init__(self, mechanism, num_fields):
        super().__init__()
        self.mechanism = mechanism
        self.register_buffer("mean", torch.zeros(num_fields))
        self.register_buffer("deviation", torch.ones(num_fields))
        self.embedding = nn.Linear(num_fields, CHANNELS)
        self.norms = nn.ModuleList(nn.LayerNorm(CHANNELS) for _ in range(DEPTH))
        self.attention = nn.ModuleList(PARTS[mechanism]() for _ in range(DEPTH))
        self.feed_norms = nn.ModuleList(nn.LayerNorm(CHANNELS) for _ in range(DEPTH))
        self.feed = nn.ModuleList(nn.Sequential(nn.Linear(CHANNELS, FEED_FORWARD), nn.GELU(),
                                                nn.Linear(FEED_FORWARD, CHANNELS)) for _ in range(DEPTH))
        self.head = nn.Linear(CHANNELS, 1)

    def forward(self, fields, positions):
        near = None
        if self.mechanism == "anchored":
            near = squared_distances(choose_anchors(positions, TRAINING_SLOTS if self.training else SLOTS), positions)
        x = self.embedding((fields - self.mean) / self.deviation)
        for i in range(DEPTH):
            x = x + self.attention[i](self.norms[i](x), near)
            x = x + self.feed[i](self.feed_norms[i](x))
        return self.head(x)[..., 0]
