"""Throw away the frames of a run that was stopped."""

import bpy

from ..blender_addon.running import job as jobs
from ..blender_addon.running import run as runs


class STICTION_OT_discard(bpy.types.Operator):
    """Remove the frames of the run that was stopped; a bake stays as it is"""

    bl_idname = "stiction.discard"
    bl_label = "Discard Frames"

    @classmethod
    def poll(cls, context):
        return not jobs.running() and runs.unfinished(context.scene) is not None

    def execute(self, context):
        runs.discard(context.scene)
        return {"FINISHED"}
