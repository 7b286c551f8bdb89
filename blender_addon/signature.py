"""A cheap fingerprint of everything a bake depends on, to tell when it is out of date."""

import hashlib
import time

import bpy
import numpy as np

from .bake import baked_objects
from .export import bodies_of
from .record import own_pose

# Not settings: written by the bake itself.
RESULTS = {
    "rna_type", "name", "signature", "summary", "verdict", "worth", "run", "record", "cache", "developer", "follow",
    "active_pair",
}  # fmt: skip
# The panel looks again after this many times what a look costs: at most a few percent of the time is spent on it.
PATIENCE = 20


def signature(scene):
    """Fingerprint of the settings, poses and meshes a simulation starts from; evaluates nothing."""
    content = hashlib.sha256()
    unit, render = scene.unit_settings, scene.render
    own, settings = scene.stiction, _values(scene.stiction)
    start = scene.frame_start if own.use_scene_range else own.frame_start
    for name in ("frame_start", "frame_end", "use_scene_range"):
        del settings[name]
    values = [settings, tuple(scene.gravity), scene.use_gravity, start, render.fps, render.fps_base]
    values += [unit.system, unit.scale_length]
    meshes = set()
    for ob in bodies_of(scene):
        values.append(_object_values(ob, scene.frame_current_final))
        if ob.type == "MESH":
            meshes.add(ob.data)
    content.update(repr(values).encode())
    for mesh in sorted(meshes, key=lambda mesh: mesh.name):
        content.update(_mesh_bytes(mesh))
    return f"{content.hexdigest()[:32]}-{last_frame(scene)}"


def last_frame(scene):
    """Last frame of the range to simulate."""
    return scene.frame_end if scene.stiction.use_scene_range else scene.stiction.frame_end


def same_but_longer(scene):
    """True if the scene has changed since its bake by nothing but a later last frame."""
    made, _, end = scene.stiction.signature.rpartition("-")
    now = signature(scene).rpartition("-")[0]
    return made == now and end.lstrip("-").isdigit() and last_frame(scene) > int(end)


def _values(group):
    """Plain values of a property group, nested groups included."""
    found = {}
    for prop in group.bl_rna.properties:
        if prop.identifier in RESULTS:
            continue
        value = getattr(group, prop.identifier)
        if isinstance(value, bpy.types.PropertyGroup):
            value = _values(value)
        elif isinstance(value, bpy.types.Collection):
            value = sorted(ob.name for ob in value.all_objects)
        elif prop.type == "COLLECTION":
            value = [_values(entry) for entry in value]
        elif getattr(prop, "is_array", False):
            value = tuple(value)
        found[prop.identifier] = value
    return found


def _object_values(ob, frame):
    record = ob.stiction.record
    action = record.action if record.baked else ob.animation_data.action if ob.animation_data else None
    pose = own_pose(ob, frame)
    if action:
        # The pose of a keyed object is that of the frame one looks at.
        pose = action.name
    modifiers = [(m.name, m.type, m.show_viewport) for m in ob.modifiers]
    return (
        ob.name, _values(ob.stiction), pose, tuple(ob.scale), tuple(ob.delta_location), tuple(ob.delta_scale),
        ob.parent.name if ob.parent else "", ob.data.name if ob.data else "", modifiers,
    )  # fmt: skip


def _mesh_bytes(mesh):
    positions = mesh.attributes.get("position")
    if positions is None:
        return b""
    values = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    positions.data.foreach_get("vector", values)
    return values.tobytes()


_looked = {}


def out_of_date(scene):
    """True if the scene carries a bake made from other settings; looks again as often as it is cheap."""
    if not scene.stiction.signature or not baked_objects(scene):
        return False
    start = time.monotonic()
    next_look, answer, made_from = _looked.get(scene.session_uid, (0.0, False, ""))
    if start > next_look or made_from != scene.stiction.signature:
        answer = signature(scene) != scene.stiction.signature
        end = time.monotonic()
        _looked[scene.session_uid] = (end + PATIENCE * (end - start), answer, scene.stiction.signature)
    return answer
