# SPDX-License-Identifier: BSD-3-Clause
"""Generated scenes of boxes, spheres, thin rods and tree crowns, and what a ray hits in them."""

import numpy as np

SURFACE, THIN, EDGE = 0, 1, 2  # what a real point lies on
PLACES = ("street", "room", "yard", "hall")


class Scene:
    """Primitives in metres, z up. `ground` is the height of the floor, `shell` the half sizes of a room."""

    def __init__(self):
        self.boxes = []    # centre (3), half size (3), yaw
        self.rods = []     # end a (3), end b (3), radius, is thin
        self.balls = []    # centre (3), radius
        self.crowns = []   # centre (3), radius, mean free path of a ray in the leaves
        self.ground = None  # height, amplitude, phases (2)
        self.shell = None  # half sizes (3)
        self.reach = 120.0  # farthest return
        self.view_points = []  # where a sensor may stand

    def box(self, centre, half, yaw=0.0):
        self.boxes.append((np.asarray(centre, float), np.asarray(half, float), float(yaw)))

    def rod(self, a, b, radius, thin=True):
        self.rods.append((np.asarray(a, float), np.asarray(b, float), float(radius), thin))

    def ball(self, centre, radius):
        self.balls.append((np.asarray(centre, float), float(radius)))

    def crown(self, centre, radius, path):
        self.crowns.append((np.asarray(centre, float), float(radius), float(path)))

    def height(self, x, y):
        level, amplitude, phase = self.ground
        return level + amplitude * (np.sin(0.07 * x + phase[0]) + np.sin(0.09 * y + phase[1]))

    def cast(self, origin, directions, divergence, rng):
        """Range of the first hit of each ray (inf: none) and SURFACE or THIN."""
        hits = _Hits(np.asarray(origin, float), directions, divergence)
        if self.ground is not None:
            hits.ground(self.height, self.ground[0])
        if self.shell is not None:
            hits.shell(self.shell)
        for centre, half, yaw in self.boxes:
            hits.box(centre, half, yaw)
        for a, b, radius, thin in self.rods:
            hits.rod(a, b, radius, thin)
        for centre, radius in self.balls:
            hits.ball(centre, radius)
        for centre, radius, path in self.crowns:
            hits.crown(centre, radius, path, rng)
        hits.range[hits.range > self.reach] = np.inf
        return hits.range, hits.label


class _Hits:
    def __init__(self, origin, directions, divergence):
        self.origin, self.directions, self.divergence = origin, directions, divergence
        self.range = np.full(len(directions), np.inf)
        self.label = np.full(len(directions), SURFACE, np.uint8)

    def near(self, centre, radius):
        """Rays that may come within `radius` of the centre."""
        to = centre - self.origin
        distance = np.linalg.norm(to)
        if distance <= radius:
            return np.arange(len(self.directions))
        least = np.sqrt(1.0 - (radius / distance) ** 2)
        return np.nonzero(self.directions @ (to / distance) > least)[0]

    def take(self, rays, distance, label=SURFACE):
        closer = (distance > 0.05) & (distance < self.range[rays])
        self.range[rays[closer]] = distance[closer]
        self.label[rays[closer]] = label

    def ground(self, height, level):
        rays = np.nonzero(self.directions[:, 2] < -1e-3)[0]
        d = self.directions[rays]
        t = (level - self.origin[2]) / d[:, 2]
        for _ in range(4):
            q = self.origin + d * np.clip(t, 0.0, 200.0)[:, None]
            t = (height(q[:, 0], q[:, 1]) - self.origin[2]) / d[:, 2]
        self.take(rays, t)

    def shell(self, half):
        rays = np.arange(len(self.directions))
        with np.errstate(divide="ignore"):
            far = (np.sign(self.directions) * half - self.origin) / self.directions
        self.take(rays, np.where(np.isfinite(far), far, np.inf).min(1))

    def box(self, centre, half, yaw):
        rays = self.near(centre, np.linalg.norm(half))
        c, s = np.cos(yaw), np.sin(yaw)
        turn = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
        o, d = turn @ (self.origin - centre), self.directions[rays] @ turn.T
        with np.errstate(divide="ignore", invalid="ignore"):
            one, other = (-half - o) / d, (half - o) / d
        enter, leave = np.fmin(one, other).max(1), np.fmax(one, other).min(1)
        self.take(rays, np.where(enter < leave, enter, np.inf))

    def rod(self, a, b, radius, thin):
        middle, along = (a + b) / 2.0, b - a
        far = np.linalg.norm(middle - self.origin) + np.linalg.norm(along)
        rays = self.near(middle, np.linalg.norm(along) / 2.0 + radius + self.divergence * far)
        d, w = self.directions[rays], self.origin - a
        across, length = d @ along, along @ along
        s = (w @ along - across * (d @ w)) / np.maximum(length - across**2, 1e-9)
        s = np.clip(s, 0.0, 1.0)
        t = s * across - d @ w
        gap = ((w + t[:, None] * d - s[:, None] * along) ** 2).sum(1)
        reach = np.maximum(radius, self.divergence * t)  # a beam is as wide as its divergence
        depth = np.sqrt(np.maximum(np.minimum(reach, radius) ** 2 - gap, 0.0))
        self.take(rays, np.where((gap < reach**2) & (t > 0.0), t - depth, np.inf), THIN if thin else SURFACE)

    def _chord(self, rays, centre, radius):
        o = self.origin - centre
        b = self.directions[rays] @ o
        inside = b * b - (o @ o - radius**2)
        root = np.sqrt(np.maximum(inside, 0.0))
        return np.where(inside > 0.0, -b - root, np.inf), np.where(inside > 0.0, -b + root, -np.inf)

    def ball(self, centre, radius):
        rays = self.near(centre, radius)
        self.take(rays, self._chord(rays, centre, radius)[0])

    def crown(self, centre, radius, path, rng):
        rays = self.near(centre, radius)
        enter, leave = self._chord(rays, centre, radius)
        t = np.maximum(enter, 0.0) + rng.exponential(path, len(rays))
        self.take(rays, np.where(t < leave, t, np.inf))


def _tree(scene, rng, x, y, floor):
    height = rng.uniform(2.0, 7.0)
    scene.rod((x, y, floor - 0.5), (x, y, floor + height), rng.uniform(0.05, 0.25), thin=False)
    for _ in range(rng.integers(1, 5)):
        offset = rng.normal(0.0, 0.7, 3)
        scene.crown((x, y, floor + height) + offset, rng.uniform(0.6, 2.0), rng.uniform(0.2, 1.2))


def _pole_line(scene, rng, y, floor, step):
    """Poles with wires between their tops."""
    height, last = rng.uniform(4.0, 8.0), None
    for x in np.arange(-50.0, 50.0, step) + rng.uniform(0.0, step):
        top = np.array([x, y, floor + height])
        scene.rod((x, y, floor - 0.3), top, rng.uniform(0.04, 0.12))
        for drop in (0.0, 0.6):
            if last is not None:
                sag = (last + top) / 2.0 - (0.0, 0.0, rng.uniform(0.2, 0.8) + drop)
                scene.rod(last - (0.0, 0.0, drop), sag, 0.012)
                scene.rod(sag, top - (0.0, 0.0, drop), 0.012)
        last = top


def _fence(scene, rng, start, direction, length, floor):
    for s in np.arange(0.0, length, rng.uniform(1.0, 2.5)):
        foot = np.append(start + s * direction, floor - 0.2)
        scene.rod(foot, foot + (0.0, 0.0, 1.3), 0.03)
    for z in (0.4, 0.9):
        scene.rod(np.append(start, floor + z), np.append(start + length * direction, floor + z), 0.02)


def _car(scene, rng, x, y, floor):
    yaw = rng.normal(0.0, 0.1) + (rng.random() < 0.2) * np.pi / 2.0
    scene.box((x, y, floor + 0.65), (2.1, 0.9, 0.45), yaw)
    scene.box((x - 0.2, y, floor + 1.25), (1.2, 0.8, 0.35), yaw)


def _street(rng):
    scene = Scene()
    floor, width = -rng.uniform(1.5, 2.5), rng.uniform(6.0, 15.0)
    scene.ground = (floor, rng.uniform(0.0, 0.3), rng.uniform(0.0, 6.3, 2))
    for side in (-1.0, 1.0):
        x = -80.0
        while x < 80.0:
            length, depth, height = rng.uniform(5.0, 25.0), rng.uniform(5.0, 15.0), rng.uniform(3.0, 15.0)
            off = width + rng.uniform(0.0, 8.0)
            if rng.random() < 0.75:
                scene.box((x + length / 2.0, side * (off + depth / 2.0), floor + height / 2.0 - 0.5),
                          (length / 2.0, depth / 2.0, height / 2.0 + 0.5), rng.normal(0.0, 0.05))
                for _ in range(rng.integers(0, 5)):  # relief of the front
                    scene.box((x + rng.uniform(0.0, length), side * off, floor + rng.uniform(0.0, height)),
                              rng.uniform((0.3, 0.1, 0.3), (1.5, 0.8, 1.5)))
            x += length + rng.uniform(0.0, 8.0)
        if rng.random() < 0.6:
            _pole_line(scene, rng, side * (width - rng.uniform(0.5, 2.0)), floor, rng.uniform(12.0, 30.0))
    for _ in range(rng.integers(5, 20)):
        _car(scene, rng, rng.uniform(-50.0, 50.0), rng.choice((-1, 1)) * rng.uniform(2.5, width), floor)
    for _ in range(rng.integers(3, 15)):
        _tree(scene, rng, rng.uniform(-50.0, 50.0), rng.choice((-1, 1)) * rng.uniform(0.6 * width, width + 8.0), floor)
    for _ in range(rng.integers(3, 12)):  # bushes, signs, walls
        y = rng.choice((-1, 1)) * rng.uniform(3.0, width + 4.0)
        scene.crown((rng.uniform(-40.0, 40.0), y, floor + rng.uniform(0.0, 0.5)), rng.uniform(0.4, 1.2), 0.1)
        x, y = rng.uniform(-30.0, 30.0), rng.choice((-1, 1)) * rng.uniform(3.0, width)
        scene.rod((x, y, floor), (x, y, floor + 2.2), 0.03)
        scene.box((x, y, floor + 2.2), (0.02, 0.3, 0.3), rng.uniform(0.0, 3.1))
    if rng.random() < 0.5:
        _fence(scene, rng, np.array([rng.uniform(-20.0, 0.0), width - 1.0]), np.array([1.0, 0.0]), 20.0, floor)
    scene.view_points = [np.array([x, rng.uniform(-1.5, 1.5), 0.0]) for x in (0.0, 4.0, 9.0)]
    return scene


def _furniture(scene, rng, half, count):
    for _ in range(count):
        x, y = rng.uniform(-half[:2], half[:2])
        if rng.random() < 0.4:  # table on thin legs
            size = rng.uniform(0.3, 0.8, 2)
            top = -half[2] + rng.uniform(0.4, 0.9)
            scene.box((x, y, top), (size[0], size[1], 0.02))
            for sx in (-1, 1):
                for sy in (-1, 1):
                    foot = np.array([x + sx * size[0] * 0.9, y + sy * size[1] * 0.9, -half[2]])
                    scene.rod(foot, (foot[0], foot[1], top), 0.02)
        else:
            h = rng.uniform(0.1, 1.0)
            scene.box((x, y, -half[2] + h), (*rng.uniform(0.1, 0.7, 2), h), rng.uniform(0.0, 3.1))


def _room(rng):
    scene = Scene()
    scene.shell = half = np.array([rng.uniform(2.0, 8.0), rng.uniform(2.0, 8.0), rng.uniform(1.2, 1.8)])
    scene.reach = 30.0
    _furniture(scene, rng, half, rng.integers(5, 16))
    for _ in range(rng.integers(3, 12)):  # things on the walls
        place, axis = rng.uniform(-half, half), rng.integers(0, 2)
        place[axis] = rng.choice((-1, 1)) * half[axis]
        scene.box(place, rng.uniform(0.05, 0.6, 3))
    for _ in range(rng.integers(2, 7)):  # lamps, stands, balls, plants
        x, y = rng.uniform(-half[:2], half[:2])
        scene.rod((x, y, -half[2]), (x, y, -half[2] + rng.uniform(0.6, 2.0)), rng.uniform(0.008, 0.03))
        scene.ball(rng.uniform(-half, half), rng.uniform(0.08, 0.3))
        scene.crown(rng.uniform(-half, half), rng.uniform(0.15, 0.4), rng.uniform(0.05, 0.2))
    scene.view_points = [half * rng.uniform(-0.5, 0.5, 3) * (1, 1, 0.4) for _ in range(3)]
    return scene


def _yard(rng):
    scene = Scene()
    floor = -rng.uniform(1.2, 2.2)
    scene.ground = (floor, rng.uniform(0.1, 0.5), rng.uniform(0.0, 6.3, 2))
    for _ in range(rng.integers(12, 35)):
        _tree(scene, rng, *rng.uniform(-40.0, 40.0, 2), floor)
    for _ in range(rng.integers(1, 4)):
        _pole_line(scene, rng, rng.uniform(-25.0, 25.0), floor, rng.uniform(10.0, 25.0))
    for _ in range(rng.integers(2, 5)):
        angle = rng.uniform(0.0, 6.3)
        _fence(scene, rng, rng.uniform(-15.0, 15.0, 2), np.array([np.cos(angle), np.sin(angle)]), 25.0, floor)
    for _ in range(rng.integers(2, 7)):
        size = rng.uniform((1.0, 1.0, 1.0), (5.0, 5.0, 2.5))
        scene.box((*rng.uniform(-35.0, 35.0, 2), floor + size[2]), size, rng.uniform(0.0, 3.1))
    scene.boxes = [box for box in scene.boxes if np.linalg.norm(box[0][:2]) > np.linalg.norm(box[1][:2]) + 2.0]
    scene.view_points = [np.array([x, 0.3 * x, 0.0]) for x in (0.0, 1.0, 2.0)]
    return scene


def _hall(rng):
    scene = Scene()
    scene.shell = half = np.array([rng.uniform(12.0, 25.0), rng.uniform(8.0, 16.0), rng.uniform(2.5, 4.0)])
    scene.reach = 60.0
    for y in np.arange(-half[1] + 2.0, half[1] - 1.0, rng.uniform(3.0, 4.5)):  # racks of thin posts and boards
        if abs(y) < 1.5:
            continue
        for x in np.arange(-half[0] + 2.0, half[0] - 2.0, 2.5):
            for side in (-0.4, 0.4):
                scene.rod((x, y + side, -half[2]), (x, y + side, -half[2] + 3.0), 0.04)
            for z in (0.3, 1.4, 2.5):
                if rng.random() < 0.7:
                    size = rng.uniform((0.3, 0.2, 0.15), (1.1, 0.4, 0.45))
                    scene.box((x + 1.25, y, -half[2] + z + size[2]), size)
    for z in rng.uniform(0.5, 1.0, 3) * half[2] * 0.8:  # pipes and cables under the roof
        y = rng.uniform(-half[1], half[1])
        scene.rod((-half[0], y, z), (half[0], y, z), rng.uniform(0.01, 0.05))
    scene.view_points = [np.array([x, rng.uniform(-0.8, 0.8), -half[2] + 1.5]) for x in (-5.0, 0.0, 5.0)]
    return scene


def add_near_things(scene, origin, rng):
    """Some boxes, balls and rods within a few metres of a sensor: a table under it, a car's roof, people, cables."""
    for _ in range(rng.integers(0, 7)):
        angle, distance = rng.uniform(0.0, 6.3), np.exp(rng.uniform(np.log(0.4), np.log(4.0)))
        at = origin + distance * np.array([np.cos(angle), np.sin(angle), rng.uniform(-0.8, 0.4)])
        size = distance * rng.uniform(0.05, 0.5, 3)
        shape = rng.integers(4)
        if shape < 2:
            scene.box(at, size, angle + rng.normal(0.0, 0.5))
        elif shape == 2:
            scene.ball(at, size[0])
        else:
            scene.rod(at - (0.0, 0.0, 3.0 * size[0]), at + rng.normal(0.0, 0.3, 3), rng.uniform(0.005, 0.05))


def make_scene(place, rng):
    """A scene of one of PLACES."""
    return {"street": _street, "room": _room, "yard": _yard, "hall": _hall}[place](rng)
