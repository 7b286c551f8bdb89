"""Unit quaternions (w, x, y, z) and rotation matrices for arrays of bodies."""

import numpy as np

from .step_kernels import rotation_matrices


def matrix(q):
    """Rotation matrices (R,3,3) of unit quaternions (R,4)."""
    q = np.ascontiguousarray(q, dtype=float)
    R = np.empty(q.shape[:-1] + (3, 3))
    rotation_matrices(q.reshape(-1, 4), R.reshape(-1, 3, 3))
    return R


def multiply(p, q):
    """Quaternion products p q, elementwise over the leading axes."""
    pw, px, py, pz = np.moveaxis(p, -1, 0)
    qw, qx, qy, qz = np.moveaxis(q, -1, 0)
    return np.stack([
        pw * qw - px * qx - py * qy - pz * qz,
        pw * qx + px * qw + py * qz - pz * qy,
        pw * qy - px * qz + py * qw + pz * qx,
        pw * qz + px * qy - py * qx + pz * qw,
    ], -1)  # fmt: skip
