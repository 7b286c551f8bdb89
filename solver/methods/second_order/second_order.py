"""The second-order methods together: proximal-point Newton, now and then the interior point.

The proximal method starts from the impulses at hand, is done in a few steps when they are good, and wanders for
hundreds where they are not. The interior point starts afresh; the proximal method goes on from its answer if that is
better.
"""

from functools import cached_property

import numpy as np

from .interior_point import InteriorPoint, interior_fits
from .proximal_newton import ProximalNewton, ProximalState
from .proximal_newton_kernels import FIRST_STRENGTH, PATIENCE, PROXIMAL_STEPS

# Newton steps of one run of the interior point.
INTERIOR_STEPS = 120
# Where less than the goal may do: what a run of the proximal method may leave of the residual to be run again before
# the interior point.
PROGRESS = 0.1
# The residual in goals up to which the first turns go without the interior point, and how many these are.
NEAR, TURNS = 100.0, 2
# First barriers of one interior-point run after another, see InteriorPoint.start.
BARRIERS = (1e-2, 1.0, 1e-5)


class SecondOrder:
    """Both methods on one Compact. `solve_island` improves best (R,), the impulses with the least residual."""

    def __init__(self, body):
        self.body, self.proximal = body, ProximalNewton(body)
        # By island: impulses (R,) and strength that the proximal method goes on from, and turns taken.
        self.going = {}
        self.turn = {}

    @cached_property
    def interior(self):
        """The InteriorPoint, made when it gets its first turn; None where it does not know the law of a block."""
        return InteriorPoint(self.body) if interior_fits(self.body) else None

    def island(self, index):
        """The island of number `index` with its factorisation pattern, or None where that is too large."""
        return self.proximal.island(index)

    def grade(self, island, lam):
        """The judge's residual of impulses lam (R,) on an island [m/s]."""
        return self.proximal.grade(island, lam)

    def solve_island(self, index, island, residual, goal, steps, clock, best, exact=True):
        """Work on one island until the residual is at most `goal` [m/s], all is tried, or about `steps` steps are done.

        exact: nothing but the goal will do; else the work ends sooner where it seldom leads there. Returns (least
        residual [m/s], Newton steps done).
        """
        turn = self.turn.get(index, 0)
        self.turn[index] = turn + 1
        more_each, used, before = 4 ** min(turn, 8), 0, np.inf
        while residual < PROGRESS * before:
            # From the best impulses again, as strong as at first: where it came nearer it is seldom at an end.
            before = residual
            limit = min(steps - used, PROXIMAL_STEPS * more_each)
            residual, more = self._proximal(index, island, residual, goal, limit, PATIENCE * more_each, clock, best)
            used += more
            if residual <= goal or self.interior is None or used >= steps or clock.expired():
                return residual, used
            if exact:
                break
            if residual < PROGRESS * before:
                self.going.pop(index, None)
        if not exact and turn < TURNS and residual <= NEAR * goal:
            # So near the interior point seldom helps: sweeps, and a turn from what they make of it, come first.
            return residual, used
        least, barrier = residual, BARRIERS[turn % len(BARRIERS)]
        residual, more = self._interior(island, residual, goal, steps - used, clock, best, best, barrier)
        if residual < least:
            self.going.pop(index, None)
        return residual, used + more

    def _proximal(self, index, island, residual, goal, steps, patience, clock, best):
        """Go on from where the last turn ended if it did not reach its goal, else from best."""
        base, strength = self.going.pop(index, None) or (best.copy(), FIRST_STRENGTH)
        state = ProximalState(residual, strength)
        self.proximal.run(island, goal, steps, patience, clock, state, base, best)
        if not state.failed:
            self.going[index] = base, state.strength
        return state.least, state.newton_steps

    def _interior(self, island, residual, goal, steps, clock, best, start, barrier):
        state = self.interior.start(island, start, residual, barrier)
        if state is None:
            return residual, 0
        limit = min(steps, INTERIOR_STEPS)
        while state.steps < limit and not state.stuck and not clock.expired():
            if self.interior.step(island, goal, state, best):
                break
        return state.least, state.steps
