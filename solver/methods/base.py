"""What a method is, what it returns, and the one function that runs it and lets the judge grade it."""

import time
from dataclasses import field
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from ..base.records import record
from ..options import Options, option

# What is left to do about loads after a solve. SETTLED: nothing; SLIPS: see staggered_start.py; EVENED: some were
# spread.
SETTLED, SLIPS, EVENED = range(3)
# How often loads are spread and solved for again: friction that slides moves them a little each time.
EVEN_ROUNDS = 3


class Status(StrEnum):
    """How a solve ended.

    CONVERGED by the judge, for literal methods by their own rule; ACCEPTABLE: above the tolerance, but as good as the
    option `acceptable` asks for, after the `patience` it gives.
    """

    CONVERGED = "converged"
    ACCEPTABLE = "acceptable"
    MAX_ITERATIONS = "max_iterations"
    STAGNATED = "stagnated"
    DIVERGED = "diverged"
    TIME_LIMIT = "time_limit"

    @property
    def accepted(self):
        """True where the answer is as good as was asked for."""
        return self in (Status.CONVERGED, Status.ACCEPTABLE)


@record
class SolveOptions(Options):
    """Options every method takes."""

    max_iterations: int = option(1000, "Largest number of iterations", minimum=0, maximum=10_000_000)
    tolerance: float = option(1e-6, "Stop when the judge's residual is at most this", unit="m/s", minimum=0.0)
    time_limit: float = option(0.0, "Stop after this time; 0 for no limit", unit="s", minimum=0.0)
    record_history: bool = option(False, "Keep the method's own merit for every iteration")


class Goals(NamedTuple):
    """What is asked of each block (B,), the same for all blocks of an island, in place of the options of these names.

    tolerance and acceptable [m/s], patience: contacts relaxed; effort: the same, None: what the options say.
    """

    tolerance: Any
    acceptable: Any
    patience: Any
    effort: Any = None

    def of(self, blocks):
        """The same of some blocks alone."""
        return Goals(*(None if own is None else np.asarray(own)[blocks] for own in self))


def strictest(goals, options):
    """The strictest of Goals, by the names of the options that have them."""
    known = type(options).__dataclass_fields__
    least = {"tolerance": goals.tolerance.min(), "acceptable": goals.acceptable.min(), "patience": goals.patience.max()}
    return {name: value.item() for name, value in least.items() if name in known}


class Outcome(NamedTuple):
    """What a method's own function returns; the impulses were updated in place. judged: the judge's residual [m/s] of
    just these impulses and their W J^T lambda (N,), where the judge was called together with the method. relaxed: how
    many contacts it relaxed, None where every iteration did all of them; events: (name, number) of what acted, see
    solver/mechanisms.py."""

    status: Status
    iterations: int
    history: Any = None
    judged: Any = None
    relaxed: int | None = None
    events: tuple = ()

    def work(self, blocks):
        """Contacts relaxed in a problem of so many blocks."""
        return self.iterations * blocks if self.relaxed is None else self.relaxed


# From the best to the worst.
SEVERITY = (Status.CONVERGED, Status.ACCEPTABLE, Status.STAGNATED, Status.MAX_ITERATIONS, Status.TIME_LIMIT,
            Status.DIVERGED)  # fmt: skip


def joined(outcomes, sizes):
    """The Outcome of parts of a problem, of `sizes` blocks each, that were solved one by one: the worst status, the
    most iterations, the largest merit of each."""
    most, history = max(outcome.iterations for outcome in outcomes), None
    if any(outcome.history is not None for outcome in outcomes):
        known = [outcome.history for outcome in outcomes if outcome.history]
        history = [max(one[i] for one in known if i < len(one)) for i in range(max(map(len, known), default=0))]
    return Outcome(
        max((outcome.status for outcome in outcomes), key=SEVERITY.index), most, history,
        relaxed=sum(outcome.work(size) for outcome, size in zip(outcomes, sizes, strict=True)),
        events=sum((outcome.events for outcome in outcomes), ()),
    )  # fmt: skip


@record
class SolveReport:
    """The graded result of one solve.

    residual: the judge's, [m/s]; violations: see residuals.Violations; history: the method's own merit, one
    number an iteration, or None; times exclude compilation.
    """

    method: str
    status: Status
    iterations: int
    residual: float
    siconos_error: float | None
    violations: Any
    history: Any
    wall_s: float
    cpu_s: float
    contact_count: int = 0


@record
class Method:
    """An entry of METHODS. `module` names the file in this package whose `solve` runs it: it is imported on
    first use, so that reading the table does not load numba. finishes: it ends with Newton steps, and takes Goals
    island by island."""

    key: str
    label: str
    description: str
    options: type = field(default=SolveOptions)
    module: str = ""
    paper: str = ""
    accurate: bool = False
    finishes: bool = False


class Clock:
    """Time limit of one solve [s], from now or from `start` of time.perf_counter; limit 0 never runs out."""

    def __init__(self, limit, start=None):
        self.limit = limit
        self.start = time.perf_counter() if start is None else start

    @property
    def limited(self):
        """Whether there is a limit."""
        return self.limit > 0

    def expired(self):
        """True once the limit has passed."""
        return self.limited and time.perf_counter() - self.start > self.limit
