"""Runs an hour of a study, and its cost a run: the slot hopper by default.

    python benchmarks/bench_studies.py [STUDY.toml] [--output DIR] [--workers N] [--seconds S] [--repeats R] [--seed S]

Ends cleanly after --seconds, whatever is done by then; the same command goes on where it ended. Needs no Blender, no
matplotlib, nothing but numpy, numba and scipy. Without a study: 200 grains at one outlet, 1 and then all workers.
Parts of a study made apart, with other seeds, are joined by `cat` of their runs.jsonl.
"""

import argparse
import dataclasses
import json
import shutil
import sys
import time
import tomllib
from pathlib import Path

from stiction.solver.base.threads import core_count
from stiction.solver.studies.coordinator import run_study
from stiction.solver.studies.plan import tasks_of
from stiction.solver.studies.pool import LocalPool
from stiction.solver.studies.store import RUNS, read_runs
from stiction.solver.studies.study import study_from_data
from stiction.solver.studies.task import perform

CELL = {
    "stiction_study": 1, "name": "cell", "scene": {"name": "slot_hopper", "parameters": {"open_time": 1.5}},
    "settings": {"time": 40.0}, "parameters": {"outlet": {"values": [3.0]}}, "repeats": {"count": 8},
    "quality": {"repeats": 0},
}  # fmt: skip
ROOT = Path(__file__).resolve().parents[1]


class TimeUp(Exception):
    """The time given is over; what is done stays."""


def clock(seconds):
    """A progress function that ends a study after so many seconds."""
    began = time.monotonic()

    def progress(done, total):
        spent = time.monotonic() - began
        print(f"{done}/{total} runs, {spent:.0f} s", file=sys.stderr, flush=True)
        if spent > seconds:
            raise TimeUp

    return progress


def figures(folder, wall, workers):
    """What a finished stretch of a study took."""
    rows = [result["row"] for result in read_runs(Path(folder) / RUNS)[0].values() if result["row"]["jammed"] != ""]
    cpu, steps = sum(row["cpu_s"] for row in rows), sum(row["steps"] for row in rows)
    return {
        "workers": workers, "runs": len(rows), "wall_s": round(wall, 1),
        "cpu_s_a_run": round(cpu / max(len(rows), 1), 2), "cpu_ms_a_step": round(1e3 * cpu / max(steps, 1), 2),
        "runs_an_hour": round(3600 * len(rows) / max(wall, 1e-9)),
    }  # fmt: skip


def stretch(study, folder, workers, seconds):
    """Run a study for so many seconds, print what it took, and return the runs an hour."""
    # Compile once here, not in every worker at the same time.
    task = tasks_of(study)[0]
    perform([dataclasses.replace(task, settings={**task.settings, "time": 0.05})])
    began = time.monotonic()
    try:
        run_study(study, folder, LocalPool(workers), resume=True, progress=clock(seconds))
    except TimeUp:
        print("time is up; the same command goes on", file=sys.stderr)
    found = figures(folder, time.monotonic() - began, workers)
    print(json.dumps(found), flush=True)
    return found["runs_an_hour"]


def main():
    """Run the study of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", nargs="?", default=None)
    parser.add_argument("--output", default="out/bench_studies")
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--repeats", type=int, default=0, help="runs a point, in place of the study's")
    parser.add_argument("--seed", type=int, default=0, help="first seed, in place of the study's")
    given = parser.parse_args()
    data, name = CELL, "cell"
    if given.study:
        # The library that checks a study file is not needed for one that is known to be right.
        data, name = tomllib.loads(Path(given.study).read_text(encoding="utf-8")), Path(given.study).stem
    study = study_from_data(data, ROOT, name, checked=False)
    if given.repeats:
        study = dataclasses.replace(study, repeats=given.repeats)
    if given.seed:
        study = dataclasses.replace(study, first_seed=given.seed)
    counts = [given.workers or core_count()] if given.study or given.workers else [1, core_count()]
    rates = []
    for workers in counts:
        folder = given.output if given.study else f"{given.output}/{workers}"
        if not given.study:
            # Runs that an earlier call has made would not be timed.
            shutil.rmtree(folder, ignore_errors=True)
        rates.append(stretch(study, folder, workers, given.seconds))
    if len(rates) > 1:
        print(json.dumps({"scaling": round(rates[1] / max(rates[0], 1), 2), "workers": counts}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
