"""The search for contacts of quiet steps, as collision/pipeline.py makes it: pairs of boxes, convex pairs, meshes."""

from typing import NamedTuple

import numpy as np

from ...collision.broadphase.broad_kernels import few_pairs, grid_pairs, part_pairs
from ...collision.broadphase.geometry import CAPSULE, MESH
from ...collision.broadphase.placement_kernels import placed_boxes
from ...collision.contacts import ContactSet
from ...collision.convex.narrow_kernels import Contacts, narrow
from ...collision.convex.scratch import Raw
from ...collision.mesh.mesh_memory_kernels import Remembered, find_pairs
from ...collision.mesh.mesh_pair_kernels import mesh_chunk
from ...collision.mesh.pierce_kernels import piercing_depths
from ...jit import inner


class Known(NamedTuple):
    """What the last search leaves to the next, see SearchMemory: pairs (P,2) with a mesh, and what is remembered of
    them."""

    pairs: np.ndarray
    meshes: Remembered


@inner
def boxes_near(search, poses, twist, h, inflation):
    """(Placement, pairs (P,2) of colliders whose boxes, moved out by inflation (C,) [m], meet within h [s] from poses
    (R,3), (R,4), in the order of bodies, -1 or the number of a box that is not finite)."""
    geometry, first = search.geometry, search.first
    if not search.compound:
        return few_pairs(geometry, poses[0], poses[1], twist, h, inflation, search.allowed)
    place, low, high = placed_boxes(geometry, poses[0], poses[1], twist, h, inflation)
    count = first.size - 1
    body_low, body_high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    for body in range(count):
        for part in range(first[body], first[body + 1]):
            for k in range(3):
                # What is not finite shows.
                body_low[body, k] = low[part, k] if not low[part, k] >= body_low[body, k] else body_low[body, k]
                body_high[body, k] = high[part, k] if not high[part, k] <= body_high[body, k] else body_high[body, k]
    near, lost = grid_pairs(body_low, body_high, np.arange(count, dtype=np.int32), search.allowed)
    return place, part_pairs(near, first, low, high), lost


@inner
def parted(search, pairs, meshes):
    """Those of pairs (P,2) of colliders with a mesh, or without."""
    kind, found, used = search.geometry.kind, np.empty_like(pairs), 0
    for p in range(len(pairs)):
        if (kind[pairs[p, 0]] == MESH or kind[pairs[p, 1]] == MESH) == meshes:
            found[used, 0], found[used, 1] = pairs[p, 0], pairs[p, 1]
            used += 1
    return found[:used].copy()


@inner
def mesh_contacts(search, place, orientation, pairs, h, margin, known, keep):
    """(Contacts of pairs (P,2) with a mesh, the Known after it); a Known is brought up to date if `keep`."""
    old, rows = known.meshes, find_pairs(pairs, known.pairs, search.geometry.body)
    room, capacity, short = 1024, max(64 * len(pairs), 1), True
    out = Contacts(np.empty(0, np.int64), np.empty(0, np.int64), np.empty((0, 3)), np.empty((0, 3)), np.empty(0),
                   np.empty(0, np.int64))  # fmt: skip
    used, after = 0, known
    while short:
        raw = Raw(np.empty((room, 7)), np.empty(room, np.int64))
        out = Contacts(np.empty(capacity, np.int64), np.empty(capacity, np.int64), np.empty((capacity, 3)),
                       np.empty((capacity, 3)), np.empty(capacity), np.empty(capacity, np.int64))  # fmt: skip
        used, most, kept = mesh_chunk(search.meshes, search.colliders, place, orientation, pairs, 0, len(pairs), h,
                                      margin, old, rows, keep, raw, out)  # fmt: skip
        short = used > capacity or most > room
        room, capacity = max(room, most), max(capacity, used)
        if keep:
            after = Known(pairs, kept)
    return Contacts(out.body_a[:used], out.body_b[:used], out.position[:used], out.normal[:used], out.gap[:used],
                    out.key[:used]), after  # fmt: skip


@inner
def in_order(a, b, count):
    """ContactSet of Contacts a and b, in lexicographic order of bodies, of which there are `count`, and key."""
    body_a, body_b = np.concatenate((a.body_a, b.body_a)), np.concatenate((a.body_b, b.body_b))
    key = np.concatenate((a.key, b.key))
    order = np.argsort(key, kind="mergesort")
    order = order[np.argsort(count * body_a[order] + body_b[order], kind="mergesort")]
    return ContactSet(body_a[order], body_b[order], np.concatenate((a.position, b.position))[order],
                      np.concatenate((a.normal, b.normal))[order], np.concatenate((a.gap, b.gap))[order],
                      key[order])  # fmt: skip


@inner
def contacts_of(search, place, orientation, pairs, h, margin, known, keep):
    """(ContactSet of pairs (P,2) of colliders, see pipeline.find_contacts, the Known after it)."""
    if not search.surfaces:
        found = narrow(search.colliders, place, pairs, 0, len(pairs), h, margin, search.sizes)
        if not search.compound:
            return ContactSet(found.body_a, found.body_b, found.position, found.normal, found.gap, found.key), known
        nothing = narrow(search.colliders, place, pairs, 0, 0, h, margin, search.sizes)
        return in_order(found, nothing, orientation.shape[0]), known
    convex, meshes = parted(search, pairs, False), parted(search, pairs, True)
    found = narrow(search.colliders, place, convex, 0, len(convex), h, margin, search.sizes)
    others, known = mesh_contacts(search, place, orientation, meshes, h, margin, known, keep)
    return in_order(found, others, orientation.shape[0]), known


@inner
def deeper(search, place, orientation, pairs, limit, part, known):
    """Whether bodies of pairs (P,2) of colliders lie in each other by more than `part` of what both allow, limit (R,)
    [m], see depths.pair_depths."""
    kind, body, crossing, others, used, left = search.geometry.kind, search.geometry.body, np.empty_like(
        pairs), np.empty_like(pairs), 0, 0  # fmt: skip
    for p in range(len(pairs)):
        i, j = pairs[p, 0], pairs[p, 1]
        if (kind[i] == MESH or kind[j] == MESH) and kind[i] > CAPSULE and kind[j] > CAPSULE:
            crossing[used, 0], crossing[used, 1] = i, j
            used += 1
        else:
            others[left, 0], others[left, 1] = i, j
            left += 1
    found, _ = contacts_of(search, place, orientation, others[:left].copy(), 0.0, 0.0, known, False)
    deep = False
    for c in range(found.gap.size):
        deep = deep or -found.gap[c] > part * min(limit[found.body_a[c]], limit[found.body_b[c]])
    if used > 0:
        depth, least = np.zeros(used), np.empty(used)
        for p in range(used):
            least[p] = part * min(limit[body[crossing[p, 0]]], limit[body[crossing[p, 1]]])
        piercing_depths(search.meshes, search.colliders.index, place.motion, orientation, crossing[:used].copy(), least,
                        depth)  # fmt: skip
        deep = deep or (depth > 0.0).any()
    return deep
