"""The second-order methods together: proximal-point Newton first, the interior point where that stalls, and in turn.

The proximal method starts from the impulses at hand and is done in a few steps when they are good. The interior
point starts afresh and goes through where the active set is hard; the proximal method then finishes its answer.
"""

from .interior_point import InteriorPoint, interior_fits
from .proximal_newton import ProximalNewton, ProximalState

# Newton steps without a tenfold progress after which the proximal method gives way; four times as many each turn.
PATIENCE = 15
INTERIOR_STEPS = 120
# First barriers of one interior-point run after another, see InteriorPoint.start.
BARRIERS = (1e-2, 1.0, 1e-5)


class SecondOrder:
    """Both methods on one Compact. `solve_island` improves best (R,), the impulses with the least residual."""

    def __init__(self, body):
        self.proximal = ProximalNewton(body)
        self.interior = InteriorPoint(body) if interior_fits(body) else None
        # Without bodies the interior point is the weaker one: A may be singular or not even symmetric.
        self.patience = PATIENCE if body.dual is None else 4 * PATIENCE
        self.strength = {}
        self.turn = {}

    def island(self, index):
        """The island of number `index` with its factorisation pattern, or None where that is too large."""
        return self.proximal.island(index)

    def grade(self, island, lam):
        """The judge's residual of impulses lam (R,) on an island [m/s]."""
        return self.proximal.grade(island, lam)

    def solve_island(self, index, island, residual, goal, steps, clock, best, swept):
        """Work on one island until the residual is at most `goal` [m/s], all is tried, or about `steps` steps are done.

        From the third turn on the methods start from `swept` (R,), impulses that sweeps have moved away from best.

        Returns (least residual [m/s], Newton steps done).
        """
        turn = self.turn.get(index, 0)
        self.turn[index] = turn + 1
        patience = self.patience * 4 ** min(turn, 4)
        start = best if turn < 2 else swept
        residual, used = self._proximal(index, island, residual, goal, steps, patience, clock, best, start)
        if residual <= goal or self.interior is None or used >= steps:
            return residual, used
        barrier = BARRIERS[turn % len(BARRIERS)]
        residual, more = self._interior(island, residual, goal, steps - used, clock, best, start, barrier)
        used += more
        if residual > goal and used < steps:
            self.strength[index] = 1e4
            residual, more = self._proximal(index, island, residual, goal, steps - used, patience, clock, best, best)
            used += more
        return residual, used

    def _proximal(self, index, island, residual, goal, steps, patience, clock, best, start):
        base = start.copy()
        state = ProximalState(residual, self.grade(island, base), self.strength.get(index, 1e3))
        mark, mark_steps = residual, 0
        while state.failures < 8 and state.newton_steps < steps and not clock.expired():
            if self.proximal.step(island, goal, state, base, best):
                break
            if state.least < 0.1 * mark:
                mark, mark_steps = state.least, state.newton_steps
            elif state.newton_steps - mark_steps >= patience:
                break
        self.strength[index] = state.strength
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
