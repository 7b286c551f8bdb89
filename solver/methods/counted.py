"""Solves of a time step: counted into its work, and bounded by what is left of that."""

from .. import methods
from ..mechanisms import off
from ..options import changed
from .base import Goals
from .second_order.elimination import OF_TWO_BODIES


def improve_within(problem, impulse, settings, goals, share=None):
    """`methods.improve` as StepSettings say, on what their `work` leaves; goals: Goals of blocks."""
    work, options, cost = settings.work, settings.method_options, cost_of_relaxing(problem)
    if work.left < cost * _most(problem, options, goals):
        goals, options = _bounded(problem, options, goals, max(1, int(work.left / cost)))
    if off("newton_turns") and getattr(options, "newton", False):
        options = changed(options, newton=False)
    more = () if share is None else (share,)
    solved = methods.improve(problem, impulse, settings.method, options, goals, *more)
    relaxed = solved.outcome.work(problem.block_count)
    work.solve(int(cost * relaxed))
    settings.events.all_of(solved.outcome.events)
    usual = getattr(options, "patience", relaxed)
    if relaxed > usual and Goals(*goals).patience.max() > usual:
        settings.events.count("rest_patience")
    return solved


def improve_some(problem, impulse, blocks, settings, goals):
    """improve_within for the blocks (n,) alone, which share nothing with others: only their impulses change."""
    part, rows = problem.restrict(blocks)
    own = impulse[rows]
    solved = improve_within(part, own, settings, [None if goal is None else goal[blocks] for goal in goals])
    impulse[rows] = own
    return solved


def cost_of_relaxing(problem):
    """How many contacts between two rigid bodies are relaxed in the time of one of the problem's: by the numbers that a
    row takes part with. On the nodes of deformable bodies they are many; contacts alone see all others there."""
    rows = max(1, problem.row_count)
    dense = problem.inverse_mass is None and problem.contact_count == problem.block_count
    numbers = rows if dense else (len(problem.J.data) + len(problem.G.data)) / rows
    return max(1.0, numbers / OF_TWO_BODIES)


def most_work(problem, settings):
    """Contacts relaxed that one solve may come to at most, of what `work` leaves."""
    return min(settings.work.left, _most(problem, settings.method_options, (None, None, None, None)))


def _most(problem, options, goals):
    """Contacts relaxed that a solve may come to at most."""
    own = Goals(*goals).effort
    effort = getattr(options, "effort", 0) if own is None or len(own) == 0 else int(own.max())
    most = options.max_iterations * problem.block_count
    return min(effort, most) if effort else most


def _bounded(problem, options, goals, left):
    """(goals, options) that leave no more than `left` contacts to be relaxed, and one sweep."""
    sweeps = max(1, left // max(1, problem.block_count))
    return Goals(*goals), changed(options, max_iterations=min(options.max_iterations, sweeps))
