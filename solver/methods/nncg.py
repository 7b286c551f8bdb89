"""NNCG: nonlinear conjugate gradients whose gradient is one Gauss-Seidel sweep.

With f(x) = |PGS(x) - x|^2 / 2 and grad f = -(PGS(x) - x) (Silcowitz-Hansen, Niebe and Erleben 2010, equations
21 to 23), the listing of section 4 takes full steps and restarts whenever |grad f| grows. Directions are
carried in body space as well, so that w = W J^T x costs no extra product.

The paper's model is the box, swept row by row; `friction = problem` (the default) replaces that sweep by the
proximal sweep on the problem's own law and leaves everything else as it is. The judge sees PGS(x), which obeys
the bounds, not the extrapolated x. Merit: |grad f|^2, one number a sweep.
"""

import numpy as np

from .loop import Group, relative_step, run_groups
from .nncg_kernels import BOX_ROWS, OWN_LAW, SQUARE, line_search_iterations, nncg_iterations
from .sweep_kernels import step_lengths


class Iteration:
    """The arrays that one NNCG solve carries from group to group."""

    def __init__(self, problem, impulse, options):
        self.p, (self.offset, self.diagonal) = problem.arrays, problem.diagonal
        self.r = np.empty((problem.block_count, 2))
        step_lengths(self.p, self.offset, self.diagonal, self.r)
        self.options = options
        self.x, self.w = impulse.copy(), problem.velocity_change(impulse)
        self.direction, self.direction_w = np.zeros_like(self.x), np.zeros_like(self.w)
        self.gradient, self.state = np.zeros_like(self.x), np.zeros(2)
        self.answer, self.answer_w = self.x.copy(), self.w.copy()

    def advance(self, count):
        """Run a group of `count` sweeps; returns a Group."""
        merit, o = np.empty(count), self.options
        sweep = BOX_ROWS if o.friction == "box" else OWN_LAW
        problem = (self.p, self.r, self.offset, self.diagonal, sweep, o.variant == "polak_ribiere")
        carried = (self.x, self.w, self.direction, self.direction_w, self.gradient, self.state)
        threshold = o.merit_tolerance**2 if o.stopping == "paper" else 0.0
        answer = (self.answer, self.answer_w, threshold, merit)
        if o.line_search:
            done = line_search_iterations(*problem, o.armijo, *carried, *answer)
        else:
            done = nncg_iterations(*problem, *carried, *answer)
        square = self.state[SQUARE] if done == 0 else merit[done - 1]
        step = relative_step(float(np.sqrt(square)), self.answer)
        return Group(self.answer, self.answer_w, merit[:done], square <= threshold, step)


def solve(problem, impulse, options):
    """Run NNCG on `problem`; impulse (K,) is the start and receives the answer."""
    iteration = Iteration(problem, impulse, options)
    return run_groups(problem, impulse, options, iteration.advance, paper_stop=options.stopping == "paper")
