"""NNCG with the backtracking line search of Silcowitz-Hansen et al. 2010, figure 3.

The step a along d obeys the Armijo rule f(x + a d) <= f(x) + c1 a grad f . d, with a halved from 1. Every trial
costs a sweep, and the paper finds no gain; the iteration is here for its plots, not for speed.
"""

from typing import NamedTuple

import numpy as np

from ..sweep_kernels import gauss_seidel_sweep
from .nncg_kernels import direction_weight


class Point(NamedTuple):
    """Impulses x (K,) with w = W J^T x (N,), and the same after one sweep."""

    x: np.ndarray
    w: np.ndarray
    swept: np.ndarray
    swept_w: np.ndarray

    @property
    def gradient(self):
        """PGS(x) - x, the paper's -grad f."""
        return self.swept - self.x

    @property
    def square(self):
        """|grad f|^2 = 2 f(x) [N^2 s^2]."""
        return float(self.gradient @ self.gradient)


class LineSearch:
    """Steps with line search; `sweeper`: Blocks, and what a sweep is, see sweep_kernels.py."""

    def __init__(self, sweeper, x, w, options):
        self.sweeper, self.options = sweeper, options
        self.point = self._at(x, w)
        self.direction = self.point.gradient
        self.direction_w = self.point.swept_w - self.point.w
        self.spent = 1

    def _at(self, x, w):
        swept, swept_w = x.copy(), w.copy()
        gauss_seidel_sweep(*self.sweeper, 1.0, swept, swept_w)
        return Point(x, w, swept, swept_w)

    def step(self):
        """Take one step; where no step is short enough, the plain sweep. Counts sweeps in `spent`."""
        old = self.point
        self.point = self._backtrack(old)
        beta = 0.0
        if self.point.square <= old.square:
            polak_ribiere = self.options.variant == "polak_ribiere"
            beta = direction_weight(polak_ribiere, self.point.square, old.square, self.point.gradient, old.gradient)
        self.direction = beta * self.direction + self.point.gradient
        self.direction_w = beta * self.direction_w + self.point.swept_w - self.point.w

    def _backtrack(self, old):
        """Return the first trial point that obeys the Armijo rule, of steps down to 1/2048."""
        slope, step = -float(old.gradient @ self.direction), 1.0
        for _ in range(12 if slope < 0.0 else 0):
            trial = self._at(old.x + step * self.direction, old.w + step * self.direction_w)
            self.spent += 1
            if 0.5 * trial.square <= 0.5 * old.square + self.options.armijo * step * slope:
                return trial
            step *= 0.5
        self.direction, self.direction_w = old.gradient, old.swept_w - old.w
        self.spent += 1
        return self._at(old.swept, old.swept_w)

    def advance(self, count, threshold):
        """Spend about `count` sweeps, or end at the merit `threshold`; returns the merits, one a sweep.

        The last step may be cut in the record, never in the work.
        """
        merit = [self.point.square] * self.spent
        while len(merit) < count and self.point.square > threshold:
            self.spent = 0
            self.step()
            merit += [self.point.square] * self.spent
        self.spent = 0
        return np.array(merit[:count])
