"""NNCG: nonlinear conjugate gradients whose gradient is one Gauss-Seidel sweep.

With f(x) = |PGS(x) - x|^2 / 2 and grad f = -(PGS(x) - x) (Silcowitz-Hansen, Niebe and Erleben 2010, equations
21 to 23), the listing of section 4 takes full steps and restarts whenever |grad f| grows. Directions are
carried in body space as well, so that w = W J^T x costs no extra product.

The paper's model is the box, swept row by row; `friction = problem` (the default) replaces that sweep by the
proximal sweep on the problem's own law and leaves everything else as it is. The judge sees PGS(x), which obeys
the bounds, not the extrapolated x. Merit: |grad f|^2, one number a sweep.
"""

import numpy as np

from ..loop import Group, relative_step, run_groups
from ..sweep_kernels import BOX_ROWS, OWN_LAW, blocks_of
from .line_search import LineSearch
from .nncg_kernels import conjugate, nncg_iterations


class Iteration:
    """What one NNCG solve carries from group to group: `run`, a Conjugate."""

    def __init__(self, problem, impulse, options):
        self.options, self.run = options, conjugate(impulse, problem.velocity_change(impulse))
        self.sweeper = blocks_of(problem), BOX_ROWS if options.friction == "box" else OWN_LAW
        self.threshold = options.merit_tolerance**2 if options.stopping == "paper" else 0.0
        self.search = LineSearch(self.sweeper, self.run.x, self.run.w, options) if options.line_search else None

    def advance(self, count):
        """Run a group of `count` sweeps; returns a Group."""
        merit = self._search(count) if self.search else self._full_steps(count)
        square = merit[-1] if len(merit) else 0.0
        step = relative_step(float(np.sqrt(square)), self.run.answer)
        return Group(self.run.answer, self.run.answer_w, merit, square <= self.threshold, step)

    def _full_steps(self, count):
        """The listing: full steps, restart when the merit grows."""
        merit = np.empty(count)
        done = nncg_iterations(*self.sweeper, self.options.variant == "polak_ribiere", self.run, self.threshold, merit)
        return merit[:done]

    def _search(self, count):
        """Steps with line search."""
        merit = self.search.advance(count, self.threshold)
        x, w, answer, answer_w = self.search.point
        self.run = self.run._replace(x=x, w=w, answer=answer, answer_w=answer_w, direction=self.search.direction,
                                     direction_w=self.search.direction_w)  # fmt: skip
        return merit


def solve(problem, impulse, options):
    """Run NNCG on `problem`; impulse (K,) is the start and receives the answer."""
    iteration = Iteration(problem, impulse, options)
    return run_groups(problem, impulse, options, iteration.advance, paper_stop=options.stopping == "paper")
