"""The equations of rigid bodies: rotations, momenta, free motion, energies."""

import numpy as np

# Parts of the largest term of a balance that round-off may leave.
ROUND_OFF = 1e-9
# Bodies may turn into each other, or their contacts slide, by this part of the smaller moving one in a substep.
MOST_TURNED = 1e-3


def matrix(q):
    """Rotation matrices (N,3,3) of quaternions (N,4) w, x, y, z."""
    q = np.asarray(q, dtype=float) / np.linalg.norm(q, axis=-1, keepdims=True)
    turn = across(q[:, 1:])
    return np.eye(3) + 2 * q[:, :1, None] * turn + 2 * turn @ turn


def across(v):
    """The matrices (...,3,3) that take x to v x x, of vectors (...,3)."""
    return np.cross(np.eye(3), v[..., None, :])


def turned(R, v):
    """R v for matrices (N,3,3) and vectors (N,3)."""
    return np.einsum("nij,nj->ni", R, v)


def inertia_in_world(inertia, q):
    """Inertia (N,3,3) in world axes at orientations q (N,4)."""
    R = matrix(q)
    return R @ inertia @ R.transpose(0, 2, 1)


def product(p, q):
    """The products (N,4) of quaternions p and q (N,4): first q turns, then p."""
    w = p[:, :1] * q[:, :1] - (p[:, 1:] * q[:, 1:]).sum(axis=1, keepdims=True)
    return np.column_stack([w, p[:, :1] * q[:, 1:] + q[:, :1] * p[:, 1:] + np.cross(p[:, 1:], q[:, 1:])])


def angle_between(p, q):
    """Angles (N,) [rad] between orientations p and q (N,4)."""
    # By the sine: the cosine has no digits near zero.
    turn = product(p * [1.0, -1.0, -1.0, -1.0], q)
    return 2 * np.arctan2(np.linalg.norm(turn[:, 1:], axis=1), np.abs(turn[:, 0]))


def turned_freely(inertia, q, spin, time, parts=16):
    """Orientations (N,4) after turning freely for `time` (N,) [s]: q' = w q / 2 with w = I^-1 L, L constant, by the
    classical Runge-Kutta method in `parts` parts."""
    momentum, h = turned(inertia_in_world(inertia, q), spin), (time / parts)[:, None]

    def rate(q):
        w = np.linalg.solve(inertia_in_world(inertia, q), momentum[..., None])[..., 0]
        return 0.5 * product(np.column_stack([0.0 * w[:, 0], w]), q)

    for _ in range(parts):
        k1 = rate(q)
        k2 = rate(q + 0.5 * h * k1)
        k3 = rate(q + 0.5 * h * k2)
        q = q + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(q + h * k3))
        q = q / np.linalg.norm(q, axis=1, keepdims=True)
    return q


class Instant:
    """N bodies at one instant, of mass (N,) and inertia (N,3,3) in their own axes: columns (N,13) are position (N,3),
    orientation (N,4) and twist (N,6), which is velocity (N,3) and spin (N,3)."""

    def __init__(self, columns, mass, inertia):
        self.columns, self.twist, self.mass = columns, columns[:, 7:], mass
        self.position, self.orientation, self.velocity, self.spin = np.split(columns, [3, 7, 10], axis=1)
        self.inertia = inertia_in_world(inertia, self.orientation)
        self.momenta = self.momentum(self.twist)

    def momentum(self, twist):
        """Momenta and angular momenta (N,6) that twists (N,6) have here."""
        return np.hstack([self.mass[:, None] * twist[:, :3], turned(self.inertia, twist[:, 3:])])

    def twist_of(self, momentum):
        """The twists (N,6) that have momenta (N,6) here."""
        spin = np.linalg.solve(self.inertia, momentum[:, 3:, None])[..., 0]
        return np.hstack([momentum[:, :3] / self.mass[:, None], spin])

    def energy(self, twist):
        """Kinetic energies (N,) [J] of twists (N,6)."""
        return 0.5 * (twist * self.momentum(twist)).sum(axis=1)

    def spin_about_center(self, own):
        """(places (n,3) about their centre, angular momentum (3,) about it) of the bodies in rows `own` (n,)."""
        arm = self.position[own] - self.mass[own] @ self.position[own] / self.mass[own].sum()
        return arm, (self.momenta[own, 3:] + np.cross(arm, self.momenta[own, :3])).sum(axis=0)


def connected(count, a, b):
    """The least number (count,) that each of `count` things is coupled with by pairs a, b (broadcast)."""
    label, before, (a, b) = np.arange(count), None, np.broadcast_arrays(a, b)
    while not np.array_equal(label, before):
        before, low = label.copy(), np.minimum(label[a], label[b])
        np.minimum.at(label, a, low)
        np.minimum.at(label, b, low)
    return label


def last_of(*keys):
    """Places of the last of each combination of keys (n,)."""
    return np.array(list({key: i for i, key in enumerate(zip(*keys, strict=True))}.values()), dtype=int)
