"""Stress and stretch of baked deformable bodies as attributes of their meshes, to shade by: `stress` [Pa], `stretch`.

The values of all frames lie in a mesh of their own, of which geometry nodes take those of the frame shown: no handler,
and nothing to install where the file is rendered.
"""

import bpy
import numpy as np

from ...solver.runs.node_frames import of_body, read_constants
from ..bakers.base import ObjectFinder
from ..base.nodes import enabled, link_math, named_attribute, new_group
from ..base.renewed import refer
from .embedding import embed, world_vertices

NAMES = ("stress", "stretch")
MODIFIER = "Stiction Stress"
MARK = "stiction_stress_of"


def build(scene, objects, record, reading, path):
    """Give baked deformable objects their attributes from a file of the stress worker; returns those that have them.

    record: of the run; reading: its SceneReading."""
    constants, made = read_constants(record.folder), []
    with np.load(path) as data:
        values = {name: data[name] for name in NAMES}
    finder = ObjectFinder(scene.objects)
    bodies = {finder.find(one): one for one in reading.bodies}
    for ob in objects:
        if ob not in bodies:
            continue
        one = bodies[ob]
        number = record.frames.header["names"].index(one.name)
        span, _, tets = of_body(constants, number)
        hung = embed(world_vertices(ob, one, reading), constants["rest"][span], tets)
        remove(ob)
        of_vertices = {name: np.einsum("pk,fpk->fp", np.clip(hung.weights, 0, 1), frames[:, span][:, hung.corners])
                       for name, frames in values.items()}  # fmt: skip
        _attach(scene, ob, of_vertices, record.frame_start)
        made.append(ob)
    return made


def _attach(scene, ob, values, frame_start):
    """A mesh of the values (F,V) and the modifier that takes those of the frame shown, behind the motion."""
    frames, count = next(iter(values.values())).shape
    mesh = bpy.data.meshes.new(f"{ob.name} Stress")
    mesh.vertices.add(frames * count)
    for name, each in values.items():
        column = mesh.attributes.new(name, "FLOAT", "POINT")
        column.data.foreach_set("value", np.ascontiguousarray(each, dtype=np.float32).ravel())
    store = bpy.data.objects.new(mesh.name, mesh)
    store[MARK] = ob
    scene.collection.objects.link(store)
    store.hide_render = store.hide_viewport = True
    modifier = ob.modifiers.new(MODIFIER, "NODES")
    modifier.node_group = _group(mesh.name, store, frames, count, frame_start)
    refer(ob, modifier.node_group)
    # Right behind the motion, where there are as many vertices as there were; shape keys come before all modifiers.
    motion = [i for i, other in enumerate(ob.modifiers) if other.type == "MESH_CACHE"]
    ob.modifiers.move(len(ob.modifiers) - 1, motion[-1] + 1 if motion else 0)


def _group(name, store, frames, count, frame_start):
    """Node group that stores the values of the frame shown at the vertices."""
    group, source, target = new_group(name)
    time, index = group.nodes.new("GeometryNodeInputSceneTime"), group.nodes.new("GeometryNodeInputIndex")
    row = link_math(group, "SUBTRACT", time.outputs["Frame"], float(frame_start))
    row = link_math(group, "MINIMUM", link_math(group, "MAXIMUM", row, 0.0), float(frames - 1))
    row = link_math(group, "FLOOR", link_math(group, "ADD", row, 0.5), 0.0)
    place = link_math(group, "ADD", link_math(group, "MULTIPLY", row, float(count)), index.outputs[0])
    info = group.nodes.new("GeometryNodeObjectInfo")
    info.inputs["Object"].default_value = store
    geometry = source.outputs[0]
    for key in NAMES:
        sample = group.nodes.new("GeometryNodeSampleIndex")
        sample.data_type, sample.domain = "FLOAT", "POINT"
        group.links.new(info.outputs["Geometry"], sample.inputs["Geometry"])
        group.links.new(named_attribute(group, key), enabled(sample.inputs, "Value"))
        group.links.new(place, sample.inputs["Index"])
        kept = group.nodes.new("GeometryNodeStoreNamedAttribute")
        kept.data_type, kept.domain = "FLOAT", "POINT"
        kept.inputs["Name"].default_value = key
        group.links.new(geometry, kept.inputs["Geometry"])
        group.links.new(next(out for out in sample.outputs if out.enabled), enabled(kept.inputs, "Value"))
        geometry = kept.outputs["Geometry"]
    group.links.new(geometry, target.inputs[0])
    for number, node in enumerate(group.nodes):
        node.location = (190 * (number % 7), -220 * (number // 7))
    return group


def remove(ob):
    """Take the attributes of an object away; returns whether it had any."""
    modifier = ob.modifiers.get(MODIFIER)
    if modifier is not None:
        group = modifier.node_group
        ob.modifiers.remove(modifier)
        if group is not None:
            bpy.data.node_groups.remove(group)
    stores = [other for other in bpy.data.objects if other.get(MARK) == ob]
    for store in stores:
        mesh = store.data
        bpy.data.objects.remove(store)
        bpy.data.meshes.remove(mesh)
    return modifier is not None
