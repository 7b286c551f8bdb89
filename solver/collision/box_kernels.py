"""Separating axes of two boxes: fifteen directions from their frames (Gottschalk, Lin, Manocha 1996)."""

import math

from ..jit import inner
from .hull_kernels import edge_ends
from .mesh_vectors import cross, dot, row, scale, sub
from .placement_kernels import ROTATION


@inner
def column(frame, k):
    """Axis k of a placed collider: column k of its rotation matrix, from its row of Placement.frame."""
    return frame[ROTATION + k], frame[ROTATION + 3 + k], frame[ROTATION + 6 + k]


@inner
def half_width(frame, half, n):
    """Half the width of a box along n."""
    width = 0.0
    for k in range(3):
        width += half[k] * abs(dot(column(frame, k), n))
    return width


@inner
def frame_axes(frame_a, half_a, frame_b, half_b, d, limit):
    """The axis of box a along which b, at d from it, is farthest: (separation, direction from a to b)."""
    best, direction = -math.inf, (0.0, 0.0, 0.0)
    for k in range(3):
        axis = column(frame_a, k)
        along = dot(axis, d)
        separation = abs(along) - half_a[k] - half_width(frame_b, half_b, axis)
        if separation > best:
            best, direction = separation, scale(axis, 1.0 if along >= 0.0 else -1.0)
            if separation > limit:
                break
    return best, direction


@inner
def cross_axes(frame_a, half_a, frame_b, half_b, d, limit):
    """The cross product of an axis of each box along which they are farthest: (separation, i, j, direction)."""
    best, found_i, found_j, direction = -math.inf, -1, -1, (0.0, 0.0, 0.0)
    for i in range(3):
        u = column(frame_a, i)
        for j in range(3):
            axis = cross(u, column(frame_b, j))
            square = dot(axis, axis)
            if square < 1e-12:
                continue
            along = dot(axis, d)
            axis = scale(axis, (1.0 if along >= 0.0 else -1.0) / math.sqrt(square))
            separation = dot(axis, d) - half_width(frame_a, half_a, axis) - half_width(frame_b, half_b, axis)
            if separation > best:
                best, found_i, found_j, direction = separation, i, j, axis
                if separation > limit:
                    return best, found_i, found_j, direction
    return best, found_i, found_j, direction


@inner
def face_along(normal, n):
    """The face (row of `normal`) that points most along n."""
    best, found = -math.inf, 0
    for face in range(len(normal)):
        value = dot(row(normal, face), n)
        if value > best:
            best, found = value, face
    return found


@inner
def edge_along(hull, u, n):
    """Of the edges parallel to the unit vector u the one farthest along n."""
    best, found = -math.inf, -1
    for e in range(hull.edge_count):
        p, q = edge_ends(hull, e)
        v = sub(q, p)
        along = dot(v, u)
        if along * along < 0.5 * dot(v, v):
            continue
        value = dot(p, n) + dot(q, n)
        if value > best:
            best, found = value, e
    return found
