"""Key the frames of a run that was stopped."""

import bpy

from ..blender_addon.running import job as jobs
from ..blender_addon.running import run as runs
from ..solver.base.refusal import SceneError, TrajectoryError


class STICTION_OT_bake_partial(bpy.types.Operator):
    """Turn the frames that were simulated before the run was stopped into keyframes"""

    bl_idname = "stiction.bake_partial"
    bl_label = "Bake What There Is"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return not jobs.running() and runs.unfinished(context.scene) is not None

    def execute(self, context):
        try:
            line, warnings = runs.bake_run(runs.unfinished(context.scene).run)
        except (SceneError, TrajectoryError, runs.JobFailed, OSError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Baked: {line}")
        for sentence in warnings:
            self.report({"WARNING"}, sentence)
        return {"FINISHED"}
