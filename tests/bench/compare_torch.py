# SPDX-License-Identifier: BSD-3-Clause
"""linformer-pytorch and PyTorch's scaled_dot_product_attention beside this library.

    venv/bin/pip install torch safetensors linformer-pytorch
    cmake --build BUILD --target bench_encode_server
    venv/bin/python tests/bench/compare_torch.py BUILD/bin [--quick] [--json FILE]

Same weights, same input, all cores; C 64, H 4, k 128, feed-forward 128, depth 2. The two take turns, their
output freshly allocated in every call; medians on the clock. Errors are relative L2 against the same network
in double; a result that is off by more than 1e-4 is not timed.
"""

import argparse
import copy
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import torch
import torch.nn.functional as functional
from linformer_pytorch import Linformer
from safetensors.torch import save_model

CHANNELS, HEADS, SLOTS, FEED_FORWARD, DEPTH = 64, 4, 128, 128, 2
LARGEST_ERROR = 1e-4


def make_network(n, full):
    torch.manual_seed(1)
    network = Linformer(input_size=n if not full else SLOTS, channels=CHANNELS, dim_k=SLOTS, dim_ff=FEED_FORWARD,
                        nhead=HEADS, depth=DEPTH, full_attention=full)
    return network.eval()


class FlashNetwork(torch.nn.Module):
    """The same layers as linformer-pytorch's full attention, with scaled_dot_product_attention."""

    def __init__(self, network, attend):
        super().__init__()
        self.network, self.attend = network, attend
        attention = [layer.fn for layer in network.seq[0::2]]
        stack = lambda maps: torch.cat([linear.weight for linear in maps])
        self.maps = [torch.cat([stack(layer.to_q), stack(layer.to_k), stack(layer.to_v)]) for layer in attention]

    def forward(self, x):
        for weight, attention, feed_forward in zip(self.maps, self.network.seq[0::2], self.network.seq[1::2]):
            parts = functional.linear(x, weight).unflatten(-1, (3, HEADS, -1)).permute(2, 0, 3, 1, 4)
            heads = self.attend(*parts).transpose(1, 2).flatten(2)
            x = feed_forward(attention.norm(x + attention.fn.w_o(heads)))
        return x


def attend_by_parts(q, k, v):
    """Softmax attention in blocks of queries: exact, and without a matrix of n x n."""
    return torch.cat([functional.softmax(part @ k.transpose(-1, -2) / q.shape[-1] ** 0.5, dim=-1) @ v
                      for part in q.split(512, dim=2)], dim=2)


class Server:
    """bench_encode_server on one state_dict and input."""

    def __init__(self, folder, state, kind, values, temporary):
        self.rows_file = os.path.join(temporary, "rows")
        source = os.path.join(temporary, "input")
        values.numpy().tofile(source)
        command = [os.path.join(folder, "bench_encode_server"), state, kind, source]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.engine = self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit("bench_encode_server ended")
        return line.strip()

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.answer()

    def run(self):
        return [float(number) for number in self.ask("run").split()]

    def rows(self):
        self.ask("rows " + self.rows_file)
        return torch.from_numpy(numpy.fromfile(self.rows_file, numpy.float32)).double().view(-1, CHANNELS)

    def quit(self):
        self.process.stdin.close()
        self.process.wait()


def relative_l2(a, b):
    return ((a - b).norm() / b.norm()).item()


def exact_rows(network, full, values):
    exact = copy.deepcopy(network).double()
    if full:
        exact = FlashNetwork(exact, attend_by_parts)
    return exact(values.double()[None])[0]


def check(errors):
    if not max(errors.values()) < LARGEST_ERROR:  # NaN does not pass
        sys.exit(f"results disagree: {errors}")
    return errors


def timed(call):
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - wall, time.process_time() - cpu


def take_turns(here, rival, rounds):
    """Returns median milliseconds; the first round warms up."""
    samples = [(here(), timed(rival)) for _ in range(rounds + 1)][1:]
    median = lambda side, clock: 1e3 * statistics.median(sample[side][clock] for sample in samples)
    return {"here_ms": median(0, 0), "torch_ms": median(1, 0), "ratio": median(1, 0) / median(0, 0),
            "here_cpu_ms": median(0, 1), "torch_cpu_ms": median(1, 1), "cpu_ratio": median(1, 1) / median(0, 1)}


def compare(folder, kind, n, rounds):
    full = kind == "full"
    network, values = make_network(n, full), torch.randn(n, CHANNELS)
    rival = FlashNetwork(network, functional.scaled_dot_product_attention) if full else network
    with torch.inference_mode(), tempfile.TemporaryDirectory() as temporary:
        state = os.path.join(temporary, "state.safetensors")
        save_model(network, state)
        server = Server(folder, state, kind, values, temporary)
        server.run()
        exact = exact_rows(network, full, values)
        errors = check({"error_here": relative_l2(server.rows(), exact),
                        "error_torch": relative_l2(rival(values[None])[0].double(), exact)})
        times = take_turns(server.run, lambda: rival(values[None]), rounds)
        server.quit()
    return {"network": kind, "n": n, **times, **errors, "engine": server.engine}


def text(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def print_table(rows):
    widths = {name: max(len(name), *(len(text(row[name])) for row in rows)) for name in rows[0]}
    print("  ".join(name.rjust(width) for name, width in widths.items()))
    for row in rows:
        print("  ".join(text(row[name]).rjust(width) for name, width in widths.items()), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="where bench_encode_server lies")
    parser.add_argument("--quick", action="store_true", help="small sizes: does it run, not how fast")
    parser.add_argument("--json")
    options = parser.parse_args()
    torch.set_num_threads(os.cpu_count())
    sizes = {"linformer": [16384, 65536, 131072], "full": [8192, 32768]}
    if options.quick:
        sizes = {"linformer": [4096], "full": [2048]}
    print(f"## compare_torch, PyTorch {torch.__version__}, {torch.get_num_threads()} threads, "
          f"load {os.getloadavg()[0]:.2f}\n")
    rows = [compare(options.folder, kind, n, 3 if options.quick or n == 32768 else 9)
            for kind in sizes for n in sizes[kind]]
    print_table(rows)
    if options.json:
        machine = {"cores": os.cpu_count(), "torch": torch.__version__, "load": os.getloadavg()[0]}
        with open(options.json, "w") as file:
            json.dump({"benchmark": "compare_torch", "machine": machine, "tables": {"PyTorch": rows}}, file, indent=2)


if __name__ == "__main__":
    main()
