"""Handing islands over from sweeps to the second-order methods, and back."""

import math

import numpy as np

from . import accelerated_kernels as kernels
from .proximal_newton import newton_fits
from .second_order import SecondOrder

# Costs in units of one contact swept once (about 55 ns): a block product of the factorisation, and what a Newton
# step costs for each contact and node besides.
_PRODUCT, _CONTACT, _NODE = 1.2, 12.0, 6.0
# Newton steps an island is expected to need.
EXPECTED_STEPS = 15


class Finisher:
    """Decides which islands of a Sweeper go to the second-order methods, and runs those on them."""

    def __init__(self, sweeper):
        self.sweeper = sweeper
        self.second_order = None
        self.islands = {}
        count = sweeper.body.islands.count
        self.not_before = np.zeros(max(1, count))
        self.size = np.maximum(1, np.diff(sweeper.body.islands.block_start))
        self.fits = newton_fits(sweeper.body)

    def run(self, budget, clock):
        """Newton steps on the islands that are worth it, at most `budget` iterations on each.

        Returns (goal reached everywhere, merit of each iteration: the residual of the worst island [m/s]).
        """
        state, spent = self.sweeper.state, 0
        for index in self._candidates():
            island = self._island(index)
            if island is None:
                continue
            cost = self._step_cost(island, index)
            if not self._worth_it(index, cost, budget):
                continue
            spent = max(spent, self._newton(index, island, cost, budget, clock))
        open_islands = state[:, kernels.DONE] == 0
        return not np.any(open_islands), np.full(spent, state[:, kernels.BEST].max())

    def _candidates(self):
        state = self.sweeper.state
        if not self.fits:
            return []
        due = (state[:, kernels.DONE] == 0) & (state[:, kernels.SWEEPS] >= self.not_before)
        return [int(i) for i in np.flatnonzero(due)]

    def _island(self, index):
        """The analysed island, kept for the next turn; None where its factorisation would be too large."""
        if index not in self.islands:
            if self.second_order is None:
                self.second_order = SecondOrder(self.sweeper.body)
            self.islands[index] = self.second_order.island(index)
        return self.islands[index]

    def _step_cost(self, island, index):
        """Cost of a Newton step in sweeps over the island."""
        nodes = island.span[3] - island.span[2]
        return (_PRODUCT * island.work + _NODE * nodes) / self.size[index] + _CONTACT

    def _worth_it(self, index, cost, budget):
        """True if the sweeps, at their present rate, need longer than the Newton method is expected to."""
        state, goal = self.sweeper.state[index], self.sweeper.goal
        if budget < 4 * cost:
            return False
        if goal <= 0.0 or state[kernels.BEST] >= 0.999 * state[kernels.FIRST]:
            return True
        rate = math.log(state[kernels.FIRST] / state[kernels.BEST]) / 50.0
        return math.log(state[kernels.BEST] / goal) / rate > EXPECTED_STEPS * cost

    def _newton(self, index, island, cost, budget, clock):
        """Run a portion of Newton steps on one island; returns the iterations it counts for."""
        sweeper = self.sweeper
        state, goal = sweeper.state[index], sweeper.goal
        residual, used = self.second_order.solve_island(
            index, island, float(state[kernels.BEST]), goal, int(budget / cost), clock, sweeper.work.best
        )
        state[kernels.BEST] = residual
        if residual <= goal:
            state[kernels.DONE] = 1.0
        else:
            sweeper.restore(index)
            self.not_before[index] = state[kernels.SWEEPS] + 100
        return int(math.ceil(used * cost))
