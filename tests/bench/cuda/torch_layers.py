# SPDX-License-Identifier: BSD-3-Clause
"""Layers of the same sizes in PyTorch on the same device, to set beside bench_cuda's "all layers".

    python3 tests/bench/cuda/torch_layers.py [--quick]

Linformer with one E for all layers, post-norm, GELU; random weights: times alone. float32 without TF32 is what
this library computes; TF32 is shown beside it.
"""

import sys
import time

try:
    import torch
    import torch.nn.functional as functional
except ImportError:
    sys.exit("torch_layers: skipped, no torch")


def layer(x, w, heads):
    n, channels = x.shape
    summary = w["e"] @ x
    split = lambda rows, name: (rows @ w[name]).unflatten(-1, (heads, -1)).transpose(0, 1)
    attended = functional.scaled_dot_product_attention(split(x, "q"), split(summary, "k"), split(summary, "v"))
    x = functional.layer_norm(x + attended.transpose(0, 1).reshape(n, channels) @ w["o"], (channels,))
    return functional.layer_norm(x + functional.gelu(x @ w["in"]) @ w["out"], (channels,))


def milliseconds(n, channels, heads, k, rounds, depth=2):
    make = lambda *shape: torch.randn(*shape, device="cuda") * shape[0] ** -0.5
    w = {name: make(channels, channels) for name in "qkvo"}
    w.update({"in": make(channels, 2 * channels), "out": make(2 * channels, channels), "e": make(k, n)})
    x, times = torch.randn(n, channels, device="cuda"), []
    for _ in range(rounds + 2):
        torch.cuda.synchronize()
        start = time.perf_counter()
        y = x
        for _ in range(depth):
            y = layer(y, w, heads)
        torch.cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - start))
    return sorted(times[2:])[rounds // 2]


def main():
    if not torch.cuda.is_available():
        sys.exit("torch_layers: skipped, PyTorch has no CUDA device")
    rounds = 3 if "--quick" in sys.argv else 9
    print(f"torch {torch.__version__} on {torch.cuda.get_device_name(0)}, ms of all layers")
    with torch.inference_mode():
        for n in (16384, 131072, 1048576):
            for channels, heads, k in ((64, 4, 128), (256, 8, 256)):
                row = [f"n {n:8} C {channels:4}"]
                for tf32 in (False, True):
                    torch.backends.cuda.matmul.allow_tf32 = tf32
                    row.append(f"{'TF32' if tf32 else 'float32'} {milliseconds(n, channels, heads, k, rounds):.3f}")
                print("  ".join(row))


if __name__ == "__main__":
    main()
