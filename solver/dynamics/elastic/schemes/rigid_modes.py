"""Rigid motions of the connected pieces of a deformable body, and its response with these taken out of elasticity."""

import numpy as np


class RigidModes:
    """The projector P = 1 - R (R^T M R)^-1 R^T M at node positions x (n,3), R the six rigid motions of every piece.

    P leaves of velocities what deforms a piece, P^T of forces what has neither sum nor moment. piece (n,): which piece
    a node belongs to, -1 where it is pinned: there P is 1. mass (n,) [kg].
    """

    def __init__(self, piece, mass, x):
        self.piece, self.mass, self.free = piece, mass[:, None], piece >= 0
        count = int(piece.max(initial=-1)) + 1
        self.R, self.count = np.zeros((len(x), 3, 6)), count
        whole = self._sum(np.where(self.free, mass, 0.0)[:, None])
        center = self._sum(np.where(self.free[:, None], self.mass * x, 0.0)) / np.maximum(whole, 1e-300)
        self.arm = np.where(self.free[:, None], x - center[piece] if count else x, 0.0)
        for axis in range(3):
            self.R[self.free, axis, axis] = 1.0
            self.R[:, :, 3 + axis] = np.cross(np.eye(3)[axis], self.arm)
        self.MR = mass[:, None, None] * self.R
        self.inverse = np.linalg.inv(self._sum(np.einsum("nia,nib->nab", self.MR, self.R)))

    def _sum(self, values):
        """Sums of values (n, ...) over the nodes of each piece."""
        if self.count == 1 and self.free.all():
            return values.sum(axis=0, keepdims=True)
        found = np.zeros((self.count, *values.shape[1:]))
        np.add.at(found, self.piece[self.free], values[self.free])
        return found

    def inner(self, columns, v):
        """columns^T v (pieces,6) of columns (n,3,6) and v (n,3)."""
        return self._sum(np.einsum("nia,ni->na", columns, v))

    def spread(self, columns, amounts):
        """columns times amounts (pieces,6) of the piece of each node: (n,3)."""
        return np.einsum("nia,na->ni", columns, amounts[self.piece]) if self.count else np.zeros(columns.shape[:2])

    def twists(self, v):
        """Velocities of the centre and angular velocities (pieces,6) of velocities v (n,3)."""
        return np.einsum("kab,kb->ka", self.inverse, self.inner(self.MR, v))

    def rigid(self, v):
        """The rigid part (n,3) of velocities v (n,3), 0 where a piece is pinned."""
        return self.spread(self.R, self.twists(v))

    def shrunk(self, v, before, after):
        """How far (n,3) nodes go where each piece, turning with velocities v (n,3), is as much smaller across its axis
        as moving straight for a time `after` [s] widens it less than for a time `before`."""
        if not self.count:
            return np.zeros_like(self.arm)
        spin = self.twists(v)[:, 3:]
        rate = np.linalg.norm(spin, axis=1)
        factor = np.sqrt((1.0 + (after * rate) ** 2) / (1.0 + (before * rate) ** 2)) - 1.0
        axis = (spin / np.maximum(rate, 1e-300)[:, None])[self.piece]
        across = self.arm - axis * np.einsum("ni,ni->n", axis, self.arm)[:, None]
        return np.where(self.free[:, None], factor[self.piece, None] * across, 0.0)

    def deforming(self, v):
        """P v (n,3)."""
        return v - self.rigid(v)

    def balanced(self, force):
        """P^T force (n,3)."""
        sums = np.einsum("kab,kb->ka", self.inverse, self.inner(self.R, force))
        return force - self.spread(self.MR, sums)

    def kept_apart(self, v, pressed, held):
        """The part of v (n,3), orthogonal by mass, without rigid motion, without velocity along unit vectors pressed
        (n,3), 0 where there is none, and without any where nodes are held (n,) bool."""
        held = held[:, None]

        def along(v):
            return np.where(held, v, pressed * np.einsum("ni,ni->n", pressed, v)[:, None])

        v = v - along(v)
        if not self.count:
            return v
        columns = self.MR - pressed[:, :, None] * np.einsum("ni,nia->na", pressed, self.MR)[:, None]
        columns[held[:, 0]] = 0.0
        square = self._sum(np.einsum("nia,nib->nab", columns, self.R))
        sums = np.einsum("kab,kb->ka", np.linalg.pinv(square, rcond=1e-12, hermitian=True), self.inner(columns, v))
        rigid = self.spread(self.R, sums)
        return v - (rigid - along(rigid))


class Response:
    """Product with (M + P^T C P)^-1, of a Factor of M + C and the RigidModes of P.

    With B = M + C, Z = B^-1 M R, S = R^T M Z it is B^-1 - Z S^-1 Z^T + R (R^T M R)^-1 R^T.
    """

    def __init__(self, factor, modes):
        self.factor, self.modes = factor, modes
        self.Z = np.stack([factor.solve(modes.MR[:, :, a]) for a in range(6)], axis=2) if modes.count else modes.R
        square = modes._sum(np.einsum("nia,nib->nab", modes.MR, self.Z))
        self.inverse, self._known = np.linalg.inv(square), None

    def solve(self, right):
        """Velocities (n,3) that impulses right (n,3) give."""
        modes = self.modes
        given = self.factor.solve(right)
        if not modes.count:
            return given
        given -= modes.spread(self.Z, np.einsum("kab,kb->ka", self.inverse, modes.inner(self.Z, right)))
        return given + modes.spread(modes.R, np.einsum("kab,kb->ka", modes.inverse, modes.inner(modes.R, right)))

    def condensed(self, nodes):
        """W (3s,3s) on `nodes` (s,), in the order of the factor."""
        if self._known is not None and np.array_equal(self._known[0], nodes):
            return self._known[1]
        W = self.factor.condensed(nodes)[0]
        for piece in range(self.modes.count):
            own = np.flatnonzero(self.modes.piece[nodes] == piece)
            at = (3 * own[:, None] + np.arange(3)).ravel()
            Z, R = self.Z[nodes[own]].reshape(-1, 6), self.modes.R[nodes[own]].reshape(-1, 6)
            W[np.ix_(at, at)] += R @ self.modes.inverse[piece] @ R.T - Z @ self.inverse[piece] @ Z.T
        self._known = nodes, W
        return W
