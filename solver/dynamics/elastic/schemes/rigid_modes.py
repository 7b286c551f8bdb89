"""Rigid motions of the connected pieces of a deformable body, and its response with these taken out of elasticity."""

from functools import cached_property

import numpy as np

from . import rigid_mode_kernels as kernels


class RigidModes:
    """The projector P = 1 - R (R^T M R)^-1 R^T M at node positions x (n,3), R the six rigid motions of every piece.

    P leaves of velocities what deforms a piece, P^T of forces what has neither sum nor moment. piece (n,): which piece
    a node belongs to, -1 where it is pinned: there P is 1. mass (n,) [kg].
    """

    def __init__(self, piece, mass, x):
        self.piece, self.mass, self.count = piece, mass, int(piece.max(initial=-1)) + 1
        whole, center, self.arm = np.empty(self.count), np.empty((self.count, 3)), np.empty_like(x)
        kernels.arms(piece, mass, np.ascontiguousarray(x), whole, center, self.arm)
        # Where velocities are kept apart from contacts: (pressed, held, what kept_apart inverts).
        self._apart = None

    @cached_property
    def inverse(self):
        """(R^T M R)^-1 (pieces,6,6)."""
        return np.linalg.inv(self._square(np.zeros_like(self.arm), np.zeros(len(self.arm), dtype=bool)))

    @cached_property
    def one(self):
        """A weight (n,) of 1 for all nodes."""
        return np.ones(len(self.mass))

    def _square(self, pressed, held):
        found = np.empty((self.count, 6, 6))
        kernels.squares(self.piece, self.mass, self.arm, pressed, held, np.empty((6, 3)), found)
        return found

    def momenta(self, v):
        """Linear and angular momentum (pieces,6) of velocities v (n,3)."""
        return self.sums(v, self.mass)

    def sums(self, v, weight=None):
        """Sums and moments (pieces,6) of v (n,3), times a weight (n,)."""
        found = np.empty((self.count, 6))
        kernels.sums(self.piece, self.one if weight is None else weight, self.arm, np.ascontiguousarray(v), found)
        return found

    def moved(self, motion, weight=None):
        """Velocities (n,3), times a weight (n,), that rigid motions (pieces,6) give the nodes."""
        found = np.empty_like(self.arm)
        kernels.moved(self.piece, self.one if weight is None else weight, self.arm, motion, found)
        return found

    def motion(self, momenta):
        """The rigid motion (pieces,6) with these momenta (pieces,6)."""
        return np.einsum("kab,kb->ka", self.inverse, momenta)

    def rigid(self, v):
        """The rigid part (n,3) of velocities v (n,3), 0 where a piece is pinned."""
        return self.moved(self.motion(self.momenta(v)))

    def shrunk(self, v, before, after):
        """How far (n,3) nodes go where each piece, turning with velocities v (n,3), is as much smaller across its axis
        as moving straight for a time `after` [s] widens it less than for a time `before`."""
        def factor(rate):
            return np.sqrt((1.0 + (after * rate) ** 2) / (1.0 + (before * rate) ** 2)) - 1.0

        return self._across(v, factor)

    def outward(self, v, h):
        """Velocities (n,3) away from the axis that nodes have besides turning where each piece comes straight, by
        velocities v (n,3), to the middle of a step of h [s]: as much inward after an even turn there."""
        return self._across(v, lambda rate: (1.0 - np.sqrt(np.maximum(0.0, 1.0 - (h * rate) ** 2))) / h)

    def _across(self, v, factor):
        """Arms (n,3) of the nodes across the axis about which their piece turns with velocities v (n,3), times a factor
        of how fast it does."""
        if not self.count:
            return np.zeros_like(self.arm)
        spin = self.motion(self.momenta(v))[:, 3:]
        rate = np.linalg.norm(spin, axis=1)
        axis = (spin / np.maximum(rate, 1e-300)[:, None])[self.piece]
        across = self.arm - axis * np.einsum("ni,ni->n", axis, self.arm)[:, None]
        return np.where((self.piece >= 0)[:, None], factor(rate)[self.piece, None] * across, 0.0)

    def deforming(self, v):
        """P v (n,3)."""
        return v - self.rigid(v)

    def balanced(self, force):
        """P^T force (n,3)."""
        return force - self.moved(self.motion(self.sums(force)), self.mass)

    def kept_apart(self, v, pressed, held):
        """The part of v (n,3), orthogonal by mass, without rigid motion, without velocity along unit vectors pressed
        (n,3), 0 where there is none, and without any where nodes are held (n,) bool."""

        def left_of(v):
            found = np.empty_like(v)
            kernels.left_of(v, pressed, held, found)
            return found

        v = left_of(v)
        if not self.count:
            return v
        if self._apart is None or self._apart[0] is not pressed or self._apart[1] is not held:
            inverse = self.inverse
            if pressed.any() or held.any():
                inverse = np.linalg.pinv(self._square(pressed, held), rcond=1e-12, hermitian=True)
            self._apart = pressed, held, inverse
        return v - left_of(self.moved(np.einsum("kab,kb->ka", self._apart[2], self.momenta(v))))


class Response:
    """Product with (M + P^T C P)^-1, of a Factor of M + C and the RigidModes of P.

    With B = M + C, Z = B^-1 M R, S = R^T M Z it is B^-1 - Z S^-1 Z^T + R (R^T M R)^-1 R^T.
    """

    def __init__(self, factor, modes):
        self.factor, self.modes, self.R = factor, modes, np.empty((len(modes.arm), 3, 6))
        kernels.columns(modes.piece, modes.arm, self.R)
        MR = np.ascontiguousarray(np.moveaxis(modes.mass[:, None, None] * self.R, 2, 0))
        self.Z = np.stack([factor.solve(right) for right in MR], axis=2) if modes.count else self.R
        square = np.stack([modes.momenta(self.Z[:, :, a]) for a in range(6)], axis=2)
        self.inverse, self._known = np.linalg.inv(square), None

    def _within(self, right):
        """Z^T right (pieces,6) of right (n,3)."""
        each = np.einsum("nia,ni->na", self.Z, right)
        if self.modes.count == 1:
            return each.sum(axis=0, keepdims=True)
        found = np.zeros((self.modes.count, 6))
        np.add.at(found, self.modes.piece[self.modes.piece >= 0], each[self.modes.piece >= 0])
        return found

    def solve(self, right):
        """Velocities (n,3) that impulses right (n,3) give."""
        modes = self.modes
        given = self.factor.solve(right)
        if not modes.count:
            return given
        # Z is 0 where a node is of no piece.
        own = np.einsum("kab,kb->ka", self.inverse, self._within(right))[modes.piece]
        given -= np.einsum("nia,na->ni", self.Z, own)
        return given + modes.moved(modes.motion(modes.sums(right)))

    def condensed(self, nodes):
        """W (3s,3s) on `nodes` (s,), in the order of the factor."""
        if self._known is not None and np.array_equal(self._known[0], nodes):
            return self._known[1]
        W = self.factor.condensed(nodes)[0]
        for piece in range(self.modes.count):
            own = np.flatnonzero(self.modes.piece[nodes] == piece)
            at = (3 * own[:, None] + np.arange(3)).ravel()
            Z, R = self.Z[nodes[own]].reshape(-1, 6), self.R[nodes[own]].reshape(-1, 6)
            W[np.ix_(at, at)] += R @ self.modes.inverse[piece] @ R.T - Z @ self.inverse[piece] @ Z.T
        self._known = nodes, W
        return W
