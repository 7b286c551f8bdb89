"""Dents: what static loads on nodes do to a reduced body beyond its shape vectors.

The answer to a load f is K^+ f, inertia relieved, of which the vectors show U w^-2 U^T f. The rest D f is orthogonal to
U in the stiffness and to rigid motion in the mass: it follows the load at once, has no inertia, and is read from the
nodes besides q (residual flexibility, MacNeal 1971).
"""

import numpy as np


class Dents:
    """Of a FreeBody of n nodes with shape vectors U (n,3,r), squares (r,) [1/s^2]; known: {node: its columns}."""

    def __init__(self, free, squares, U):
        self.free, self.squares, self.U, self.known = free, squares, U.reshape(len(free.M), -1), {}
        reading = free.stiffness(self.U) / squares
        # So that q comes back as it was, to the last digits, and rigid motion gives none.
        reading -= free.M[:, None] * (free.rigid @ (free.rigid.T @ reading))
        self.reading = (reading @ np.linalg.inv(self.U.T @ reading)).reshape(U.shape)

    def _column(self, node):
        """D (n,3,3) of forces on a node; each by itself, so that its bits follow from nothing else."""
        if node not in self.known:
            load = np.zeros((len(self.free.M), 3))
            load[3 * node : 3 * node + 3] = np.eye(3)
            shown = self.U @ (self.U[3 * node : 3 * node + 3].T / self.squares[:, None])
            self.known[node] = (self.free.statics(load) - shown).reshape(-1, 3, 3)
        return self.known[node]

    def flexibility(self, nodes):
        """D (s,3,s,3) [m/N] between nodes (s,)."""
        found = np.stack([self._column(int(node))[nodes] for node in nodes], axis=2)
        return 0.5 * (found + found.transpose(2, 3, 0, 1))

    def under(self, forces):
        """Dents (n,3) under forces (n,3) [N], in the body's frame."""
        found = np.zeros_like(forces)
        for node in np.flatnonzero(forces.any(axis=1)):
            found += self._column(int(node)) @ forces[node]
        return found

    def stored(self, dent):
        """Elastic energy [J] of dents (n,3)."""
        found = np.zeros_like(dent)
        self.free.body.add_stiffness_product(self.free.blocks, 1.0, dent, found)
        return 0.5 * float((dent * found).sum())
