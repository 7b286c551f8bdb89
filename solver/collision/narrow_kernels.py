"""Narrow phase: all contacts of a run of collider pairs."""

from typing import NamedTuple

import numpy as np

from ..jit import kernel
from .convex_kernels import polytope_contacts
from .geometry import CAPSULE, SPHERE
from .hull_kernels import ROUND, feature_key, hull_of
from .mesh_vectors import add, cross, dot, norm, row, sub
from .reduce_kernels import normal_of, reduce_contacts, sort_by_key
from .round_kernels import capsule_capsule, capsule_polytope, nearest_on_segment, push_balls, sphere_polytope


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
def pair_motion(place, a, b):
    """Motion of bodies a and b."""
    u, v = place.twist[a], place.twist[b]
    return Motion(
        row(place.center, a), (u[0], u[1], u[2]), (u[3], u[4], u[5]),
        row(place.center, b), (v[0], v[1], v[2]), (v[3], v[4], v[5]),
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
def boxes_apart(place, a, b, limit):
    """True if the world boxes of the two cores are further apart than limit along an axis."""
    for i in range(3):
        if place.box[a, i] > place.box[b, 3 + i] + limit or place.box[b, i] > place.box[a, 3 + i] + limit:
            return True
    return False


@kernel
def pair_limit(geometry, motion, a, b, h, margin):
    """Gap beyond which colliders a and b cannot have a contact within h seconds."""
    speed = norm(sub(motion.velocity_b, motion.velocity_a))
    speed += norm(motion.spin_a) * geometry.reach[a] + norm(motion.spin_b) * geometry.reach[b]
    return margin + h * speed


@kernel
def pair_contacts(geometry, place, a, b, h, margin, work, raw):
    """Contacts of colliders a and b that matter within h seconds; returns how many."""
    motion = pair_motion(place, geometry.body[a], geometry.body[b])
    limit = pair_limit(geometry, motion, a, b, h, margin)
    if boxes_apart(place, a, b, limit + geometry.radius[a] + geometry.radius[b]):
        return 0
    swapped = geometry.kind[a] > geometry.kind[b]
    first, second = (b, a) if swapped else (a, b)
    count = convex_pair(
        hull_of(geometry, place, first), geometry.kind[first], geometry.radius[first],
        hull_of(geometry, place, second), geometry.kind[second], geometry.radius[second], limit, work, raw,
    )  # fmt: skip
    if swapped:
        for c in range(count):
            for i in range(3, 6):
                raw.place[c, i] = -raw.place[c, i]
    return drop_open(raw, count, motion, h, margin)


@kernel
def pair_margin(geometry, a, b, margin):
    """The margin given, or (where it is negative) 1 % of the smaller collider's bounding radius."""
    return margin if margin >= 0.0 else 0.01 * min(geometry.extent[a], geometry.extent[b])


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
def narrow_chunk(geometry, place, pairs, first, last, h, margin, work, raw, out):
    """Contacts of pairs[first:last] into out.

    Returns (contacts, most raw contacts of a pair). If either is more than there is room for, what was written is
    incomplete and the call must be repeated with more.
    """
    used, most = 0, 0
    for p in range(first, last):
        a, b = pairs[p, 0], pairs[p, 1]
        count = pair_contacts(geometry, place, a, b, h, pair_margin(geometry, a, b, margin), work, raw)
        most = max(most, count)
        if count > 0 and count <= len(raw.key):
            salt = geometry.salt[a] ^ (geometry.salt[b] >> 1)
            used = append_kept(raw, count, salt, p, out, used)
    return used, most
