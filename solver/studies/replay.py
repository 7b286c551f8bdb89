"""One run of a finished study again, with its frames: a study keeps none, and a run is the same bits whenever it is
made."""

import csv
from dataclasses import replace

from ..base.refusal import StudyError
from ..simulation import simulate
from .plan import task_at
from .store import RESULTS, RUN, RUNS, read_runs
from .task import fill_of, prepared
from .watcher import Watcher


def table_of(folder):
    """The rows of a study's results.csv as dicts; StudyError without one."""
    try:
        with open(folder / RESULTS, newline="", encoding="utf-8") as handle:
            rows = list(csv.DictReader(handle))
    except OSError as error:
        raise StudyError(f"study folder {folder}: has no {RESULTS} ({error.strerror}); run the study first") from None
    except (ValueError, csv.Error):
        raise StudyError(f"study folder {folder}: {RESULTS} is damaged; --resume of the study writes it anew"
                         ) from None  # fmt: skip
    if rows and RUN not in rows[0]:
        raise StudyError(f"study folder {folder}: {RESULTS} is of an older version; run the study with --resume")
    return rows


def task_of_row(study, folder, row):
    """The Task of a row of results.csv, counted from 1; StudyError if there is none or the study has changed."""
    rows = table_of(folder)
    if not 1 <= row <= len(rows):
        raise StudyError(f"--frames is {row}; {RESULTS} has rows 1 to {len(rows)}")
    key = rows[row - 1][RUN]
    result = read_runs(folder / RUNS)[0].get(key)
    task = None if result is None else task_at(study, result["values"], result["seed"] - study.first_seed)
    if task is None or task.key != key:
        raise StudyError(f"row {row} of {folder / RESULTS}: the study has changed since; run it with --resume")
    return task


def replay(study, folder, row, output, fps=25.0, progress=None):
    """Simulate the run of a row of results.csv again, with about `fps` frames a second kept in the folder `output`.
    Returns its Trajectory; progress(steps done, steps in all, StepReport)."""
    task = task_of_row(study, folder, row)
    fill = None if task.shared is None else fill_of(task)
    scene, options = prepared(task, fill)
    options = replace(options, steps_per_frame=max(1, round(1.0 / (fps * options.time_step))))
    watcher = Watcher(scene, options, task.stop, ())
    return simulate(scene, options, output, progress, start=fill, watch=watcher, overwrite=True)
