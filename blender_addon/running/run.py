"""The Bake button without the button: read, simulate in the worker, bake. Used by the operator and headless alike."""

import shutil
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import bpy
import numpy as np

from ...solver.base.refusal import SceneError, TrajectoryError
from ...solver.methods import get_method
from ...solver.runs.simulation_options import SimulationOptions
from ..bakers import deformables, instances
from ..baking import bake as baking
from ..baking.record import put_back_all
from ..baking.signature import know, same_but_longer, signature, signature_lately, signature_steps
from ..base.enums import solver_key
from ..base.files import passing_note
from ..base.steps import exhausted, named
from ..base.transforms import affine_inverse, pose_matrix
from ..base.windows import redraw_sidebars
from ..checks.carried import carried_notes
from ..checks.forms.by_worker import remember
from ..checks.overlaps.sunk import sunk_steps
from ..checks.posed import deforming_notes
from ..checks.unanimated import growing_notes, setting_notes, standing_notes
from ..exporting import reading as readings
from ..exporting.assembly import Export, Link, assemble
from ..exporting.reader import bodies_of, keyed_gravity, read_scene, read_steps
from ..inside import verdict as verdicts
from ..joints.locks import lock_notes
from ..rigid_body.left_out import left_out_notes
from ..settings.generated import read_options
from ..settings.properties import COMMON_OPTIONS, GIVEN_OPTIONS, method_attribute
from . import job as jobs
from .frames import RunFrames
from .places import cache_path, run_folder
from .run_folders import disk_sentence, is_locked, new_run, runs_in, tidy, usable_folder
from .soft_live import take_away

# Seconds for which the answer whether an interrupted run lies on disk is taken for granted.
READ_AGAIN = 2.0


@dataclass
class Run:
    """A simulation on its way: what was read, and the job that works on it; job is None for one found on disk. notes:
    sentences about the scene it was read from."""

    scene_uid: int
    reading: readings.SceneReading
    folder: Path
    job: jobs.Job | None = None
    notes: list = field(default_factory=list)

    def scene(self):
        """The Blender scene, found anew: undo and file loading replace it. None if it is gone."""
        return next((scene for scene in bpy.data.scenes if scene.session_uid == self.scene_uid), None)


class JobFailed(RuntimeError):
    """The worker refused the scene or crashed; the message is for the user."""


def simulation_options(scene, reading):
    """SimulationOptions for a reading (its fps and time): the panel's settings."""
    settings = scene.stiction
    key = solver_key(settings.method)
    method = get_method(key)
    chosen = read_options(getattr(settings, method_attribute(settings.method)), method.options, COMMON_OPTIONS)
    shown = {name: getattr(chosen, name) for name in vars(chosen) if name not in COMMON_OPTIONS}
    return read_options(
        settings.simulation, SimulationOptions, GIVEN_OPTIONS, time=reading.time, time_step=_time_step(scene, reading),
        steps_per_frame=settings.steps_per_frame, method=key, method_options=shown,
    )  # fmt: skip


def _time_step(scene, reading):
    """Time step [s]; SceneError where the frame rate makes it no step at all."""
    count = scene.stiction.steps_per_frame
    step = 1.0 / (reading.fps * count)
    limits = SimulationOptions.__dataclass_fields__["time_step"].metadata
    if not limits["minimum"] <= step <= limits["maximum"]:
        raise SceneError(
            f"scene {scene.name!r}: {count} steps a frame at {reading.fps:.3g} frames a second are of {step:.3g} s; "
            f"set the frame rate so that they are from {limits['minimum']:g} to {limits['maximum']:g} s"
        )
    return step


def with_options(scene, reading):
    """The reading with the panel's settings in it."""
    return replace(reading, settings=vars(simulation_options(scene, reading)))


def export_with_options(scene, view_layer=None):
    """The Export of a scene without its bake, with the panel's settings in it."""
    with baking.lifted(scene):
        reading = read_scene(scene, view_layer)
    return assemble(with_options(scene, reading))


def cache_folder(scene):
    """Folder for a scene's runs: the one set, else beside the file, else temporary. SceneError if not writable."""
    return usable_folder(cache_path(scene))


def begin_steps(scene, view_layer=None, folder=None):
    """Generator that reads a scene and starts simulating it, yielding often; returns the Run.

    folder: that of an interrupted or shorter run to go on with; None for a new one. SceneError or OptionError for what
    cannot be; the worker refuses the rest.
    """
    if jobs.running():
        raise SceneError("a simulation is running; wait for it or press Cancel")
    cache = cache_folder(scene)
    remember(scene, "")
    jobs.warm_up()
    yield "the scene"
    put_back_all()
    take_away()
    notes = yield from named("keys of", baking.settle_steps(scene))
    made_from = yield from named("the settings", signature_steps(scene))
    lift = baking.Lift(scene)
    try:
        yield from named("keys of", lift.up())
        reading = yield from named("the bodies", read_steps(scene, view_layer))
        yield from named("the bodies", lift.down())
    finally:
        lift.restore()
    reading = replace(with_options(scene, reading), signature=made_from)
    notes += yield from sunk_steps(reading)
    resume = folder is not None
    folder = folder or new_run(cache)
    try:
        readings.save(reading, folder)
    except OSError as error:
        if not resume:
            shutil.rmtree(folder, ignore_errors=True)
        raise SceneError(disk_sentence(error, folder)) from None
    _begun[scene.session_uid] = folder
    return Run(scene.session_uid, reading, folder, jobs.start(folder, resume), notes)


def begin(scene, view_layer=None, folder=None):
    """Read a scene and start simulating it, in one go; as `begin_steps`."""
    return exhausted(begin_steps(scene, view_layer, folder))


def finish(run):
    """Bake in one go; as `finish_steps`."""
    return exhausted(finish_steps(run))


def finish_steps(run):
    """Generator that bakes the frames a run has by now, yielding often. Returns (summary, warnings); JobFailed if there
    is nothing to bake."""
    if run.job is not None and run.job.state == jobs.JobState.FAILED:
        if run.scene() is not None:
            remember(run.scene(), run.job.error)
        raise JobFailed(run.job.error)
    return (yield from bake_run_steps(run))


def bake_run(run):
    """Bake the frames of a run in one go; as `bake_run_steps`."""
    return exhausted(bake_run_steps(run))


def bake_run_steps(run):
    """Generator that bakes the frames of a run, all or what there is. Returns (summary, warnings)."""
    scene = run.scene()
    if scene is None:
        raise JobFailed("the scene was closed or deleted while it was simulated; nothing was baked")
    frames = yield from named("the frames", RunFrames(run.folder).load_steps())
    now = yield from named("the settings", signature_steps(scene))
    try:
        writing = baking.bake_steps(scene, source_of(run.reading, frames), frames)
        warnings = run.notes + (yield from named("the motion of", writing))
    except OSError as error:
        raise JobFailed(disk_sentence(error, run.folder)) from None
    warnings += passing_note(scene, run.folder)
    settings = scene.stiction
    settings.signature = yield from named("the settings", _signature_after(scene, run.reading, now))
    know(scene, settings.signature if now == run.reading.signature else now)
    if len(frames.times) < run.reading.frame_count:
        settings.signature = f"{settings.signature.rpartition('-')[0]}-{last_frame(run.reading, frames)}"
    settings.run = str(run.folder)
    bodies = bodies_of(scene)
    otherwise = keyed_gravity(scene) + setting_notes(scene) + lock_notes(run.reading.joints)
    otherwise += deforming_notes(bodies) + growing_notes(bodies) + standing_notes(bodies) + carried_notes(bodies)
    otherwise += left_out_notes(scene)
    verdict = verdicts.judge(frames, run.reading, otherwise)
    yield "the report"
    verdicts.keep(scene, verdict, warnings, frames, run.reading)
    _unfinished_runs.clear()
    _unwritten.discard(run.folder)
    yield "the end"
    tidy(run.folder.parent, run.folder)
    return settings.summary, warnings + verdict.notes


def take_back(run):
    """Remove what there is of a bake whose writing was stopped; its frames are kept, to be baked later."""
    scene, own = run.scene(), str(run.folder)
    # An earlier bake that was not taken off yet is whole.
    if scene is not None and (not scene.stiction.signature or scene.stiction.run == own):
        baking.clear(scene)
    _unwritten.add(run.folder)
    forget_unfinished()


def _signature_after(scene, reading, before):
    """Generator; returns the scene's signature as read; where bodies are hidden behind their instances, or play a
    cache, as it is now: a hidden body is not evaluated, and reads as another, and so does a mesh that plays. before:
    what it was before the bake; a scene that was changed during the run keeps that of the run."""
    changed = before.rpartition("-")[0] != reading.signature.rpartition("-")[0]
    if changed or not instances.carried_objects(scene) and not deformables.baked_objects(scene):
        return reading.signature
    bpy.context.view_layer.update()
    return (yield from signature_steps(scene))


def last_frame(reading, frames):
    """Blender's frame of the last one simulated."""
    return reading.frame_start + frames.count - 1


def source_of(reading, frames):
    """The Export that leads from a run's frames back to Blender's objects; its solver scene is left out."""
    _, positions, orientations = frames.poses(0, 1)
    column = {name: i for i, name in enumerate(frames.names)}
    for name, pose in frames.header.get("swung", {}).items():
        # Where Blender has what begins the run in another place.
        positions[0, column[name]], orientations[0, column[name]] = pose[:3], pose[3:]
    rows = [column[body.name] for body in reading.bodies]
    poses = pose_matrix(positions[0, rows] / reading.unit, orientations[0, rows])
    offsets = affine_inverse(poses) @ np.array([body.matrix for body in reading.bodies])
    links = [Link(body.name, body.session_uid, body.dynamic, offset)
             for body, offset in zip(reading.bodies, offsets, strict=True)]  # fmt: skip
    return Export(None, tuple(links), reading)


def simulate_and_bake(scene, view_layer=None, progress=None):
    """Read, simulate and bake, waiting for the worker; progress(job) is called on the way. As `finish`."""
    run = begin(scene, view_layer)
    try:
        run.job.wait(progress)
    finally:
        run.job.cancel()
    return finish(run)


class Unfinished(NamedTuple):
    """A run that was stopped, how many frames it has, and whether the scene is still the one it began with."""

    run: Run
    frame_count: int
    fits: bool


_unfinished_runs: dict = {}
# The folder of the run that a scene began last in this session: the cache folder moves with the name of the file.
_begun: dict = {}
# The reading of the run that was last looked at, by its folder and the time of its file.
_loaded: dict = {}
# Folders of runs that are whole, and whose bake is not: its writing was stopped.
_unwritten: set = set()


def unfinished(scene):
    """The Unfinished run of a scene that has more to show than its bake, as it was a moment ago; None without one.
    In a window the disk is read when Blender has time, so that no panel waits for it."""
    again, known = _unfinished_runs.get(scene.session_uid, (0.0, None))
    if time.monotonic() <= again:
        # Whether the scene fits may be known better by now.
        return known and known._replace(fits=_fits(scene, known.run.reading))
    if bpy.app.background:
        return find_unfinished(scene)
    if not bpy.app.timers.is_registered(_find_later):
        bpy.app.timers.register(_find_later, first_interval=0.0)
    return known


def find_unfinished(scene):
    """As `unfinished`, from the disk as it is now."""
    found = _unfinished_in(scene, cache_path(scene))
    _unfinished_runs[scene.session_uid] = time.monotonic() + READ_AGAIN, found
    return found


def _find_later():
    scene = bpy.context.scene
    before = _unfinished_runs.get(scene.session_uid, (0.0, None))[1]
    if _told(find_unfinished(scene)) != _told(before):
        redraw_sidebars(bpy.context.window_manager)


def _told(left):
    """What a panel tells of an Unfinished."""
    return None if left is None else (left.run.folder, left.frame_count, left.fits)


def _unfinished_in(scene, cache):
    newest = _begun.get(scene.session_uid)
    if newest is None or not newest.is_dir():
        newest = next(iter(runs_in(cache)[-1:] if cache.is_dir() else []), None)
    if newest is None or is_locked(newest):
        return None
    try:
        frames = RunFrames(newest)
        if (frames.complete and newest not in _unwritten) or frames.count < 2:
            return None
        reading = _reading_in(newest)
    except (SceneError, TrajectoryError):
        # A run that was stopped before it had anything to show.
        return None
    if newest == run_folder(scene) and last_frame(reading, frames) <= baked_end(scene):
        return None
    return Unfinished(Run(scene.session_uid, reading, newest), frames.count, _fits(scene, reading))


def _reading_in(folder):
    """The reading in a run's folder, loaded once: that of large meshes takes long. Only the last one is kept."""
    file = folder / readings.FILE
    changed = file.stat().st_mtime_ns if file.exists() else None
    if (folder, changed) not in _loaded:
        reading = readings.load(folder)
        _loaded.clear()
        _loaded[folder, changed] = reading
    return _loaded[folder, changed]


def _fits(scene, reading):
    """True if a run that was read is one of the scene as it was a moment ago."""
    return reading.signature.rpartition("-")[0] == signature_lately(scene).rpartition("-")[0]


def stop():
    """Read it no more: the extension is switched off."""
    _unfinished_runs.clear()
    _unwritten.clear()
    _loaded.clear()
    if bpy.app.timers.is_registered(_find_later):
        bpy.app.timers.unregister(_find_later)


def forget_unfinished():
    """Read anew which runs are on disk."""
    _unfinished_runs.clear()


def discard(scene):
    """Remove the frames of the unfinished run."""
    left = find_unfinished(scene)
    if left is not None and left.run.folder != run_folder(scene):
        shutil.rmtree(left.run.folder, ignore_errors=True)
    forget_unfinished()


def to_go_on_with(scene, now=None):
    """Folder of the run to go on with: one that was stopped, or the bake's if just the frame range has grown. now: the
    scene's signature where that is known."""
    left = unfinished(scene)
    if left is not None:
        return left.run.folder if left.fits else None
    settings = scene.stiction
    there = run_folder(scene) if settings.signature else None
    return there if there and same_but_longer(scene, now or signature(scene)) else None


def baked_end(scene):
    """Last frame of the bake."""
    return int(scene.stiction.signature.rpartition("-")[2] or 0)


def stopped_sentence(run):
    """What the user reads after Cancel."""
    done, total = run.job.done, run.job.total
    if not done:
        return "simulation stopped before its first frame; nothing was changed"
    return f"simulation stopped at {done} of {total} steps; Bake What There Is, or Go On"
