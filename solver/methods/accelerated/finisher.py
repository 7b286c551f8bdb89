"""Handing islands over from sweeps to the second-order methods, and back."""

import math

import numpy as np

from ..compact import accelerated_kernels as kernels
from ..second_order.proximal_newton import newton_fits
from ..second_order.second_order import SecondOrder
from .turn_kernels import CONTACT_COST, FEWEST, WINDOW, newton_cost, worth_it

# Residual in goals that counts as just above it.
JUST_ABOVE = 10.0


class Finisher:
    """Decides which islands of a sweeper go to the second-order methods, and runs those on them.

    expected: Newton steps an island is expected to need; the fewer, the earlier it is handed over.
    """

    def __init__(self, sweeper, expected=15):
        self.sweeper = sweeper
        self.expected = expected
        self.second_order, self._fits = None, None
        self.islands = {}
        self.not_before = np.zeros(len(sweeper.state))
        self.trace = {}
        # Turns that left an island just above its goal.
        self.stalls = np.zeros(len(sweeper.state), dtype=np.int64)

    def run(self, budget, clock, lasting, exact):
        """Newton steps on the islands that are worth it, at most budget (I,) iterations on each; lasting (I,): the next
        solve will start with the answer, so that a part of the way is worth something, too; exact (I,): nothing but
        the goal will do.

        Returns the merit of each iteration: the residual of the worst island [m/s].
        """
        if self._fits is None:
            self._fits = bool(self.sweeper.body and newton_fits(self.sweeper.body))
        if not self._fits:
            return np.zeros(0)
        sweeper, state, most = self.sweeper, self.sweeper.state, 0
        due = sweeper.open() & (state[:, kernels.SWEEPS] >= self.not_before) & (budget > 0)
        for index in np.flatnonzero(due):
            index, row, goal, left = int(index), state[index], float(sweeper.goal[index]), budget[index]
            # Steps that end half-way leave the sweeps where they were.
            least = FEWEST if lasting[index] else self.expected
            trace = self.trace.setdefault(index, [(0.0, row[kernels.FIRST])])
            trace.append((row[kernels.SWEEPS], row[kernels.BEST]))
            # Ordering a large island takes time: first ask whether even the cheapest step would pay.
            if not self._worth_it(trace, goal, CONTACT_COST, left, least):
                continue
            island = self._island(index)
            if island is None:
                continue
            cost = self._step_cost(island)
            if self._worth_it(trace, goal, cost, left, least):
                iterations, to_the_goal = int(left / cost), bool(exact[index])
                used = self._solve(index, island, float(row[kernels.BEST]), goal, iterations, clock, to_the_goal)
                spent = math.ceil(used * cost)
                sweeper.spent[index] += spent
                most = max(most, spent)
        return np.full(most, state[:, kernels.BEST].max())

    def _island(self, index):
        """The analysed island, kept for the next turn; None where its factorisation would be too large."""
        if index not in self.islands:
            if self.second_order is None:
                self.second_order = SecondOrder(self.sweeper.body)
            self.islands[index] = self.second_order.island(index)
        return self.islands[index]

    @staticmethod
    def _step_cost(island):
        """Cost of a Newton step in sweeps over the island."""
        blocks, nodes = island.span[1] - island.span[0], island.span[3] - island.span[2]
        return float(newton_cost(island.work, blocks, nodes))

    def _worth_it(self, trace, goal, cost, budget, least=FEWEST):
        """True if sweeps, at the rate of the last hundred, need longer than a Newton method is expected to.

        trace: (sweeps, residual) at the start and after each group of sweeps; least: steps that the budget must allow.
        """
        sweeps, now = trace[-1]
        since, before = next(entry for entry in trace if entry[0] >= sweeps - WINDOW)
        given = (since, before, sweeps, now, goal, cost, budget, least, self.expected)
        return worth_it(*(float(number) for number in given))

    def _solve(self, index, island, residual, goal, steps, clock, exact):
        """Run the second-order methods on one island; returns the Newton steps done."""
        sweeper, state = self.sweeper, self.sweeper.state[index]
        residual, used = self.second_order.solve_island(
            index, island, residual, goal, steps, clock, sweeper.best, exact
        )
        state[kernels.BEST] = residual
        if residual > goal:
            sweeper.restore(index)
            self.not_before[index] = state[kernels.SWEEPS] + 100
            self.stalls[index] += residual <= JUST_ABOVE * goal
        return used

    def at_an_end(self, lasting):
        """Islands (I,) bool that turn after turn, two where the answer is `lasting` (I,), ends just above the goal of:
        more of the same work would be lost."""
        return self.stalls >= np.where(lasting, 2, 1)
