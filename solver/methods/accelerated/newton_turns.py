"""Turns of Newton steps on the islands of a sweeper, one call of a kernel after the other.

turn_kernels.py says when an island has one and how long it is; plain_kernels.py does the same in one call for small
islands of plain contacts.
"""

from functools import cached_property
from math import ceil

import numpy as np

from ..compact.accelerated_kernels import BEST
from ..second_order.proximal_newton import ProximalNewton, newton_fits
from . import turn_kernels as kernels


class NewtonTurns:
    """Newton steps on the islands of a sweeper whose turn it is; made anew for each solve. turns: Turns."""

    def __init__(self, sweeper, turns=None):
        self.sweeper, self.islands = sweeper, {}
        count = len(sweeper.spent)
        self.turns = kernels.no_turns(count, len(sweeper.best)) if turns is None else turns
        sweeper.spent = self.turns.spent

    def run(self, clock):
        """Turns on all islands whose turn it is. Returns the merit of each iteration: the residual of the worst island
        [m/s], so many times as the turns of one island cost sweeps at most."""
        sweeper, most = self.sweeper, 0.0
        for i in range(len(sweeper.spent)):
            if kernels.is_due(self.turns, i, sweeper.state[i], sweeper.aims.goal[i]) and not clock.expired():
                most = max(most, self._turns(i, clock))
        return np.full(ceil(most), sweeper.residuals().max())

    @cached_property
    def _newton(self):
        """The ProximalNewton of the problem; None where it does not know a block."""
        body = self.sweeper.body
        return ProximalNewton(body) if body is not None and newton_fits(body) else None

    def _island(self, i):
        """Island i with its factorisation pattern, made once; None where that would be too large."""
        if i not in self.islands:
            self.islands[i] = None if self._newton is None else self._newton.island(i)
        return self.islands[i]

    def _turns(self, i, clock):
        """Turns on island i, as long as one follows the other; returns what they cost in sweeps."""
        island, turns, sweeper = self._island(i), self.turns, self.sweeper
        if island is None:
            kernels.too_large(turns, i)
            return 0.0
        turns.cost[i], before = island.cost, turns.spent[i]
        turns.due[i] = max(turns.due[i], kernels.FIRST_STEPS * island.cost)
        state, goal, follows = sweeper.state[i], float(sweeper.aims.goal[i]), True
        while follows and not clock.expired():
            steps = kernels.steps_of_turn(turns, i, state, sweeper.aims, island.rows, sweeper.best)
            if steps == 0:
                break
            run = self._newton.run(island, (goal, steps), (state[BEST], turns.strength[i]), turns.base, sweeper.best,
                                   clock)  # fmt: skip
            follows = kernels.end_turn(turns, i, state, goal, run)
        spent = turns.spent[i] - before
        if spent > 0.0 and state[BEST] > goal:
            sweeper.restore(i)
        return spent
