"""Staggered projections: Algorithm 1 of Kaufman, Sueda, James and Pai 2008.

Contact and friction impulses are projected in turn, each with the other held (equations 24, 25):

    N alpha^i <- P_C(x - f^{i-1}),      f^i <- P_F(alpha^i)(x - N alpha^i)

In rows this is a quadratic program in the normal impulses with the friction impulses fixed, and one in the
friction impulses inside the set that the normal impulses span. The sequence starts from the friction of the
start impulses, ends when the relative kinetic error (28) is small, remembers the friction with the least
residual (29), and always finishes with a contact projection, so that an early end still does not penetrate.
Independent islands are solved one by one (section 8.2).

The paper's polygon of 2m directions is one option, the problem's own law (disk, ellipsoid, box) the default.
Joints take part in both projections, limits and drives in the contact projection. The subproblems are solved by
conjugate gradients on sweeps, by the method `accurate`, or by the conic library Clarabel. With `extrapolation`, not the
paper's, the friction of the next pair is extrapolated from the last ones. Merit: the relative error (28), largest over
islands.
"""

from dataclasses import replace

import numpy as np

from ...laws.friction_laws import FrictionLaw
from ...residuals import natural_map
from ..assembly import friction_rows
from ..base import Clock, Outcome, Status, joined
from ..sweep_kernels import CONTACT_STAGE, FRICTION_STAGE
from .extrapolation import Extrapolation
from .staggered_kernels import friction_energies, signorini_residual
from .staggered_stages import last_stages, make_stages
from .subproblems import decoupled_blocks, part


def solve(problem, impulse, options):
    """Run staggered projections on every island of `problem`; impulse (K,) is the start and receives the answer."""
    model = problem
    if options.friction == "polygon":
        model = replace(problem, law=np.full_like(problem.law, int(FrictionLaw.POLYGON)), sides=options.directions)
    clock, outcomes, sizes = Clock(options.time_limit), [], []
    for blocks in decoupled_blocks(model):
        (own, rows), (judged, _) = part(model, blocks), part(problem, blocks)
        island = Island(own, judged, impulse[rows], options, clock)
        outcomes.append(island.run())
        sizes.append(len(blocks))
        impulse[rows] = island.answer
    whole = joined(outcomes, sizes)._replace(relaxed=None)
    return whole if options.record_history else whole._replace(history=None)


class Island:
    """One staggered sequence. `answer` holds the impulses [N s] from start to end."""

    def __init__(self, problem, judged, impulse, options, clock):
        self.problem, self.judged, self.options, self.clock = problem, judged, options, clock
        self.p = problem.arrays
        self.is_friction = friction_rows(problem)
        self.answer = impulse.copy()
        self.x = impulse.copy()
        self.stages = make_stages(problem, options, clock)
        self.cached, self.least = impulse.copy(), np.inf
        self.best, self.best_error = impulse.copy(), natural_map(judged, impulse)
        self.start_error = self.best_error
        self.history = []

    def run(self):
        """Algorithm 1; returns an Outcome and leaves the impulses in `answer`."""
        paper = self.options.stopping == "paper"
        status = Status.CONVERGED if self.best_error <= self.options.tolerance and not paper else None
        if status is None:
            status = self._sequence(paper)
            self._finish(paper)
            if self.best_error <= self.options.tolerance:
                status = Status.CONVERGED
        return Outcome(status, len(self.history), self.history)

    def _sequence(self, paper):
        """Lines 4 to 14; returns how the sequence ended."""
        o, old = self.options, np.where(self.is_friction, self.x, 0.0)
        extrapolation = Extrapolation(o.extrapolation)
        while len(self.history) < o.max_iterations:
            self.stages.project(CONTACT_STAGE, self.x)
            self.stages.project(FRICTION_STAGE, self.x)
            if not np.all(np.isfinite(self.x)):
                return Status.DIVERGED
            friction = np.where(self.is_friction, self.x, 0.0)
            error = self._relative_error(friction, old)
            self.history.append(error)
            self._remember()
            if paper and error <= o.friction_tolerance:
                return Status.STAGNATED
            if not paper and self.best_error <= o.tolerance:
                return Status.CONVERGED
            if error == 0.0 and not self.stages.sharpen():
                return Status.STAGNATED
            if self.clock.expired():
                return Status.TIME_LIMIT
            old = extrapolation.next(old, friction, self.best_error)
            self.x = np.where(self.is_friction, old, self.x)
        return Status.MAX_ITERATIONS

    def _relative_error(self, friction, old):
        """Equation (28); 0 where friction did not move, inf where it came up from nothing."""
        change, size = friction_energies(self.p, friction, old, self.problem.dof_count)
        return change / size if size > 0.0 else (0.0 if change == 0.0 else float("inf"))

    def _remember(self):
        """Cache the friction of the least residual (29), lines 8 to 12, and the iterate the judge likes best."""
        residual = signorini_residual(self.p, self.x, self.problem.velocity_change(self.x))
        if residual < self.least:
            self.least, self.cached = residual, self.x.copy()
        error = natural_map(self.judged, self.x)
        if error <= self.best_error:
            self.best_error, self.best = error, self.x.copy()

    def _finish(self, paper):
        """Lines 15 to 17: one last contact projection with the cached friction, or with that the judge likes best.

        It starts from the normal impulses that went with that friction: normal impulses are not unique, and a conic
        solver's interior point would move them far, out from under the friction, so it is not used there.
        """
        if not paper and self.best_error <= self.options.tolerance:
            self.answer = self.best
            return
        final = (self.cached if paper else self.best).copy()
        if np.all(np.isfinite(final)):
            last_stages(self.stages, self.problem, self.options, self.clock).project(CONTACT_STAGE, final)
        error = natural_map(self.judged, final)
        if error <= self.start_error or paper:
            self.best, self.best_error = final, error
        self.answer = self.best
