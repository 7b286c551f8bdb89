"""Narrow phase: all contacts of a run of collider pairs."""

from typing import NamedTuple

import numpy as np

from ..jit import kernel
from .convex_kernels import polytope_contacts
from .geometry import CAPSULE, SPHERE
from .reduce_kernels import reduce_contacts, sort_by_key
from .round_kernels import capsule_capsule, capsule_polytope, sphere_capsule, sphere_polytope, sphere_sphere


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


@kernel
def round_pair(geometry, place, a, b, kind_a, kind_b, h, margin, scratch):
    """Contacts of sphere or capsule a with a collider b of the same or a later kind."""
    if kind_a == SPHERE:
        if kind_b == SPHERE:
            return sphere_sphere(geometry, place, a, b, h, margin, scratch)
        if kind_b == CAPSULE:
            return sphere_capsule(geometry, place, a, b, h, margin, scratch)
        return sphere_polytope(geometry, place, a, b, h, margin, scratch)
    if kind_b == CAPSULE:
        return capsule_capsule(geometry, place, a, b, h, margin, scratch)
    return capsule_polytope(geometry, place, a, b, h, margin, scratch)


@kernel
def convex_pair(geometry, place, a, b, h, margin, scratch):
    """Contacts of two colliders that are not meshes into the scratch, normals from a to b; returns how many."""
    kind_a, kind_b = geometry.kind[a], geometry.kind[b]
    if kind_a > CAPSULE and kind_b > CAPSULE:
        return polytope_contacts(geometry, place, a, b, h, margin, scratch)
    if kind_a <= kind_b:
        return round_pair(geometry, place, a, b, kind_a, kind_b, h, margin, scratch)
    count = round_pair(geometry, place, b, a, kind_b, kind_a, h, margin, scratch)
    for c in range(min(count, len(scratch.gap))):
        for i in range(3):
            scratch.normal[c, i] = -scratch.normal[c, i]
    return count


@kernel
def pair_margin(geometry, a, b, margin):
    """The margin given, or (where it is negative) 1 % of the smaller collider's bounding radius."""
    return margin if margin >= 0.0 else 0.01 * min(geometry.extent[a], geometry.extent[b])


@kernel
def append_kept(geometry, a, b, pair, scratch, count, out, used):
    """Sort, reduce and copy the contacts of one pair to the output; returns the rows used or needed."""
    salt = geometry.salt[a] ^ (geometry.salt[b] >> 1)
    for c in range(count):
        scratch.key[c] ^= salt
    sort_by_key(scratch, count)
    reduce_contacts(scratch, count)
    for q in range(count):
        c = scratch.order[q]
        if not scratch.keep[c]:
            continue
        if used < len(out.gap):
            out.pair[used] = pair
            out.gap[used] = scratch.gap[c]
            out.key[used] = scratch.key[c]
            for i in range(3):
                out.position[used, i] = scratch.position[c, i]
                out.normal[used, i] = scratch.normal[c, i]
        used += 1
    return used


@kernel
def narrow_chunk(geometry, place, pairs, first, last, h, margin, scratch, out):
    """Contacts of pairs[first:last] into out.

    Returns (contacts, most raw contacts of a pair). If either is more than there is room for, what was written is
    incomplete and the call must be repeated with more.
    """
    used, most = 0, 0
    for p in range(first, last):
        a, b = pairs[p, 0], pairs[p, 1]
        count = convex_pair(geometry, place, a, b, h, pair_margin(geometry, a, b, margin), scratch)
        most = max(most, count)
        if count > 0 and count <= len(scratch.gap):
            used = append_kept(geometry, a, b, p, scratch, count, out, used)
    return used, most
