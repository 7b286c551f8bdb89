"""How deep bodies overlap at given poses: for looking back at a step, not for the contacts of the next."""

from typing import NamedTuple

import numpy as np

from .broad import overlapping_pairs, overlapping_parts
from .geometry import CAPSULE, MESH
from .pipeline import Step, convex_contacts, mesh_contacts
from .placement_kernels import allocate_placement, place_and_sweep


class PairDepths(NamedTuple):
    """Pairs of bodies body_a < body_b (P,) that overlap, in lexicographic order, and how deep (P,) [m]."""

    body_a: np.ndarray
    body_b: np.ndarray
    depth: np.ndarray


def near_pairs(collision, position, orientation, twist, h, of_interest):
    """(Placement, pairs (P,2) of colliders whose boxes overlap within h seconds, one of a body of_interest (R,))."""
    geometry = collision.geometry
    place = allocate_placement(geometry, position, twist)
    low, high = (np.empty((len(geometry.kind), 3)) for _ in range(2))
    orientation = np.ascontiguousarray(orientation, dtype=float)
    place_and_sweep(geometry, orientation, place, float(h), np.zeros(len(low)), low, high)
    search = overlapping_parts if len(geometry.kind) > len(of_interest) else overlapping_pairs
    return place, search(low, high, geometry.body, collision.allowed._replace(movable=of_interest))


def pair_depths(collision, position, orientation, of_interest, workers=1):
    """PairDepths of the bodies at these poses, of pairs with a body of_interest (R,) bool.

    The depth of a pair is that of its deepest contact or, of two surfaces, how far an edge of one is through a face
    of the other if that is more. A body wholly inside a surface is not seen.
    """
    geometry = collision.geometry
    place, pairs = near_pairs(collision, position, orientation, np.zeros((len(position), 6)), 0.0, of_interest)
    step = Step(place, np.ascontiguousarray(orientation, dtype=float), 0.0, 0.0, workers)
    with_mesh = (geometry.kind[pairs] == MESH).any(axis=1)
    found = [convex_contacts(collision, step, pairs[~with_mesh])]
    surfaces = pairs[with_mesh & (geometry.kind[pairs] > CAPSULE).all(axis=1)]
    if with_mesh.any():
        found.append(mesh_contacts(collision, step, pairs[with_mesh]))
    ends = [part.body_a for part in found], [part.body_b for part in found]
    a, b = (np.concatenate([*ends[k], geometry.body[surfaces[:, k]]]).astype(np.int64) for k in range(2))
    depths = [-part.gap for part in found]
    return _deepest(a, b, np.concatenate([*depths, _piercing(collision, step, surfaces)]))


def _piercing(collision, step, pairs):
    """Depth (P,) [m] of pairs of surfaces through each other."""
    depth = np.zeros(len(pairs))
    if len(pairs):
        from .pierce_kernels import piercing_depths

        piercing_depths(collision.meshes, collision.colliders.index, step.place.motion, step.orientation, pairs, depth)
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
