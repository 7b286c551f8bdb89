"""Drop to Rest: selected objects fall onto all that is seen until they rest, and keep where they lie. No keys."""

import shutil
import tempfile
from dataclasses import replace
from math import ceil
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix

from ...solver.base.refusal import SceneError
from ...solver.base.wording import counted
from ...solver.meshes.mesh_prep import prepare_mesh
from ...solver.meshes.solidify import is_sheet
from ...solver.runs.simulation_options import WITHOUT_CONTACTS
from ..bakers.base import ObjectFinder
from ..baking.bake import baked_objects
from ..baking.record import put_back_all
from ..base.clock import frames_per_second
from ..base.enums import solver_key
from ..base.transforms import pose_matrix
from ..exporting.current_graph import CurrentGraph
from ..exporting.layers import ignored_pairs
from ..exporting.reader import ObjectReader, gravity_of, refuse_constraints, refuse_fixed_transform
from ..exporting.reading import FrameSamples, SceneReading, save
from ..inside.verdict import judge
from ..materials.pair_settings import read_pairs
from . import job as jobs
from .frames import RunFrames
from .run import JobFailed, Run, simulation_options, source_of

# How thick a sheet or a shell is made, as a part of its size.
OF_SIZE = 0.01
# Rate [1/s] at which turning decays: nothing else stops a ball or a cone that rolls on a level ground.
TURNING = 3.0
# Paths of curves that would move an object away from where it was put.
MOVING = ("location", "rotation", "delta_location", "delta_rotation")


def begin_steps(context, seconds, bodies_only):
    """Generator that reads the scene at its present frame and starts the fall, yielding often; returns the Run.

    seconds: the longest it may take; bodies_only: whether the selected fall onto bodies alone, not onto all meshes that
    are seen. SceneError for what cannot be.
    """
    if jobs.running():
        raise SceneError("a simulation is running; wait for it or press Cancel")
    scene = context.scene
    falling = [ob for ob in context.selected_objects if ob.type == "MESH"]
    if not falling:
        raise SceneError("no mesh is selected; select what shall fall")
    jobs.warm_up()
    yield "worker"
    put_back_all()
    for ob in falling:
        _refuse_moved(scene, ob)
    reading = yield from _read(scene, context.view_layer, falling, seconds, bodies_only)
    folder = Path(tempfile.mkdtemp(prefix="stiction-drop-"))
    try:
        save(reading, folder)
        return Run(scene.session_uid, reading, folder, jobs.start(folder))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def finish_steps(run):
    """Generator that puts the objects where they came to lie, and removes the run. Returns (summary, sentences)."""
    try:
        if run.job.state == jobs.JobState.FAILED:
            raise JobFailed(run.job.error)
        scene = run.scene()
        if scene is None:
            raise JobFailed("the scene was closed or deleted meanwhile; nothing was moved")
        frames = yield from RunFrames(run.folder).load_steps()
        lost = _past_all(run.reading, frames)
        if lost:
            _forget_motion(frames.header, lost)
        verdict = judge(frames, run.reading)
        count = _put(scene, run.reading, frames, lost)
    finally:
        forget(run)
    rest = frames.header.get("stopped") or ("not at rest" if "moving" in frames.header else "all others at rest")
    summary = f"{counted(count, 'object')}, {rest} after {frames.times[-1]:.2g} s"
    return (summary if count else "nothing"), verdict.notes + [_fell_out(name) for name in lost]


def forget(run):
    """Remove what a fall has left on disk."""
    shutil.rmtree(run.folder, ignore_errors=True)


def _refuse_moved(scene, ob):
    """SceneError for an object that would not stay where it is put."""
    refuse_constraints(ob)
    refuse_fixed_transform(scene, ob)
    if ob in baked_objects(scene):
        raise SceneError(f"object {ob.name!r}: is baked, and its keys would move it away; press Clear first")
    animation = ob.animation_data
    if animation and (animation.action or animation.nla_tracks) and _is_keyed(animation):
        raise SceneError(f"object {ob.name!r}: is animated, and its keys would move it away; remove them first")
    if ob.stiction.type == "ACTIVE" and ob.stiction.elastic.use:
        raise SceneError(f"object {ob.name!r}: is Deformable, and only poses are kept; switch Deformable off first")


def _is_keyed(animation):
    """Whether curves of an object's own animation move it; strips of others are taken for such."""
    from ..base.curves import curves_of

    if any(not track.mute for track in animation.nla_tracks):
        return True
    return any(curve.data_path.startswith(MOVING) for curve in curves_of(animation))


def _read(scene, view_layer, falling, seconds, bodies_only):
    """Generator; the SceneReading of objects that fall onto others, all at the present frame."""
    graph = CurrentGraph(scene, view_layer)
    reader, bodies = ObjectReader(scene, graph), []
    parts = {child for ob in scene.objects if ob.stiction.shape == "COMPOUND" for child in ob.children}
    grounds = [ob for ob in scene.objects if ob not in falling and _holds(ob, bodies_only) and ob not in parts]
    for number, ob in enumerate(sorted([*falling, *grounds], key=lambda ob: ob.name)):
        one = reader.body(ob)
        settings = one.settings
        settings.type, settings.kinematic, settings.release, settings.elastic.use = "PASSIVE", False, False, False
        if ob in falling:
            settings.type, settings.velocity, settings.angular_velocity = "ACTIVE", (0.0,) * 3, (0.0,) * 3
            if settings.shape == "AUTO" and reader.meshes[one.mesh][1].shape[1] == 3:
                _close(one, *reader.meshes[one.mesh])
        bodies.append(one)
        yield number, len(falling) + len(grounds)
    fps, start = frames_per_second(scene), scene.frame_current
    none = FrameSamples(np.arange(start, start + 1), {}, {}, {})
    reading = SceneReading(
        name=scene.name, unit=reader.unit, fps=fps, gravity=gravity_of(scene),
        combine=solver_key(scene.stiction.combine),
        frame_start=start, frame_end=start + max(1, ceil(seconds * fps)), bodies=tuple(bodies), meshes=reader.meshes,
        excluded_pairs=ignored_pairs([ob for ob in (*falling, *grounds)]), samples=none, pairs=read_pairs(scene),
    )  # fmt: skip
    options = simulation_options(scene, reading)
    damping = max(options.angular_damping, TURNING)
    options = replace(options, until_rest=True, angular_damping=damping, **WITHOUT_CONTACTS)
    return replace(reading, settings=vars(options))


def _close(one, vertices, triangles):
    """Choose a shape that is a solid for a body of an open mesh: small holes are closed, sheets and shells made
    thick."""
    placed = vertices @ one.matrix[:3, :3].T
    prepared = prepare_mesh(placed, triangles)
    if prepared.report.closed:
        return
    if is_sheet(prepared):
        one.settings.shape, one.settings.thickness = "SOLIDIFY", OF_SIZE * float(np.ptp(placed, axis=0).max())
    else:
        one.settings.shape = "WINDING"


def _holds(ob, bodies_only):
    """Whether an object that does not fall is in the way of those that do."""
    if bodies_only:
        return ob.stiction.type != "NONE"
    solid = ob.type == "MESH" and len(ob.data.polygons) and ob.display_type in ("SOLID", "TEXTURED")
    return ob.stiction.type != "NONE" or bool(solid and ob.visible_get())


def _past_all(reading, frames):
    """Names of what has fallen past everything there was at the start, itself too: nothing will ever stop it."""
    gravity = np.array(reading.gravity, dtype=float)
    if not gravity.any():
        return []
    down = gravity / np.linalg.norm(gravity)
    radius = np.array(frames.header["size"])
    first, last = frames.positions[0] @ down, frames.positions[-1] @ down
    lowest = (first + radius).max()
    return [body.name for body in reading.bodies if body.settings.type == "ACTIVE"
            for row in [frames.names.index(body.name)] if last[row] - radius[row] > lowest]  # fmt: skip


def _forget_motion(header, lost):
    """What fell past all is told of by itself, not as something that needs more time."""
    left = [name for name in header.pop("moving", []) if name not in lost]
    if left:
        header["moving"] = left


def _fell_out(name):
    return f"object {name!r}: there is nothing under it to fall onto; it stays where it was"


def _put(scene, reading, frames, lost):
    """Put the fallen objects but the lost ones where the last frame has them; returns how many."""
    source = source_of(reading, frames)
    column = {name: i for i, name in enumerate(frames.names)}
    falling = [link for link in source.links if link.active and link.name not in lost]
    pairs, _ = ObjectFinder(scene.objects).pairs(falling)
    # Parents first: a place in the world is the object's own only once its parent has found its.
    for link, ob in sorted(pairs, key=lambda pair: _depth(pair[1])):
        row = column[link.name]
        pose = pose_matrix(frames.positions[-1, row] / reading.unit, frames.orientations[-1, row])
        scale = ob.scale.copy()
        ob.matrix_world = Matrix((pose @ link.offset).tolist())
        ob.scale = scale
        bpy.context.view_layer.update()
    return len(pairs)


def _depth(ob):
    """How many parents are above an object."""
    return 0 if ob.parent is None else 1 + _depth(ob.parent)
