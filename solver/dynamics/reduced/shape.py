"""What is constant in a run of a body that moves in few vectors of its shape."""

import numpy as np

from .inertia import Inertia, Motion, cross_matrix


class ReducedShape:
    """A body of n nodes in r shape vectors: X (n,3) about its centre of mass, U (n,3,r); law: see laws.py; damping (r,)
    [1/s] of p = dq/dt."""

    def __init__(self, masses, X, U, law, damping):
        self.X, self.U, self.law, self.damping = X, U, law, damping
        self.inertia = Inertia(masses, X, U)
        self.masses, self.weighted = masses, masses[:, None, None] * U

    def arms(self, q):
        """Nodes (n,3) about the centre of mass, in the body's frame."""
        return self.X + np.einsum("nir,r->ni", self.U, q)

    def places(self, motion):
        """Node positions (n,3) of a Motion."""
        return motion.center + self.arms(motion.q) @ motion.turn.T

    def velocities(self, motion, twist):
        """Velocities (n,3) of nodes where a Motion has them, for twist (6+r,): v, W and p."""
        own = np.cross(twist[3:6], self.arms(motion.q)) + np.einsum("nir,r->ni", self.U, twist[6:])
        return twist[:3] + own @ motion.turn.T

    def loads(self, motion, push):
        """Impulses (6+r,) on v, W and p of impulses push (n,3) [N s] on the nodes."""
        on = np.flatnonzero(push.any(axis=1))
        own = push[on] @ motion.turn
        moment = np.cross(self.arms(motion.q)[on], own).sum(axis=0)
        return np.concatenate([push[on].sum(axis=0), moment, np.einsum("nir,ni->r", self.U[on], own)])

    def rows(self, motion, nodes):
        """Velocities (s,3,6+r) of nodes (s,) by v, W and p."""
        found = np.empty((len(nodes), 3, 6 + len(self.damping)))
        found[:, :, :3] = np.eye(3)
        found[:, :, 3:6] = -motion.turn @ cross_matrix(self.arms(motion.q)[nodes])
        found[:, :, 6:] = np.einsum("ij,njr->nir", motion.turn, self.U[nodes])
        return found

    def motion(self, x, v):
        """The Motion of nodes at x (n,3) with velocities v (n,3): the mean axes make R the rotation of the polar
        decomposition of sum m x X^T, whose other factor is symmetric."""
        m = self.masses
        center, velocity = m @ x / self.inertia.mass, m @ v / self.inertia.mass
        left, _, right = np.linalg.svd(np.einsum("n,ni,nj->ij", m, x - center, self.X))
        left[:, 2] *= np.sign(np.linalg.det(left @ right))
        turn = left @ right
        arms, own = (x - center) @ turn, (v - velocity) @ turn
        q = np.einsum("nir,ni->r", self.weighted, arms - self.X)
        # The spin of where the vectors put the nodes: what is not in them has none.
        spin = (m[:, None] * np.cross(arms, own)).sum(axis=0)
        return Motion(center, turn, q, velocity, spin, np.einsum("nir,ni->r", self.weighted, own))
