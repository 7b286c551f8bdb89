"""The equations of rigid bodies: rotations, momenta, free motion, energies."""

import numpy as np


def matrix(q):
    """Rotation matrices (N,3,3) of quaternions (N,4) w, x, y, z."""
    w, x, y, z = (np.asarray(q, dtype=float) / np.linalg.norm(q, axis=-1, keepdims=True)).T
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]).transpose(2, 0, 1)  # fmt: skip


def turned(R, v):
    """R v for matrices (N,3,3) and vectors (N,3)."""
    return np.einsum("nij,nj->ni", R, v)


def inertia_in_world(inertia, q):
    """Inertia (N,3,3) in world axes at orientations q (N,4)."""
    R = matrix(q)
    return R @ inertia @ R.transpose(0, 2, 1)


def angle_between(p, q):
    """Angles (N,) [rad] between orientations p and q (N,4)."""
    relative = np.einsum("nji,njk->nik", matrix(p), matrix(q))
    # From the antisymmetric part: the cosine has no digits near zero.
    sine = np.linalg.norm([relative[:, 2, 1] - relative[:, 1, 2], relative[:, 0, 2] - relative[:, 2, 0],
                           relative[:, 1, 0] - relative[:, 0, 1]], axis=0)  # fmt: skip
    return np.arctan2(sine, np.trace(relative, axis1=1, axis2=2) - 1.0)


def turned_freely(inertia, q, spin, time, parts=16):
    """Orientations (N,4) after turning freely for `time` (N,) [s]: q' = w q / 2 with w = I^-1 L, L constant, by the
    classical Runge-Kutta method in `parts` parts."""
    momentum = turned(inertia_in_world(inertia, q), spin)

    def rate(q):
        w = np.linalg.solve(inertia_in_world(inertia, q), momentum[..., None])[..., 0]
        return 0.5 * np.column_stack([
            -np.einsum("ni,ni->n", w, q[:, 1:]), w * q[:, :1] + np.cross(w, q[:, 1:]),
        ])  # fmt: skip

    h = (time / parts)[:, None]
    for _ in range(parts):
        k1 = rate(q)
        k2 = rate(q + 0.5 * h * k1)
        k3 = rate(q + 0.5 * h * k2)
        q = q + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(q + h * k3))
        q = q / np.linalg.norm(q, axis=1, keepdims=True)
    return q


def spin_about_center(mass, inertia, own, instant):
    """(places (n,3) about their centre, angular momentum (3,) about it) of the bodies in rows `own` (n,)."""
    arm = instant.position[own] - mass @ instant.position[own] / mass.sum()
    turning = turned(inertia_in_world(inertia, instant.orientation[own]), instant.spin[own])
    return arm, (turning + mass[:, None] * np.cross(arm, instant.velocity[own])).sum(axis=0)


def kinetic(mass, inertia, instant):
    """Kinetic energies (N,) [J]."""
    own = turned(matrix(instant.orientation).transpose(0, 2, 1), instant.spin)
    return 0.5 * mass * np.einsum("ni,ni->n", instant.velocity, instant.velocity) + 0.5 * np.einsum(
        "ni,nij,nj->n", own, inertia, own
    )


def potential(mass, gravity, position):
    """Potential energies (N,) [J], zero at the world's origin."""
    return -mass * (position @ gravity)
