"""The loop around an iteration: groups of iterations, judged in between, best iterate kept.

A method that repeats one kind of iteration hands over a function that runs a group of them; this module
counts, watches the clock, asks the judge and decides how the solve ended.
"""

from typing import Any, NamedTuple

import numpy as np

from ..residuals import natural_map
from .base import Clock, Outcome, Status


class Group(NamedTuple):
    """What a group of iterations left: an iterate the judge may grade, and the merit of each iteration.

    impulse (K,) [N s] with w = W J^T impulse (N,); merit (performed,); finished: the method's own rule ended
    the iteration; step: size of the last change relative to the impulses, 1 where the method does not know it.
    """

    impulse: np.ndarray
    w: np.ndarray
    merit: np.ndarray
    finished: bool = False
    step: float = 1.0


def run_groups(problem, impulse, options, advance, paper_stop=False):
    """Call advance(count) -> Group until the answer is good enough or a limit is reached; returns an Outcome.

    impulse (K,) holds the start and receives the iterate with the least judge's residual. With `paper_stop`
    the method's own rule decides, the judge only grades the last iterate, and that iterate is the answer.
    """
    clock, history, done = Clock(options.time_limit), [], 0
    best, best_impulse = natural_map(problem, impulse), impulse.copy()
    status = Status.CONVERGED if best <= options.tolerance and not paper_stop else None
    while status is None:
        count = min(options.check_every, options.max_iterations - done)
        if count <= 0:
            status = Status.MAX_ITERATIONS
            break
        group = advance(count)
        done += len(group.merit)
        history.extend(float(x) for x in group.merit)
        residual = natural_map(problem, group.impulse, group.w)
        if residual <= best or paper_stop:
            best, best_impulse = residual, group.impulse.copy()
        status = _ended(residual, group, options, clock, paper_stop)
    if paper_stop and best <= options.tolerance:
        status = Status.CONVERGED
    if np.all(np.isfinite(best_impulse)):
        impulse[:] = best_impulse
    return Outcome(status, done, history if options.record_history else None)


def _ended(residual, group, options, clock, paper_stop) -> Any:
    """Status that ends the solve after a group, or None to go on."""
    if not np.isfinite(residual):
        return Status.DIVERGED
    if residual <= options.tolerance and not paper_stop:
        return Status.CONVERGED
    # A step of this part of the largest impulse is rounding: no further iteration changes the answer.
    if group.finished or group.step <= 4.0 * np.finfo(float).eps:
        return Status.STAGNATED
    return Status.TIME_LIMIT if clock.expired() else None


def relative_step(change, impulse):
    """Largest change of an impulse relative to the largest impulse [1]; 0 where both are 0."""
    largest = float(np.max(np.abs(impulse), initial=0.0))
    return change / largest if largest > 0 else (0.0 if change == 0 else 1.0)
