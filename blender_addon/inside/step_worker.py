"""A step of a run looked at in its own process: methods compared on its contact problem, the problem saved, and whole
runs with other methods. Exit code 0: done; 2: refused, the reason in one sentence on stderr."""

import shutil
import sys
from dataclasses import replace
from pathlib import Path


def main(verb, folder, step, output, methods="", limit="0"):
    """verb: "compare" or "save" the problem of `step`, or "runs" of the scene up to it; methods: keys by commas."""
    from ...solver.base.refusal import ProblemError, SceneError, TrajectoryError
    from ...solver.methods import UnknownMethod
    from ...solver.options import OptionError

    names = [name for name in methods.split(",") if name]
    try:
        VERBS[verb](Path(folder), int(step), Path(output), names, int(limit))
    except (SceneError, TrajectoryError, ProblemError, OptionError, UnknownMethod, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def _scene(folder):
    from ..exporting import reading as readings
    from ..exporting.assembly import assemble

    return assemble(readings.load(folder)).scene


def _problem(folder, step):
    """The ContactProblem that a step of the run solved; the scene is simulated up to there."""
    from ...solver.base.refusal import SceneError
    from ...solver.results.dump import step_problems
    from ...solver.simulation import options_for

    scene = _scene(folder)
    options = options_for(scene)
    options = replace(options, time=step * options.time_step)
    try:
        return next(problem for number, problem in step_problems(scene, options, step) if number == step)
    except (SceneError, StopIteration):
        raise SceneError(f"step {step}: nothing touches there; choose a frame at which bodies touch") from None


def _save(folder, step, output, _names, _limit):
    from ...solver.base.files import check_output
    from ...solver.base.refusal import ProblemError
    from ...solver.scene_io.problem_file import save_problem

    check_output(output, ProblemError, overwrite=True)
    problem = _problem(folder, step)
    try:
        save_problem(output, problem)
    except OSError as error:
        raise ProblemError(f"{output}: cannot be written ({error.strerror}); choose another file") from None


def _compare(folder, step, output, names, limit):
    from ...solver.results.compare import compare, write
    from ..running.frames import RunFrames

    # What the run itself aimed at, or each method would stop at a tolerance of its own.
    common = {"tolerance": RunFrames(folder).header["tolerance"], "max_iterations": limit or None}
    curves = compare([_problem(folder, step)], names, **common)
    write(curves, output)


def _runs(folder, step, output, names, _limit):
    from ...solver.runs.simulation_options import WITHOUT_CONTACTS
    from ...solver.simulation import options_for, simulate

    scene = _scene(folder)
    for name in names:
        options = options_for(scene, method=name, method_options={})
        frames = max(1, step // options.steps_per_frame)
        # Ours, of an earlier comparison: a run is never written over another.
        shutil.rmtree(output / name, ignore_errors=True)
        time = frames * options.steps_per_frame * options.time_step
        simulate(scene, replace(options, method_options={}, time=time, **WITHOUT_CONTACTS), output / name)


VERBS = {"compare": _compare, "save": _save, "runs": _runs}
