"""`stiction study STUDY.toml`: many runs, a table, plots and a report."""

import json
import sys
from dataclasses import replace
from pathlib import Path

from ..base.progress import Progress
from ..base.refusal import StudyError
from .common import DONE, NOT_MET

HELP = "run a study: many runs of a scene, a table and a report"


def arguments(command):
    """Fill the parser."""
    command.add_argument("study", metavar="STUDY.toml")
    command.add_argument("--output", default=None, metavar="DIR", help="folder of the results; default: out/NAME")
    command.add_argument("--workers", type=int, default=0, metavar="N", help="processes on this machine; 0: one a core")
    command.add_argument("--scheduler", default=None, metavar="ADDRESS", help="of a Dask cluster to run on instead")
    command.add_argument("--resume", action="store_true", help="go on with the study in --output")
    command.add_argument("--repeats", type=int, default=None, metavar="N", help="runs a point, in place of the study's")
    command.add_argument("--frames", type=int, default=None, metavar="ROW",
                         help="make the run of that row of results.csv again and keep its frames in DIR/run_ROW")
    command.add_argument("--fps", type=float, default=25.0, help="frames a second that --frames keeps")
    command.add_argument("--report-only", action="store_true", help="tables and report of the runs there are")
    command.add_argument("--no-report", action="store_true", help="results only, without plots")
    command.add_argument("--json", action="store_true")


def run(options):
    """Run a study; exit 1 if a run failed or its quality does not hold."""
    from ..studies.coordinator import run_study
    from ..studies.pool import LocalPool
    from ..studies.study import load_study

    if options.workers < 0:
        raise StudyError(f"--workers is {options.workers}; give a whole number of at least 0")
    study = load_study(options.study)
    folder = Path(options.output) if options.output else Path("out") / _folder_name(study.name)
    study = _with_scene_file(study, folder, options.bridge)
    if options.repeats is not None:
        if options.repeats < 1:
            raise StudyError(f"--repeats is {options.repeats}; give a whole number of at least 1")
        if study.adaptive is not None:
            raise StudyError("--repeats has no effect: an adaptive study makes as many runs as it needs; leave it out")
        study = replace(study, repeats=options.repeats)
    if options.frames is not None:
        return _replay(study, folder, options)
    if options.report_only:
        pool = None
    elif options.scheduler:
        from ..studies.dask_pool import DaskPool

        pool = DaskPool(options.scheduler)
    else:
        pool = LocalPool(options.workers)
    outcome = run_study(study, folder, pool, options.resume or options.report_only, Progress())
    report = None
    if not options.no_report:
        from ..studies.report import write_report

        report = write_report(outcome)
    summary = summary_of(outcome, report)
    if options.json:
        print(json.dumps(summary))
    else:
        print_summary(summary, outcome)
    return DONE if summary["quality_ok"] and not summary["failed"] else NOT_MET


def _folder_name(name):
    """The name of a study as that of its folder, where no --output names another."""
    if name in (".", "..") or any(letter in name for letter in "/\\\0"):
        raise StudyError(f"study.name: is {name!r}, which is no name of a folder; give --output")
    return name


def _replay(study, folder, options):
    """Make one run again, with its frames."""
    from ..studies.replay import replay

    if not options.fps > 0:
        raise StudyError(f"--fps is {options.fps}; give a number above 0")
    output = folder / f"run_{options.frames}"
    progress = Progress()
    run = replay(study, folder, options.frames, output, options.fps, lambda done, total, _: progress(done, total))
    if options.json:
        print(json.dumps({"study": study.name, "row": options.frames, "run": str(output), "frames": len(run.times),
                          "stopped": run.stopped or "time"}))  # fmt: skip
    else:
        print(f"{len(run.times)} frames, {run.stopped or 'time'}: {output}")
    return DONE


def _with_scene_file(study, folder, bridge):
    """The study with the scene of a .blend file written out as a scene file: needs bpy."""
    from ..studies.plan import with_scene

    if "blend" not in study.scene:
        return study
    blend = study.folder / study.scene["blend"]
    if not blend.is_file():
        raise StudyError(f"study.scene.blend: {blend}: no such file; give a .blend file")
    if bridge is None:
        raise StudyError("study.scene.blend: needs Blender; call it as `stiction study`")
    try:
        exported = bridge("study_scene").scene_of_file(blend, folder / "scene.json")
    except ImportError as error:
        raise StudyError(f"study.scene.blend needs Blender's Python module ({error}); pip install bpy==5.0.1") from None
    return with_scene(study, {"file": str(Path(exported).resolve())})


def summary_of(outcome, report):
    """The `study --json` keys."""
    return {
        "study": outcome.study.name, "runs": len(outcome.rows()), "failed": outcome.failed,
        "quality_ok": bool(outcome.quality.passed), "quality": outcome.quality.sentence,
        "results": str(outcome.folder / "results.csv"), "report": None if report is None else str(report),
        "adaptive": outcome.plan or None, "cells": cells_in(outcome),
    }  # fmt: skip


def cells_in(outcome):
    """[{values, jams, runs, low, high}] of the points of a study, low and high the 95 % interval of the share."""
    from ..studies.quality import cells_of, jams
    from ..studies.statistics import wilson

    found = []
    for point, rows in cells_of(outcome.rows()).values():
        count, runs = jams(rows)
        low, high = wilson(count, runs)
        found.append({"values": dict(point), "jams": count, "runs": runs, "low": low, "high": high})
    return found


def cell_sentence(cell):
    """A point and its share of jams with the interval."""
    from ..studies.values import shown_point

    said, share = shown_point(cell["values"]) or "all", cell["jams"] / cell["runs"]
    return f"{said}: {cell['jams']} of {cell['runs']} jam, {share:.2f} [{cell['low']:.2f}, {cell['high']:.2f}]"


def plan_sentence(plan):
    """What an adaptive study found, and at what price."""
    return (
        f"{plan['parameter']} at which {100 * plan['target']:g} % of the runs jam: {plan['value']:.4g}, 95 % interval "
        f"[{plan['low']:.4g}, {plan['high']:.4g}], from {plan['runs']} runs; a grid as fine would have needed "
        f"{plan['grid_runs']}"
    )


def print_summary(summary, outcome):
    """For people: the verdict on quality first."""
    print(summary["quality"])
    print(f"{summary['runs']} runs, {summary['failed']} failed; table {summary['results']}")
    for cell in summary["cells"]:
        print(f"  {cell_sentence(cell)}")
    if outcome.plan:
        print(plan_sentence(outcome.plan))
    if summary["report"]:
        print(f"report {summary['report']}")
    for _, row, _ in outcome.rows():
        if row["message"]:
            print(f"stiction: {row['status']}: {row['message']}", file=sys.stderr)
            break
