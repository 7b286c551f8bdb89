"""Hold the simulation that is running, and let it go on."""

import bpy

from ..blender_addon.running import job as jobs


class STICTION_OT_pause(bpy.types.Operator):
    """Hold the simulation after the step in work, or let it go on; the frames there are can be looked at"""

    bl_idname = "stiction.pause"
    bl_label = "Pause"

    @classmethod
    def poll(cls, context):
        return jobs.running()

    def execute(self, context):
        job = jobs.current()
        job.pause(not job.paused)
        return {"FINISHED"}
