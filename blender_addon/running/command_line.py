"""`blender -b FILE --command stiction VERB ...`: bake and simulate the file, and every verb of the command line."""

import argparse
import os
import shutil
import sys
from importlib import import_module
from pathlib import Path

import bpy

from ...solver.base.refusal import SceneError, TrajectoryError
from ...solver.options import OptionError
from ...solver.results.verdict import POOR

NAME = "stiction"
DONE, NOT_MET, BAD_INPUT = 0, 1, 2
# Verbs on the file that Blender has loaded; any other goes to the command line of the solver.
VERBS = ("bake", "simulate")

_handles = []


def register():
    """Make the command known to Blender, where it has such commands (4.2 and later)."""
    if hasattr(bpy.utils, "register_cli_command"):
        _handles.append(bpy.utils.register_cli_command(NAME, run))


def unregister():
    """Take the command back."""
    while _handles:
        bpy.utils.unregister_cli_command(_handles.pop())


def run(argv):
    """Run a verb with its arguments; returns the exit code, as the command line of the solver does."""
    argv = list(argv)
    if argv and argv[0] in VERBS and not _names_a_file(argv[1:]):
        return _on_this_file(argv)
    from ...solver.cli import main

    return main(argv, lambda name: import_module(f".{name}", __package__))


def _names_a_file(arguments):
    """True if a scene or file is named: then that is meant, not what Blender has loaded."""
    return bool(arguments) and not arguments[0].startswith("-")


def _on_this_file(argv):
    options = _parser().parse_args(argv)
    from .run import JobFailed

    try:
        word = options.verb(options)
    except (SceneError, OptionError, TrajectoryError, JobFailed, OSError) as error:
        print(f"stiction: {error}", file=sys.stderr)
        return BAD_INPUT
    return NOT_MET if word == POOR else DONE


def _parser():
    parser = argparse.ArgumentParser(
        prog=f"blender -b FILE.blend --command {NAME}", description="Stiction on the file that Blender has loaded."
    )
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    bake = verbs.add_parser("bake", help="simulate and bake this file")
    bake.add_argument("--output", default=None, metavar="OUT.blend", help="save here, not over the file itself")
    bake.add_argument("--render", default=None, metavar="OUT.mp4")
    bake.set_defaults(verb=_bake)
    simulate = verbs.add_parser("simulate", help="simulate this file, and bake nothing")
    simulate.add_argument("--output", default=None, metavar="DIR", help="folder of the run; default: in the cache")
    simulate.set_defaults(verb=_simulate)
    return parser


def _bake(options):
    from ...solver.base.progress import Progress
    from .loaded_bake import bake_loaded

    if not bpy.data.filepath:
        raise SceneError("no file is loaded; name it before --command: blender -b FILE.blend --command stiction bake")
    word, sentences = bake_loaded(bpy.data.filepath, options.output, options.render, Progress())
    return _told(word, sentences)


def _simulate(options):
    from ..exporting import reading
    from ..inside.verdict import judge
    from .frames import RunFrames

    folder = simulate_here(bpy.context.scene, options.output)
    print(folder)
    verdict = judge(RunFrames(folder).load(), reading.load(folder))
    return _told(verdict.word, verdict.notes)


def _told(word, sentences):
    """The verdict's word, once its sentences are printed."""
    for sentence in sentences:
        print(f"stiction: {sentence}", file=sys.stderr)
    return word


def simulate_here(scene, output=None, progress=None):
    """Simulate a scene without baking; returns the run's folder, `output` if that is given."""
    from . import run as runs
    from .job import JobState

    if output is not None:
        output = Path(output).resolve()
        if output.exists() and os.listdir(output):
            raise SceneError(f"output folder {output}: is not empty; choose another")
        if not output.parent.is_dir():
            raise SceneError(f"output folder {output.parent}: does not exist; make it or choose another")
    run = runs.begin(scene, bpy.context.view_layer)
    try:
        run.job.wait(progress)
    finally:
        run.job.cancel()
    if run.job.state == JobState.FAILED:
        raise SceneError(run.job.error)
    if output is None:
        return run.folder
    shutil.rmtree(output, ignore_errors=True)
    return Path(shutil.move(run.folder, output))
