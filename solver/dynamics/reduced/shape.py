"""What is constant in a run of a body that moves in few vectors of its shape."""

import numpy as np

from .inertia import Inertia, Motion, cross_matrix, crossed, moment


class ReducedShape:
    """A body of n nodes in r shape vectors: X (n,3) about its centre of mass, U (n,3,r); law: see laws.py; damping (r,)
    [1/s] of p = dq/dt; dents: its Dents, None where it has none."""

    def __init__(self, masses, X, U, law, damping, dents=None):
        self.X, self.U, self.law, self.damping, self.dents = X, U, law, damping, dents
        self.inertia = Inertia(masses, X, U)
        self.masses, self.weighted = masses, masses[:, None, None] * U
        self.reading = self.weighted if dents is None else dents.reading

    @property
    def squares(self):
        """Squares (r,) [1/s^2] of the angular frequencies of the vectors."""
        return np.diag(self.law.stiffness(np.zeros(len(self.damping))))

    def arms(self, q):
        """Nodes (n,3) about the centre of mass, in the body's frame."""
        return self.X + np.einsum("nir,r->ni", self.U, q)

    def places(self, motion):
        """Node positions (n,3) of a Motion."""
        return motion.center + self.arms(motion.q) @ motion.turn.T

    def velocities(self, motion, twist, dent=0.0):
        """Velocities (n,3) of nodes where a Motion and dents have them, for twist (6+r,): v, W and p."""
        own = crossed(twist[3:6], self.arms(motion.q) + dent) + np.einsum("nir,r->ni", self.U, twist[6:])
        return twist[:3] + own @ motion.turn.T

    def twist(self, motion):
        """The twist (6+r,) of a Motion."""
        held = np.concatenate([motion.spin, motion.momenta])
        return np.concatenate([motion.velocity, self.inertia.rates(motion.q, held)])

    def dented_twist(self, motion, dent):
        """The twist (6+r,) by which nodes without dents go where those that dents (n,3) have moved have the momenta of
        the Motion: these have no inertia."""
        arms, count = self.arms(motion.q), len(motion.q)
        fields = np.concatenate([crossed(axis, arms)[:, :, None] for axis in np.eye(3)] + [self.U], axis=2)
        weighted = self.masses[:, None, None] * fields
        moments = np.stack([moment(arms + dent, weighted[:, :, a]) for a in range(3 + count)], axis=1)
        C = self.inertia.matrix(motion.q)[:3, 3:]
        W = np.linalg.solve(moments[:, :3] - moments[:, 3:] @ C.T, motion.spin - moments[:, 3:] @ motion.momenta)
        return np.concatenate([motion.velocity, W, motion.momenta - W @ C])

    def loads(self, motion, push, dent=0.0):
        """Impulses (6+r,) on v, W and p of impulses push (n,3) [N s] on the nodes, where dents have them."""
        on = np.flatnonzero(push.any(axis=1))
        own = push[on] @ motion.turn
        about = moment((self.arms(motion.q) + dent)[on], own)
        return np.concatenate([push[on].sum(axis=0), about, np.einsum("nir,ni->r", self.U[on], own)])

    def rows(self, motion, nodes, dent=0.0):
        """Velocities (s,3,6+r) of nodes (s,), where dents have them, by v, W and p."""
        found = np.empty((len(nodes), 3, 6 + len(self.damping)))
        found[:, :, :3] = np.eye(3)
        found[:, :, 3:6] = -motion.turn @ cross_matrix((self.arms(motion.q) + dent)[nodes])
        found[:, :, 6:] = np.einsum("ij,njr->nir", motion.turn, self.U[nodes])
        return found

    def motion(self, x, v):
        """The Motion of nodes at x (n,3) with velocities v (n,3), in mean axes."""
        m = self.masses
        center, velocity = m @ x / self.inertia.mass, m @ v / self.inertia.mass
        turn = mean_turn(m, x - center, self.X)
        own = (v - velocity) @ turn
        q = np.einsum("nir,ni->r", self.reading, (x - center) @ turn - self.X)
        # Without what of velocities is not in the vectors, where nodes have no dents of their own.
        arms = self.arms(q) if self.dents is None else (x - center) @ turn
        spin = moment(arms, m[:, None] * own)
        return Motion(center, turn, q, velocity, spin, np.einsum("nir,ni->r", self.weighted, own))

    def dent(self, motion, x):
        """Dents (n,3) in the body's frame: what its Motion does not say of nodes at x (n,3)."""
        if self.dents is None:
            return np.zeros_like(x)
        return (x - motion.center) @ motion.turn - self.arms(motion.q)

    def stored(self, q, dent):
        """Elastic energy [J] at q (r,) with dents (n,3)."""
        return self.law.stored(q) + (0.0 if self.dents is None else self.dents.stored(dent))

    def energy(self, x):
        """Elastic energy [J] of nodes at x (n,3)."""
        motion = self.motion(x, np.zeros_like(x))
        return self.stored(motion.q, self.dent(motion, x))


def mean_turn(masses, arms, X):
    """The turn (3,3) of nodes at `arms` (n,3) about their centre against those at rest, X (n,3): mean axes make it the
    rotation of the polar decomposition of sum m x X^T, whose other factor is symmetric."""
    left, _, right = np.linalg.svd((masses[:, None] * arms).T @ X)
    left[:, 2] *= np.sign(np.linalg.det(left @ right))
    return left @ right
