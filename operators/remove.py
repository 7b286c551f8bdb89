"""Take the selected objects out of the simulation."""

import bpy

from ..blender_addon.settings import selection


class STICTION_OT_remove(bpy.types.Operator):
    """Take the selected objects out of the simulation; their own settings are kept"""

    bl_idname = "stiction.remove"
    bl_label = "Remove from Simulation"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT" and bool(context.selected_objects)

    def execute(self, context):
        return selection.set_type(self, context.selected_objects, "NONE")
