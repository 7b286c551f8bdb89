"""One placed polytope as a view of the pooled arrays, and the contacts it makes."""

from typing import NamedTuple

import numpy as np

from ...base.vectors import add, row, scale
from ...jit import inner
from ..broadphase.colliders import (
    EDGE_COUNT,
    EDGE_ROW,
    EXTENT,
    FACE_ROW,
    FIRST_FACE,
    FIRST_VERTEX,
    LAST_FACE,
    LAST_VERTEX,
    THIN,
)

# Kinds of features a key names.
VERTEX_A, VERTEX_B, EDGES, CORNER, ROUND = 1, 2, 3, 4, 5


class Hull(NamedTuple):
    """A placed core.

    vertex (V,3) and normal (F,3) in the world; topology: the whole pool's, see Geometry, with the rows of this core's
    faces and edges; extent: bounding radius, thin: half its least side [m].
    """

    vertex: np.ndarray
    normal: np.ndarray
    topology: np.ndarray
    face_row: int
    edge_row: int
    edge_count: int
    extent: float
    thin: float


@inner
def hull_of(colliders, place, c):
    """The placed core of collider c."""
    index, size = colliders.index, colliders.size
    return Hull(
        place.vertex[index[c, FIRST_VERTEX] : index[c, LAST_VERTEX]],
        place.normal[index[c, FIRST_FACE] : index[c, LAST_FACE]],
        colliders.topology,
        index[c, FACE_ROW],
        index[c, EDGE_ROW],
        index[c, EDGE_COUNT],
        size[c, EXTENT],
        size[c, THIN],
    )


@inner
def face_loop(hull, face):
    """First and last row (exclusive) of a face's loop in the topology."""
    return hull.topology[hull.face_row + face, 0], hull.topology[hull.face_row + face, 1]


@inner
def face_point(hull, face):
    """The first corner of a face."""
    return row(hull.vertex, hull.topology[hull.topology[hull.face_row + face, 0], 0])


@inner
def edge_ends(hull, edge):
    """End points of an edge."""
    r = hull.edge_row + edge
    return row(hull.vertex, hull.topology[r, 0]), row(hull.vertex, hull.topology[r, 1])


@inner
def edge_normals(hull, edge):
    """Normals of the two faces at an edge."""
    r = hull.edge_row + edge
    return row(hull.normal, hull.topology[r, 2]), row(hull.normal, hull.topology[r, 3])


@inner
def push(raw, count, p, n, gap, key):
    """Append a contact at p with normal n from a to b; returns the new count. There must be room."""
    for i in range(3):
        raw.place[count, i] = p[i]
        raw.place[count, 3 + i] = n[i]
    raw.place[count, 6] = gap
    raw.key[count] = key
    return count + 1


@inner
def push_between(raw, count, pa, n, gap, key):
    """Append the contact half way between the surface point pa of a and the one of b, `gap` along n from it."""
    return push(raw, count, add(pa, scale(n, 0.5 * gap)), n, gap, key)
