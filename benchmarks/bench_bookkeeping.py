"""What a study costs beside its runs: CPU time a run of the coordinator and of its pipes, and the memory it takes.

    python benchmarks/bench_bookkeeping.py [--runs N] [--toys N] [--workers N]

First with results that are made up, of the size of real ones (runs of 40 exits), through everything but the workers;
then with real toys, ten steps of two grains, on workers, whose CPU time the coordinator's is a share of: imports,
compilation, scenes and pipes are in that of the workers, and not in that of the runs. Tables included, no plots.
"""

import argparse
import json
import resource
import tempfile
import time

from stiction.solver.studies.coordinator import run_study
from stiction.solver.studies.measures import COLUMNS
from stiction.solver.studies.pool import LocalPool
from stiction.solver.studies.study import study_from_data
from stiction.solver.studies.task import result_of

TOY = {
    "stiction_study": 1, "name": "toys",
    "scene": {"name": "slot_hopper", "parameters": {"count": 2, "open_time": 0.05, "time_step": 0.01}},
    "settings": {"time": 0.1, "method": "pgs", "max_iterations": 20}, "stop": {"quiet": 0.05},
    "quality": {"repeats": 0},
}  # fmt: skip
ROW = dict.fromkeys(COLUMNS[1:], 0.123456789) | {"status": "jammed", "jammed": 1, "message": ""}
DETAIL = {"curve": [[0.0123456789 * i, i] for i in range(40)]}


class MadeUp:
    """A pool whose runs take no time."""

    def __init__(self):
        self.queue = []

    def submit(self, tasks):
        self.queue.append(tasks)

    def take(self):
        tasks = self.queue.pop()
        return tasks, [result_of(task, dict(ROW), DETAIL) for task in tasks]

    def close(self):
        pass


def study(runs):
    """A Study of toys at ten outlets."""
    values = [1.0 + 0.2 * i for i in range(10)]
    return study_from_data({**TOY, "parameters": {"outlet": {"values": values}}, "repeats": {"count": runs // 10}})


def spent(made, pool):
    """(CPU s of this process, CPU s of its workers, wall s, (runs with a result, CPU s that they say)) of a study."""
    cpu, children, wall = time.process_time(), _children(), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        outcome = run_study(made, folder, pool)
        took = time.process_time() - cpu, _children() - children, time.monotonic() - wall
        costs = [row["cpu_s"] for _, row, _ in outcome.rows() if row["jammed"] != ""]
    return *took, (len(costs), sum(costs))


def _memory(whose):
    """Most memory [MB] of this process, or of the largest of its workers."""
    return round(resource.getrusage(whose).ru_maxrss / 1024)


def _children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    """Print both."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--runs", type=int, default=10_000)
    arguments.add_argument("--toys", type=int, default=100)
    arguments.add_argument("--workers", type=int, default=2)
    given = arguments.parse_args()
    # Points are looked at once, and imports come once.
    with tempfile.TemporaryDirectory() as folder:
        run_study(study(10), folder, MadeUp())
    if given.runs:
        before = _memory(resource.RUSAGE_SELF)
        cpu, _, wall, _ = spent(study(given.runs), MadeUp())
        found = {"runs": given.runs, "bookkeeping_us_a_run": round(1e6 * cpu / given.runs), "wall_s": round(wall, 1),
                 "memory_mb": _memory(resource.RUSAGE_SELF), "of_that_before": before}  # fmt: skip
        print(json.dumps(found), flush=True)
    if given.toys:
        cpu, workers, wall, (rows, runs) = spent(study(given.toys), LocalPool(given.workers))
        found = {"toys": rows, "workers": given.workers, "wall_s": round(wall, 1), "runs_cpu_s": round(runs, 1),
                 "workers_cpu_s": round(workers, 1), "coordinator_cpu_s": round(cpu, 2),
                 "share": round(cpu / (cpu + workers), 4), "memory_mb": _memory(resource.RUSAGE_SELF),
                 "of_a_worker_mb": _memory(resource.RUSAGE_CHILDREN)}  # fmt: skip
        print(json.dumps(found))


if __name__ == "__main__":
    main()
