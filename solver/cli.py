"""The command line: `stiction COMMAND ...`. Exit 0: done; 1: the stated tolerance was not met; 2: bad input."""

import argparse
import dataclasses
import json
import sys
from pathlib import Path

from .base.progress import Progress
from .base.refusal import ProblemError, SceneError, TrajectoryError
from .methods import ALIASES, METHODS, UnknownMethod
from .options import OptionError
from .runs.simulation_options import SimulationOptions

DONE, NOT_MET, BAD_INPUT = 0, 1, 2
WORKS = ("friction_work", "impact_loss", "stabilisation_work")


class Refused(ValueError):
    """Bad input found by the command line itself."""


def main(arguments=None, bridge=None):
    """Run one command and return its exit code.

    bridge(name) returns a module of the Blender bridge ("demo", "headless_bake"): the solver does not know Blender,
    so the package's own entry point hands it in.
    """
    parser = build_parser()
    options = parser.parse_args(arguments)
    options.bridge = bridge
    try:
        return options.run(options)
    except (SceneError, OptionError, UnknownMethod, ProblemError, TrajectoryError, Refused) as error:
        print(f"stiction: {error}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        # The reader of our output has gone, as `head` does; there is nobody to tell.
        sys.stderr.close()
        return DONE
    except KeyboardInterrupt:
        print("stiction: interrupted; what was written stays, simulate --resume goes on", file=sys.stderr)
        return 130


def build_parser():
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(prog="stiction", description="Frictional contact simulation.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_demo(commands)
    _add_scenes(commands)
    _add_simulate(commands)
    _add_extract(commands)
    _add_bake(commands)
    _add_solve(commands)
    _add_compare(commands)
    _add_dump(commands)
    _add_compile(commands)
    return parser


def _bridge(options, name):
    """A module of the Blender bridge; refused where there is none."""
    if options.bridge is None:
        raise Refused(f"{options.command} needs Blender: call it as `stiction {options.command}`")
    try:
        return options.bridge(name)
    except ImportError as error:
        raise Refused(
            f"{options.command} needs Blender's Python module ({error}); run `make setup`, or `pip install bpy==5.0.1`"
        ) from None


def _add_method(command):
    names = ", ".join([*ALIASES, *METHODS])
    command.add_argument("--method", default=None, help=f"solver method: {names}")
    command.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the method")


def _pairs(options):
    pairs = {}
    for text in options.option:
        name, mark, value = text.partition("=")
        if not mark:
            raise Refused(f"--option {text!r}: give NAME=VALUE")
        pairs[name] = value
    return pairs


def _add_demo(commands):
    command = commands.add_parser("demo", help="build a scene in Blender, simulate, bake, render")
    command.add_argument("name", nargs="?", default="funnel", metavar="NAME")
    command.add_argument("--output", default="out", metavar="DIR")
    command.add_argument("--frames", type=int, default=None, metavar="N")
    command.add_argument("--no-render", action="store_true")
    command.set_defaults(run=run_demo)


def run_demo(options):
    """The main job on real input: needs bpy."""
    demo = _bridge(options, "demo")
    summary = demo.run(options.name, output=options.output, frames=options.frames, render=not options.no_render,
                       progress=Progress())  # fmt: skip
    print(json.dumps(summary, indent=1) if summary else "")
    return DONE


def _add_scenes(commands):
    command = commands.add_parser("scenes", help="list the canonical scenes and what each shows")
    command.set_defaults(run=run_scenes)


def run_scenes(_options):
    """One line a canonical scene."""
    from .scenes import SCENES

    width = max(map(len, SCENES), default=0)
    for name, entry in SCENES.items():
        print(f"{name:{width}}  {entry.description}")
    return DONE


def _add_simulate(commands):
    command = commands.add_parser("simulate", help="simulate a canonical scene or a scene file")
    command.add_argument("scene", metavar="SCENE", help="a name from `stiction scenes`, or a scene file (.json)")
    _add_method(command)
    _add_run_options(command)
    command.add_argument("--full", action="store_true", help="as many bodies as in the scene's paper")
    command.add_argument("--output", default=None, metavar="DIR", help="keep the run in this folder")
    command.add_argument("--resume", action="store_true", help="go on with the interrupted run in --output")
    command.add_argument("--contacts", action="store_true", help="keep every contact with its impulse")
    command.add_argument("--json", action="store_true")
    command.set_defaults(run=run_simulate)


def _add_run_options(command):
    for entry in _run_options():
        command.add_argument("--" + entry.name.replace("_", "-"), default=None, metavar="VALUE", help=_help(entry))


def _run_options():
    """Fields of SimulationOptions that have a flag of their own name."""
    # --method and --option set a method, --contacts has a shorter name.
    other = ("method", "method_options", "store_contacts")
    return [entry for entry in dataclasses.fields(SimulationOptions) if entry.name not in other]


def _help(entry):
    """Help of an option's flag: its doc, unit and choices."""
    data = entry.metadata
    unit = f" [{data['unit']}]" if data["unit"] else ""
    choices = f": {', '.join(data['choices'])}" if data["choices"] else ""
    return f"{data['doc']}{unit}{choices}".replace("%", "%%")


def _run_changes(options):
    """Simulation options that were given as flags, converted; OptionError for a value that is not one."""
    texts = {entry.name: getattr(options, entry.name) for entry in _run_options()}
    given = {name: text for name, text in texts.items() if text is not None}
    values = SimulationOptions.from_strings(given)
    return {name: getattr(values, name) for name in given}


def _settings(options, scene, **changes):
    """SimulationOptions of a scene with what was given as flags."""
    from .simulation import options_for

    changes |= _run_changes(options)
    return options_for(scene, method=options.method, method_options=_pairs(options) or None, **changes)


def run_simulate(options):
    """Simulate and print a summary."""
    from .scenes.lookup import find_scene
    from .simulation import simulate

    if options.resume and options.output is None:
        raise Refused("--resume needs --output, the folder of the interrupted run")
    if options.contacts and options.output is None:
        raise Refused("--contacts keeps contacts in the run's folder; give --output, or leave it out")
    scene = find_scene(options.scene, options.full)
    settings = _settings(options, scene, store_contacts=options.contacts or None)
    run = simulate(scene, settings, options.output, Progress(), resume=options.resume)
    summary = run_summary(run)
    for note in summary["notes"]:
        print(f"stiction: {note}", file=sys.stderr)
    if options.json:
        print(json.dumps(summary))
    else:
        print_summary(summary)
    return NOT_MET if settings.tolerance and summary["residual_max"] > settings.tolerance else DONE


def run_summary(run):
    """The `simulate --json` keys of a Trajectory."""
    import numpy as np

    from .stepping.step_report import step_notes

    steps, header = run.steps, run.header
    drift = np.linalg.norm(run.positions[-1] - run.positions[0], axis=1)
    largest = {key: float(np.max(steps[key], initial=0.0)) for key in ("contact_count", "overlap", "residual")}
    last = {key: float(steps[key][-1]) if len(steps[key]) else 0.0 for key in ("kinetic", "potential")}
    return {
        "scene": header["scene"], "method": header["method"], "steps": len(steps["time"]), "time": float(run.times[-1]),
        "wall_s": header["wall_s"], "cpu_s": header["cpu_s"], "contacts_max": int(largest["contact_count"]),
        "overlap_max": largest["overlap"], "residual_max": largest["residual"], "tolerance": header["tolerance"],
        "steps_above_tolerance": int(np.count_nonzero(steps["residual"] > header["tolerance"])),
        "steps_not_accepted": int(np.count_nonzero(steps["converged"] == 0)),
        "energy": last | {key: float(np.sum(steps[key])) for key in WORKS},
        "notes": header.get("notes", []) + step_notes(steps),
        "bodies": {
            name: {
                "position": run.positions[-1, i].tolist(), "orientation": run.orientations[-1, i].tolist(),
                "drift": float(drift[i]), "center_of_mass": run.center_of_mass[-1, i].tolist(),
            }
            for i, name in enumerate(run.names)
        },
    }  # fmt: skip


def print_summary(summary):
    """The summary for people; times exclude compilation."""
    print(f"scene        {summary['scene']} ({len(summary['bodies'])} bodies), method {summary['method']}")
    print(f"simulated    {summary['time']:g} s in {summary['steps']} steps")
    print(f"took         {summary['wall_s']:.2f} s wall, {summary['cpu_s']:.2f} s CPU, without compilation")
    print(f"contacts     at most {summary['contacts_max']}")
    print(f"overlap      at most {summary['overlap_max']:.3g} m")
    print(f"residual     at most {summary['residual_max']:.3g} m/s, aim {summary['tolerance']:.3g} m/s, "
          f"{summary['steps_not_accepted']} steps not accepted")  # fmt: skip
    drift = max((body["drift"] for body in summary["bodies"].values()), default=0.0)
    print(f"moved        at most {drift:.4g} m from start to end")


def _add_extract(commands):
    command = commands.add_parser("extract", help="turn a run's folder into arrays anyone can read")
    command.add_argument("run_folder", metavar="RUN")
    command.add_argument("target", metavar="OUT.npz|OUT.csv")
    command.set_defaults(run=run_extract)


def run_extract(options):
    """Write the arrays of a run."""
    from .results.extract import extract

    extract(options.run_folder, options.target)
    return DONE


def _add_bake(commands):
    command = commands.add_parser("bake", help="what the Bake button does, without a window")
    command.add_argument("blend", metavar="FILE.blend")
    command.add_argument("--output", default=None, metavar="OUT.blend")
    command.add_argument("--render", default=None, metavar="OUT.mp4")
    command.set_defaults(run=run_bake)


def run_bake(options):
    """Bake a .blend file: needs bpy."""
    if not Path(options.blend).is_file():
        raise Refused(f"{options.blend}: no such file; give a .blend file")
    headless_bake = _bridge(options, "headless_bake")
    headless_bake.bake_file(options.blend, options.output, options.render, Progress())
    return DONE


def _add_solve(commands):
    command = commands.add_parser("solve", help="solve a contact problem from a file")
    command.add_argument("problem", metavar="PROBLEM.npz")
    _add_method(command)
    command.add_argument("--tolerance", type=float, default=None, help="wanted residual [m/s]")
    command.add_argument("--max-iterations", type=int, default=None)
    command.add_argument("--time-limit", type=float, default=None, help="[s]")
    command.add_argument("--output", default=None, metavar="OUT.npz")
    command.add_argument("--json", action="store_true")
    command.set_defaults(run=run_solve)


def run_solve(options):
    """Solve, let the judge grade, print."""
    import numpy as np

    from . import methods
    from .runs.warm_up import warm_up_method
    from .scene_io.problem_file import load_problem

    problem = load_problem(options.problem)
    entry = methods.get_method(options.method or "default")
    values = {
        "tolerance": options.tolerance,
        "max_iterations": options.max_iterations,
        "time_limit": options.time_limit,
    }
    values = {key: value for key, value in values.items() if value is not None}
    chosen = entry.options.from_strings(values | _pairs(options))
    for note in problem.notes:
        print(f"stiction: {problem.name}: {note}", file=sys.stderr)
    warm_up_method(entry.key, chosen)
    impulse = np.zeros(problem.row_count)
    report = methods.solve(problem, impulse, entry.key, chosen)
    if options.output:
        _save_impulse(options.output, problem, impulse)
    summary = {
        "problem": problem.name, "method": report.method, "contacts": report.contact_count,
        "status": str(report.status),
        "iterations": report.iterations, "residual": report.residual, "siconos_error": report.siconos_error,
        "cpu_s": report.cpu_s, "wall_s": report.wall_s, "tolerance": chosen.tolerance, "symmetric": problem.symmetric,
        "notes": list(problem.notes), "violations": vars(report.violations),
    }  # fmt: skip
    if options.json:
        print(json.dumps(summary))
    else:
        for key, value in summary.items():
            print(f"{key:14} {value}")
    return DONE if report.residual <= chosen.tolerance else NOT_MET


def _save_impulse(path, problem, impulse):
    """Impulses (K, rows a contact) in the file's own row order, where all blocks have as many rows."""
    import numpy as np

    rows = np.diff(problem.row_start)
    equal = len(rows) > 0 and np.all(rows == rows[0])
    try:
        np.savez(path, impulse=impulse.reshape(-1, rows[0]) if equal else impulse, row_start=problem.row_start)
    except OSError as error:
        raise Refused(f"{path}: cannot be written ({error.strerror}); choose another file") from None


def _add_compare(commands):
    command = commands.add_parser("compare", help="convergence plots and a table of several methods")
    command.add_argument("problem", metavar="SCENE|PROBLEM")
    command.add_argument("--methods", required=True, metavar="A,B,C")
    command.add_argument("--output", default="out", metavar="DIR")
    command.add_argument("--every", type=int, default=0, metavar="N",
                         help="of a scene: every Nth step; default: the one with the most contacts")  # fmt: skip
    command.add_argument("--time", type=float, default=None, help="of a scene: simulated time [s]")
    command.add_argument("--max-iterations", type=int, default=None)
    command.add_argument("--tolerance", type=float, default=None)
    command.set_defaults(run=run_compare)


def run_compare(options):
    """Compare methods on one problem, a folder of them, or the steps of a scene."""
    from .results.compare import run

    options.progress = Progress()
    return run(options)


def _add_dump(commands):
    command = commands.add_parser("dump", help="write the contact problems that the steps of a scene solve")
    command.add_argument("scene", metavar="SCENE", help="a name from `stiction scenes`, or a scene file (.json)")
    command.add_argument("folder", metavar="DIR")
    command.add_argument("--every", type=int, default=1, metavar="N", help="every Nth step")
    command.add_argument("--full", action="store_true", help="as many bodies as in the scene's paper")
    _add_method(command)
    _add_run_options(command)
    command.set_defaults(run=run_dump)


def run_dump(options):
    """Write the problems of a scene."""
    from .results.dump import dump
    from .scenes.lookup import find_scene

    scene = find_scene(options.scene, options.full)
    paths = dump(scene, options.folder, _settings(options, scene), options.every, Progress())
    print(f"stiction: wrote {len(paths)} problems to {options.folder}", file=sys.stderr)
    return DONE


def _add_compile(commands):
    command = commands.add_parser("compile", help="compile all that any scene can need, so that no run waits for it")
    command.set_defaults(run=run_compile)


def run_compile(_options):
    """Compile what is not on disk yet."""
    from .commands.compile_all import compile_all

    failed = compile_all(Progress())
    for line in failed:
        print(f"stiction: not compiled: {line}", file=sys.stderr)
    return NOT_MET if failed else DONE
