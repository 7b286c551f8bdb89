"""PROX Gauss-Seidel as printed: Algorithm 2 of Erleben 2017 with the r-factor strategies of section 4.2.

    z_I <- lambda_I - R_I (J_I w + b_I),   lambda_n <- max(0, z_n),   lambda_f <- prox_F(lambda_n)(z_f),
    w <- w + (W J^T)_I (lambda_I^{k+1} - lambda_I^k)

Normal and friction rows of a contact see the same w (line 6). When |lambda^{k+1} - lambda^k|_inf grows, the
sweep is undone, impulses and w alike, and all r-values shrink by nu. The friction projection works on the
unscaled ellipsoid by bisection.

Two statements of the paper do not hold, and this module does not hide it. With Local or Blocked r-factors, R
is not a multiple of the identity on a friction block; the fixed point then satisfies -R_f v_f in the normal cone
instead of -v_f, so friction of disks and ellipsoids points up to 45 degrees away from the sliding direction.
"The solutions hold for all r" is true of one scalar a friction block (the strategy `scalar`, and Global), and
of any diagonal with the box. And the merit is proportional to r: it cannot compare strategies.
"""

import numpy as np

from ..loop import Group, relative_step, run_groups
from .prox_literal_kernels import (
    BLOCKED,
    GLOBAL,
    LAST,
    LOCAL,
    SCALAR,
    SCALE,
    STOPPED,
    Factors,
    Rules,
    adaptive_iterations,
    r_factors,
)

STRATEGY = {"global": GLOBAL, "local": LOCAL, "blocked": BLOCKED, "scalar": SCALAR}
PAPER_NU = {"global": 0.5, "local": 0.9, "blocked": 0.5, "scalar": 0.9}


def solve(problem, impulse, options):
    """Run Algorithm 2 on `problem`; impulse (K,) is the start and receives the answer."""
    return iterate(problem, impulse, options, jacobi=False)


class AdaptiveIteration:
    """The arrays that one solve with adaptive r-factors carries from group to group."""

    def __init__(self, problem, impulse, options, jacobi):
        self.p, (offset, diagonal) = problem.arrays, problem.diagonal
        self.factors = Factors(offset, np.zeros_like(diagonal), jacobi)
        r_factors(self.p, offset, diagonal, STRATEGY[options.strategy], options.r_global, self.factors.R)
        stops = (options.absolute, options.relative) if options.stopping == "paper" else (0.0, 0.0)
        self.rules = Rules(_back_tracking(options), options.roll_back == "not_less", *stops)
        self.x = impulse.copy() if options.start == "warm" else np.zeros_like(impulse)
        self.w = problem.velocity_change(self.x)
        self.state = np.zeros(STOPPED + 1)
        self.state[SCALE], self.state[LAST] = 1.0, np.inf

    def advance(self, count):
        """Run a group of `count` iterations; returns a Group."""
        merit = np.empty(count)
        done = adaptive_iterations(self.p, self.factors, self.rules, self.x, self.w, self.state, merit)
        # At such a factor the r-values no longer move anything.
        finished = self.state[STOPPED] == 1.0 or self.state[SCALE] < 1e-14
        return Group(self.x, self.w, merit[:done], finished, relative_step(self.state[LAST], self.x))


def iterate(problem, impulse, options, jacobi):
    """Algorithm 1 (jacobi) or 2; returns an Outcome, impulse (K,) is updated in place."""
    iteration = AdaptiveIteration(problem, impulse, options, jacobi)
    return run_groups(problem, impulse, options, iteration.advance, paper_stop=options.stopping == "paper")


def _back_tracking(options):
    """Factor nu of the back-tracking; 1 switches it off."""
    if not options.back_tracking:
        return 1.0
    return options.nu if options.nu > 0.0 else PAPER_NU[options.strategy]
