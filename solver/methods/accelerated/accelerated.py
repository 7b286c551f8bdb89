"""Accelerated Gauss-Seidel: the right sweep of PROX with the momentum of NNCG, island by island, and a Newton finish.

A sweep takes the proximal step of each contact with one scalar r a friction block. Between sweeps the
non-smooth conjugate gradient step of Silcowitz-Hansen et al. 2010 (Fletcher-Reeves, restart when the gradient
grows) is carried along in body space. Where it makes no progress in 50 sweeps, the next 50 go without it,
from the best iterate. Each island stops when the judge's residual is small enough there.

An island whose sweeps would need longer than a second-order method is handed over to those of second_order.py,
and back if they fail. An iteration is a sweep; a Newton step counts as many as it costs, so that max_iterations
limits the work. The iterate with the least residual is the answer: a solve never returns worse than it was given.

Contacts are sorted from the ground up with the points of a manifold together, see islands.py. Problems
without bodies (a Delassus matrix from a file) are swept block row by block row; what fits neither form gets plain
sweeps without momentum.
"""

import time

import numpy as np

from ...problem import ProblemError
from ..base import Clock, Outcome, Status
from ..compact.compact import compact
from ..delassus.delassus import delassus_rows, siconos_measures
from .finisher import Finisher
from .sweepers import DelassusSweeper, GeneralSweeper, Sweeper

# Sweeps on an island between two decisions to go on or to hand over.
GROUP = 50
# Sweeps that every problem gets, whatever the effort; fewer will do where friction is given.
LEAST, LEAST_GIVEN = 50, 25
# Newton steps an island is expected to need: it is handed over when sweeps would take longer.
EXPECTED_STEPS = 15
# Looking up a member of an enumeration takes a tenth of the time that the smallest problems need.
_CONVERGED = Status.CONVERGED
# What the first sweeps end with, by their number.
_OUTCOMES = tuple(Outcome(_CONVERGED, sweeps) for sweeps in range(GROUP + 1))


def solve(problem, impulse, options):
    """Solve until the judge's residual is at most options.tolerance; impulse (K,) is updated in place."""
    return prepare(problem, options)(impulse)


def prepare(problem, options, expected=EXPECTED_STEPS):
    """Return a function that solves `problem` from impulses (K,), updated in place, as often as it is called.

    It holds the problem in the form sweeps take. Islands are handed over when sweeps would take longer than
    `expected` Newton steps.
    """
    if options.siconos_tolerance > 0 and not siconos_measures(problem):
        raise ProblemError(
            f"problem {problem.name!r}: siconos_tolerance is {options.siconos_tolerance}, but Siconos measures "
            "isotropic contacts with three rows and the ellipsoid law only; leave it at 0 and give a tolerance"
        )
    most = options.max_iterations
    if options.effort:
        least = LEAST_GIVEN if problem.friction_given else LEAST
        most = min(most, max(least, options.effort // max(1, problem.block_count)))
    sweeper = sweeper_of(problem, options, min(GROUP, most))
    if isinstance(sweeper, DelassusSweeper) and not options.record_history:
        return _quick(sweeper, options, expected, most)
    return lambda impulse: run(sweeper, impulse, options, expected, most, Clock(options.time_limit),
                               sweeper.begin(impulse))  # fmt: skip


def sweeper_of(problem, options, first=GROUP):
    """The sweeper for the problem's form; first: sweeps it begins with at most."""
    body = compact(problem, options.threads)
    if body is not None:
        return Sweeper(body, options, first)
    rows = delassus_rows(problem)
    if rows is not None:
        return DelassusSweeper(problem, rows, options, first)
    return GeneralSweeper(problem, options, first)


def _quick(sweeper, options, expected, most):
    """`run` on a DelassusSweeper that makes nothing but one call where the first sweeps reach the goal.

    The few contacts that needs take 1 us: making the outcome would be a third of it.
    """
    begin, now = sweeper.packed.solve, time.perf_counter

    def solve(impulse):
        start = now()
        sweeps = begin(impulse)
        if sweeps >= 0:
            return _OUTCOMES[sweeps]
        return run(sweeper, impulse, options, expected, most, Clock(options.time_limit, start), sweeper.begun())

    return solve


def run(sweeper, impulse, options, expected, most, clock, begun):
    """Groups of sweeps until the goal or a limit is reached; writes the best impulses back.

    The goal is the tolerance, and what is acceptable once the patience is used up. begun: what the sweeper's `begin`
    returned; most: sweeps at most.
    """
    status, finisher, impatient = None, None, False
    sweeper.goal = options.tolerance
    reached, part = begun
    done, merit = len(part), [part]
    if reached:
        sweeper.store(impulse)
        return Outcome(_CONVERGED, done, part.tolist() if options.record_history else None)
    patience = max(GROUP, options.patience // max(1, sweeper.block_count))
    while True:
        limit = most
        if options.acceptable > 0 and not impatient:
            limit = min(patience, limit)
        if options.newton and not reached and done < limit and not clock.expired():
            finisher = finisher or Finisher(sweeper, expected)
            reached, part = finisher.run(limit - done, clock)
            done += len(part)
            merit.append(part)
        if reached:
            status = Status.ACCEPTABLE if impatient and sweeper.worst() > options.tolerance else _CONVERGED
        elif done >= most:
            status = Status.MAX_ITERATIONS
        elif clock.expired():
            status = Status.TIME_LIMIT
        if status is not None:
            break
        impatient = done >= patience and options.acceptable > options.tolerance
        sweeper.goal = options.acceptable if impatient else options.tolerance
        reached, part = sweeper.advance(min(GROUP, most - done))
        done += len(part)
        merit.append(part)
    sweeper.store(impulse)
    return Outcome(status, done, np.concatenate(merit).tolist() if options.record_history else None)
