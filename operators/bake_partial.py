"""Key the frames of a run that was stopped."""

import bpy

from ..blender_addon.base.events import waits
from ..blender_addon.running import job as jobs
from ..blender_addon.running import run as runs
from .bake import Running


class STICTION_OT_bake_partial(Running, bpy.types.Operator):
    """Turn the frames that were simulated before the run was stopped into keyframes"""

    bl_idname = "stiction.bake_partial"
    bl_label = "Bake What There Is"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return not cls.busy() and not jobs.running() and runs.unfinished(context.scene) is not None

    def execute(self, context):
        return self.write_at_once(lambda: runs.bake_run(runs.find_unfinished(context.scene).run))

    @waits
    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        run = runs.find_unfinished(context.scene).run
        return self.write_on(context, run, runs.bake_run_steps(run))
