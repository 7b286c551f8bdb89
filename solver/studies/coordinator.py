"""Running a study: tasks out to workers, results in as they come, tables and report at the end."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..base.refusal import StudyError
from .adaptive import first_values, next_batch
from .checks.points import check_points
from .measures import LOST, TRIES, failed_row
from .plan import in_groups, own_tasks, quality_tasks, task_at, unique
from .quality import judged, uncertain_cells
from .spread.parts import damage_notes, groups_of_part
from .store import RUNS, Store
from .task import AS_GIVEN, result_of
from .values import shown_point

# Runs that are named in one sentence.
NAMED = 3


class Rows(Sequence):
    """(Task, row, detail) of finished runs, each read when it is asked for."""

    def __init__(self, tasks, done):
        self._tasks, self._done = tasks, done

    def __len__(self):
        return len(self._tasks)

    def __getitem__(self, i):
        task = self._tasks[i]
        result = self._done[task.key]
        return task, result["row"], result["detail"]


@dataclass
class Outcome:
    """What became of a study: its folder, the tasks in order, {key: result}, the Quality report, and sentences on what
    was lost or damaged."""

    study: object
    folder: Path
    tasks: list = field(default_factory=list)
    done: dict = field(default_factory=dict)
    quality: object = None
    plan: dict = field(default_factory=dict)
    notes: list = field(default_factory=list)

    def rows(self, variant=AS_GIVEN, tasks=None):
        """(Task, row, detail) of the finished runs of a variant among `tasks` (left out: all), in order."""
        among = self.tasks if tasks is None else tasks
        return Rows([task for task in among if task.variant == variant and task.key in self.done], self.done)

    @property
    def failed(self):
        """Number of runs without a result."""
        return sum(row["status"] in ("refused", "failed", LOST) for _, row, _ in self.rows())


# What comes after the runs themselves, as it is told.
FINER = "checking the answer at finer settings"


def run_study(study, folder, pool, resume=False, progress=None, part=None):
    """Run a Study on the workers of a pool (LocalPool or DaskPool) and return its Outcome.

    Results come to `folder` as they are made; with resume, finished runs in it are not made again, and those that were
    lost are. part: (i, n) makes every n-th run alone, and none at finer settings.
    The pool is closed; with None no run is made, and the Outcome has those that are there. StudyError for a study or a
    folder that cannot be used.
    """
    adaptive, finer = study.adaptive, study.quality.cells > 0 and study.quality.repeats > 0 and part is None
    tasks = own_tasks(study) if adaptive is None else []
    if part is not None and adaptive is not None:
        raise StudyError("--part has no effect on an adaptive study, whose runs depend on all before; leave it out")
    if pool is not None:
        first = [{adaptive.parameter: value} for value in first_values(adaptive)] if adaptive else []
        check_points(tasks or [task_at(study, point, 0) for point in first], finer)
    store = Store(folder, resume, adds=pool is not None)
    outcome = Outcome(study, Path(folder), tasks, store.done)
    outcome.notes += damage_notes(Path(folder) / RUNS, store.done)
    try:
        if adaptive is None:
            _perform(outcome.tasks, outcome, store, pool, progress, part)
        else:
            _adapt(outcome, store, pool, progress)
        if finer:
            again = quality_tasks(study, _finer_cells(outcome, pool))
            if again and hasattr(progress, "stage"):
                progress.stage(f"{FINER}: {len(again)} runs")
            outcome.tasks = outcome.tasks + unique(again)
            _perform(again, outcome, store, pool, progress)
        outcome.quality = judged(outcome)
        outcome.notes += _lost_notes(outcome)
    finally:
        if pool is not None:
            pool.close()
        store.close()
        if outcome.done:
            store.write_tables(outcome.tasks)
    return outcome


def _lost_notes(outcome):
    """A sentence on the runs that have no result because their worker ended or their time was over."""
    lost = [task for task in outcome.tasks if task.key in getattr(outcome.done, "lost", ())]
    if not lost:
        return []
    named = "; ".join(", ".join(filter(None, (shown_point(task.values), f"seed {task.seed}"))) for task in lost[:NAMED])
    more = "; ..." if len(lost) > NAMED else ""
    what = "1 run was" if len(lost) == 1 else f"{len(lost)} runs were"
    return [f"{what} lost ({named}{more}): --resume makes {'it' if len(lost) == 1 else 'them'} again"]


def _finer_cells(outcome, pool):
    """Points that are run again at finer settings; without a pool those that may have been while counts were others."""
    count = outcome.study.quality.cells
    return uncertain_cells(outcome, count if pool is not None else len(outcome.tasks))


def _adapt(outcome, store, pool, progress):
    """Batches of runs where the answer is uncertain, until it is not. While one is in work the next is queued, chosen
    from those before it: no worker waits for the last run of a batch, and any number of workers makes the same runs."""
    known, queued = 0, set()
    while True:
        batch, outcome.plan = next_batch(outcome, outcome.tasks[:known])
        if pool is None:
            there = {task.key for task in outcome.tasks}
            batch = [task for task in batch if task.key in store.done and task.key not in there]
        if not batch and known == len(outcome.tasks):
            return
        # The first batch, and the last, are waited for: the next one depends on them.
        ready = len(outcome.tasks) if known and batch else len(outcome.tasks) + len(batch)
        outcome.tasks = outcome.tasks + batch
        queued |= _queue(batch, store, pool)[1]
        _await({task.key for task in outcome.tasks[known:ready]}, queued, outcome, store, pool, progress)
        known = ready


def _perform(tasks, outcome, store, pool, progress, part=None):
    """Run what of the tasks is not done yet; all that were queued are back when it returns."""
    if pool is not None:
        _await(*_queue(tasks, store, pool, part), outcome, store, pool, progress)


def _queue(tasks, store, pool, part=None):
    """Queue what of the tasks is not done yet; (keys of all that are to be done, of those queued)."""
    # First runs of all points come first: what is there of an unfinished study covers all of them.
    groups, queued = groups_of_part(in_groups(sorted(tasks, key=lambda task: task.seed)), part), set()
    for group in groups if pool is not None else []:
        left = [task for task in group if not store.done.finished(task.key)]
        if left:
            pool.submit(left)
        queued.update(task.key for task in left)
    return {task.key for group in groups for task in group}, queued


def _await(keys, queued, outcome, store, pool, progress):
    """Take what comes until none of `keys` is among those queued, which lose what is back."""
    missing = keys & queued
    while missing:
        group, results = pool.take()
        for result in results if results is not None else [_lost(task) for task in group]:
            store.add(result)
        for left in (missing, queued):
            left.difference_update(task.key for task in group)
        store.write_tables_now_and_then(outcome.tasks)
        if progress is not None:
            progress(len(keys) - len(missing), len(keys))


def _lost(task):
    row = failed_row(LOST, f"the worker process ended during this run, {TRIES} times; --resume makes it again")
    return result_of(task, row | {"cpu_s": ""}, {})
