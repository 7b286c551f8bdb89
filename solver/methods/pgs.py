"""Projected Gauss-Seidel with the box model of friction (Silcowitz-Hansen, Niebe and Erleben 2010).

Each row is relaxed on its own, x_i <- clip(x_i - omega v_i / A_ii), with normal impulses >= 0 and each
friction impulse in [-mu lambda_n, mu lambda_n]. It solves another law than Coulomb's: the judge grades it
by the problem's own friction set.
"""

from dataclasses import replace

import numpy as np

from ..friction import FrictionLaw
from .base import Outcome
from .prox import sweep_until


def solve(problem, impulse, options):
    """Run projected SOR sweeps on the box model of `problem`; impulse (K,) is updated in place."""
    box = replace(problem, law=np.full_like(problem.law, int(FrictionLaw.BOX)))
    outcome = sweep_until(box, impulse, options, relaxation=options.relaxation)
    return Outcome(outcome.status, outcome.iterations, outcome.history)
