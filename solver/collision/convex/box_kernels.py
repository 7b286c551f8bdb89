"""Separating axes of two boxes: fifteen directions from their frames (Gottschalk, Lin, Manocha 1996)."""

import math

from ...base.vectors import cross, dot, norm, scale, sub
from ...jit import inner
from ..broadphase.colliders import HALF
from ..broadphase.placement_kernels import column
from .hull_kernels import edge_ends


@inner
def load_frames(frame, a, b, boxes):
    """Into boxes (5,3): products of a's axes (rows 0 to 2) and b's, then the way from a to b along either's axes."""
    d = (frame[b, 0] - frame[a, 0], frame[b, 1] - frame[a, 1], frame[b, 2] - frame[a, 2])
    for i in range(3):
        u, v = column(frame[a], i), column(frame[b], i)
        boxes[3, i], boxes[4, i] = dot(d, u), dot(d, v)
        for j in range(3):
            boxes[i, j] = dot(u, column(frame[b], j))


@inner
def face_separation(boxes, size, a, b, of_a, k):
    """Separation along axis k of a, or of b."""
    reach = size[a, HALF + k] if of_a else size[b, HALF + k]
    for i in range(3):
        reach += size[b, HALF + i] * abs(boxes[k, i]) if of_a else size[a, HALF + i] * abs(boxes[i, k])
    return abs(boxes[3 if of_a else 4, k]) - reach


@inner
def crossed_separation(boxes, size, a, b, i, j):
    """Separation along the cross product of axis i of a and axis j of b; -inf if they are parallel."""
    i1, i2, j1, j2 = (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3
    square = 1.0 - boxes[i, j] * boxes[i, j]
    # Square of the sine of the angle below which axes of two boxes are parallel.
    if square < 1e-10:
        return -math.inf
    reach = size[a, HALF + i1] * abs(boxes[i2, j]) + size[a, HALF + i2] * abs(boxes[i1, j])
    reach += size[b, HALF + j1] * abs(boxes[i, j2]) + size[b, HALF + j2] * abs(boxes[i, j1])
    return (abs(boxes[3, i2] * boxes[i1, j] - boxes[3, i1] * boxes[i2, j]) - reach) / math.sqrt(square)


@inner
def frame_axes(boxes, size, a, b, limit):
    """Best axis of each box: (separation, axis of a, separation, axis of b); stops at one beyond the limit."""
    best_a, found_a, best_b, found_b = -math.inf, 0, -math.inf, 0
    for i in range(3):
        separation = face_separation(boxes, size, a, b, True, i)
        if separation > best_a:
            best_a, found_a = separation, i
            if best_a > limit:
                return best_a, found_a, best_b, found_b
    for j in range(3):
        separation = face_separation(boxes, size, a, b, False, j)
        if separation > best_b:
            best_b, found_b = separation, j
            if best_b > limit:
                break
    return best_a, found_a, best_b, found_b


@inner
def cross_axes(boxes, size, a, b, limit):
    """Best cross product of an axis of each box: (separation, axis of a, axis of b); stops at one beyond the limit."""
    best, found_i, found_j = -math.inf, -1, -1
    for i in range(3):
        for j in range(3):
            separation = crossed_separation(boxes, size, a, b, i, j)
            if separation > best:
                best, found_i, found_j = separation, i, j
                if separation > limit:
                    return best, found_i, found_j
    return best, found_i, found_j


@inner
def box_axes(frame, size, a, b, limit, tie, boxes):
    """loaded_axes of boxes a and b as they are placed."""
    load_frames(frame, a, b, boxes)
    return loaded_axes(boxes, size, a, b, limit, tie)


@inner
def loaded_axes(boxes, size, a, b, limit, tie):
    """Axes along which boxes a and b are farthest apart, their frames loaded.

    Returns (separation, True if along an axis of a, that axis, separation of the best crossed axes, of a, of b), the
    first that is beyond the limit with what has been found so far.
    """
    separation_a, face_a, separation_b, face_b = frame_axes(boxes, size, a, b, limit)
    of_a = separation_b <= separation_a + tie
    separation, face = (separation_a, face_a) if of_a else (separation_b, face_b)
    if separation > limit:
        return separation, of_a, face, -math.inf, -1, -1
    crossed, i, j = cross_axes(boxes, size, a, b, limit)
    return separation, of_a, face, crossed, i, j


@inner
def face_direction(frame, c, axis, along):
    """Axis of collider c, turned so that it points from a to b, which are `along` it apart."""
    return scale(column(frame[c], axis), 1.0 if along >= 0.0 else -1.0)


@inner
def crossed_direction(frame, a, b, i, j):
    """Unit vector normal to axis i of a and axis j of b, from a to b."""
    n = cross(column(frame[a], i), column(frame[b], j))
    d = (frame[b, 0] - frame[a, 0], frame[b, 1] - frame[a, 1], frame[b, 2] - frame[a, 2])
    return scale(n, (1.0 if dot(n, d) >= 0.0 else -1.0) / norm(n))


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
