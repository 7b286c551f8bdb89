"""Bodies that Blender does not evaluate: disabled in the viewport, or in a disabled collection."""

import bpy

from .base import REFUSED, Check, Finding, counted


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
