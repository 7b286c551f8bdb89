"""Many bodies as one mesh: three vertices a body, played from a PC2 file, carry instances by geometry nodes.

Playing 2,000 bodies takes half a millisecond a frame, and the file holds no keyframes. The bodies' own objects are
hidden until Clear.
"""

from contextlib import contextmanager
from pathlib import Path

import bpy
import numpy as np

from ..base import transforms
from ..base.files import blend_path
from ..base.steps import chunks, exhausted
from .base import Baker, ObjectFinder
from .deformables import deformable_names
from .instance_nodes import carrier_group
from .point_cache import play, write_pc2_steps
from .presence import taken_out, times_here

MARK = "stiction_carrier"
FILE = "carrier.pc2"
# Poses worked out at a time: a few milliseconds.
POSES = 16384


def bake(scene, export, trajectory, frames, name):
    """Generator that makes the carrier of all Active bodies, if the scene asks for instances; returns sentences to
    show."""
    if scene.stiction.bake_to != "INSTANCES":
        return []
    soft = deformable_names(export)
    links = [link for link in export.links if link.active and link.name not in soft]
    pairs, warnings = ObjectFinder(scene.objects).pairs(links)
    if not pairs:
        return warnings
    names = [link.name for link, _ in pairs]
    here = times_here(names, trajectory) if taken_out(trajectory).intersection(names) else None
    yield from build_steps(scene, f"{name} Bodies", pairs, trajectory, export.unit, int(round(frames[0])), here=here)
    for _, ob in pairs:
        hide(ob)
    return warnings


def build(*arguments, **settings):
    """Make a carrier in one go; as `build_steps`."""
    return exhausted(build_steps(*arguments, **settings))


def build_steps(scene, name, links, trajectory, unit, frame_start, shift=(0.0, 0.0, 0.0), folder=None,
                here=None):  # fmt: skip
    """Generator that makes a carrier of bodies [(Link, object)] with the poses of a trajectory; returns its object.
    here (F,N) bool: frames in which each is to be seen; None for all."""
    path = Path(folder or trajectory.folder) / FILE
    axes, scale = _axes(links)
    parts = _carried(links, axes, trajectory, unit, here)
    first = yield from write_pc2_steps(path, len(trajectory.times), parts)
    prototypes, number = yield from _prototypes(links, name)
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(first))
    mesh.attributes["position"].data.foreach_set("vector", np.ascontiguousarray(first, dtype=np.float32).ravel())
    _attribute(mesh, "body_scale", "FLOAT_VECTOR", "vector", np.repeat(scale, 3, axis=0).astype(np.float32))
    _attribute(mesh, "body_shape", "INT", "value", np.repeat(number, 3).astype(np.int32))
    carrier = bpy.data.objects.new(name, mesh)
    carrier.location, carrier[MARK] = shift, True
    # Workbench draws instances in the colour of the object that makes them.
    colors = {tuple(ob.color) for _, ob in links}
    if len(colors) == 1:
        carrier.color = colors.pop()
    scene.collection.objects.link(carrier)
    play(carrier, blend_path(path), frame_start)
    modifier = carrier.modifiers.new("Stiction Bodies", "NODES")
    modifier.node_group = carrier_group(name, len(links), prototypes)
    return carrier


def _axes(links):
    """(axes (N,3,3), scale (N,3)) of objects in their bodies' frames."""
    offset = np.array([link.offset for link, _ in links])
    signs = np.array([np.sign(np.array(ob.scale) * np.array(ob.delta_scale)) for _, ob in links])
    mirrored = np.prod(signs, axis=1) * np.linalg.det(offset[:, :3, :3]) < 0
    signs[mirrored] *= -1
    turn, scale, _ = transforms.split_scale(offset[:, :3, :3], signs)
    return turn, scale


def _carried(links, axes, trajectory, unit, here):
    """Yield points (F,3 N,3) of bodies in Blender units, some frames at a time: place, and ends of the object's x and y
    axes, which have no length where a body is not to be seen."""
    column = {name: i for i, name in enumerate(trajectory.names)}
    rows = np.array([column[link.name] for link, _ in links])
    offset = np.array([link.offset[:3, 3] for link, _ in links])
    for frames in chunks(range(len(trajectory.times)), POSES // len(links)):
        some = slice(frames[0], frames[-1] + 1)
        pose = transforms.matrix_of_quaternion(trajectory.orientations[some, rows])
        points = np.empty((len(frames), len(links), 3, 3))
        points[:, :, 0] = trajectory.positions[some, rows] / unit + np.einsum("fnij,nj->fni", pose, offset)
        for axis in (0, 1):
            points[:, :, axis + 1] = points[:, :, 0] + np.einsum("fnij,nj->fni", pose, axes[:, :, axis])
        if here is not None:
            points = np.where(here[some, :, None, None], points, points[:, :, :1])
        yield points.reshape(len(frames), -1, 3)


def _attribute(mesh, name, kind, field, values):
    mesh.attributes.new(name, kind, "POINT").data.foreach_set(field, np.ascontiguousarray(values).ravel())


def _prototypes(links, name):
    """Generator; returns (collection of one object for each kind of body, its number for each body (N,))."""
    collection = bpy.data.collections.new(f"{name} Shapes")
    collection[MARK] = True
    known, number = {}, []
    for _, ob in links:
        # Modifiers may differ between objects that share a mesh.
        key = (ob.data.as_pointer(), ob.name if ob.modifiers or ob.material_slots else "")
        if key not in known:
            known[key] = len(known)
            collection.objects.link(_prototype(ob, f"{name} {len(known):06d}"))
            yield len(known)
        number.append(known[key])
    return collection, np.array(number)


def _prototype(ob, name):
    """A copy that shows an object's mesh and modifiers at the origin, and is no body."""
    copy = ob.copy()
    copy.name = name
    copy.animation_data_clear()
    copy.constraints.clear()
    copy.parent = None
    copy.matrix_basis.identity()
    copy.delta_location, copy.delta_scale = (0, 0, 0), (1, 1, 1)
    copy.delta_rotation_euler, copy.delta_rotation_quaternion = (0, 0, 0), (1, 0, 0, 0)
    copy.hide_viewport = copy.hide_render = False
    copy.stiction.type = "NONE"
    return copy


def hide(ob):
    """Hide a body whose instance is shown instead."""
    record = ob.stiction.record
    record.carried, record.hidden_viewport, record.hidden_render = True, ob.hide_viewport, ob.hide_render
    ob.hide_viewport = ob.hide_render = True


def show(ob):
    """Show a body again as it was."""
    record = ob.stiction.record
    if record.carried:
        ob.hide_viewport, ob.hide_render, record.carried = record.hidden_viewport, record.hidden_render, False


def carried_objects(scene):
    """Bodies of a scene whose instances are shown instead."""
    return [ob for ob in scene.objects if ob.stiction.record.carried]


@contextmanager
def shown(scene):
    """The bodies themselves are visible, as before the bake."""
    objects = carried_objects(scene)
    for ob in objects:
        show(ob)
    try:
        yield
    finally:
        for ob in objects:
            hide(ob)


def carriers(scene):
    """Objects of a scene that carry instances of bodies."""
    return [ob for ob in scene.objects if ob.get(MARK)]


def clear(scene):
    """Generator that removes all carriers of a scene and shows the bodies again; returns their number and sentences to
    show."""
    objects = carried_objects(scene)
    yield
    for ob in objects:
        show(ob)
    for carrier in carriers(scene):
        remove(carrier)
    return len(objects), []


def remove(carrier):
    """Remove a carrier, or the name of one, with all that was made for it and that a person has left there."""
    data, groups = carrier.data, [modifier.node_group for modifier in carrier.modifiers if modifier.type == "NODES"]
    bpy.data.objects.remove(carrier)
    (bpy.data.meshes if isinstance(data, bpy.types.Mesh) else bpy.data.curves).remove(data)
    for group in filter(None, groups):
        node = group.nodes.get("Shapes")
        collection = None if node is None else node.inputs["Collection"].default_value
        bpy.data.node_groups.remove(group)
        if collection is None:
            continue
        for ob in list(collection.objects):
            bpy.data.objects.remove(ob)
        bpy.data.collections.remove(collection)


BAKER = Baker("instances", bake, clear)
