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
    command.add_argument("study", metavar="STUDY.toml", help="a study file; `join STUDY.toml` joins its parts")
    command.add_argument("more", nargs="*", metavar="DIR", help="with join: the study file, then folders of parts")
    command.add_argument("--output", default=None, metavar="DIR", help="folder of the results; default: out/NAME")
    command.add_argument("--workers", type=int, default=0, metavar="N", help="processes on this machine; 0: one a core")
    command.add_argument("--scheduler", default=None, metavar="ADDRESS", help="of a Dask cluster to run on instead")
    command.add_argument("--resume", action="store_true", help="go on with the study in --output")
    command.add_argument("--part", default=None, metavar="I/N", help="every N-th run from the I-th on, in part_I_of_N")
    command.add_argument("--dry-run", action="store_true", help="make three runs and say what the study will cost")
    command.add_argument("--run-limit", type=float, default=0.0, metavar="S",
                         help="CPU seconds a run may take; one that takes more is lost, and made again by --resume")
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
    from ..studies.spread.parts import part_folder, part_of
    from ..studies.study import load_study

    _check(options)
    joined = options.study == "join"
    if joined:
        options.study, *options.more = options.more
    study = load_study(options.study)
    folder = Path(options.output) if options.output else Path("out") / _folder_name(study.name)
    study = _with_scene_file(study, folder, options.bridge)
    study = _repeated(study, options.repeats)
    if options.frames is not None:
        return _replay(study, folder, options)
    if options.dry_run:
        return _estimate(study, folder, options)
    part = None if options.part is None else part_of(options.part)
    if part is not None:
        folder = part_folder(folder, part)
    notes = _joined(folder, options.more) if joined else []
    only = options.report_only or joined
    outcome = run_study(study, folder, None if only else _pool(options), options.resume or only, Progress(), part)
    outcome.notes = list(dict.fromkeys([*notes, *outcome.notes]))
    report = None
    if not options.no_report and part is None:
        from ..studies.report import write_report

        report = write_report(outcome)
    summary = summary_of(outcome, report)
    for note in outcome.notes:
        print(f"stiction: {note}", file=sys.stderr)
    if options.json:
        print(json.dumps(summary))
    else:
        print_summary(summary, outcome)
    return DONE if summary["quality_ok"] and not summary["failed"] else NOT_MET


def _check(options):
    """Refuse options that cannot be used, or that another leaves without effect."""
    if options.workers < 0:
        raise StudyError(f"--workers is {options.workers}; give a whole number of at least 0")
    if options.scheduler == "":
        raise StudyError("--scheduler is empty; give the address of a scheduler, or leave it out")
    if not options.run_limit >= 0.0:
        raise StudyError(f"--run-limit is {options.run_limit:g} s; give at least 0")
    joined = options.study == "join"
    if joined and not options.more:
        raise StudyError("study join: has no study file; give join STUDY.toml [DIR ...] --output DIR")
    if options.more and not joined:
        raise StudyError(f"study: {options.more[0]!r} is one file too many; folders of parts come after `join`")
    unused = {"--part": options.part, "--scheduler": options.scheduler, "--dry-run": options.dry_run,
              "--frames": options.frames}  # fmt: skip
    given = [name for name, value in unused.items() if value is not None and value is not False]
    if joined and given:
        raise StudyError(f"{given[0]} has no effect on join, which makes no run; leave it out")
    if options.part is not None and (options.dry_run or options.frames is not None):
        raise StudyError("--part has no effect on --dry-run and --frames; leave it out")


def _repeated(study, repeats):
    """The study with as many runs a point."""
    if repeats is None:
        return study
    if repeats < 1:
        raise StudyError(f"--repeats is {repeats}; give a whole number of at least 1")
    if study.adaptive is not None:
        raise StudyError("--repeats has no effect: an adaptive study makes as many runs as it needs; leave it out")
    return replace(study, repeats=repeats)


def _pool(options):
    """Who makes the runs."""
    if options.scheduler:
        from ..studies.dask_pool import DaskPool

        pool = DaskPool(options.scheduler, options.run_limit)
        if pool.without_workers:
            Progress().note(f"--scheduler {options.scheduler}: no workers there yet; start `dask worker "
                            f"{options.scheduler}`")  # fmt: skip
        return pool
    from ..studies.pool import LocalPool

    return LocalPool(options.workers, options.run_limit)


def _joined(folder, parts):
    """Join parts; sentences on what was found."""
    from ..studies.spread.parts import join

    added, count, notes = join(folder, parts)
    return [f"{added} runs of {count} parts joined in {folder}", *notes]


def _estimate(study, folder, options):
    """Say what a study will cost."""
    from ..studies.spread.cost import estimate

    found = estimate(study, folder, _pool(options))
    if options.json:
        print(json.dumps(found))
        return DONE
    from ..studies.values import shown_point

    least, mean, most = found["cpu_s_a_run"]
    print(f"{found['runs']} runs, {found['done']} of them done; {len(found['tried'])} tried, which are not kept:")
    for entry in found["tried"]:
        print(f"  {shown_point(entry['values']) or 'all'}, seed {entry['seed']}: {entry['cpu_s']:.3g} s, "
              f"{entry['status']}")  # fmt: skip
    print(f"about {found['cpu_hours']:.3g} CPU hours ({least:.3g} to {most:.3g} s a run, {mean:.3g} in the mean), "
          f"{found['wall_hours']:.3g} hours on {found['workers']} workers; {found['finer_runs']} runs at finer "
          "settings come on top, at two to five times the price")  # fmt: skip
    return DONE


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
        "adaptive": outcome.plan or None, "cells": cells_in(outcome), "notes": outcome.notes,
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
