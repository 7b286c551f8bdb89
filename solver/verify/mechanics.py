"""The equations of rigid bodies: rotations, momenta, free motion, energies."""

import numpy as np


def matrix(q):
    """Rotation matrices (N,3,3) of quaternions (N,4) w, x, y, z."""
    q = np.asarray(q, dtype=float) / np.linalg.norm(q, axis=-1, keepdims=True)
    # The columns of [v] are v x e; R = 1 + 2 w [v] + 2 [v]^2.
    across = np.cross(q[:, None, 1:], np.eye(3)).transpose(0, 2, 1)
    return np.eye(3) + 2 * q[:, :1, None] * across + 2 * across @ across


def turned(R, v):
    """R v for matrices (N,3,3) and vectors (N,3)."""
    return np.einsum("nij,nj->ni", R, v)


def inertia_in_world(inertia, q):
    """Inertia (N,3,3) in world axes at orientations q (N,4)."""
    R = matrix(q)
    return R @ inertia @ R.transpose(0, 2, 1)


def angle_between(p, q):
    """Angles (N,) [rad] between orientations p and q (N,4)."""
    # By the sine: the cosine has no digits near zero.
    sine = np.linalg.norm(p[:, :1] * q[:, 1:] - q[:, :1] * p[:, 1:] - np.cross(p[:, 1:], q[:, 1:]), axis=1)
    return 2 * np.arctan2(sine, np.abs(np.einsum("ni,ni->n", p, q)))


def turned_freely(inertia, q, spin, time, parts=16):
    """Orientations (N,4) after turning freely for `time` (N,) [s]: q' = w q / 2 with w = I^-1 L, L constant, by the
    classical Runge-Kutta method in `parts` parts."""
    momentum = turned(inertia_in_world(inertia, q), spin)

    def rate(q):
        w = np.linalg.solve(inertia_in_world(inertia, q), momentum[..., None])[..., 0]
        return 0.5 * np.column_stack([-(w * q[:, 1:]).sum(axis=1), w * q[:, :1] + np.cross(w, q[:, 1:])])

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
    return 0.5 * (mass * (instant.velocity**2).sum(axis=1) + (own * turned(inertia, own)).sum(axis=1))


def potential(mass, gravity, position):
    """Potential energies (N,) [J], zero at the world's origin."""
    return -mass * (position @ gravity)


def connected(count, a, b):
    """The least number (count,) that each of `count` things is coupled with by pairs a, b (broadcast)."""
    label = np.arange(count)
    while True:
        low = np.minimum(label[a], label[b])
        if np.array_equal(low + 0 * label[b], label[b]) and np.array_equal(low, label[a] + 0 * low):
            return label
        np.minimum.at(label, a + 0 * b, low)
        np.minimum.at(label, b + 0 * a, low)
