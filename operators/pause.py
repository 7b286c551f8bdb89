"""Hold the simulation that is running, and let it go on."""

import bpy

from ..blender_addon.running import job as jobs


class STICTION_OT_pause(bpy.types.Operator):
    """Pause the simulation after the current step, or continue it; the frames so far can be played"""

    bl_idname = "stiction.pause"
    bl_label = "Pause Simulation"

    @classmethod
    def poll(cls, context):
        return jobs.running()

    def execute(self, context):
        job = jobs.current()
        job.pause(not job.paused)
        return {"FINISHED"}
