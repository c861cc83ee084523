# SPDX-License-Identifier: BSD-3-Clause
"""Labelled scans: generated scenes and clouds of a folder, noise injected, fields worked out, kept as files.

Splits go by place and by sensor: no place, sensor pattern or scene of one split is in another.
"""

import json
import multiprocessing
import zlib
from pathlib import Path

import numpy as np

import noise
from canonical_order import canonical_order
from clouds import read_cloud
from neighbourhood import describe
from scenes import add_near_things, make_scene
import sensors
from sensors import is_camera, scan, to_camera_frame

SEEDS = {"train": 1, "validation": 1, "test": 3}  # test scans of the seeds before served to judge earlier models
SPLITS = tuple(SEEDS)
LEAST_SHARE, MOST_SHARE = 0.005, 0.08
KEPT = 12000  # points of a training scan, at random; fields come from all
MOST_OF_A_CLOUD, REAL_REPEATS = 60000, 10  # points; noises that a training cloud gets, one at a time
TEST_SHARES, UNSEEN_SHARE = (0.01, 0.05), 0.03

# split: sensors by place, scans of each pair, merged clouds
GENERATED = {
    "train": ({"street": ("spinning_any", "raster_any"), "room": ("spinning_any", "raster_any", "camera_any"),
               "yard": ("spinning_any", "raster_any")}, 40, 40),
    "validation": ({"street": ("spinning_32", "spinning_128", "raster"),
                    "room": ("spinning_32", "spinning_128", "raster", "camera_wide"),
                    "yard": ("spinning_32", "spinning_128", "raster")}, 2, 6),
    "test": ({"hall": ("spinning_40", "rosette"), "street": ("spinning_40", "rosette"), "room": ("spinning_40",),
              "yard": ("spinning_40", "rosette")}, 1, 4),
}


def _rng(seed, name):
    return np.random.default_rng([seed, zlib.crc32(name.encode())])


def _share(split, repeat, rng):
    if split == "test":
        return TEST_SHARES[repeat % len(TEST_SHARES)]
    return float(np.exp(rng.uniform(np.log(LEAST_SHARE), np.log(MOST_SHARE))))


def finish(x, label, kind, sensor, **facts):
    """A scan as the network reads it: by canonical rank, positions relative to the per-axis minimum."""
    x = x.astype(np.float32).astype(np.float64)  # as a file keeps them
    origin = x.min(0)
    positions = (x - origin).astype(np.float32)
    rank = canonical_order(positions)
    fields, distances = describe(positions[rank], origin, sensor)
    return dict(positions=positions[rank], origin=origin, fields=fields, distances=distances, label=label[rank],
                kind=kind[rank], **facts)


def _tilted(x, rng):
    """Turned by some degrees about x and y, as a sensor is mounted."""
    a, b = np.deg2rad(rng.normal(0.0, 4.0, 2))
    about_x = np.array([[1.0, 0.0, 0.0], [0.0, np.cos(a), -np.sin(a)], [0.0, np.sin(a), np.cos(a)]])
    about_y = np.array([[np.cos(b), 0.0, np.sin(b)], [0.0, 1.0, 0.0], [-np.sin(b), 0.0, np.cos(b)]])
    return x @ about_x @ about_y


def _thinned(x, label, kind, rng):
    """Every second time a random part of the points."""
    if rng.random() < 0.5:
        return x, label, kind
    kept = rng.random(len(x)) < np.exp(rng.uniform(np.log(0.2), 0.0))
    return x[kept], label[kept], kind[kept]


def subset(scan, count, rng):
    """`count` points at random, still by rank."""
    n = len(scan["kind"])
    rows = np.sort(rng.choice(n, min(count, n), replace=False))
    return {key: value[rows] if np.ndim(value) > 0 and len(value) == n else value for key, value in scan.items()}


def generated_scan(place, sensor, rng, share, kinds=noise.TRAINED):
    scene, seen_by = make_scene(place, rng), sensors.get(sensor, rng)
    view, varied = scene.view_points[0] + (0.0, 0.0, seen_by.raised), sensor.endswith("_any")
    if varied:
        add_near_things(scene, view, rng)
    x, label = scan(scene, seen_by, view, rng)
    x, label, kind = noise.inject(x, label, rng, share, is_camera(sensor), kinds)
    if varied:
        x, label, kind = _thinned(_tilted(x, rng), label, kind, rng)
    if is_camera(sensor) and rng.random() < 0.5:
        x = to_camera_frame(x)
    return finish(x, label, kind, np.zeros(3), merged=False, generated=True)


def merged_scan(place, sensor, rng, share):
    """Two or three noisy scans of one scene in one frame; nobody knows any more which sensor saw a point."""
    scene, seen_by = make_scene(place, rng), sensors.get(sensor, rng)
    parts = []
    for view in scene.view_points[:rng.integers(2, 4)]:
        state = np.random.default_rng(rng.integers(1 << 31))
        x, label = scan(scene, seen_by, view, state)
        x, label, kind = noise.inject(x, label, state, share)
        parts.append((x + view, label, kind))
    x, label, kind = (np.concatenate(part) for part in zip(*parts))
    return finish(x, label, kind, np.zeros(3), merged=True, generated=True)


def real_scan(folder, entry, rng, share, kinds=noise.TRAINED):
    x = read_cloud(Path(folder) / entry["file"], entry.get("zero_is_invalid", False))
    if len(x) > MOST_OF_A_CLOUD:
        x = x[rng.permutation(len(x))[:MOST_OF_A_CLOUD]]
    x, label, kind = noise.inject(x, np.zeros(len(x), np.uint8), rng, share, entry.get("camera", False), kinds)
    return finish(x, label, kind, np.zeros(3), merged=False, generated=False)


def _generated_jobs(split):
    places, repeats, merged = GENERATED[split]
    pairs = [(place, sensor) for place, sensors in places.items() for sensor in sensors]
    for place, sensor in pairs:
        for repeat in range(max(repeats, len(TEST_SHARES)) if split == "test" else repeats):
            yield ("generated", split, place, sensor, repeat)
        if split == "test":
            yield ("unseen", split, place, sensor, 0)
    lidar = [pair for pair in pairs if not is_camera(pair[1])]
    for i in range(merged):
        yield ("merged", split, *lidar[i * 2 % len(lidar)], i)


def _real_jobs(entries):
    for entry in entries:
        for repeat in range(REAL_REPEATS if entry["split"] == "train" else len(TEST_SHARES)):
            yield ("real", entry["split"], entry, repeat)
        if entry["split"] == "test":
            yield ("real_unseen", entry["split"], entry, 0)


def _name(job):
    source = Path(job[2]["file"]).stem if isinstance(job[2], dict) else "-".join(job[2:4])
    return f"{job[1]}_{job[0]}_{source}_{job[-1]}"


def _run(task):
    job, folder, cache = task
    path = Path(cache) / f"{_name(job)}.npz"
    if path.exists():
        return
    rng = _rng(SEEDS[job[1]], _name(job))
    share = _share(job[1], job[-1], rng)
    if job[0] == "generated":
        made = generated_scan(job[2], job[3], rng, share)
    elif job[0] == "unseen":
        made = generated_scan(job[2], job[3], rng, UNSEEN_SHARE, noise.UNSEEN)
    elif job[0] == "merged":
        made = merged_scan(job[2], job[3], rng, share)
    else:
        unseen = job[0] == "real_unseen"
        made = real_scan(folder, job[2], rng, UNSEEN_SHARE if unseen else share,
                         noise.UNSEEN if unseen else noise.TRAINED)
    if job[1] == "train":
        made = subset(made, KEPT, rng)
    part = path.with_suffix(".part")
    with open(part, "wb") as file:
        np.savez(file, unseen="unseen" in job[0], **made)
    part.rename(path)


def entries_of(folder):
    """clouds.json of the folder, or the list of public clouds beside this file; none without a folder."""
    if folder is None:
        return []
    own = Path(folder) / "clouds.json"
    listed = json.loads((own if own.exists() else Path(__file__).with_name("public_clouds.json")).read_text())
    return [entry for entry in listed if (Path(folder) / entry["file"]).exists()]


def make_dataset(cache, folder=None, jobs=1):
    """Writes what is not there yet. Same folder of clouds, same numbers."""
    Path(cache).mkdir(parents=True, exist_ok=True)
    todo = [job for split in SPLITS for job in _generated_jobs(split)] + list(_real_jobs(entries_of(folder)))
    tasks = [(job, folder, cache) for job in todo]
    if jobs == 1:
        for task in tasks:
            _run(task)
    else:
        with multiprocessing.Pool(jobs) as pool:
            list(pool.imap_unordered(_run, tasks, chunksize=1))


def load(cache, split):
    """Scans of a split, sorted by name."""
    scans = []
    for path in sorted(Path(cache).glob(f"{split}_*.npz")):
        with np.load(path) as file:
            scans.append({key: file[key] for key in file.files} | {"name": path.stem})
    return scans
