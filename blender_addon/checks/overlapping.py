"""Bodies that overlap at the first frame, with how deep, and a way to move them apart."""

import numpy as np
from mathutils import Vector

from .base import WARNING, Check, Finding
from .scan import MOST_TRIANGLES

# An overlap below this part of the smaller body is not worth a line; what touches is not pushed apart.
WORTH_SAYING = 1e-3
# Places looked at along an edge that goes through the other body.
ALONG_EDGE = np.linspace(0.0, 1.0, 9)
MOST_EDGES = 200
ROUNDS = 20


def find(scan):
    """Yield a Finding for every pair that overlaps; nothing where the poses are not those of the first frame."""
    if not scan.at_start:
        return
    subjects = [subject for subject in scan.accepted() if len(subject.surface[1]) <= MOST_TRIANGLES]
    for a, b in candidates(subjects):
        depth, _ = overlap(a, b)
        if depth > WORTH_SAYING * min(a.extents[0], b.extents[0]):
            text = f"overlaps {b.name!r} by about {1e3 * depth:.3g} mm at the first frame"
            yield Finding((a.name, b.name), text, WARNING)
        else:
            yield None


def candidates(subjects):
    """Yield pairs of subjects whose bounds overlap and of which one is dynamic, that one first."""
    if not subjects:
        return
    low, high = (np.array([subject.bounds[side] for subject in subjects]) for side in (0, 1))
    order = np.argsort(low[:, 0], kind="stable")
    for place, i in enumerate(order):
        later = order[place + 1 :]
        later = later[: np.searchsorted(low[later, 0], high[i, 0])]
        near = ((low[later] < high[i]) & (high[later] > low[i])).all(axis=1)
        for j in later[near]:
            first, second = sorted((subjects[i], subjects[j]), key=lambda subject: (not subject.dynamic, subject.name))
            if first.dynamic and _meet(first.body, second.body):
                yield first, second


def _meet(a, b):
    """True if the layers of two bodies let them collide."""
    wanted = (set(range(1, 33)) if body.collides_with is None else set(body.collides_with) for body in (a, b))
    of_a, of_b = wanted
    return bool(of_a & set(b.layers)) and bool(of_b & set(a.layers))


def overlap(a, b):
    """(depth [m], direction (3,) that takes a out of b) of two subjects; depth 0 where they do not cross."""
    pairs = a.tree.overlap(b.tree)
    if not pairs:
        return _inside(a, b)
    deepest, way = 0.0, np.zeros(3)
    for one, other, sign, side in ((a, b, 1.0, 0), (b, a, -1.0, 1)):
        rows = sorted({pair[side] for pair in pairs})[:MOST_EDGES]
        points = _points(one, np.array(rows))
        # Only these can be inside; and a nearest corner of a far point may tell its side wrongly.
        near = ((points > other.bounds[0]) & (points < other.bounds[1])).all(axis=1)
        for point in points[near]:
            depth, normal = _depth(other, point)
            if depth > deepest:
                deepest, way = depth, sign * normal
    return deepest, way


def _points(subject, rows):
    """Points (P,3) along the edges of the triangles `rows` of a subject."""
    corners = subject.world[subject.surface[1][rows]]
    start, end = corners.reshape(-1, 3), np.roll(corners, -1, axis=1).reshape(-1, 3)
    points = start[:, None] + ALONG_EDGE[None, :, None] * (end - start)[:, None]
    return np.unique(points.reshape(-1, 3), axis=0)


def _depth(subject, point):
    """(depth [m], outward normal (3,)) of a point in a subject's surface; depth 0 outside."""
    place, normal, _, distance = subject.tree.find_nearest(Vector(point))
    if place is None or (Vector(point) - place).dot(normal) >= 0:
        return 0.0, np.zeros(3)
    return distance, np.array(normal)


def _inside(a, b):
    """The overlap of a subject that lies wholly in the other."""
    for one, other, sign in ((a, b, 1.0), (b, a, -1.0)):
        if other.surface[1].shape[0] and other.dynamic:
            depth, normal = _depth(other, one.world[0])
            if depth:
                return depth, sign * normal
    return 0.0, np.zeros(3)


def separate(scene, objects, scan):
    """Move Active bodies apart, a little more than they overlap, round by round; Passive ones stay."""
    shifts = {}
    left = 0
    for _ in range(ROUNDS):
        left = 0
        for a, b in candidates([subject for subject in scan.accepted() if len(subject.surface[1]) <= MOST_TRIANGLES]):
            depth, way = overlap(a, b)
            if depth <= WORTH_SAYING * min(a.extents[0], b.extents[0]):
                continue
            left += 1
            share = 0.5 if b.dynamic else 1.0
            for subject, part in ((a, share), (b, share - 1.0)):
                if part:
                    shift = part * 1.02 * depth * way
                    _move(subject, shift)
                    shifts[subject.name] = shifts.get(subject.name, 0.0) + shift
        if not left:
            break
    for name, shift in shifts.items():
        ob = scene.objects[name]
        ob.matrix_world.translation += Vector(shift / scan.unit)
    rest = f"; {left} pairs still overlap, move them by hand" if left else ""
    return f"{len(shifts)} objects moved apart{rest}"


def _move(subject, shift):
    subject.world = subject.world + shift
    for name in ("bounds", "tree"):
        subject.__dict__.pop(name, None)


CHECK = Check("overlapping", "Overlap", find, "Separate", separate)
