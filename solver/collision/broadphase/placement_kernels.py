"""Colliders placed in the world: rotations, vertices, planes and swept boxes."""

import math
from typing import NamedTuple

import numpy as np

from ...jit import inner, kernel
from .geometry import CAPSULE

POSITION, ROTATION, LOW, HIGH = 0, 3, 12, 15  # columns of frame: origin, matrix by rows, corners of the vertices' box
CENTER, VELOCITY, SPIN = 0, 3, 6  # columns of motion


class Placement(NamedTuple):
    """Pooled geometry in the world at one time, and how it moves. Few wide tables: kernels take them quicker.

    frame (C,18): the colliders' frames and boxes; vertex (.,3), normal (.,3) of the placed cores; motion (R,9): the
    bodies' centres of mass [m], velocities [m/s] and angular velocities [rad/s].
    """

    frame: np.ndarray
    vertex: np.ndarray
    normal: np.ndarray
    motion: np.ndarray


@inner
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
def place_and_sweep(geometry, orientation, place, h, inflation, low, high):
    """place_colliders and swept_boxes in one call."""
    place_colliders(geometry, orientation, place)
    swept_boxes(geometry, place, h, inflation, low, high)


@kernel
def placed_boxes(geometry, position, orientation, twist, h, inflation):
    """(Placement, low, high (C,3)) of bodies at position (R,3), orientation (R,4) with twist (R,6), see swept_boxes."""
    motion, count = np.empty((position.shape[0], 9)), geometry.kind.size
    for i in range(motion.shape[0]):
        motion[i, :3], motion[i, 3:] = position[i], twist[i]
    place = Placement(np.empty((count, 18)), np.empty((geometry.vertex_start[-1], 3)),
                      np.empty((geometry.face_start[-1], 3)), motion)  # fmt: skip
    low, high = np.empty((count, 3)), np.empty((count, 3))
    place_and_sweep(geometry, orientation, place, h, inflation, low, high)
    return place, low, high


@inner
def place_colliders(geometry, orientation, place):
    """Fill the arrays of `place` but motion, from that and the bodies' orientations (R,4)."""
    body_turn = np.empty((3, 3))
    previous = -1
    for c in range(len(geometry.kind)):
        b = geometry.body[c]
        if b != previous:
            rotation_matrix(orientation[b], body_turn)
            previous = b
        turn, offset, frame = geometry.turn[c], geometry.offset[c], place.frame[c]
        for i in range(3):
            total = place.motion[b, CENTER + i]
            for k in range(3):
                total += body_turn[i, k] * offset[k]
                frame[ROTATION + 3 * i + k] = (
                    body_turn[i, 0] * turn[0, k] + body_turn[i, 1] * turn[1, k] + body_turn[i, 2] * turn[2, k]
                )
            frame[POSITION + i] = total
            frame[LOW + i], frame[HIGH + i] = math.inf, -math.inf
        core = geometry.core[c]
        first, last = geometry.core_vertex_start[core], geometry.core_vertex_start[core + 1]
        place_vertices(geometry.core_vertex[first:last], frame, place.vertex[geometry.vertex_start[c] :])
        first, last = geometry.core_face_start[core], geometry.core_face_start[core + 1]
        turn_normals(geometry.core_normal[first:last], frame, place.normal[geometry.face_start[c] :])


@inner
def place_vertices(local, frame, out):
    """World coordinates of local points (V,3) into out; widens the frame's box."""
    for v in range(len(local)):
        x, y, z = local[v, 0], local[v, 1], local[v, 2]
        for i in range(3):
            k = ROTATION + 3 * i
            placed = frame[POSITION + i] + (frame[k] * x + frame[k + 1] * y + frame[k + 2] * z)
            out[v, i] = placed
            frame[LOW + i] = min(frame[LOW + i], placed)
            frame[HIGH + i] = max(frame[HIGH + i], placed)


@inner
def turn_normals(local, frame, out):
    """World directions of local ones (F,3) into out."""
    for f in range(len(local)):
        for i in range(3):
            k = ROTATION + 3 * i
            out[f, i] = frame[k] * local[f, 0] + frame[k + 1] * local[f, 1] + frame[k + 2] * local[f, 2]


@inner
def swept_boxes(geometry, place, h, inflation, low, high):
    """World boxes (C,3) of the colliders over the next h seconds, each side moved out by inflation (C,) [m].

    The centre of mass moves on a straight line; what turning adds is bounded by |omega| h reach.
    """
    for c in range(len(geometry.kind)):
        motion, frame = place.motion[geometry.body[c]], place.frame[c]
        spin = math.sqrt(motion[SPIN] ** 2 + motion[SPIN + 1] ** 2 + motion[SPIN + 2] ** 2)
        swell = inflation[c] + spin * h * geometry.reach[c]
        for i in range(3):
            middle, half = frame[POSITION + i], 0.0
            k = ROTATION + 3 * i
            if geometry.kind[c] <= CAPSULE:
                # The box of the core's points, by its half length along the third axis.
                half = geometry.radius[c] + abs(frame[k + 2]) * geometry.half_length[c]
            else:
                for m in range(3):
                    middle += frame[k + m] * geometry.box_center[c, m]
                    half += abs(frame[k + m]) * geometry.box_half[c, m]
            shift = h * motion[VELOCITY + i]
            low[c, i] = middle - half - swell + min(shift, 0.0)
            high[c, i] = middle + half + swell + max(shift, 0.0)


def allocate_placement(geometry, position, twist):
    """Placement with room for all colliders of `geometry`; motion from position (R,3) and twist (R,6)."""
    return Placement(
        frame=np.empty((len(geometry.kind), 18)),
        vertex=np.empty((int(geometry.vertex_start[-1]), 3)),
        normal=np.empty((int(geometry.face_start[-1]), 3)),
        motion=np.concatenate([position, twist], axis=1, dtype=float),
    )


@inner
def column(frame, k):
    """Axis k of a placed collider: column k of its rotation matrix, from its row of Placement.frame."""
    return frame[ROTATION + k], frame[ROTATION + 3 + k], frame[ROTATION + 6 + k]
