"""load and simulate, as Python calls them."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

from .. import simulation
from ..base.refusal import SceneError, TrajectoryError
from ..options import OptionError
from ..runs.simulation_options import SimulationOptions
from ..scene import Scene
from ..scenes.lookup import find_scene
from .kinds import check_kinds, path_of
from .run import Run
from .shown import progress_for


def load(source: str | PathLike) -> Scene:
    """Return the Scene of a scene file (.json), of a robot (.urdf), or the canonical scene of that name.

    SceneError for a file that is not there or not understood; it names the key and what to do.

        scene = st.load("drop10")
    """
    return find_scene(path_of(source, "the scene to load", SceneError))


def simulate(
    scene: Scene | str | PathLike,
    time: float | None = None,
    *,
    output: str | PathLike | None = None,
    resume: bool = False,
    overwrite: bool = False,
    progress: bool | Callable | None = None,
    **options: Any,
) -> Run:
    """Simulate a Scene, or what `load` takes, for `time` [s] and return its Run.

    time: None for what the scene suggests, or 5 s. output: folder of the run, None to keep it in memory; resume: go on
    with the run there, or begin if there is none; overwrite: replace what is there. progress: None shows it in a
    terminal and in a notebook, False never; a function is called with (steps done, steps in all, report) after each
    step.
    options: those of a run by name, as time_step [s], method, tolerance [m/s], steps_per_frame, store_contacts;
    docs/constants.md has all of them. SceneError, OptionError, TrajectoryError for what cannot be used.

        run = st.simulate(scene, time=2.0, time_step=0.005)
    """
    scene = load(scene) if isinstance(scene, (str, PathLike)) else scene
    check_kinds(scene)
    if output is not None:
        path_of(output, "output", TrajectoryError)
    elif resume:
        raise TrajectoryError("resume is True without an output; give the folder of the run to go on with")
    known = SimulationOptions.__dataclass_fields__
    for name in options:
        if name not in known:
            raise OptionError(f"simulate has no option {name!r}; there are {', '.join(known)}")
    chosen = simulation.options_for(scene, time=time, **options)
    made = simulation.simulate(
        scene, chosen, output, progress_for(progress), resume=resume, overwrite=overwrite
    )
    return Run(made, scene, output)
