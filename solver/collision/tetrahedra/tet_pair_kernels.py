"""All contacts of a run of collider pairs by tetrahedra, by one of the three generators of PROX."""

from typing import NamedTuple

import numpy as np

from ...base.vectors import add, put, row
from ...jit import inner, kernel
from ..broadphase.placement_kernels import POSITION, ROTATION
from ..contact_keys import pair_salt, tetrahedra_key
from .tet_closest_kernels import closest_contacts
from .tet_growth_kernels import growth_contacts
from .tet_kernels import MOST_POINTS, are_apart, face_planes
from .tet_opposing_kernels import opposing_contacts

CLOSEST, OPPOSING, GROWTH = 0, 1, 2


class TetWork(NamedTuple):
    """Buffers of one pair of tetrahedra: planes of both and of both shrunk (4,4), the shrunk corners (4,3), the
    simplex of their closest points (4,6), points, normals, gaps and sources of contacts (64), and marks (3,)."""

    plane_a: np.ndarray
    plane_b: np.ndarray
    plane_c: np.ndarray
    plane_d: np.ndarray
    small_a: np.ndarray
    small_b: np.ndarray
    simplex: np.ndarray
    point: np.ndarray
    normal: np.ndarray
    gap: np.ndarray
    source: np.ndarray
    used_a: np.ndarray
    used_b: np.ndarray
    edge_a: np.ndarray
    edge_b: np.ndarray


def allocate_tet_work():
    """Empty TetWork."""
    planes = [np.zeros((4, 4)) for _ in range(4)]
    points = [np.zeros((MOST_POINTS, 3)), np.zeros((MOST_POINTS, 3)), np.zeros(MOST_POINTS)]
    marks = [np.zeros(3, dtype=np.bool_) for _ in range(4)]
    return TetWork(*planes, np.zeros((4, 3)), np.zeros((4, 3)), np.zeros((4, 6)), *points,
                   np.zeros(MOST_POINTS, dtype=np.int64), *marks)  # fmt: skip


@inner
def place_corners(corner, first, last, frame, origin, out, box):
    """Corners of tetrahedra first..last in world axes about `origin` into out (n,4,3), their boxes into box (n,6)."""
    for t in range(first, last):
        for i in range(3):
            box[t - first, i], box[t - first, 3 + i] = np.inf, -np.inf
        for k in range(4):
            for i in range(3):
                m = ROTATION + 3 * i
                x = frame[POSITION + i] - origin[i] + (
                    frame[m] * corner[t, k, 0] + frame[m + 1] * corner[t, k, 1] + frame[m + 2] * corner[t, k, 2]
                )
                out[t - first, k, i] = x
                box[t - first, i] = min(box[t - first, i], x)
                box[t - first, 3 + i] = max(box[t - first, 3 + i], x)


@inner
def boxes_meet(box_a, i, box_b, j, reach):
    """True if two boxes are no further apart than the reach along any axis."""
    widest = -np.inf
    for k in range(3):
        widest = max(widest, box_a[i, k] - box_b[j, 3 + k], box_b[j, k] - box_a[i, 3 + k])
    return widest <= reach


@inner
def box_around(box, count, out):
    """The box around `count` boxes into row 0 of out."""
    for k in range(3):
        out[0, k], out[0, 3 + k] = np.inf, -np.inf
        for t in range(count):
            out[0, k] = min(out[0, k], box[t, k])
            out[0, 3 + k] = max(out[0, 3 + k], box[t, 3 + k])


@inner
def contacts_of_two(generator, a, b, work):
    """Contacts of two tetrahedra into point, normal, gap, source of the work space; returns how many."""
    face_planes(a, work.plane_a)
    face_planes(b, work.plane_b)
    if generator == CLOSEST:
        return closest_contacts(a, b, work.plane_a, work.plane_b, work)
    if are_apart(a, b, work.plane_a, work.plane_b):
        return 0
    if generator == OPPOSING:
        count, n, gap = opposing_contacts(a, b, work.plane_a, work.plane_b, work.point, work.source)
    else:
        count, n, gap = growth_contacts(a, b, work.plane_a, work.plane_b, work)
    for k in range(count):
        put(work.normal, k, 0, n)
        work.gap[k] = gap
    return count


@inner
def append_contacts(work, count, a, b, origin, tet_a, tet_b, out, used):
    """Append the contacts of two tetrahedra to out as far as there is room; returns the new number of contacts."""
    for k in range(count):
        if used < len(out.gap):
            put(out.position, used, 0, add(row(work.point, k), origin))
            put(out.normal, used, 0, row(work.normal, k))
            out.gap[used] = work.gap[k]
            out.key[used] = tetrahedra_key(tet_a, tet_b, work.source[k])
            out.body_a[used], out.body_b[used] = a, b
        used += 1
    return used


@kernel
def tet_chunk(generator, start, corner, reach, shape, salt, frame, pairs, first, last, most, work, out):
    """Contacts of pairs[first:last] into out (Contacts); returns how many there are, written if there is room.

    Instead of the bodies they bear the numbers of the colliders. generator: CLOSEST, OPPOSING or GROWTH; start, corner,
    reach: see TetrahedraPool; shape, salt (C,) of the colliders; frame: see Placement; most: tetrahedra of the largest
    shape.
    """
    placed_a, placed_b = np.empty((most, 4, 3)), np.empty((most, 4, 3))
    box_a, box_b, around = np.empty((most, 6)), np.empty((most, 6)), np.empty((1, 6))
    used = 0
    for p in range(first, last):
        a, b = pairs[p, 0], pairs[p, 1]
        origin = (frame[a, POSITION], frame[a, POSITION + 1], frame[a, POSITION + 2])
        count_a, count_b = start[shape[a] + 1] - start[shape[a]], start[shape[b] + 1] - start[shape[b]]
        place_corners(corner, start[shape[a]], start[shape[a] + 1], frame[a], origin, placed_a, box_a)
        place_corners(corner, start[shape[b]], start[shape[b] + 1], frame[b], origin, placed_b, box_b)
        box_around(box_b, count_b, around)
        mix = pair_salt(salt[a], salt[b])
        for i in range(count_a):
            if not boxes_meet(box_a, i, around, 0, reach):
                continue
            for j in range(count_b):
                if boxes_meet(box_a, i, box_b, j, reach):
                    found = contacts_of_two(generator, placed_a[i], placed_b[j], work)
                    before = used
                    used = append_contacts(work, found, a, b, origin, i, j, out, used)
                    for c in range(before, min(used, len(out.key))):
                        out.key[c] ^= mix
    return used
