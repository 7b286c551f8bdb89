"""Remove the bake."""

import bpy

from ..blender_addon.baking import bake as baking
from ..blender_addon.running import job as jobs
from ..blender_addon.running import run as runs


class STICTION_OT_clear(bpy.types.Operator):
    """Remove the baked motion from all bodies of this scene; their own animation and pose come back"""

    bl_idname = "stiction.clear"
    bl_label = "Clear"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return not jobs.running() and bool(baking.baked_objects(context.scene))

    def execute(self, context):
        count, notes = baking.clear(context.scene)
        runs.forget_looks()
        for sentence in notes:
            self.report({"WARNING"}, sentence)
        self.report({"INFO"}, f"bake removed from {count} object{'s' if count > 1 else ''}")
        return {"FINISHED"}
