"""Accelerated Gauss-Seidel: the right sweep of PROX with momentum and Newton steps in turns, island by island.

A sweep takes the proximal step of each contact with one scalar r a friction block. Before each sweep Nesterov's jump
is made in body space, along the way since the iterate before; it starts anew where the change of a sweep points back or
grows (O'Donoghue and Candes 2015). On stacks and sliding piles that takes a half to a fifth of the sweeps of the
conjugate-gradient step of Silcowitz-Hansen et al. 2010, which the method nncg has. Where there is no progress in 200
sweeps, the next 50 go without momentum. Each island stops when the judge's residual is small enough there.

Sweeps and the Newton steps of second_order/proximal_newton.py have turns, each as dear as all work before it: no rate
is predicted, and the whole stays within about four times the cost of the better one alone. turn_kernels.py says when
each has its turn, docs/theory.md states both as formulas. An iteration is a sweep; a Newton step counts as many as it
costs, so that max_iterations limits the work. The iterate with the least residual is the answer: a solve never returns
worse than it was given. Goals and limits are those of the island, and nothing about one depends on another.

Contacts are sorted from the ground up with the points of a manifold together, see islands.py. Problems
without bodies (a Delassus matrix from a file) are swept block row by block row; what fits neither form gets plain
sweeps without momentum.
"""

import numpy as np

from ..base import Clock, Goals, Outcome, Status, joined
from ..compact.compact import Compact, compact
from ..delassus.delassus import delassus_rows
from ..second_order import elimination
from ..second_order.wide_body import few_unknowns
from . import plain
from .goals import asked_of
from .newton_turns import NewtonTurns
from .split import groups
from .sweepers import DelassusSweeper, GeneralSweeper, Sweeper
from .turn_kernels import GROUP, LIMITED, ended, first_aims, next_aims


def solve(problem, impulse, options, goals=None):
    """Solve until the judge's residual is at most options.tolerance; impulse (K,) is updated in place. In one call of a
    kernel where nothing is asked that needs more."""
    if plain.fits(problem, options):
        outcome = plain.solve(problem, impulse, options, goals, resumed)
        if outcome is not None:
            return outcome
    if plain.fits_joined(problem, options):
        outcome = plain.solve_joined(problem, impulse, options, goals)
        if outcome is not None:
            return outcome
    return prepare(problem, options, goals)(impulse)


def solve_evenly(problem, impulse, options, goals, share):
    """`solve` and a first look at the loads, see plain.solve_evenly; None where that is not one call."""
    if not plain.fits(problem, options):
        return None
    return plain.solve_evenly(problem, impulse, options, goals, resumed, share)


def starts_of(options):
    """See plain.starts_of."""
    return plain.starts_of(options)


def resumed(problem, impulse, options, goals, rest, sweeps):
    """The Outcome of a solve that a kernel did `sweeps` of and left the Solve `rest` of."""
    body = Compact(rest.rows, rest.islands, problem)
    if problem.forms is not None and not problem.friction_given:
        problem.forms[compact] = body.rows, body.islands
    asked = asked_of(problem, options, *body.sizes(), goals)
    sweeper = Sweeper(body, options, rest.aims)
    sweeper.resume(rest.work, rest.state)
    newton = NewtonTurns(sweeper, rest.turns)
    return go_on(sweeper, impulse, asked, options, newton, Clock(0.0), (False, np.zeros(sweeps)))


def prepare(problem, options, goals=None):
    """Return a function that solves `problem` from impulses (K,), updated in place, as often as it is called.

    It holds the problem in the form sweeps take. goals: Goals of blocks, constant over an island, in place of what the
    options say.
    """
    if elimination.fits(problem):
        return elimination.prepare(problem, options, goals, prepare_sweeps)
    return prepare_sweeps(problem, options, goals)


def prepare_sweeps(problem, options, goals=None):
    """`prepare` with every row swept."""
    body = compact(problem, options.threads)
    split = groups(problem) if body is None else None
    if split is not None:
        return _each(problem, options, goals, split)

    def solve(impulse):
        sweeper, asked = sweeper_of(problem, body, options, goals)
        return run(sweeper, impulse, asked, options, Clock(options.time_limit))

    return solve


def _each(problem, options, goals, split):
    """`prepare` of the groups of blocks of split.groups, one after the other."""
    parts = [problem.restrict(blocks) for blocks in split]
    runs = [prepare(one, options, goals and goals.of(blocks)) for (one, _), blocks in zip(parts, split, strict=True)]

    def solve(impulse):
        outcomes = []
        for (_, rows), go in zip(parts, runs, strict=True):
            given = impulse[rows]
            outcomes.append(go(given))
            impulse[rows] = given
        return joined(outcomes, map(len, split))

    return solve


def sweeper_of(problem, body, options, goals=None):
    """(sweeper for the problem's form, Asked of its islands); body: its Compact, None where it has none."""
    if body is not None:
        asked = asked_of(problem, options, *body.sizes(), goals)
        return Sweeper(body, options, first_aims(asked)), asked
    rows = None if few_unknowns(problem) else delassus_rows(problem)
    if goals is not None:
        goals = Goals(*(None if own is None else np.array([reduce(own)]) for own, reduce in
                        zip(goals, (np.min, np.min, np.max, np.max), strict=True)))  # fmt: skip
    asked = asked_of(problem, options, np.array([problem.block_count]), np.zeros(1, np.int64), goals)
    if rows is not None:
        return DelassusSweeper(problem, rows, options, first_aims(asked)), asked
    return GeneralSweeper(problem, options, first_aims(asked)), asked


def run(sweeper, impulse, asked, options, clock):
    """Groups of sweeps and turns of Newton steps until every island reaches its goal or a limit; writes the best
    impulses back."""
    reached = sweeper.begin(impulse)
    return go_on(sweeper, impulse, asked, options, NewtonTurns(sweeper) if options.newton else None, clock, reached)


def go_on(sweeper, impulse, asked, options, newton, clock, begun):
    """`run` after the first sweeps. The goal of an island is the tolerance, and what is acceptable once its patience is
    used up; a sweeper's `used` counts Newton steps by the sweeps they cost."""
    reached, part = begun
    merit = [part]
    while not reached:
        if newton is not None:
            merit.append(newton.run(clock))
        if not next_aims(asked, sweeper.state, sweeper.spent, sweeper.aims) or clock.expired():
            break
        reached, part = sweeper.advance(GROUP)
        merit.append(part)
    sweeper.store(impulse)
    merit = np.concatenate(merit)
    history = merit.tolist() if options.record_history else None
    relaxed = int(sweeper.used() @ sweeper.sizes)
    turned = newton is not None and bool(newton.turns.spent.any())
    events = (("newton_turns", 1),) if turned else ()
    return Outcome(_ended(sweeper, asked, clock), len(merit), history, relaxed=relaxed, events=events)


def _ended(sweeper, asked, clock):
    """Status of the solve: that of its worst island."""
    how = ended(asked, sweeper.state, sweeper.aims)
    if how == LIMITED and clock.expired() and np.any(sweeper.used()[sweeper.open()] < asked.most[sweeper.open()]):
        return Status.TIME_LIMIT
    return plain.STATUS[how]
