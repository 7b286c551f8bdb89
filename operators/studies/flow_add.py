"""Add an emitter, a sink or a counter."""

import bpy

from ...blender_addon.flow.settings import KINDS, add


class STICTION_OT_flow_add(bpy.types.Operator):
    """Add an emitter, a sink or a counter of bodies at the 3D cursor"""

    bl_idname = "stiction.flow_add"
    bl_label = "Add Flow Object"
    bl_options = {"REGISTER", "UNDO"}

    kind: bpy.props.EnumProperty(name="Kind", items=KINDS[1:])

    @classmethod
    def description(cls, context, properties):
        return next(text for key, _, text in KINDS if key == properties.kind)

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT"

    def execute(self, context):
        scene = context.scene
        poured = [ob for ob in context.selected_objects if ob.type == "MESH" and ob.stiction.type == "NONE"]
        ob = add(scene, self.kind, scene.cursor.location)
        if self.kind == "EMITTER" and poured:
            ob.stiction_flow.pours = _collection_of(scene, poured)
        for other in context.selected_objects:
            other.select_set(False)
        ob.select_set(True)
        context.view_layer.objects.active = ob
        return {"FINISHED"}


def _collection_of(scene, objects):
    """A collection of the scene that holds these objects as well."""
    collection = bpy.data.collections.new("Poured")
    scene.collection.children.link(collection)
    for ob in objects:
        collection.objects.link(ob)
    return collection


CLASSES = (STICTION_OT_flow_add,)
