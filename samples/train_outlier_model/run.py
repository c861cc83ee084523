# SPDX-License-Identifier: BSD-3-Clause
"""Makes the labelled scans, trains all networks, writes the table and the model files: see README.md."""

import argparse
import ctypes
import functools
import multiprocessing
from pathlib import Path

import torch

import dataset
import evaluation
import shipping
from networks import Network
from training import columns, train

STEPS, SHIPPED_STEPS = 600, 7000  # of a network of the table, and of one that may ship
SEEDS = 3  # of the same kind
PLAIN, SENSOR = False, True  # without and with the sensor's origin
KINDS = (("anchored", PLAIN), ("anchored", SENSOR), ("mlp", PLAIN), ("pooling", PLAIN), ("kernel", PLAIN),
         ("inducing", PLAIN), ("full", PLAIN), ("mlp", SENSOR), ("pooling", SENSOR),
         ("kernel", SENSOR))


def set_up_process():
    """One thread of PyTorch, and with glibc a block that a large tensor leaves is used again: it would go back to the
    system, and scoring would spend more than half its time on the pages of new ones."""
    torch.set_num_threads(1)
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        for parameter, size in ((-3, 1 << 30), (-1, (1 << 31) - 1)):  # M_MMAP_THRESHOLD, M_TRIM_THRESHOLD, in bytes
            mallopt(parameter, size)


def of_the_table(options):
    """Mechanism, with the sensor's origin, seed, steps: of every network in the table."""
    return [(mechanism, sensor, seed, options.steps) for seed in range(options.seeds) for mechanism, sensor in KINDS]


def candidates(options):
    """Of which the best on validation ship, one without and one with the sensor's origin."""
    return [(mechanism, sensor, seed, options.shipped_steps) for mechanism, sensor in (("anchored", PLAIN), ("kernel", SENSOR))
            for seed in range(options.seeds)]


def as_long(options):
    """Others trained for as many steps as those that ship, one seed."""
    return [(mechanism, SENSOR, 0, options.shipped_steps) for mechanism in ("mlp", "pooling", "anchored")]


def network_path(work, mechanism, sensor, seed, steps):
    return Path(work) / "networks" / f"{mechanism}_{'sensor' if sensor else 'plain'}_{steps}_{seed}.pt"


def load_network(work, mechanism, sensor, seed, steps):
    network = Network(mechanism, len(columns(sensor)))
    network.load_state_dict(torch.load(network_path(work, mechanism, sensor, seed, steps), weights_only=True))
    return network.eval()


@functools.lru_cache(1)
def _training_scans(work):
    return dataset.load(Path(work) / "scans", "train")


def _train(task):
    work, job = task
    path = network_path(work, *job)
    if path.exists():
        return
    set_up_process()
    network = train(job[0], _training_scans(work), *job[1:])
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(network.state_dict(), path)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stages", nargs="*", default=["scans", "networks", "models", "table"],
                        help="scans, networks, models, table; default: all of them")
    parser.add_argument("--work", default="build/outlier", help="folder for scans and networks; what is there is kept")
    parser.add_argument("--clouds", help="folder of clouds beside the generated scenes")
    parser.add_argument("--out", default="src/weights/outlier", help="folder for the model files")
    parser.add_argument("--fixture", help="file for a small cloud with the networks' logits, for the tests")
    parser.add_argument("--table", default="samples/outlier_removal/table.md")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="networks of each kind in the table")
    parser.add_argument("--steps", type=int, default=STEPS, help="of each network in the table")
    parser.add_argument("--shipped-steps", type=int, default=SHIPPED_STEPS)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args()
    set_up_process()
    if "scans" in options.stages:
        dataset.make_dataset(Path(options.work) / "scans", options.clouds, options.jobs)
    if "networks" in options.stages:
        tasks = [(options.work, job) for job in candidates(options) + as_long(options) + of_the_table(options)]
        if options.jobs == 1:
            for task in tasks:
                _train(task)
        else:
            with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
                pool.map(_train, tasks, chunksize=1)
    if "models" in options.stages:
        shipping.write_models(options, candidates(options), load_network)
    if "table" in options.stages:
        evaluation.write_table(options, candidates(options) + as_long(options), of_the_table(options), load_network)


if __name__ == "__main__":
    main()
