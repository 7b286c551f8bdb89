"""Writing the contacts of a pair of bodies, and choosing among those of one overlap."""

from typing import NamedTuple

import numpy as np

from ...base.vectors import dot, put, rotate, row, sub
from ...jit import inner
from ..contact_keys import BEYOND, DOUBT
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
def _mark_repeated(key, hidden):
    """Mark contacts whose key (n,) an earlier one has."""
    order = np.argsort(key, kind="mergesort")
    for r in range(1, len(order)):
        if key[order[r]] == key[order[r - 1]]:
            hidden[order[r]] = True


@inner
def _mark_explained(out, margin, hidden):
    """Mark overlaps, of those not marked, that a shallower contact near by explains. Asked are contacts that are near
    along the axis on which all of them extend furthest."""
    count, axis, widest = len(hidden), 0, -1.0
    for i in range(3):
        extent = np.ptp(out.position[:count, i]) if count > 0 else 0.0
        if extent > widest:
            axis, widest = i, extent
    order = np.argsort(out.position[:count, axis])
    for r in range(count):
        k = order[r]
        depth = -out.gap[k]
        if depth <= 0.0 or hidden[k]:
            continue
        p, n, doubtful = row(out.position, k), row(out.normal, k), out.key[k] & DOUBT != 0
        for way in (-1, 1):
            at = r + way
            while 0 <= at < count and not hidden[k]:
                away = out.position[order[at], axis] - out.position[k, axis]
                if away * away > 4.0 * depth * depth:
                    break
                hidden[k] = _hides(out, order[at], p, n, depth, margin, doubtful)
                at += way


@inner
def drop_hidden(out, count, margin):
    """Drop second contacts of one key and overlaps that a shallower contact near by explains; return how many are left.

    Where two solids overlap, a feature may lie behind several faces; the overlap is that of the nearest. Overlaps
    less than the margin are dropped for contacts that push the other way (the far side of a thin wall), and those
    marked with DOUBT for any: a corner that lies on a face, beside its convex edge, also lies behind the next one.
    The marks are taken off the keys.
    """
    hidden = np.zeros(count, dtype=np.bool_)
    _mark_repeated(out.key[:count] & ~(DOUBT | BEYOND), hidden)
    _mark_explained(out, margin, hidden)
    for k in range(count):
        out.key[k] &= ~(DOUBT | BEYOND)
    return keep_unhidden(out, count, hidden)


@inner
def drop_repeated(out, count):
    """Drop contacts of which an earlier one has the key; return how many are left."""
    hidden = np.zeros(count, dtype=np.bool_)
    _mark_repeated(out.key[:count], hidden)
    return keep_unhidden(out, count, hidden)


@inner
def keep_unhidden(out, count, hidden):
    """Close the ranks over hidden contacts; return how many are left."""
    kept = 0
    for k in range(count):
        if hidden[k]:
            continue
        if kept < k:
            put(out.position, kept, 0, row(out.position, k))
            put(out.normal, kept, 0, row(out.normal, k))
            out.gap[kept] = out.gap[k]
            out.key[kept] = out.key[k]
        kept += 1
    return kept
