"""Running a study: tasks out to workers, results in as they come, tables and report at the end."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .adaptive import first_values, next_batch
from .checks.points import check_points
from .measures import failed_row
from .plan import in_groups, quality_tasks, sensitivity_tasks, task_at, tasks_of
from .quality import judged, uncertain_cells
from .store import Store
from .task import AS_GIVEN

# Runs between two times results.csv is written while a study goes on.
TABLE_EVERY = 20


@dataclass
class Outcome:
    """What became of a study: its folder, the tasks in order, {key: result}, and the Quality report."""

    study: object
    folder: Path
    tasks: list = field(default_factory=list)
    done: dict = field(default_factory=dict)
    quality: object = None
    plan: dict = field(default_factory=dict)

    def rows(self, variant=AS_GIVEN):
        """[(Task, row, detail)] of the finished runs of a variant, in order."""
        found = [task for task in self.tasks if task.variant == variant and task.key in self.done]
        return [(task, self.done[task.key]["row"], self.done[task.key]["detail"]) for task in found]

    @property
    def failed(self):
        """Number of runs without a result."""
        return sum(row["status"] in ("refused", "failed", "lost") for _, row, _ in self.rows())


def run_study(study, folder, pool, resume=False, progress=None):
    """Run a Study on the workers of a pool (LocalPool or DaskPool) and return its Outcome.

    Results come to `folder` as they are made; with resume, finished runs in it are not made again.
    The pool is closed; with None no run is made, and the Outcome has those that are there. StudyError for a study or a
    folder that cannot be used.
    """
    adaptive, finer = study.adaptive, study.quality.cells > 0 and study.quality.repeats > 0
    tasks = _unique([*tasks_of(study), *sensitivity_tasks(study)]) if adaptive is None else []
    if pool is not None:
        first = [{adaptive.parameter: value} for value in first_values(adaptive)] if adaptive else []
        check_points(tasks or [task_at(study, point, 0) for point in first], finer)
    store = Store(folder, resume)
    outcome = Outcome(study, Path(folder), tasks, store.done)
    try:
        if adaptive is None:
            _perform(outcome.tasks, outcome, store, pool, progress)
        else:
            _adapt(outcome, store, pool, progress)
        if finer:
            again = quality_tasks(study, _finer_cells(outcome, pool))
            outcome.tasks = outcome.tasks + _unique(again)
            _perform(again, outcome, store, pool, progress)
        outcome.quality = judged(outcome)
    finally:
        if pool is not None:
            pool.close()
        store.close()
        if outcome.done:
            store.write_tables(outcome.tasks)
    return outcome


def _finer_cells(outcome, pool):
    """Points that are run again at finer settings; without a pool those that may have been while counts were others."""
    count = outcome.study.quality.cells
    return uncertain_cells(outcome, count if pool is not None else len(outcome.tasks))


def _unique(tasks):
    """Tasks without those that come again."""
    return list({task.key: task for task in tasks}.values())


def _adapt(outcome, store, pool, progress):
    """Batches of runs where the answer is uncertain, until it is not."""
    while True:
        batch, outcome.plan = next_batch(outcome)
        if pool is None:
            known = {task.key for task in outcome.tasks}
            batch = [task for task in batch if task.key in store.done and task.key not in known]
        if not batch:
            return
        outcome.tasks = outcome.tasks + batch
        _perform(batch, outcome, store, pool, progress)


def _perform(tasks, outcome, store, pool, progress):
    """Run what of the tasks is not done yet; all that were queued are back when it returns."""
    missing = [task for task in tasks if task.key not in store.done]
    if pool is None:
        return
    # First runs of all points come first: what is there of an unfinished study covers all of them.
    groups = in_groups(sorted(missing, key=lambda task: task.seed))
    for group in groups:
        pool.submit(group)
    finished, total = len(tasks) - len(missing), len(tasks)
    for _ in groups:
        group, results = pool.take()
        for result in results if results is not None else [_lost(task) for task in group]:
            store.add(plain(result))
            finished += 1
            if finished % TABLE_EVERY == 0:
                store.write_tables(outcome.tasks)
        if progress is not None:
            progress(finished, total)


def _lost(task):
    row = failed_row("lost", "the worker process ended during this run, twice") | {"cpu_s": ""}
    return {"run": task.key, "variant": task.variant, "values": task.values, "seed": task.seed, "row": row,
            "detail": {}}  # fmt: skip


def plain(result):
    """The result with Python's own numbers, as JSON takes them."""
    return json.loads(json.dumps(result, default=_number))


def _number(value):
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be written")
