"""Colliders placed in the world: rotations, vertices, planes and swept boxes."""

import math
from typing import NamedTuple

import numpy as np

from ..jit import kernel


class Placement(NamedTuple):
    """Pooled geometry in the world at one time, and how it moves.

    position (C,3), rotation (C,3,3) of the collider frames; vertex (.,3), normal (.,3) of the placed cores; box (C,6)
    low and high corner of their vertices; center (R,3) the bodies' centres of mass [m]; twist (R,6) their velocities
    [m/s, rad/s].
    """

    position: np.ndarray
    rotation: np.ndarray
    vertex: np.ndarray
    normal: np.ndarray
    box: np.ndarray
    center: np.ndarray
    twist: np.ndarray


@kernel
def rotation_matrix(q, out):
    """Rotation matrix of a unit quaternion w, x, y, z into out (3,3)."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    out[0, 0] = 1.0 - 2.0 * (y * y + z * z)
    out[0, 1] = 2.0 * (x * y - w * z)
    out[0, 2] = 2.0 * (x * z + w * y)
    out[1, 0] = 2.0 * (x * y + w * z)
    out[1, 1] = 1.0 - 2.0 * (x * x + z * z)
    out[1, 2] = 2.0 * (y * z - w * x)
    out[2, 0] = 2.0 * (x * z - w * y)
    out[2, 1] = 2.0 * (y * z + w * x)
    out[2, 2] = 1.0 - 2.0 * (x * x + y * y)


@kernel
def place_colliders(geometry, center, orientation, place):
    """Fill the arrays of `place` from the bodies' centres of mass (R,3) and orientations (R,4)."""
    body_turn = np.empty((3, 3))
    previous = -1
    for c in range(len(geometry.kind)):
        b = geometry.body[c]
        if b != previous:
            rotation_matrix(orientation[b], body_turn)
            previous = b
        turn, offset = geometry.turn[c], geometry.offset[c]
        for i in range(3):
            total = center[b, i]
            for k in range(3):
                total += body_turn[i, k] * offset[k]
                place.rotation[c, i, k] = (
                    body_turn[i, 0] * turn[0, k] + body_turn[i, 1] * turn[1, k] + body_turn[i, 2] * turn[2, k]
                )
            place.position[c, i] = total
        place_core(geometry, c, place)


@kernel
def place_core(geometry, c, place):
    """World vertices and face normals of collider c."""
    core = geometry.core[c]
    rotation = place.rotation[c]
    first = geometry.core_vertex_start[core]
    target = geometry.vertex_start[c]
    for i in range(3):
        place.box[c, i], place.box[c, 3 + i] = math.inf, -math.inf
    for v in range(geometry.core_vertex_start[core + 1] - first):
        p = geometry.core_vertex[first + v]
        for i in range(3):
            turned = rotation[i, 0] * p[0] + rotation[i, 1] * p[1] + rotation[i, 2] * p[2]
            placed = place.position[c, i] + turned
            place.vertex[target + v, i] = placed
            place.box[c, i] = min(place.box[c, i], placed)
            place.box[c, 3 + i] = max(place.box[c, 3 + i], placed)
    first = geometry.core_face_start[core]
    target = geometry.face_start[c]
    for f in range(geometry.core_face_start[core + 1] - first):
        n = geometry.core_normal[first + f]
        for i in range(3):
            place.normal[target + f, i] = rotation[i, 0] * n[0] + rotation[i, 1] * n[1] + rotation[i, 2] * n[2]


@kernel
def swept_boxes(geometry, place, h, inflation, low, high):
    """World boxes (C,3) of the colliders over the next h seconds, each side moved out by inflation (C,) [m].

    The centre of mass moves on a straight line; what turning adds is bounded by |omega| h reach.
    """
    for c in range(len(geometry.kind)):
        b = geometry.body[c]
        twist = place.twist[b]
        spin = math.sqrt(twist[3] * twist[3] + twist[4] * twist[4] + twist[5] * twist[5])
        swell = inflation[c] + spin * h * geometry.reach[c]
        rotation = place.rotation[c]
        for i in range(3):
            middle, half = place.position[c, i], 0.0
            if geometry.kind[c] <= 1:
                # Sphere and capsule: the box of the core's points, by its half length along the third axis.
                half = geometry.radius[c] + abs(rotation[i, 2]) * geometry.half_length[c]
            else:
                for k in range(3):
                    middle += rotation[i, k] * geometry.box_center[c, k]
                    half += abs(rotation[i, k]) * geometry.box_half[c, k]
            shift = h * twist[i]
            low[c, i] = middle - half - swell + min(shift, 0.0)
            high[c, i] = middle + half + swell + max(shift, 0.0)


def allocate_placement(geometry, twist):
    """Placement with room for all colliders of `geometry`; center and twist are the bodies' own arrays."""
    count = len(geometry.kind)
    return Placement(
        position=np.empty((count, 3)),
        rotation=np.empty((count, 3, 3)),
        vertex=np.empty((int(geometry.vertex_start[-1]), 3)),
        normal=np.empty((int(geometry.face_start[-1]), 3)),
        box=np.empty((count, 6)),
        center=np.empty((len(twist), 3)),
        twist=np.empty((len(twist), 6)),
    )
