"""Euler angles of many rotations at once, in Blender's conventions (blenlib's math_rotation)."""

import numpy as np

# Axes in the order in which they turn, and whether that order is an odd one.
ORDERS = {
    "XYZ": ((0, 1, 2), False), "XZY": ((0, 2, 1), True), "YXZ": ((1, 0, 2), True),
    "YZX": ((1, 2, 0), False), "ZXY": ((2, 0, 1), False), "ZYX": ((2, 1, 0), True),
}  # fmt: skip
# Cosine of the middle angle below which the other two are one and the same turn.
LOCKED = 1e-8


def euler_angles(rotation, order, near):
    """Angles (F,N,3) of rotation matrices (F,N,3,3) over F frames, each the closest to the frame before, the first to
    `near` (N,3)."""
    first, second = _both(rotation, *ORDERS[order])
    angles, before = np.empty_like(first), np.asarray(near, dtype=float)
    for row in range(len(angles)):
        one, other = _turned(first[row], before), _turned(second[row], before)
        nearer = np.abs(other - before).sum(axis=-1) < np.abs(one - before).sum(axis=-1)
        before = angles[row] = np.where(nearer[:, None], other, one)
    return angles


def _both(rotation, axes, odd):
    """The two triples of angles (...,3) that mean each rotation (...,3,3)."""
    i, j, k = axes
    matrix = np.swapaxes(rotation, -1, -2)
    cosine = np.hypot(matrix[..., i, i], matrix[..., i, j])
    free = cosine > LOCKED
    angles = np.empty((2, *cosine.shape, 3))
    for angle, sign in zip(angles, (1.0, -1.0), strict=True):
        angle[..., i] = np.arctan2(sign * matrix[..., j, k], sign * matrix[..., k, k])
        angle[..., j] = np.arctan2(-matrix[..., i, k], sign * cosine)
        angle[..., k] = np.arctan2(sign * matrix[..., i, j], sign * matrix[..., i, i])
        angle[..., i] = np.where(free, angle[..., i], np.arctan2(-matrix[..., k, j], matrix[..., j, j]))
        angle[..., j] = np.where(free, angle[..., j], np.arctan2(-matrix[..., i, k], cosine))
        angle[..., k] = np.where(free, angle[..., k], 0.0)
    return -angles if odd else angles


def _turned(angles, near):
    """The angles plus whole turns, closest to `near`."""
    return angles + 2 * np.pi * np.round((near - angles) / (2 * np.pi))
