# SPDX-License-Identifier: BSD-3-Clause
"""Makes the labelled scans, trains all networks, writes the table and the model files: see README.md."""

import argparse
import multiprocessing
from pathlib import Path

import torch

import dataset
import evaluation
import shipping
from networks import Network
from training import columns, train

STEPS = 1500
SEEDS = (0, 1, 2)
PLAIN, SENSOR = False, True  # without and with the sensor's origin
KINDS = (("anchored", PLAIN), ("anchored", SENSOR), ("mlp", PLAIN), ("pooling", PLAIN), ("kernel", PLAIN),
         ("inducing", PLAIN), ("full", PLAIN), ("mlp", SENSOR), ("pooling", SENSOR))


def wanted(seeds):
    """Mechanism, with the sensor's origin, seed: of every network in the table."""
    return [(mechanism, sensor, seed) for seed in seeds for mechanism, sensor in KINDS]


def network_path(work, mechanism, sensor, seed):
    return Path(work) / "networks" / f"{mechanism}_{'sensor' if sensor else 'plain'}_{seed}.pt"


def load_network(work, mechanism, sensor, seed):
    network = Network(mechanism, len(columns(sensor)))
    network.load_state_dict(torch.load(network_path(work, mechanism, sensor, seed), weights_only=True))
    return network.eval()


def _train(task):
    work, steps, (mechanism, sensor, seed) = task
    path = network_path(work, mechanism, sensor, seed)
    if path.exists():
        return
    torch.set_num_threads(1)
    network = train(mechanism, dataset.load(Path(work) / "scans", "train"), sensor, seed, steps)
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(network.state_dict(), path)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stages", nargs="*", default=["scans", "networks", "models", "table"],
                        help="scans, networks, models, table; default: all of them")
    parser.add_argument("--work", default="build/outlier", help="folder for scans and networks; what is there is kept")
    parser.add_argument("--clouds", help="folder of clouds to train with beside the generated scenes")
    parser.add_argument("--out", default="src/weights/outlier", help="folder for the model files")
    parser.add_argument("--fixture", help="file for a small cloud with the networks' logits, for the tests")
    parser.add_argument("--table", default="samples/outlier_removal/table.md")
    parser.add_argument("--seeds", type=int, default=len(SEEDS), help="networks of each kind")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args()
    torch.set_num_threads(1)
    if "scans" in options.stages:
        dataset.make_dataset(Path(options.work) / "scans", 1, options.clouds, options.jobs)
    if "networks" in options.stages:
        tasks = [(options.work, options.steps, job) for job in wanted(range(options.seeds))]
        if options.jobs == 1:
            for task in tasks:
                _train(task)
        else:
            with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
                pool.map(_train, tasks, chunksize=1)
    if "models" in options.stages:
        shipping.write_models(options, load_network)
    if "table" in options.stages:
        evaluation.write_table(options, load_network, wanted(range(options.seeds)))


if __name__ == "__main__":
    main()
