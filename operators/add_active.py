"""Make the selected meshes Active bodies."""

import bpy

from ..blender_addon.settings import selection


class STICTION_OT_add_active(bpy.types.Operator):
    """Make the selected meshes Active bodies: moved by gravity and contacts"""

    bl_idname = "stiction.add_active"
    bl_label = "Add Active"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT" and bool(context.selected_objects)

    def execute(self, context):
        return selection.set_type(self, context.selected_objects, "ACTIVE")
