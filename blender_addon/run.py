"""The Bake button without the button: export, simulate in the worker, bake. Used by the operator and headless alike."""

import os
import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import bpy

from ..solver.methods import get_method
from ..solver.refusal import SceneError
from ..solver.simulation_options import SimulationOptions
from ..solver.step_report import step_notes
from . import bake as baking
from . import job as jobs
from .export import Export, export_scene
from .generated import read_options
from .properties import COMMON_OPTIONS, GIVEN_OPTIONS, method_attribute
from .signature import signature

# Overlap, as a part of the smallest body's radius, that the user is told about.
DEEP_OVERLAP = 0.1


@dataclass
class Run:
    """A simulation on its way: what was exported, and the job that works on it."""

    scene_uid: int
    export: Export
    job: jobs.Job
    work: Path
    folder: Path
    signature: str
    shown: str = ""

    def scene(self):
        """The Blender scene, found anew: undo and file loading replace it. None if it is gone."""
        return next((scene for scene in bpy.data.scenes if scene.session_uid == self.scene_uid), None)


class JobFailed(RuntimeError):
    """The worker refused the scene or crashed; the message is for the user."""


def simulation_options(scene, export):
    """SimulationOptions for an export: the panel's settings."""
    settings = scene.stiction
    method = get_method(settings.method)
    chosen = read_options(getattr(settings, method_attribute(settings.method)), method.options, COMMON_OPTIONS)
    shown = {name: getattr(chosen, name) for name in vars(chosen) if name not in COMMON_OPTIONS}
    return read_options(
        settings.simulation, SimulationOptions, GIVEN_OPTIONS,
        time=export.time, time_step=1.0 / (export.fps * settings.steps_per_frame),
        steps_per_frame=settings.steps_per_frame, method=settings.method, method_options=shown,
    )  # fmt: skip


def export_with_options(scene, view_layer=None):
    """The Export of a scene without its bake, with the panel's settings in it."""
    with baking.lifted(scene):
        export = export_scene(scene, view_layer)
    options = simulation_options(scene, export)
    return replace(export, scene=replace(export.scene, settings=vars(options)))


def cache_folder(scene):
    """Folder for a scene's frames: the one set, else beside the file, else temporary. SceneError if not writable."""
    name = bpy.path.clean_name(scene.name)
    if scene.stiction.cache:
        folder = Path(bpy.path.abspath(scene.stiction.cache)) / name
    elif bpy.data.filepath:
        file = Path(bpy.data.filepath)
        folder = file.parent / f"cache_{file.stem}" / name
    else:
        folder = Path(bpy.app.tempdir or tempfile.gettempdir()) / f"stiction-{os.getpid()}" / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise SceneError(f"cache folder {folder}: {error.strerror}; choose another under Cache") from None
    return folder


def begin(scene, view_layer=None):
    """Export a scene and start simulating it. Returns the Run; SceneError or OptionError for what cannot be."""
    if jobs.running():
        raise SceneError("a simulation is running; wait for it or press Cancel")
    export = export_with_options(scene, view_layer)
    folder = cache_folder(scene)
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    from ..solver.scene_file import save_scene

    save_scene(work / "scene.json", export.scene)
    made_from = signature(scene)
    return Run(scene.session_uid, export, jobs.start(work / "scene.json", work), work, folder / "run", made_from)


def finish(run):
    """Bake the frames of a finished run. Returns (summary, warnings)."""
    if run.job.state == jobs.JobState.FAILED:
        raise JobFailed(run.job.error)
    scene = run.scene()
    if scene is None:
        raise JobFailed("the scene was closed or deleted while it was simulated; nothing was baked")
    from ..solver.trajectory import Trajectory

    trajectory = Trajectory.load(run.work)
    shutil.rmtree(run.folder, ignore_errors=True)
    run.work.rename(run.folder)
    warnings = baking.bake(scene, run.export, trajectory)
    scene.stiction.signature = run.signature
    scene.stiction.summary, notes = summary(trajectory)
    return scene.stiction.summary, warnings + notes


def simulate_and_bake(scene, view_layer=None, progress=None):
    """Export, simulate and bake, waiting for the worker; progress(job) is called on the way. As `finish`."""
    run = begin(scene, view_layer)
    try:
        run.job.wait(progress)
    finally:
        run.job.cancel()
    return finish(run)


def summary(trajectory):
    """(result line, sentences about what is not as good as it should be)."""
    steps, header = trajectory.steps, trajectory.header
    if len(steps["time"]) == 0:
        return "no steps", []
    count, overlap, residual = (steps[name].max() for name in ("contact_count", "overlap", "residual"))
    parts = [f"{len(steps['time'])} steps", f"{count:.0f} contacts", f"residual {residual:.1e} m/s"]
    parts += [f"overlap {1e3 * overlap:.3g} mm", f"{header['wall_s']:.1f} s"]
    notes, stated = header.get("notes", []) + step_notes(steps), header["options"]["tolerance"]
    missed = int((steps["residual"] > stated).sum()) if stated else 0
    if missed:
        notes.append(
            f"{missed} of {len(steps['time'])} steps missed the tolerance {stated:.1e} m/s, at worst {residual:.1e}: "
            "allow more iterations or more steps per frame"
        )
    smallest = min(size for size, motion in zip(header["size"], header["motion"], strict=True) if motion == "dynamic")
    if overlap > DEEP_OVERLAP * smallest:
        notes.append(
            f"bodies overlapped by up to {overlap:.2g} m, {overlap / smallest:.0%} of the smallest one's radius: "
            "use more steps per frame, or move bodies apart that overlap at the start"
        )
    return ", ".join(parts), notes
