"""Narrow phase: all contacts of a run of collider pairs."""

from typing import NamedTuple

import numpy as np

from ..jit import kernel
from .colliders import BODY, EXTENT, HALF, KIND, RADIUS, REACH, SALT
from .convex_kernels import box_contacts, polytope_contacts
from .geometry import BOX, CAPSULE, SPHERE
from .hull_kernels import ROUND, feature_key, hull_of
from .mesh_vectors import add, cross, dot, norm, row, sub
from .placement_kernels import CENTER, HIGH, LOW, SPIN, VELOCITY
from .reduce_kernels import normal_of, reduce_contacts, sort_by_key
from .round_kernels import capsule_capsule, capsule_polytope, nearest_on_segment, push_balls, sphere_polytope

RELATIVE_MARGIN = 0.01


class Contacts(NamedTuple):
    """Output of a chunk: pair (N,) row of the pair list, position, normal (N,3), gap (N,), key (N,)."""

    pair: np.ndarray
    position: np.ndarray
    normal: np.ndarray
    gap: np.ndarray
    key: np.ndarray


def allocate_contacts(capacity):
    """Contacts with room for `capacity` of them."""
    return Contacts(
        pair=np.empty(capacity, np.int64),
        position=np.empty((capacity, 3)),
        normal=np.empty((capacity, 3)),
        gap=np.empty(capacity),
        key=np.empty(capacity, np.int64),
    )


class Motion(NamedTuple):
    """How the two bodies of a pair move: centres of mass, velocities of these and angular velocities."""

    center_a: tuple
    velocity_a: tuple
    spin_a: tuple
    center_b: tuple
    velocity_b: tuple
    spin_b: tuple


@kernel
def triple(table, i, k):
    """Three numbers of row i from column k."""
    return table[i, k], table[i, k + 1], table[i, k + 2]


@kernel
def pair_motion(motion, a, b):
    """Motion of bodies a and b from the table of Placement."""
    return Motion(
        triple(motion, a, CENTER), triple(motion, a, VELOCITY), triple(motion, a, SPIN),
        triple(motion, b, CENTER), triple(motion, b, VELOCITY), triple(motion, b, SPIN),
    )  # fmt: skip


@kernel
def closing_speed(motion, p, n):
    """Speed at which the two bodies' material at p approaches along n (from a to b) [m/s]."""
    va = add(motion.velocity_a, cross(motion.spin_a, sub(p, motion.center_a)))
    vb = add(motion.velocity_b, cross(motion.spin_b, sub(p, motion.center_b)))
    return dot(sub(va, vb), n)


@kernel
def drop_open(raw, count, motion, h, margin):
    """Drop the contacts that stay open for the next h seconds: gap above margin + h * closing speed."""
    kept = 0
    for c in range(count):
        gap = raw.place[c, 6]
        p, n = row(raw.place, c), normal_of(raw, c)
        if gap > margin and gap > margin + h * max(0.0, closing_speed(motion, p, n)):
            continue
        for i in range(7):
            raw.place[kept, i] = raw.place[c, i]
        raw.key[kept] = raw.key[c]
        kept += 1
    return kept


@kernel
def round_pair(a, radius_a, b, radius_b, raw):
    """Contacts of two spheres or capsules."""
    p0, q0 = row(a.vertex, 0), row(b.vertex, 0)
    u, v = sub(row(a.vertex, len(a.vertex) - 1), p0), sub(row(b.vertex, len(b.vertex) - 1), q0)
    if len(a.vertex) == 2 and len(b.vertex) == 2:
        return capsule_capsule(p0, u, radius_a, q0, v, radius_b, raw)
    if len(a.vertex) == 2:
        p0 = nearest_on_segment(q0, p0, u)
    elif len(b.vertex) == 2:
        q0 = nearest_on_segment(p0, q0, v)
    return push_balls(p0, radius_a, q0, radius_b, add(u, v), feature_key(ROUND, 0, 0), raw, 0)


@kernel
def convex_pair(a, kind_a, radius_a, b, kind_b, radius_b, limit, work, raw):
    """Contacts of two hulls, the first of the same or an earlier kind, normals from a to b; returns how many."""
    if kind_a > CAPSULE:
        return polytope_contacts(a, b, limit, work, raw)
    if kind_b <= CAPSULE:
        return round_pair(a, radius_a, b, radius_b, raw)
    if kind_a == SPHERE:
        return sphere_polytope(a.vertex, radius_a, b, limit, work, raw)
    return capsule_polytope(a.vertex, radius_a, b, limit, work, raw)


@kernel
def boxes_apart(frame, a, b, limit):
    """True if the world boxes of the two cores are further apart than limit along an axis."""
    for i in range(3):
        if frame[a, LOW + i] > frame[b, HIGH + i] + limit or frame[b, LOW + i] > frame[a, HIGH + i] + limit:
            return True
    return False


@kernel
def pair_limit(motion, reach_a, reach_b, h, margin):
    """Gap beyond which two colliders cannot have a contact within h seconds."""
    speed = norm(sub(motion.velocity_b, motion.velocity_a))
    return margin + h * (speed + norm(motion.spin_a) * reach_a + norm(motion.spin_b) * reach_b)


@kernel
def turn_around(raw, count):
    """Reverse the normals of the pair's contacts."""
    for c in range(count):
        for i in range(3, 6):
            raw.place[c, i] = -raw.place[c, i]


@kernel
def pair_contacts(colliders, place, a, b, limit, work, raw):
    """Contacts of colliders a and b whose cores' boxes are near, normals from a to b; returns how many."""
    kind_a, kind_b = colliders.index[a, KIND], colliders.index[b, KIND]
    if kind_a == BOX and kind_b == BOX:
        half_a, half_b = colliders.size[a, HALF : HALF + 3], colliders.size[b, HALF : HALF + 3]
        return box_contacts(
            hull_of(colliders, place, a), place.frame[a], half_a, hull_of(colliders, place, b), place.frame[b], half_b,
            limit, work, raw,
        )  # fmt: skip
    first, second = (b, a) if kind_a > kind_b else (a, b)
    count = convex_pair(
        hull_of(colliders, place, first), colliders.index[first, KIND], colliders.size[first, RADIUS],
        hull_of(colliders, place, second), colliders.index[second, KIND], colliders.size[second, RADIUS],
        limit, work, raw,
    )  # fmt: skip
    if kind_a > kind_b:
        turn_around(raw, count)
    return count


@kernel
def append_kept(raw, count, salt, pair, out, used):
    """Sort, reduce and copy the contacts of one pair to the output; returns the rows used or needed."""
    for c in range(count):
        raw.key[c] ^= salt
    sort_by_key(raw, count)
    reduce_contacts(raw, count)
    for q in range(count):
        c = raw.order[q]
        if not raw.keep[c]:
            continue
        if used < len(out.gap):
            out.pair[used] = pair
            out.gap[used] = raw.place[c, 6]
            out.key[used] = raw.key[c]
            for i in range(3):
                out.position[used, i] = raw.place[c, i]
                out.normal[used, i] = raw.place[c, 3 + i]
        used += 1
    return used


@kernel
def narrow_chunk(colliders, place, pairs, first, last, h, given_margin, work, raw, out):
    """Contacts of pairs[first:last] into out. A margin below zero stands for 1 % of the smaller bounding radius.

    Returns (contacts, most raw contacts of a pair). If either is more than there is room for, what was written is
    incomplete and the call must be repeated with more.
    """
    index, size = colliders.index, colliders.size
    used, most = 0, 0
    for p in range(first, last):
        a, b = np.int64(pairs[p, 0]), np.int64(pairs[p, 1])
        margin = given_margin if given_margin >= 0.0 else RELATIVE_MARGIN * min(size[a, EXTENT], size[b, EXTENT])
        motion = pair_motion(place.motion, index[a, BODY], index[b, BODY])
        limit = pair_limit(motion, size[a, REACH], size[b, REACH], h, margin)
        if boxes_apart(place.frame, a, b, limit + size[a, RADIUS] + size[b, RADIUS]):
            continue
        count = pair_contacts(colliders, place, a, b, limit, work, raw)
        most = max(most, count)
        if count > 0 and count <= len(raw.key):
            count = drop_open(raw, count, motion, h, margin)
            used = append_kept(raw, count, index[a, SALT] ^ (index[b, SALT] >> 1), p, out, used)
    return used, most
