"""Rigid motions of the connected pieces of a deformable body, and its response with these taken out of elasticity."""

from functools import cached_property

import numpy as np

from . import rigid_mode_kernels as kernels


class RigidModes:
    """The projector P = 1 - R (R^T M R)^-1 R^T M at node positions x (n,3), R the six rigid motions of every piece.

    P leaves of velocities what deforms a piece, P^T of forces what has neither sum nor moment. piece (n,): which piece
    a node belongs to, -1 where it is pinned: there P is 1. mass (n,) [kg]. inverse (pieces,6,6): (R^T M R)^-1.
    """

    def __init__(self, piece, mass, x):
        self.piece, self.mass, self.count = piece, mass, int(piece.max(initial=-1)) + 1
        self.arm, self.inverse = np.empty_like(x), np.empty((self.count, 6, 6))
        kernels.prepare(piece, mass, np.ascontiguousarray(x), self.arm, self.inverse)
        self.parts = piece, mass, self.arm, self.inverse
        # Where velocities are kept apart from contacts: (pressed, held, what kept_apart inverts).
        self._apart = None

    @cached_property
    def one(self):
        """A weight (n,) of 1 for all nodes."""
        return np.ones(len(self.mass))

    def momenta(self, v):
        """Linear and angular momentum (pieces,6) of velocities v (n,3)."""
        found = np.empty((self.count, 6))
        kernels.sums(self.piece, self.mass, self.arm, np.ascontiguousarray(v), found)
        return found

    def moved(self, motion):
        """Velocities (n,3) that rigid motions (pieces,6) give the nodes."""
        found = np.empty_like(self.arm)
        kernels.moved(self.piece, self.arm, motion, found)
        return found

    def motion(self, momenta):
        """The rigid motion (pieces,6) with these momenta (pieces,6)."""
        return np.einsum("kab,kb->ka", self.inverse, momenta)

    def rigid(self, v):
        """The rigid part (n,3) of velocities v (n,3), 0 where a piece is pinned."""
        return self._rigid(self.mass, v, self.one)

    def _rigid(self, weight, v, share):
        found, v = np.empty_like(self.arm), np.ascontiguousarray(v)
        kernels.rigid(self.parts, weight, v, share, found)
        return found

    def shrunk(self, v, before, after):
        """How far (n,3) nodes go where each piece, turning with velocities v (n,3), is as much smaller across its axis
        as moving straight for a time `after` [s] widens it less than for a time `before`."""
        return self._across(v, (before, after))

    def outward(self, v, h):
        """Velocities (n,3) away from the axis that nodes have besides turning where each piece comes straight, by
        velocities v (n,3), to the middle of a step of h [s]: as much inward after an even turn there."""
        return self._across(v, (h, -1.0))

    def _across(self, v, times):
        found, v = np.empty_like(self.arm), np.ascontiguousarray(v)
        kernels.across(self.parts, v, times, found)
        return found

    def deforming(self, v):
        """P v (n,3)."""
        return v - self.rigid(v)

    def balanced(self, force):
        """P^T force (n,3)."""
        return force - self._rigid(self.one, force, self.mass)

    def kept_apart(self, v, pressed, held):
        """The part of v (n,3), orthogonal by mass, without rigid motion, without velocity along unit vectors pressed
        (n,3), 0 where there is none, and without any where nodes are held (n,) bool."""
        if self._apart is None or self._apart[0] is not pressed or self._apart[1] is not held:
            inverse = self.inverse
            if pressed.any() or held.any():
                inverse = np.empty_like(inverse)
                kernels.prepare_apart(self.piece, self.mass, self.arm, pressed, held, inverse)
            self._apart = pressed, held, inverse
        found, v = np.empty_like(self.arm), np.ascontiguousarray(v)
        kernels.kept_apart((*self.parts[:3], self._apart[2]), pressed, held, v, found)
        return found


class Response:
    """Product with (M + P^T C P)^-1, of a Factor of M + C and the RigidModes of P.

    With B = M + C, Z = B^-1 M R, S = R^T M Z it is B^-1 - Z S^-1 Z^T + R (R^T M R)^-1 R^T.
    """

    def __init__(self, factor, modes):
        self.factor, self.modes, self._known = factor, modes, None
        self.Z, self.inverse = np.empty((len(modes.arm), 3, 6)), np.empty_like(modes.inverse)
        if modes.count:
            kernels.respond(factor.parts, modes.parts, self.Z, self.inverse)

    def solve(self, right):
        """Velocities (n,3) that impulses right (n,3) give."""
        given, right = np.empty_like(self.modes.arm), np.ascontiguousarray(right)
        kernels.answer(self.factor.parts, self.modes.parts, self.Z, self.inverse, right, given)
        return given

    def condensed(self, nodes):
        """W (3s,3s) on `nodes` (s,), in the order of the factor."""
        if self._known is None or not np.array_equal(self._known[0], nodes):
            W = self.factor.condensed(nodes)[0]
            kernels.add_modes(self.modes.parts, self.Z, self.inverse, nodes, W)
            self._known = nodes, W
        return self._known[1]
