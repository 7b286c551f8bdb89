"""The equations of rigid bodies: rotations, momenta, free motion, energies."""

import numpy as np


def matrix(q):
    """Rotation matrices (N,3,3) of quaternions (N,4) w, x, y, z."""
    q = np.asarray(q, dtype=float) / np.linalg.norm(q, axis=-1, keepdims=True)
    turn = across(q[:, 1:])
    return np.eye(3) + 2 * q[:, :1, None] * turn + 2 * turn @ turn


def across(v):
    """The matrices (...,3,3) that take x to v x x, of vectors (...,3)."""
    return np.cross(v[..., None, :], np.eye(3)).swapaxes(-1, -2)


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
    return 2 * np.arctan2(sine, np.abs((p * q).sum(axis=1)))


def turned_freely(inertia, q, spin, time, parts=16):
    """Orientations (N,4) after turning freely for `time` (N,) [s]: q' = w q / 2 with w = I^-1 L, L constant, by the
    classical Runge-Kutta method in `parts` parts."""
    momentum, h = turned(inertia_in_world(inertia, q), spin), (time / parts)[:, None]

    def rate(q):
        w = np.linalg.solve(inertia_in_world(inertia, q), momentum[..., None])[..., 0]
        return 0.5 * np.column_stack([-(w * q[:, 1:]).sum(axis=1), w * q[:, :1] + np.cross(w, q[:, 1:])])

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


def kinetic(mass, inertia, velocity, spin):
    """Kinetic energies (N,) [J] with inertia (N,3,3) in world axes."""
    return 0.5 * (mass * (velocity**2).sum(axis=1) + (spin * turned(inertia, spin)).sum(axis=1))


def connected(count, a, b):
    """The least number (count,) that each of `count` things is coupled with by pairs a, b (broadcast)."""
    label, before, (a, b) = np.arange(count), None, np.broadcast_arrays(a, b)
    while not np.array_equal(label, before):
        before, low = label.copy(), np.minimum(label[a], label[b])
        np.minimum.at(label, a, low)
        np.minimum.at(label, b, low)
    return label
