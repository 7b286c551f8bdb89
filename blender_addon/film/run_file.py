"""A .blend file of a run's bodies and their motion, for who has no scene of Blender's: made from the arrays that
`solver.results.blend` hands over."""

import bpy
import numpy as np

from ...solver.results.picture import GROUND, PALETTE
from ..base.curves import ActionWriter, add_held
from ..base.transforms import continuous
from ..examples.base import mesh_of
from ..examples.placing import look_at_all

PLACE, TURN = [("location", i) for i in range(3)], [("rotation_quaternion", i) for i in range(4)]
# Pictures a second, at most.
FASTEST = 240


def main(given, target):
    """Write the .blend file; returns the exit code."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with np.load(given) as run:
        _fill(bpy.context.scene, run)
    bpy.ops.wm.save_as_mainfile(filepath=target, check_existing=False)
    return 0


def _fill(scene, run):
    times, names = run["times"], run["names"]
    rate = 1.0 / np.diff(times).min() if len(times) > 1 else scene.render.fps
    scene.render.fps = int(np.clip(round(rate), 1, FASTEST))
    frames = 1.0 + (times - times[0]) * scene.render.fps
    scene.frame_start, scene.frame_end = 1, max(1, int(np.ceil(frames[-1])))
    objects = [_object(scene, run, i) for i in range(len(names))]
    writer = ActionWriter("Run", frames)
    for _ in writer.reserve(objects):
        pass
    quaternions = continuous(run["orientations"])
    for i, ob in enumerate(objects):
        if f"bent_{i}" in run:
            _bend(ob, run[f"bent_{i}"], frames)
        elif len(times) > 1:
            values = np.concatenate([run["positions"][:, i], quaternions[:, i]], axis=1).T
            writer.write(ob, PLACE + TURN, values)
        else:
            ob.location, ob.rotation_quaternion = run["positions"][0, i], quaternions[0, i]
        _show_while_there(ob, run["present"][i], times[0], scene.render.fps, frames)
    scene.frame_set(1)
    _light(scene)
    moving = [ob for ob, moves in zip(objects, run["moves"], strict=True) if moves]
    look_at_all(scene, scene.collection, moving or objects)


def _object(scene, run, i):
    """The object of a body, its mesh in the frame of the body."""
    own = [slice(*run[name + "_start"][i : i + 2]) for name in ("vertices", "triangles")]
    color = (*(PALETTE[i % len(PALETTE)] if run["moves"][i] else GROUND), 1.0)
    mesh = mesh_of(str(run["names"][i]), run["vertices"][own[0]].tolist(), run["triangles"][own[1]].tolist(), color)
    ob = bpy.data.objects.new(mesh.name, mesh)
    ob.rotation_mode, ob.color = "QUATERNION", color
    scene.collection.objects.link(ob)
    return ob


def _bend(ob, places, frames):
    """Give an object its vertices (F,V,3) at the frames (F,): a shape key each, one after the other."""
    for k, vertices in enumerate(places):
        key = ob.shape_key_add(name=f"frame {k}", from_mix=False)
        key.data.foreach_set("co", np.ascontiguousarray(vertices, dtype=np.float32).reshape(-1))
        key.interpolation = "KEY_LINEAR"
    keys = ob.data.shape_keys
    keys.use_relative = False
    for k, frame in enumerate(frames):
        keys.eval_time = keys.key_blocks[k].frame
        keys.keyframe_insert("eval_time", frame=float(frame))


def _show_while_there(ob, present, begin, rate, frames):
    """Hide an object before it enters the scene and after it left."""
    entered, left = 1.0 + (present - begin) * rate
    if entered <= frames[0] and left > frames[-1]:
        return
    if ob.animation_data is None:
        ob.animation_data_create()
    places = [(frames[0] - 1.0, 1.0), (entered, 0.0), (left, 1.0)]
    for path in ("hide_viewport", "hide_render"):
        add_held(ob, path, [place for place in places if np.isfinite(place[0]) and place[0] <= frames[-1]])


def _light(scene):
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    sun.data.energy, sun.rotation_euler = 3.0, (0.6, 0.2, 0.9)
    scene.collection.objects.link(sun)
    scene.world = bpy.data.worlds.new("World")
    scene.world.color = (0.5, 0.5, 0.5)
