"""Inertia of a body whose nodes are at x = c + R (X + U q): coupled masses, and its free motion.

With the velocity v of c, the angular velocity W in the body's frame and p = dq/dt, the kinetic energy is exactly

    T = m v.v / 2 + W.J W / 2 + W.C p + p.p / 2,   S = sum g_a g_b Z_ab,  J = tr S - S,  C_b = sum g_a axial(Z_ab),

g = (1, q), Z_ab = sum over the nodes of m s_a s_b^T with s_0 = X and s_a the columns of U, axial(Z)_k = e_kij Z_ij
(Shabana, Dynamics of Multibody Systems, 5; floating frame with mean axes, which leave c out of q).
"""

from typing import NamedTuple

import numpy as np

from ..cholesky.factor import NotPositive


class Motion(NamedTuple):
    """center (3,) [m], turn R (3,3), q (r,), velocity (3,) [m/s] of the centre; spin L (3,) in the body's frame and
    P (r,): the momenta of W and p, L = J W + C p, P = C^T W + p."""

    center: np.ndarray
    turn: np.ndarray
    q: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray
    momenta: np.ndarray


class Inertia:
    """The inertia of a body with masses (n,) [kg], nodes X (n,3) about the centre of mass, and U (n,3,r)."""

    def __init__(self, masses, X, U):
        self.mass, count = float(masses.sum()), U.shape[2] + 1
        s = np.concatenate([X[:, :, None], U], axis=2).reshape(len(X), -1)
        Z = (s.T @ (masses[:, None] * s)).reshape(3, count, 3, count).transpose(1, 3, 0, 2)
        axial = np.stack([Z[:, 1:, (k + 1) % 3, (k + 2) % 3] - Z[:, 1:, (k + 2) % 3, (k + 1) % 3] for k in range(3)])
        # A row for each a: Z_ab, and axial(Z_ab) by k and b.
        self.Z = Z.reshape(count, -1)
        self.axial = np.ascontiguousarray(axial.transpose(1, 0, 2)).reshape(count, -1)

    def _by(self, q):
        """(g (1+r,), sum over a of g_a Z_ab (1+r,9), C (3,r)) at q (r,)."""
        g = np.concatenate([[1.0], q])
        return g, (g @ self.Z).reshape(len(g), 9), (g @ self.axial).reshape(3, -1)

    def _coupled(self, q):
        """(J (3,3), C (3,r)) at q (r,)."""
        g, Z, C = self._by(q)
        S = g @ Z
        J = -S.reshape(3, 3)
        J.flat[::4] += S[0] + S[4] + S[8]
        return J, C

    def matrix(self, q):
        """[[J, C], [C^T, 1]] (3+r,3+r) at q (r,)."""
        found = np.eye(3 + len(q))
        found[:3, :3], C = self._coupled(q)
        found[:3, 3:], found[3:, :3] = C, C.T
        return found

    def rates(self, q, held):
        """W and p (3+r,) at q (r,) whose momenta are L and P, held (3+r,)."""
        J, C = self._coupled(q)
        W = np.linalg.solve(J - C @ C.T, held[:3] - C @ held[3:])
        return np.concatenate([W, held[3:] - W @ C])

    def centrifugal(self, q, W, p):
        """Centrifugal and Coriolis forces (r,): the derivative of T by q."""
        _, Z, _ = self._by(q)
        square = -np.outer(W, W)
        square.flat[::4] += W @ W
        return Z[1:] @ square.ravel() + self.axial[1:] @ np.outer(W, p).ravel()

    def kinetic(self, motion):
        """Kinetic energy [J] of a Motion."""
        held = np.concatenate([motion.spin, motion.momenta])
        inner = 0.5 * float(held @ self.rates(motion.q, held))
        return 0.5 * self.mass * float(motion.velocity @ motion.velocity) + inner

    def coasted(self, motion, time):
        """The Motion `time` [s] later with its momenta, R L and P: the implicit midpoint rule in R, L and q.

        L+ = cay(-time W) L keeps R L exactly. Raises NotPositive where it turns too far for its shape in that time.
        """
        half, held = 0.5 * time, np.concatenate([motion.spin, motion.momenta])
        found, last = self.rates(motion.q, held), np.inf
        for _ in range(60):
            W, p = found[:3], found[3:]
            q = motion.q + half * p
            mean = np.concatenate([0.5 * (motion.spin + cayley(-time * W) @ motion.spin), motion.momenta])
            new = self.rates(q, mean)
            change, found = float(np.abs(new - found).max()), new
            # Until round-off stops it.
            if change <= 1e-15 * float(np.abs(new).max()) or (change >= last and change <= 1e-11 * np.abs(new).max()):
                break
            last = change
        else:
            raise NotPositive("a reduced body turns too far for its shape in half a step")
        step = cayley(time * found[:3])
        return Motion(motion.center + time * motion.velocity, motion.turn @ step, motion.q + time * found[3:],
                      motion.velocity, step.T @ motion.spin, motion.momenta)  # fmt: skip


def cross_matrix(a):
    """The matrix (...,3,3) of a x, a (...,3)."""
    found = np.zeros((*a.shape[:-1], 3, 3))
    found[..., 0, 1], found[..., 0, 2], found[..., 1, 2] = -a[..., 2], a[..., 1], -a[..., 0]
    return found - np.swapaxes(found, -1, -2)


def crossed(a, x):
    """a x x (n,3) of a (3,) and x (n,3)."""
    return x @ -cross_matrix(a)


def moment(x, force):
    """The sum (3,) of x x force, both (n,3)."""
    Z = x.T @ force
    return np.array([Z[1, 2] - Z[2, 1], Z[2, 0] - Z[0, 2], Z[0, 1] - Z[1, 0]])


def cayley(a):
    """The rotation (3,3) of Cayley for a rotation vector a (3,): of second order, and that of -a its inverse."""
    A = 0.5 * cross_matrix(a)
    return np.eye(3) + 2.0 / (1.0 + 0.25 * (a @ a)) * (A + A @ A)
