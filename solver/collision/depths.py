"""How deep bodies overlap at given poses: for the review of a step, not for the contacts of the next."""

from typing import NamedTuple

import numpy as np

from ..base.threads import in_chunks
from .broadphase.geometry import CAPSULE, MESH
from .contacts import among
from .pipeline import (
    MESH_CHUNK,
    Step,
    convex_contacts,
    find_contacts,
    mesh_contacts,
    pairs_that_meet,
    pairs_wanted,
)


class PairDepths(NamedTuple):
    """Pairs of bodies body_a < body_b (P,) that overlap, in lexicographic order, and how deep (P,) [m]."""

    body_a: np.ndarray
    body_b: np.ndarray
    depth: np.ndarray


def near_pairs(collision, position, orientation, twist, h, of_interest, memory=None):
    """(Placement, pairs (P,2) of colliders whose boxes overlap within h seconds, one of a body of_interest (R,)).

    memory: a SearchMemory makes it quicker."""
    position, orientation, twist = (np.ascontiguousarray(a, dtype=float) for a in (position, orientation, twist))
    allowed, still = collision.allowed._replace(movable=of_interest), np.zeros(len(collision.geometry.kind))
    return pairs_that_meet(collision, position, orientation, twist, float(h), still, allowed, memory)


def pair_depths(collision, position, orientation, of_interest, workers=1, wanted=None, memory=None, least=None):
    """PairDepths of the bodies at these poses, of pairs with a body of_interest (R,) bool; wanted, memory: see
    find_contacts. least(a, b) -> (P,) [m]: depths of bodies a, b (P,) that nobody asks for; surfaces that cross no
    deeper are left out, which takes less time.

    The depth of a pair is that of its deepest contact or, of two surfaces that cross, how far an edge of one is through
    a face of the other: up to twice the distance by which they overlap. A body wholly inside a surface is not found.
    """
    geometry = collision.geometry
    still = np.zeros((len(position), 6))
    place, pairs = near_pairs(collision, position, orientation, still, 0.0, of_interest, memory)
    if wanted is not None:
        pairs = pairs_wanted(geometry.body, pairs, wanted)
    step = Step(place, np.ascontiguousarray(orientation, dtype=float), 0.0, 0.0, workers)
    with_mesh = (geometry.kind[pairs] == MESH).any(axis=1)
    crossing = with_mesh & (geometry.kind[pairs] > CAPSULE).all(axis=1)
    surfaces = pairs[crossing]
    limit = np.zeros(len(surfaces)) if least is None else least(*geometry.body[surfaces].T)
    piercing = _piercing(collision, step, surfaces, limit)
    found = [convex_contacts(collision, step, pairs[~with_mesh])]
    if np.any(with_mesh & ~crossing):
        found.append(mesh_contacts(collision, step, pairs[with_mesh & ~crossing]))
    ends = [part.body_a for part in found], [part.body_b for part in found]
    a, b = (np.concatenate([*ends[k], geometry.body[surfaces[:, k]]]).astype(np.int64) for k in range(2))
    return _deepest(a, b, np.concatenate([*(-part.gap for part in found), piercing]))


def depths_between(collision, position, orientation, ends, workers=1):
    """Depth (P,) [m] at these poses of the deepest contact of each pair of bodies ends, a and b (P,), a < b; 0 where
    there is none. All pairs are searched at once, each once however often it is named."""
    count, still = np.int64(len(position)), np.zeros((len(position), 6))
    if len(ends[0]) == 0:
        return np.zeros(0)
    found = find_contacts(collision, position, orientation, still, 0.0, workers=workers, wanted=among(count, *ends))
    names, each = np.unique(ends[0] * count + ends[1], return_inverse=True)
    depth, mine = np.zeros(len(names)), np.searchsorted(names, found.body_a * count + found.body_b)
    np.maximum.at(depth, mine, -found.gap)
    return depth[each]


def _piercing(collision, step, pairs, least):
    """Depth (P,) [m] of pairs of surfaces through each other, zero where that is not above least (P,) [m]."""
    depth = np.zeros(len(pairs))
    if len(pairs):
        from .mesh.pierce_kernels import piercing_depths

        def chunk(first, last):
            part = slice(first, last)
            index, motion = collision.colliders.index, step.place.motion
            piercing_depths(
                collision.meshes, index, motion, step.orientation, pairs[part], least[part], depth[part]
            )

        in_chunks(chunk, len(pairs), MESH_CHUNK, step.workers)
    return depth


def _deepest(a, b, depth):
    """PairDepths with each pair once."""
    overlap = depth > 0.0
    a, b, depth = a[overlap], b[overlap], depth[overlap]
    order = np.lexsort((-depth, b, a))
    a, b, depth = a[order], b[order], depth[order]
    first = np.ones(len(a), dtype=bool)
    first[1:] = (a[1:] != a[:-1]) | (b[1:] != b[:-1])
    return PairDepths(a[first], b[first], depth[first])
