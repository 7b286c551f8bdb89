"""study, as Python calls it."""

from __future__ import annotations

from os import PathLike

from ..base.refusal import StudyError
from ..studies.coordinator import Outcome, run_study
from ..studies.pool import LocalPool
from ..studies.study import load_study
from .kinds import path_of
from .shown import progress_for


def study(
    file: str | PathLike,
    output: str | PathLike,
    *,
    workers: int = 0,
    resume: bool = False,
    report: bool = True,
    progress: bool | None = None,
) -> Outcome:
    """Run the study of a file (.toml, docs/studies.md) on this machine and return its Outcome.

    output: folder of the results, results.csv, tables, and plots with a report if `report`. workers: processes, 0 for
    one a core; resume: go on with the study in the folder. Of the Outcome, `rows()` gives the runs, `failed` how many
    have no result, `quality.passed` and `quality.sentence` whether they can be trusted. StudyError for what cannot be
    used. A script that calls it needs no guard: workers are processes of their own.

        outcome = st.study("jam_vs_friction.toml", "out/jam")
        print(outcome.quality.sentence, len(outcome.rows()))
    """
    plan = load_study(path_of(file, "the study file", StudyError))
    outcome = run_study(plan, path_of(output, "output", StudyError), LocalPool(workers), resume, progress_for(progress))
    if report:
        from ..studies.report import write_report

        write_report(outcome)
    return outcome
