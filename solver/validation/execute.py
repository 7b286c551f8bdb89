"""Runs cases in worker processes, longest first, and hands back their results as they come."""

import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor, as_completed

from ..base.records import record
from .lines import Line, Outcome

# Cases that take longest start first, so that no worker is left alone with one at the end.
LONGEST_FIRST = (
    "criterion_8_funnel",
    "heavy_top",
    "dominoes",
    "criterion_1",
    "column_of_100",
    "walls",
    "determinism",
    "criterion_8_rerun",
    "criterion_8_wall",
    "criterion_3",
    "rocking",
    "a_frame",
    "euler_disk",
    "any_step",
    "shaken",
)


@record
class CaseResult:
    """A case's Outcome and the CPU time [s] it took, compilation included."""

    key: str
    outcome: Outcome
    seconds: float

    @property
    def passed(self):
        """True if all lines hold but those that are known as shortfalls."""
        return all(line.passed or line.demanded for line in self.outcome.lines)

    @property
    def shortfalls(self):
        """The lines that were asked for and do not hold."""
        return [line for line in self.outcome.lines if line.demanded and not line.passed]


def run_case(key):
    """Run one case; an exception becomes a failing line, so that the other cases still run."""
    from . import CASES

    start = time.process_time()
    try:
        outcome = CASES[key].outcome()
    except Exception as error:
        return _failed(key, error, time.process_time() - start)
    return CaseResult(key, outcome, time.process_time() - start)


def _failed(key, error, seconds):
    line = Line("the case itself", "runs", f"{type(error).__name__}: {error}", "-", False)
    return CaseResult(key, Outcome((line,)), seconds)


def run_cases(keys, workers=2):
    """Yield a CaseResult for each key as soon as it is there."""
    if workers <= 1 or len(keys) == 1:
        yield from map(run_case, keys)
        return
    first = [key for key in LONGEST_FIRST if key in keys]
    order = first + [key for key in keys if key not in first]
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        futures = {pool.submit(run_case, key): key for key in order}
        for future in as_completed(futures):
            # A worker that dies takes its case with it, and those that wait for it: each is reported as failing.
            error = future.exception()
            yield future.result() if error is None else _failed(futures[future], error, 0.0)
