"""The collision model of some of the bodies."""

from dataclasses import replace

import numpy as np

from .broadphase.colliders import BODY, FIRST_FACE, FIRST_VERTEX, LAST_FACE, LAST_VERTEX
from .broadphase.filters import filter_of
from .broadphase.geometry import starts

# Columns of Geometry that have one row a collider; the others belong to cores, which are shared.
PER_COLLIDER = (
    "kind", "offset", "turn", "radius", "half_length", "box_center", "box_half", "extent", "thin", "reach", "core",
    "mesh", "salt",
)  # fmt: skip


def collision_of(collision, bodies):
    """CollisionModel of `bodies` (B,) ascending, numbered 0..B-1; cores and meshes are shared with `collision`."""
    geometry, colliders = collision.geometry, collision.colliders
    number = np.full(len(collision.allowed.movable), -1, dtype=np.int32)
    number[bodies] = np.arange(len(bodies), dtype=np.int32)
    rows = np.flatnonzero(number[geometry.body] >= 0)
    columns = {name: getattr(geometry, name)[rows] for name in PER_COLLIDER}
    body = number[geometry.body[rows]]
    vertex_start = starts(np.diff(geometry.vertex_start)[rows])
    face_start = starts(np.diff(geometry.face_start)[rows])
    index = colliders.index[rows]
    index[:, BODY] = body
    index[:, FIRST_VERTEX], index[:, LAST_VERTEX] = vertex_start[:-1], vertex_start[1:]
    index[:, FIRST_FACE], index[:, LAST_FACE] = face_start[:-1], face_start[1:]
    return replace(
        collision,
        geometry=geometry._replace(body=body, vertex_start=vertex_start, face_start=face_start, **columns),
        colliders=colliders._replace(index=index, size=colliders.size[rows]),
        inflation=collision.inflation[rows],
        allowed=filter_of(collision.allowed, bodies),
    )


def with_movable(collision, movable):
    """The CollisionModel in which the bodies `movable` (R,) bool move: only pairs with one of them are searched."""
    return replace(collision, allowed=collision.allowed._replace(movable=movable))
