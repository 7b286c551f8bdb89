"""Make the selected meshes Passive bodies."""

import bpy

from ..blender_addon.settings import selection


class STICTION_OT_add_passive(bpy.types.Operator):
    """Make the selected meshes Passive bodies: Active bodies collide with them"""

    bl_idname = "stiction.add_passive"
    bl_label = "Add Passive"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT" and bool(context.selected_objects)

    def execute(self, context):
        return selection.set_type(self, context.selected_objects, "PASSIVE")
