"""When the islands of a sweeper get Newton steps, and how many."""

import math
from functools import cached_property

import numpy as np

from ..accelerated.turn_kernels import CONTACT_COST, FEWEST, newton_cost
from ..compact import accelerated_kernels as sweeps
from ..second_order.proximal_newton import ProximalNewton, ProximalState, newton_fits
from ..second_order.proximal_newton_kernels import FIRST_STRENGTH

# The first turn of sweeps: so many, and as many as this number of Newton steps costs. Newton steps from worse impulses
# wander: after 50 sweeps a sliding hopper of 500 contacts took 234 of them, after 400 sweeps two.
LEAST_SWEEPS, FIRST_STEPS = 200, 12.0
# A turn of Newton steps ends at its cost alone.
NO_PATIENCE = 1 << 60


class Turns:
    """Newton steps on the islands of a sweeper whose turn it is; made anew for each solve."""

    def __init__(self, sweeper):
        self.sweeper = sweeper
        count = len(sweeper.state)
        # Sweeps (I,) at which the next turn of Newton steps begins; not known before the first LEAST_SWEEPS.
        self.due, self.asked = np.full(count, float(LEAST_SWEEPS)), np.zeros(count, dtype=bool)
        self.islands, self.going = {}, {}

    def run(self, budget, clock, lasting, exact):
        """Newton steps on each island whose turn it is, at most budget (I,) sweeps' cost on each.

        lasting and exact (I,) change nothing here. Returns the merit of each iteration: the residual of the worst
        island [m/s].
        """
        sweeper, most = self.sweeper, 0
        done = sweeper.state[:, sweeps.SWEEPS]
        for index in np.flatnonzero(sweeper.open() & (done >= self.due) & (budget >= FEWEST * CONTACT_COST)):
            if self.proximal is None or clock.expired():
                break
            most = max(most, self._turn(int(index), budget[index], clock))
        return np.full(most, sweeper.residuals().max())

    def at_an_end(self, lasting):
        """Islands (I,) bool that more work would be lost on: none, turns only get longer."""
        return np.zeros(len(self.due), dtype=bool)

    @cached_property
    def proximal(self):
        """The ProximalNewton of the problem, made when it is first asked for; None where it does not know a block."""
        body = self.sweeper.body
        return ProximalNewton(body) if body is not None and newton_fits(body) else None

    def _turn(self, index, budget, clock):
        """A turn of Newton steps on one island, if it is due; returns what it cost in sweeps."""
        island = self._island(index)
        if island is None:
            self.due[index] = math.inf
            return 0
        cost = step_cost(island)
        sweeper, row = self.sweeper, self.sweeper.state[index]
        if not self.asked[index]:
            self.asked[index], self.due[index] = True, first_turn(cost)
            if row[sweeps.SWEEPS] < self.due[index]:
                return 0
        steps = min(steps_of_turn(row[sweeps.SWEEPS] + sweeper.spent[index], cost), int(budget / cost))
        if steps < FEWEST:
            return 0
        spent = math.ceil(cost * self._newton_steps(index, island, steps, clock))
        sweeper.spent[index] += spent
        if row[sweeps.BEST] > sweeper.goal[index]:
            sweeper.restore(index)
            self.due[index] = row[sweeps.SWEEPS] + sweeper.spent[index]
        return spent

    def _newton_steps(self, index, island, steps, clock):
        """Go on from where the island's last turn ended, unless it failed, else from the best impulses; returns the
        Newton steps done. They stand in what the sweeper keeps as its best, where they are better."""
        sweeper, row = self.sweeper, self.sweeper.state[index]
        base, strength = self.going.pop(index, None) or (sweeper.best.copy(), FIRST_STRENGTH)
        state = ProximalState(float(row[sweeps.BEST]), strength)
        goal = float(sweeper.goal[index])
        self.proximal.run(island, goal, steps, NO_PATIENCE, clock, state, base, sweeper.best)
        row[sweeps.BEST] = state.least
        if not state.failed:
            self.going[index] = base, state.strength
        return state.newton_steps

    def _island(self, index):
        """The island with its factorisation pattern, made once; None where that would be too large."""
        if index not in self.islands:
            self.islands[index] = self.proximal.island(index)
        return self.islands[index]


def step_cost(island):
    """Cost of a Newton step in sweeps over its island."""
    blocks, nodes = island.span[1] - island.span[0], island.span[3] - island.span[2]
    return float(newton_cost(island.work, blocks, nodes))


def first_turn(cost):
    """Sweeps of the first turn, where a Newton step costs as much as `cost` sweeps."""
    return max(float(LEAST_SWEEPS), FIRST_STEPS * cost)


def steps_of_turn(spent, cost):
    """Newton steps of a turn after work that cost as much as `spent` sweeps."""
    return max(FEWEST, int(spent / cost))
