"""What is not read: bodies that are disabled or only seen through an instance of their collection, and instances that
the geometry nodes of a body make."""

import bpy

from ...solver.base.wording import counted
from ..base.nodes import new_group
from .base import REFUSED, WARNING, Check, Finding


def find(scan):
    """Yield a Finding for every body that is not evaluated."""
    for ob, subject in scan.objects():
        if subject.refusal and "disabled in the viewport" in subject.refusal:
            yield Finding((ob.name,), "disabled in viewports, so it cannot be read", REFUSED)


def enable(scene, objects, _scan):
    """Enable objects, their collections and these collections' layers in viewports."""
    for ob in objects:
        ob.hide_viewport = False
        for collection in ob.users_collection:
            collection.hide_viewport = False
    names = {collection.name for ob in objects for collection in ob.users_collection}
    _include(bpy.context.view_layer.layer_collection, names)
    return f"{counted(len(objects), 'object')} enabled in viewports"


def _include(layer, names):
    if layer.collection.name in names:
        layer.exclude = layer.hide_viewport = False
    for child in layer.children:
        _include(child, names)


CHECK = Check("hidden", "Disabled", find, "Enable in Viewports", enable)


def find_instanced(scan):
    """Yield a Finding for every instance whose collection holds bodies that are not objects of the scene."""
    own = set(scan.scene.objects)
    for ob in scan.scene.objects:
        collection = ob.instance_collection if ob.instance_type == "COLLECTION" else None
        if collection is None or ob.stiction.type != "NONE":
            continue
        inside = [part for part in collection.all_objects if part.stiction.type != "NONE" and part not in own]
        if inside:
            text = (
                f"shows {len(inside)} of the bodies as an instance of collection {collection.name!r}, "
                "which is not simulated: make it real"
            )
            yield Finding((ob.name,), text, WARNING)
    yield None


def make_real(_scene, objects, _scan):
    """Replace each instance by objects of its own."""
    for ob in objects:
        chosen = {"selected_objects": [ob], "selected_editable_objects": [ob]}
        with bpy.context.temp_override(active_object=ob, object=ob, **chosen):
            bpy.ops.object.duplicates_make_real(use_base_parent=True, use_hierarchy=True)
    return f"{counted(len(objects), 'instance')} made real"


INSTANCED = Check("instanced", "Instances", find_instanced, "Make Instances Real", make_real)


def find_unrealized(scan):
    """Yield a Finding for every body whose geometry nodes make instances; one that has nothing else is refused."""
    for ob, subject in scan.objects():
        if subject.instances:
            weight = WARNING if subject.body is not None else REFUSED
            yield Finding((ob.name,), "its geometry nodes make instances, which are no part of its mesh", weight)


def realize(_scene, objects, _scan):
    """Put a modifier behind all others that makes mesh of instances."""
    group, start, end = new_group("Realize Instances")
    node = group.nodes.new("GeometryNodeRealizeInstances")
    group.links.new(start.outputs[0], node.inputs[0])
    group.links.new(node.outputs[0], end.inputs[0])
    for ob in objects:
        ob.modifiers.new("Realize Instances", "NODES").node_group = group
    return f"instances of {counted(len(objects), 'object')} realized"


UNREALIZED = Check("unrealized", "Instances by nodes", find_unrealized, "Realize Instances", realize)
