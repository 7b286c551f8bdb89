"""What the Bake button does, without a window."""

from pathlib import Path

import bpy

from ...solver.base.refusal import SceneError
from . import run as runs
from .job import JobState


def simulate_and_bake(scene, progress=None, watch=None):
    """Export, simulate in the worker, bake. Returns (Trajectory, warnings).

    progress(steps done, steps in all, what the worker says) is called on the way; watch(run) all the time. Raises
    SceneError for input that was refused, by the export or by the worker.
    """
    told = 0

    def report(job):
        nonlocal told
        if watch is not None:
            watch(run)
        if progress is not None and job.done > told:
            told = job.done
            progress(job.done, job.total, job)

    run = runs.begin(scene, bpy.context.view_layer)
    try:
        run.job.wait(report)
    finally:
        run.job.cancel()
    if run.job.state == JobState.FAILED and run.job.refused:
        raise SceneError(run.job.error)
    _, warnings = runs.finish(run)
    from ...solver.trajectory import Trajectory

    return Trajectory.load(run.folder), warnings


def bake_loaded(blend, output=None, render=None, progress=None):
    """Bake the active scene of the open file `blend`; save it to `output` (default: there), render to `render`.

    Returns the word of the verdict and all sentences to show. Nothing is written if the scene is refused.
    """
    scene = bpy.context.scene
    if render is not None:
        from ..base.render import refuse_to_render

        refuse_to_render(scene)
    target = Path(output or blend).resolve()
    if not target.parent.is_dir():
        raise SceneError(f"output folder {target.parent}: does not exist; make it or choose another")
    _, warnings = simulate_and_bake(scene, progress)
    bpy.ops.wm.save_as_mainfile(filepath=str(target), copy=output is not None)
    if render is not None:
        from ..base.render import render_movie, use_workbench

        use_workbench(scene)
        render_movie(scene, render)
    return scene.stiction.worth, warnings
