"""Accelerated Gauss-Seidel: the right sweep of PROX with momentum, island by island, and a Newton finish.

A sweep takes the proximal step of each contact with one scalar r a friction block. Before each sweep Nesterov's jump
is made in body space, along the way since the iterate before; it starts anew where the change of a sweep points back or
grows (O'Donoghue and Candes 2015). On stacks and sliding piles that takes a half to a fifth of the sweeps of the
conjugate-gradient step of Silcowitz-Hansen et al. 2010, which the method nncg has. Where there is no progress in 200
sweeps, the next 50 go without momentum. Each island stops when the judge's residual is small enough there.

An island whose sweeps would need longer than a second-order method is handed over to those of second_order.py,
and back if they fail. An iteration is a sweep; a Newton step counts as many as it costs, so that max_iterations
limits the work. The iterate with the least residual is the answer: a solve never returns worse than it was given.
Goals and limits are those of the island, and nothing about one depends on another.

Contacts are sorted from the ground up with the points of a manifold together, see islands.py. Problems
without bodies (a Delassus matrix from a file) are swept block row by block row; what fits neither form gets plain
sweeps without momentum.
"""

import numpy as np

from ..base import Clock, Goals, Outcome, Status
from ..compact.compact import Compact, compact
from ..delassus.delassus import delassus_rows
from ..second_order import elimination
from . import plain
from .finisher import Finisher
from .goals import IslandGoals
from .split import groups, part
from .sweepers import DelassusSweeper, GeneralSweeper, Sweeper
from .turn_kernels import GROUP

# Newton steps an island is expected to need: it is handed over when sweeps would take longer.
EXPECTED_STEPS = 30
# Looking up a member of an enumeration takes a tenth of the time that the smallest problems need.
_CONVERGED = Status.CONVERGED
_WORSE = (Status.CONVERGED, Status.ACCEPTABLE, Status.MAX_ITERATIONS, Status.TIME_LIMIT)


def solve(problem, impulse, options, goals=None):
    """Solve until the judge's residual is at most options.tolerance; impulse (K,) is updated in place."""
    return solve_in_one(problem, impulse, options, goals, EXPECTED_STEPS)


def solve_in_one(problem, impulse, options, goals, expected):
    """`solve`, in one call where nothing is asked that needs more."""
    if plain.fits(problem, options):
        outcome = plain.solve(problem, impulse, options, goals, expected, resumed)
        if outcome is not None:
            return outcome
    return prepare(problem, options, goals, expected)(impulse)


def solve_evenly(problem, impulse, options, goals, share, expected=EXPECTED_STEPS):
    """`solve` and a first look at the loads, see plain.solve_evenly; None where that is not one call."""
    if not plain.fits(problem, options):
        return None
    return plain.solve_evenly(problem, impulse, options, goals, expected, resumed, share)


def taken_up(problem, impulse, options, goals, solved, expected=EXPECTED_STEPS):
    """solve_evenly after its kernel, which was called by somebody else and returned `solved`."""
    return plain.taken_up(problem, impulse, options, goals, expected, resumed, solved)


def start_of(options, expected=EXPECTED_STEPS):
    """See plain.start_of."""
    return plain.start_of(options, expected)


def resumed(problem, impulse, options, goals, expected, rest, sweeps):
    """The Outcome of a solve that a kernel did `sweeps` of and left the Solve `rest` of."""
    body = Compact(rest.rows, rest.islands, problem)
    if problem.forms is not None and not problem.friction_given:
        problem.forms[compact] = body.rows, body.islands
    asked = IslandGoals(problem, options, *body.sizes(), goals)
    asked.impatient = rest.impatient
    sweeper = Sweeper(body, options, asked)
    sweeper.resume(rest.work, rest.state, rest.turns.spent, asked)
    finisher = finisher_of(sweeper, options, expected)
    finisher.trace = plain.traces(rest)
    return go_on(sweeper, impulse, asked, options, finisher, Clock(0.0), (False, np.zeros(sweeps)))


def prepare(problem, options, goals=None, expected=EXPECTED_STEPS):
    """Return a function that solves `problem` from impulses (K,), updated in place, as often as it is called.

    It holds the problem in the form sweeps take. goals: Goals of blocks, constant over an island, in place of what the
    options say. Islands are handed over when sweeps would take longer than `expected` Newton steps.
    """
    if elimination.fits(problem):
        return elimination.prepare(problem, options, goals, expected, prepare_sweeps)
    return prepare_sweeps(problem, options, goals, expected)


def prepare_sweeps(problem, options, goals=None, expected=EXPECTED_STEPS):
    """`prepare` with every row swept."""
    body = compact(problem, options.threads)
    split = groups(problem) if body is None else None
    if split is not None:
        return _each(problem, options, goals, expected, split)
    sweeper, asked = sweeper_of(problem, body, options, goals)
    return lambda impulse: run(sweeper, impulse, asked, options, expected, Clock(options.time_limit))


def _each(problem, options, goals, expected, split):
    """`prepare` of the groups of blocks of split.groups, one after the other."""
    parts = [part(problem, blocks) for blocks in split]
    own = [None if goals is None else Goals(*(None if g is None else g[blocks] for g in goals)) for blocks in split]
    runs = [prepare(one, options, mine, expected) for (one, _), mine in zip(parts, own, strict=True)]

    def solve(impulse):
        outcomes = []
        for (_, rows), go in zip(parts, runs, strict=True):
            given = impulse[rows]
            outcomes.append(go(given))
            impulse[rows] = given
        worst = max((outcome.status for outcome in outcomes), key=_WORSE.index)
        history = max((outcome.history for outcome in outcomes), key=len) if options.record_history else None
        relaxed = sum(outcome.work(len(blocks)) for outcome, blocks in zip(outcomes, split, strict=True))
        return Outcome(worst, max(outcome.iterations for outcome in outcomes), history, relaxed=relaxed)

    return solve


def sweeper_of(problem, body, options, goals=None):
    """(sweeper for the problem's form, IslandGoals of its islands); body: its Compact, None where it has none."""
    if body is not None:
        asked = IslandGoals(problem, options, *body.sizes(), goals)
        return Sweeper(body, options, asked), asked
    rows = delassus_rows(problem)
    if goals is not None:
        goals = Goals(*(None if own is None else np.array([reduce(own)]) for own, reduce in
                        zip(goals, (np.min, np.min, np.max, np.max), strict=True)))  # fmt: skip
    asked = IslandGoals(problem, options, np.array([problem.block_count]), np.zeros(1, np.int64), goals)
    if rows is not None:
        return DelassusSweeper(problem, rows, options, asked), asked
    return GeneralSweeper(problem, options, asked), asked


def run(sweeper, impulse, asked, options, expected, clock):
    """Groups of sweeps until every island reaches its goal or a limit; writes the best impulses back."""
    asked.impatient[:] = False
    sweeper.goal, sweeper.limit = asked.tolerance, asked.limit()
    begun = sweeper.begin(impulse)
    reached, part = begun
    if reached:
        sweeper.store(impulse)
        return Outcome(_CONVERGED, len(part), part.tolist() if options.record_history else None)
    return go_on(sweeper, impulse, asked, options, finisher_of(sweeper, options, expected), clock, begun)


def finisher_of(sweeper, options, expected):
    """What takes islands of a solve over from its sweeps, None where the options want none: a Finisher, or what
    `expected` makes of the sweeper."""
    if not options.newton:
        return None
    return expected(sweeper) if callable(expected) else Finisher(sweeper, expected)


def go_on(sweeper, impulse, asked, options, finisher, clock, begun):
    """`run` after the first sweeps. The goal of an island is the tolerance, and what is acceptable once its patience is
    used up; a sweeper's `used` counts Newton steps by the sweeps they cost."""
    reached, part = begun
    merit = [part]
    while not reached:
        if finisher is not None and not clock.expired():
            merit.append(finisher.run(asked.limit() - sweeper.used(), clock, asked.lasting, asked.exact))
        at_an_end = False if finisher is None else finisher.at_an_end(asked.lasting)
        asked.lose_patience(sweeper.used(), at_an_end)
        sweeper.goal, sweeper.limit = asked.now, asked.limit()
        at_work = sweeper.open() & (sweeper.used() < asked.most)
        if not at_work.any() or clock.expired():
            break
        reached, part = sweeper.advance(GROUP)
        merit.append(part)
    sweeper.store(impulse)
    merit = np.concatenate(merit)
    relaxed = int(sweeper.used() @ asked.size)
    history = merit.tolist() if options.record_history else None
    return Outcome(_ended(sweeper, asked, clock), len(merit), history, relaxed=relaxed)


def _ended(sweeper, asked, clock):
    """Status of the solve: that of its worst island."""
    left = sweeper.open()
    if left.any():
        timed_out = clock.expired() and np.any(sweeper.used()[left] < asked.most[left])
        return Status.TIME_LIMIT if timed_out else Status.MAX_ITERATIONS
    return Status.ACCEPTABLE if np.any(asked.impatient & (sweeper.residuals() > asked.tolerance)) else _CONVERGED
