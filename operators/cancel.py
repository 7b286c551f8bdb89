"""Stop the simulation that is running."""

import bpy

from ..blender_addon.running import job as jobs


class STICTION_OT_cancel(bpy.types.Operator):
    """Stop the simulation at once, as Esc does with the mouse over this tab; its frames are kept, to bake them or to
    go on from them"""

    bl_idname = "stiction.cancel"
    bl_label = "Cancel Simulation"

    @classmethod
    def poll(cls, context):
        return jobs.running()

    def execute(self, context):
        jobs.current().cancel()
        return {"FINISHED"}
