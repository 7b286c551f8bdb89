"""The contact problems that the steps of a run solve, as arrays to compare methods on.

A problem is recorded as the run solved it last, with the contacts that later searches added. The impulses the run began
with are not part of it.
"""

import dataclasses
from pathlib import Path

from ..base.files import check_folder
from ..base.refusal import SceneError
from ..scene_io.problem_file import save_problem
from ..simulation import compiled, options_for, step_count, step_settings, stepper
from ..stepping.release import Releases


def step_problems(scene, options=None, every=1, progress=None):
    """Yield (step number, ContactProblem) of every `every`-th step of a scene that has contacts.

    options: SimulationOptions; None for what the scene suggests. progress(steps done, steps in all, StepReport).
    A step that was divided into substeps or groups of bodies solves several problems: the largest one is given.
    Raises SceneError where no such step has contacts.
    """
    options = options_for(scene) if options is None else options
    if every < 1:
        raise SceneError(f"scene {scene.name!r}: every {every}th step; give a whole number from 1")
    model, state = compiled(scene, options)
    solved: list = []
    step, total, found = stepper(options), step_count(options), 0
    settings = dataclasses.replace(step_settings(options, model, state), record=solved.append)
    releases = Releases(scene, options)
    for number in range(1, total + 1):
        model, state, settings, _ = releases.due(number - 1, model, state, settings)
        state, report, _ = step(model, state, settings)
        state.time = number * options.time_step
        if progress is not None:
            progress(number, total, report)
        largest = max(solved, key=lambda problem: problem.block_count, default=None)
        solved.clear()
        if number % every == 0 and largest is not None and largest.block_count:
            found += 1
            yield number, dataclasses.replace(largest, name=f"{scene.name}_{number:05d}")
    if not found:
        raise SceneError(f"scene {scene.name!r}: nothing touches in these steps; ask for a longer time or more steps")


def dump(scene, folder, options=None, every=1, progress=None, overwrite=False):
    """Write the problems of step_problems to `folder`, one .npz each; returns their paths.

    A folder that is not empty is refused unless `overwrite`.
    """
    folder, paths = Path(folder), []
    check_folder(folder, SceneError, overwrite)
    for _, problem in step_problems(scene, options, every, progress):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f"{problem.name}.npz"
            save_problem(path, problem)
        except OSError as error:
            raise SceneError(f"{folder}: cannot be written ({error.strerror}); choose another folder") from None
        paths.append(path)
    return paths
