"""PROX Gauss-Seidel: every block in turn takes the proximal step of its law.

For contact k with v_k = J_k w + b_k, r_n = 1 / A_nn and r_y = 1 / lambda_max(D A_FF D)

    lambda_n <- max(0, lambda_n - r_n v_n)
    y        <- P(y - r_y D v_F),      lambda_F = D y

with P the projection onto the friction set of the new lambda_n. This is Algorithm 2 of Erleben 2017 with a
scalar step on the friction block; the paper's own step-length strategies are in prox_literal.py.
"""

import numpy as np

from ..residuals import natural_map
from .base import Clock, Outcome, Status
from .sweep_kernels import gauss_seidel_sweeps, step_lengths


def solve(problem, impulse, options):
    """Run sweeps until the judge's residual is at most options.tolerance; impulse (K,) is updated in place."""
    return sweep_until(problem, impulse, options, relaxation=1.0)


def sweep_until(problem, impulse, options, relaxation):
    """Gauss-Seidel sweeps in groups of options.check_every, graded by the judge between groups.

    Keeps the iterate with the least residual seen, so that a diverging sweep never makes things worse.
    """
    p, (offset, diagonal) = problem.arrays, problem.diagonal
    r = np.empty((problem.block_count, 2))
    step_lengths(p, offset, diagonal, r)
    w = problem.velocity_change(impulse)
    clock, history, done = Clock(options.time_limit), [], 0
    best, best_impulse = natural_map(problem, impulse, w), impulse.copy()
    status = Status.CONVERGED if best <= options.tolerance else None
    while status is None:
        count = min(options.check_every, options.max_iterations - done)
        if count <= 0:
            status = Status.MAX_ITERATIONS
            break
        merit = np.empty(count)
        gauss_seidel_sweeps(p, r, offset, diagonal, relaxation, count, impulse, w, merit)
        done += count
        history.extend(merit)
        residual = natural_map(problem, impulse, w)
        if residual <= best:
            best, best_impulse = residual, impulse.copy()
        if residual <= options.tolerance:
            status = Status.CONVERGED
        elif not np.isfinite(residual):
            status = Status.DIVERGED
        elif clock.expired():
            status = Status.TIME_LIMIT
    impulse[:] = best_impulse
    return Outcome(status, done, history if options.record_history else None)
