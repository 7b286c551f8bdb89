"""Bringing one run of a study into the scene: its frames, made again by the solver, become a bake."""

import math

from ...solver.base.refusal import StudyError
from ..baking import bake as baking
from ..base.clock import frames_per_second
from ..exporting.assembly import assemble
from ..running.frames import RunFrames
from .writing import study_reading

# Frames that are shown after the last one of a run.
REST = 1


def load_run(scene, folder, said):
    """Bake the run in `folder` into the scene; `said`: the line that the panel shows of it. Returns sentences to show.

    The frame range is made long enough to show it whole. StudyError if the scene has other bodies now.
    """
    frames = RunFrames(folder).load()
    with baking.lifted(scene):
        export = assemble(study_reading(scene))
    missing = [body.name for body in export.scene.bodies if body.name not in frames.names]
    if missing:
        raise StudyError(f"object {missing[0]!r}: was no body when the study was run; run the study again")
    notes = baking.bake(scene, export, frames, "Stiction Study")
    scene.stiction.summary = said
    last = export.frame_start + math.ceil(frames.times[-1] * frames_per_second(scene)) + REST
    if scene.stiction.use_scene_range and scene.frame_end < last:
        scene.frame_end = last
        notes.append(f"the scene's last frame is {last} now, the end of the run")
    return notes


def last_frame_of(scene, folder):
    """Blender's frame of the end of the run in a folder."""
    frames = RunFrames(folder).load()
    start = scene.frame_start if scene.stiction.use_scene_range else scene.stiction.frame_start
    return start + round(frames.times[-1] * frames_per_second(scene))
