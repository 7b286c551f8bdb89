"""Sweeps with momentum and proximal-point Newton steps, island by island, in turns of doubling cost.

Two mechanisms, and no rate is predicted: each turn costs as much as all before it, so that the whole stays within about
four times the cost of the better one alone. The sweeps are those of accelerated.py, the Newton steps those of
second_order/proximal_newton.py; schedule.py says when each has its turn. docs/theory.md states both as formulas.
"""

from ..accelerated.accelerated import prepare as prepare_with
from .schedule import Turns


def solve(problem, impulse, options, goals=None):
    """Solve until the judge's residual is at most options.tolerance; impulse (K,) is updated in place."""
    return prepare(problem, options, goals)(impulse)


def prepare(problem, options, goals=None):
    """Return a function that solves `problem` from impulses (K,) as often as it is called, see accelerated.prepare."""
    return prepare_with(problem, options, goals, Turns)


def solve_evenly(problem, impulse, options, goals, share):
    """None: there is no kernel that makes the solve and the first look at the loads in one call."""
    return None


def start_of(options):
    """None, for the same reason."""
    return None
