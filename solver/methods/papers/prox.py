"""PROX Gauss-Seidel: every block in turn takes the proximal step of its law.

For contact k with v_k = J_k w + b_k, r_n = 1 / A_nn and r_y = 1 / lambda_max(D A_FF D)

    lambda_n <- max(0, lambda_n - r_n v_n)
    y        <- P(y - r_y D v_F),      lambda_F = D y

with P the projection onto the friction set of the new lambda_n (r_n is shorter where friction can jam the contact,
see sweep_kernels.normal_step). This is Algorithm 2 of Erleben 2017 with a
scalar step on the friction block; the paper's own step-length strategies are in prox_literal.py.
"""

import numpy as np

from ..loop import Group, relative_step, run_groups
from ..sweep_kernels import OWN_LAW, blocks_of, gauss_seidel_sweeps


def solve(problem, impulse, options):
    """Run sweeps until the judge's residual is at most options.tolerance; impulse (K,) is updated in place."""
    return sweep_until(problem, impulse, options, OWN_LAW, relaxation=1.0, merit=0)


def sweep_until(problem, impulse, options, way, relaxation, merit):
    """Gauss-Seidel sweeps in groups of options.check_every, graded by the judge between groups.

    way, merit: one of the WAYS of sweep_kernels.py, and the column of what gauss_seidel_sweeps says of each sweep.
    """
    blocks, x, w = blocks_of(problem), impulse.copy(), problem.velocity_change(impulse)

    def advance(count):
        found = np.empty((count, 2))
        gauss_seidel_sweeps(blocks, way, relaxation, x, w, found)
        return Group(x, w, found[:, merit], step=relative_step(found[-1, 0], x))

    return run_groups(problem, impulse, options, advance)
