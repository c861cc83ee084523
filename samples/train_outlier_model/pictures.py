# SPDX-License-Identifier: BSD-3-Clause
"""Draws clouds before and after outlier removal, from above and from the side; removed points in red.

pictures.py --work build/outlier --out folder [--sensor] [--noise 0.05] cloud.pcd ...
pictures.py --out folder --kept cleaned.pcd cloud.pcd       with what another program kept of one cloud
pictures.py --work build/outlier --out folder --generated street-spinning_40
"""

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import dataset
import noise
import shipping
from clouds import read_cloud
from run import load_network
from training import prepare, scores


def _removed_by_network(options, scan):
    name = shipping.NAMES[options.sensor]
    facts = shipping.read_facts(Path(options.models) / f"{name}.safetensors")
    network = load_network(options.work, facts["mechanism"], options.sensor, facts["network_seed"], facts["steps"])
    fields, positions, _ = prepare([scan], options.sensor)[0]
    return scores(network, fields, positions) > facts["threshold"]


def _window(x, axis):
    low, high = np.quantile(x[:, axis], [0.02, 0.98])
    return low - 0.1 * (high - low), high + 0.1 * (high - low)


def draw(x, removed, path, title, up=2):
    """Two rows: from above and from the side; left as it came with removed points in red, right what stays."""
    flat = [axis for axis in range(3) if axis != up]
    figure, axes = plt.subplots(2, 2, figsize=(11, 7), height_ratios=(3, 1.3), sharex=True)
    views = ((flat[0], flat[1], "from above"), (flat[0], up, "from the side"))
    for row, (a, b, view) in enumerate(views):
        for column, stays in enumerate(("as it came, removed in red", "what stays")):
            plot = axes[row, column]
            plot.scatter(x[~removed, a], x[~removed, b], s=0.3, c="#30506a", linewidths=0, rasterized=True)
            if column == 0:
                plot.scatter(x[removed, a], x[removed, b], s=2.5, c="#d62020", linewidths=0, rasterized=True)
            plot.set(xlim=_window(x, a), ylim=_window(x, b), title=f"{view}, {stays}")
            if row == 0:
                plot.set_aspect("equal", adjustable="box")
    figure.suptitle(title)
    figure.tight_layout()
    figure.savefig(path, dpi=80)
    plt.close(figure)


def _points(scan):
    return scan["positions"].astype(float) + scan["origin"]


def _kept(x, cleaned):
    """Which rows of x another program kept."""
    known = {row.tobytes() for row in cleaned.astype(np.float32)}
    return np.array([row.tobytes() in known for row in x.astype(np.float32)])


def _describe(scan, removed):
    text = f"{removed.sum()} of {len(removed)} points removed"
    kind = scan["kind"]
    if kind.any():
        text += f"; {100.0 * removed[kind > 0].mean():.0f} % of the noise, {100.0 * removed[kind == 0].mean():.2f} % of the rest"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clouds", nargs="*")
    parser.add_argument("--work", default="build/outlier")
    parser.add_argument("--models", default="src/weights/outlier")
    parser.add_argument("--out", default="build/outlier/pictures")
    parser.add_argument("--sensor", action="store_true", help="the model that knows the sensor stands at the origin")
    parser.add_argument("--noise", type=float, help="share of noise to add first")
    parser.add_argument("--kept", help="the same cloud after removal by another program")
    parser.add_argument("--generated", help="place-sensor instead of a cloud")
    parser.add_argument("--up", type=int, default=2, help="axis that points up or down: 1 in a camera's frame")
    parser.add_argument("--zero-is-invalid", action="store_true")
    options = parser.parse_args()
    Path(options.out).mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(3)
    scans = {}
    if options.generated:
        scans[options.generated] = dataset.generated_scan(*options.generated.split("-"), rng, options.noise or 0.05)
    for path in options.clouds:
        x = read_cloud(path, options.zero_is_invalid)
        label, kind = np.zeros(len(x), np.uint8), np.zeros(len(x), np.uint8)
        if options.noise:
            x, label, kind = noise.inject(x, label, rng, options.noise, options.up == 1)
        scans[Path(path).stem] = dataset.finish(x, label, kind, np.zeros(3), merged=False, generated=False)
    for name, scan in scans.items():
        x = _points(scan)
        removed = ~_kept(x, read_cloud(options.kept)) if options.kept else _removed_by_network(options, scan)
        text = _describe(scan, removed)
        print(name, text)
        draw(x, removed, Path(options.out) / f"{name}.png", f"{name}: {text}", options.up)


if __name__ == "__main__":
    main()
