# SPDX-License-Identifier: BSD-3-Clause
"""Peak memory of an encoder here beside linformer-pytorch's checkpoint levels C0 and C2.

    venv/bin/pip install torch safetensors linformer-pytorch
    cmake --build BUILD --target bench_peak_memory pcl_attention_command
    venv/bin/python tests/bench/checkpoint_memory/compare.py BUILD/bin [N ...]

Every number comes from a process of its own: the growth of resident memory over model, input and output.
The levels trade memory for time in training; inference is C0 without gradients.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

SIZES = {"channels": 64, "dim_k": 128, "dim_ff": 128, "nhead": 4, "depth": 2, "dropout": 0.0, "dropout_ff": 0.0}
RUNS = ("inference C0", "training C0", "training C2")


def memory(name):
    with open("/proc/self/status") as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith(name + ":"))


def run_pytorch(n, run, state):
    """One step of linformer-pytorch; writes its state_dict to `state` unless it is empty."""
    import torch
    from linformer_pytorch import Linformer
    from safetensors.torch import save_model
    torch.manual_seed(1)
    level = run.split()[1]
    small = Linformer(input_size=64, checkpoint_level=level, **{**SIZES, "dim_k": 8})
    small(torch.randn(1, 64, SIZES["channels"], requires_grad=True)).sum().backward()  # libraries are loaded
    model = Linformer(input_size=n, checkpoint_level=level, **SIZES)
    if state:
        save_model(model, state)
    x = torch.randn(1, n, SIZES["channels"], requires_grad=run.startswith("training"))
    with open("/proc/self/clear_refs", "w") as refs:
        refs.write("5")  # the peak starts again
    before, start = memory("VmRSS"), time.time()
    if run.startswith("training"):
        model(x).sum().backward()
    else:
        with torch.no_grad():
            model(x)
    print(json.dumps({"bytes": memory("VmHWM") - before, "seconds": time.time() - start}))


def measure(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return json.loads(done.stdout.strip().split("\n")[-1])


def row(n, name, result):
    per_point = result["bytes"] / n
    print(f"{n:>8}  {name:<30}{result['bytes'] / 2**20:>10.1f} MiB{per_point:>10.0f} B/point"
          f"{result['seconds']:>9.2f} s", flush=True)


def compare(folder, sizes):
    print(f"{'n':>8}  {'':<30}{'peak':>14}")
    for n in sizes:
        with tempfile.TemporaryDirectory() as temporary:
            state, model = (os.path.join(temporary, name) for name in ("state.safetensors", "model.safetensors"))
            for run in RUNS:
                row(n, "linformer-pytorch " + run,
                    measure(sys.executable, __file__, "--pytorch", str(n), run, state if run == RUNS[0] else ""))
            subprocess.run([os.path.join(folder, "pcl_attention"), "model", "import", state, model], check=True,
                           stdout=subprocess.DEVNULL)
            for device in ("auto", "reference"):
                result = measure(os.path.join(folder, "bench_peak_memory"), model, str(n), device)
                row(n, result["engine"], result)


if __name__ == "__main__":
    if sys.argv[1] == "--pytorch":
        run_pytorch(int(sys.argv[2]), sys.argv[3], sys.argv[4])
    else:
        compare(sys.argv[1], [int(n) for n in sys.argv[2:]] or [16384, 65536, 262144])
