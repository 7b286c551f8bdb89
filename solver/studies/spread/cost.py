"""What a study will cost, from three of its runs."""

import time

from ..adaptive import first_values
from ..checks.points import check_points
from ..measures import LOST
from ..plan import own_tasks, task_at
from ..store import RUNS, read_runs

# Runs that are made for an estimate.
TRIED = 3


def estimate(study, folder, pool):
    """The cost of what is left of a study in `folder`: {runs, done, tried: [{values, seed, cpu_s, status}], cpu_s_a_run
    (least, mean, most), cpu_hours, wall_hours, workers, finer_runs}. Its three runs are made and not kept; the pool is
    closed."""
    tasks = _all(study)
    done, _ = read_runs(folder / RUNS)
    left = [task for task in tasks if not done.finished(task.key)]
    runs = len(tasks) if study.adaptive is None else study.adaptive.most_runs
    try:
        check_points(tasks)
        tried = [_made(task, pool) for task in _spread(left)]
    finally:
        pool.close()
    seconds = [entry["cpu_s"] for entry in tried] or [0.0]
    mean, missing = sum(seconds) / len(seconds), max(runs - (len(tasks) - len(left)), 0)
    hours = mean * missing / 3600.0
    finer = 2 * study.quality.cells * min(study.quality.repeats, study.repeats)
    return {"study": study.name, "runs": runs, "done": len(tasks) - len(left), "tried": tried,
            "cpu_s_a_run": [min(seconds), mean, max(seconds)], "cpu_hours": hours,
            "wall_hours": hours / min(pool.size, max(missing, 1)), "workers": pool.size,
            "finer_runs": finer}  # fmt: skip


def _all(study):
    if study.adaptive is None:
        return own_tasks(study)
    return [task_at(study, {study.adaptive.parameter: value}, 0) for value in first_values(study.adaptive)]


def _spread(tasks):
    """The first, the middle and the last."""
    chosen = dict.fromkeys((0, len(tasks) // 2, len(tasks) - 1))
    return [tasks[i] for i in chosen][:TRIED] if tasks else []


def _made(task, pool):
    """One run: its CPU seconds without compilation, or those of the clock where it has none."""
    began = time.monotonic()
    pool.submit([task])
    _, results = pool.take()
    row = {"status": LOST, "cpu_s": ""} if results is None else results[0]["row"]
    seconds = row["cpu_s"] if row["cpu_s"] != "" else time.monotonic() - began
    return {"values": task.values, "seed": task.seed, "cpu_s": float(seconds), "status": row["status"]}
