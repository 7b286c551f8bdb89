"""The factorisation of one matrix, and what is asked of it."""

import numpy as np

from ...base.late import late
from . import factor_kernels as kernels

blas = late("scipy.linalg.blas")


class NotPositive(ArithmeticError):
    """The matrix is not positive definite."""


class Factor:
    """L of scale K + diag(weight), for a Symbolic pattern: `refactor` once a matrix, then solve and condense.

    Deterministic: the same bits on every run and for any number of threads.
    """

    def __init__(self, symbolic):
        self.symbolic = symbolic
        self.L = np.empty(int(symbolic.panel_start[-1]))
        self._work = np.zeros(len(symbolic.order), dtype=np.int64)

    def refactor(self, blocks, scale, weight, fixed):
        """Factor scale K + diag(weight): blocks (s,3,3) of K as in Symbolic, weight (n,), fixed (n,) bool: nodes whose
        rows and columns are those of the diagonal alone. Raises NotPositive."""
        s = self.symbolic
        kernels.scatter(s.places, blocks, scale, weight, fixed, self.L)
        if not kernels.factor(s.tree, self.L, self._work):
            raise NotPositive("a body's mass and stiffness are not positive definite")

    @property
    def parts(self):
        """What kernels that solve with it take."""
        return self.symbolic.tree, self.symbolic.order, self.L

    def solve(self, right):
        """A^-1 right for right (n,3)."""
        result = np.empty((len(self.symbolic.order), 3))
        kernels.solve(*self.parts, np.ascontiguousarray(right), result)
        return result

    def solver(self):
        """A function from right (3n,k) to A^-1 right of the matrix as it is. Each panel of L meets all k in products
        of BLAS, whose bits depend on the processor: for what is prepared before a run."""
        s, panels = self.symbolic, []
        for i in range(s.count):
            m = 3 * int(s.start[i + 1] - s.start[i])
            panel = self.L[s.panel_start[i] : s.panel_start[i + 1]].reshape(m, -1).T
            below = (3 * s.rows[s.row_start[i] : s.row_start[i + 1], None] + np.arange(3)).ravel()
            own = slice(3 * s.start[i], 3 * s.start[i + 1])
            panels.append((own, below, np.asfortranarray(panel[:m]), panel[m:]))

        def solve(right):
            x = right.reshape(len(s.order), -1)[s.order].reshape(right.shape)
            for own, below, diagonal, rest in panels:
                x[own] = blas.dtrsm(1.0, diagonal, x[own], lower=1)
                x[below] -= rest @ x[own]
            for own, below, diagonal, rest in reversed(panels):
                x[own] = blas.dtrsm(1.0, diagonal, x[own] - rest.T @ x[below], lower=1, trans_a=1)
            return x.reshape(len(s.order), -1)[s.place].reshape(right.shape)

        return solve

    def condensed(self, nodes):
        """(W (3r,3r), nodes (r,) in its order): the blocks of A^-1 of `nodes`."""
        s = self.symbolic
        places = np.sort(s.place[nodes])
        W = np.empty((3 * len(places), 3 * len(places)))
        kernels.condensed(s.tree, self.L, places, self._work, W)
        return W, s.order[places]
