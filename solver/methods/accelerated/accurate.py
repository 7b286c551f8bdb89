"""The accuracy method: accelerated sweeps as a start, then second-order methods until the residual is small enough.

It is accelerated.py with another balance: islands are handed over as soon as sweeps get slow, and the proximal-point
Newton and interior-point methods take turns, with other starts, as long as the limits allow.
"""

from . import accelerated

# Newton steps an island is expected to need: few, so that it is handed over early.
EXPECTED_STEPS = 8


def solve(problem, impulse, options, goals=None):
    """Solve until the judge's residual is at most options.tolerance; impulse (K,) is updated in place."""
    return accelerated.solve_in_one(problem, impulse, options, goals, EXPECTED_STEPS)


def solve_evenly(problem, impulse, options, goals, share):
    """See accelerated.solve_evenly."""
    return accelerated.solve_evenly(problem, impulse, options, goals, share, EXPECTED_STEPS)


def taken_up(problem, impulse, options, goals, solved):
    """See accelerated.taken_up."""
    return accelerated.taken_up(problem, impulse, options, goals, solved, EXPECTED_STEPS)


def start_of(options):
    """See accelerated.start_of."""
    return accelerated.start_of(options, EXPECTED_STEPS)


def prepare(problem, options, goals=None):
    """Return a function that solves `problem` from impulses (K,) as often as it is called, see accelerated.prepare."""
    return accelerated.prepare(problem, options, goals, EXPECTED_STEPS)
