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
    both, near = _both(rotation, *ORDERS[order]), np.asarray(near, dtype=float)
    # Which of the two triples comes next depends on which came before, not on the whole turns beside it.
    distance = np.abs(_turned(both[None, :, 1:] - both[:, None, :-1], 0.0)).sum(axis=-1)
    first = np.abs(_turned(both[:, 0] - near, 0.0)).sum(axis=-1)
    follows = (distance[:, 1] < distance[:, 0]).astype(np.intp)
    chosen, columns = np.empty(both.shape[1:3], dtype=np.intp), np.arange(both.shape[2])
    chosen[:] = first[1] < first[0]
    # Mostly the same of the two comes next.
    for row in np.flatnonzero(((follows[0] != 0) | (follows[1] != 1)).any(axis=1)):
        chosen[row + 1 :] = follows[chosen[row], row, columns]
    angles = np.take_along_axis(both, chosen[None, ..., None], axis=0)[0]
    before = np.concatenate((near[None], angles[:-1]))
    return angles + 2 * np.pi * np.cumsum(np.round((before - angles) / (2 * np.pi)), axis=0)


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
