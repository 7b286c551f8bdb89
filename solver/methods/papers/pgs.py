"""Projected Gauss-Seidel with the box model of friction (Silcowitz-Hansen, Niebe and Erleben 2010, equation 17).

Each row is relaxed on its own with the newest values of all others, x_i <- clip(x_i - omega v_i / A_ii), with
normal impulses >= 0 and each friction impulse in [-mu lambda_n, mu lambda_n]. omega = 1 is projected
Gauss-Seidel, anything else projected SOR. Printed, (17) and (18) take lambda_n of the last iterate; that is the option
`bounds` = last, the default takes the one just relaxed, as programs do. The box is another law than Coulomb's: the
judge grades the answer by the problem's own friction set, so a diagonal slide with the default law ends as stagnated.

Merit: |PGS(x) - x|^2, the quantity of the paper's plots.
"""

import numpy as np

from ..loop import Group, relative_step, run_groups
from .pgs_kernels import row_sweeps


def solve(problem, impulse, options):
    """Run projected SOR sweeps on the box model of `problem`; impulse (K,) is updated in place."""
    p, (offset, diagonal) = problem.arrays, problem.diagonal
    last = options.bounds == "last"
    x, w = impulse.copy(), problem.velocity_change(impulse)

    def advance(count):
        merit = np.empty(count)
        change = row_sweeps(p, offset, diagonal, options.relaxation, last, count, x, w, merit)
        return Group(x, w, merit, step=relative_step(change, x))

    return run_groups(problem, impulse, options, advance)
