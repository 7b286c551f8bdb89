"""Figures and table of a study for the docs, from what its folder holds by now, finished or not.

    python tools/study_figures.py STUDY.toml FOLDER TARGET [NAME ...]

Copies the plots NAME (default: clog_probability) to TARGET_NAME.png and prints each point's share of jams with its
interval, and the verdict of the quality panel.
"""

import dataclasses
import shutil
import sys
import tempfile
from pathlib import Path

from stiction.solver.commands.study import cell_sentence, cells_in
from stiction.solver.studies.coordinator import Outcome
from stiction.solver.studies.plan import task_at
from stiction.solver.studies.plots import draw_all
from stiction.solver.studies.quality import judged
from stiction.solver.studies.store import RUNS, read_runs
from stiction.solver.studies.study import load_study


def outcome_of(study, folder, target):
    """The Outcome of the runs in a folder, its plots going to the folder `target`."""
    results = read_runs(Path(folder) / RUNS)[0]
    found = [(result["seed"], result) for result in results.values()]
    tasks = [task_at(study, result["values"], seed - study.first_seed, result["variant"]) for seed, result in found]
    order = sorted(zip(tasks, results.values(), strict=True), key=lambda pair: (str(pair[0].values), pair[0].seed))
    done = {task.key: result for task, result in order}
    made = Outcome(study, Path(target), [task for task, _ in order], done)
    made.quality = judged(made)
    return made


def main(file, folder, target, *names):
    """Draw, copy, print."""
    study = load_study(file)
    with tempfile.TemporaryDirectory() as scratch:
        outcome = outcome_of(dataclasses.replace(study, sensitivity={}), folder, scratch)
        drawn = {figure.file for figure in draw_all(outcome)}
        for name in names or ("clog_probability",):
            if f"{name}.png" not in drawn:
                sys.exit(f"{name}: no such plot of this study; there are {', '.join(sorted(drawn))}")
            shutil.copyfile(Path(scratch) / f"{name}.png", f"{target}_{name}.png")
    for cell in cells_in(outcome):
        print(cell_sentence(cell))
    print(outcome.quality.sentence)


if __name__ == "__main__":
    main(*sys.argv[1:])
