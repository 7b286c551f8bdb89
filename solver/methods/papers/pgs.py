"""Projected Gauss-Seidel with the box model of friction (Silcowitz-Hansen, Niebe and Erleben 2010, equation 17).

Each row is relaxed on its own with the newest values of all others, x_i <- clip(x_i - omega v_i / A_ii), with
normal impulses >= 0 and each friction impulse in [-mu lambda_n, mu lambda_n]. omega = 1 is projected
Gauss-Seidel, anything else projected SOR. Printed, (17) and (18) take lambda_n of the last iterate; that is the option
`bounds` = last, the default takes the one just relaxed, as programs do. The box is another law than Coulomb's: the
judge grades the answer by the problem's own friction set, so a diagonal slide with the default law ends as stagnated.

Merit: |PGS(x) - x|^2, the quantity of the paper's plots.
"""

from ..sweep_kernels import BOX_ROWS, BOX_ROWS_OF_BEFORE
from .prox import sweep_until


def solve(problem, impulse, options):
    """Run projected SOR sweeps on the box model of `problem`; impulse (K,) is updated in place."""
    way = BOX_ROWS_OF_BEFORE if options.bounds == "last" else BOX_ROWS
    return sweep_until(problem, impulse, options, way, options.relaxation, merit=1)
