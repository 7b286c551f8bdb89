"""Writing the contacts of a pair of bodies, and choosing among those of one overlap."""

from typing import NamedTuple

import numpy as np

from ...base.vectors import dot, put, rotate, row, sub
from ...jit import inner
from ..contact_keys import BEYOND, DOUBT, EDGE_EDGE, MESH_BITS
from ..surface.mesh_pool import FIRST_EDGE, FIRST_VERTEX, PATCH
from .mesh_features import EDGE, FACE

SAME, OPPOSITE = 0.9, -0.5  # cosines between normals


class Contacts(NamedTuple):
    """Room for contacts: position (n,3), normal (n,3), gap (n,), key (n,)."""

    position: np.ndarray
    normal: np.ndarray
    gap: np.ndarray
    key: np.ndarray


@inner
def write_contact(out, m, frame, position, normal, gap, key):
    """Write contact m, given in the axes of a frame (rotation by rows, centre), in world axes if there is room; return
    m + 1."""
    if m < len(out.gap):
        p = rotate(frame[0], position)
        n = rotate(frame[0], normal)
        for k in range(3):
            out.position[m, k] = p[k] + frame[1][k]
            out.normal[m, k] = n[k]
        out.gap[m] = gap
        out.key[m] = key
    return m + 1


@inner
def feature_number(pool, kind, feature, body):
    """Number of a feature in its mesh; all faces of a flat patch bear one."""
    if kind == FACE:
        return pool.face_int[feature, PATCH]
    if kind == EDGE:
        return feature - pool.mesh_int[body, FIRST_EDGE]
    return feature - pool.mesh_int[body, FIRST_VERTEX]


@inner
def _hides(out, j, p, n, depth, margin, doubtful):
    """True if contact j explains an overlap of `depth` at p along n: near it, much shallower, another direction."""
    # An overlap is hidden by one of less than half of it.
    if out.gap[j] <= -0.5 * depth or out.gap[j] > margin or out.key[j] & BEYOND != 0:
        return False
    away = sub(p, row(out.position, j))
    turn = dot(n, row(out.normal, j))
    unsure = depth > margin or doubtful
    return dot(away, away) <= 4.0 * depth * depth and (turn < OPPOSITE or (unsure and turn < SAME))


@inner
def drop_hidden(out, count, margin):
    """Drop second contacts of one key and overlaps that a shallower contact near by explains; return how many are left.

    Where two solids overlap, a feature may lie behind several faces; the overlap is that of the nearest. Overlaps
    less than the margin are dropped for contacts that push the other way (the far side of a thin wall), and those
    marked with DOUBT for any: a corner that lies on a face, beside its convex edge, also lies behind the next one.
    The marks are taken off the keys.
    """
    hidden = np.zeros(count, dtype=np.bool_)
    for k in range(count):
        depth = -out.gap[k]
        doubtful = out.key[k] & DOUBT != 0
        for j in range(k):
            if (out.key[j] ^ out.key[k]) & ~(DOUBT | BEYOND) == 0:
                hidden[k] = True
                break
        if depth > 0.0 and not hidden[k]:
            p, n = row(out.position, k), row(out.normal, k)
            for j in range(count):
                if _hides(out, j, p, n, depth, margin, doubtful):
                    hidden[k] = True
                    break
    for k in range(count):
        out.key[k] &= ~(DOUBT | BEYOND)
    return keep_unhidden(out, count, hidden)


@inner
def is_deep_crossing(out, k, margin):
    """True if contact k is of two edges that are further in each other than the margin [m]."""
    return out.gap[k] < -margin and (out.key[k] >> (2 * MESH_BITS)) & 15 == EDGE_EDGE


@inner
def keep_unhidden(out, count, hidden):
    """Close the ranks over hidden contacts; return how many are left."""
    kept = 0
    for k in range(count):
        if not hidden[k]:
            put(out.position, kept, 0, row(out.position, k))
            put(out.normal, kept, 0, row(out.normal, k))
            out.gap[kept] = out.gap[k]
            out.key[kept] = out.key[k]
            kept += 1
    return kept
