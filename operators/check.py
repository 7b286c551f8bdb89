"""Look through the bodies before a run."""

import bpy

from ..blender_addon.checks import runner
from ..solver.base.refusal import SceneError


class STICTION_OT_check(bpy.types.Operator):
    """Find what may go wrong with the bodies: open meshes, overlaps, unused keyframes, unlikely masses"""

    bl_idname = "stiction.check"
    bl_label = "Check Bodies"

    @classmethod
    def poll(cls, context):
        return context.scene is not None

    def execute(self, context):
        try:
            found, scan = runner.check_now(context.scene, context.view_layer)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        count = sum(map(len, found.values()))
        checked = f"{len(scan.subjects)} bod{'y' if len(scan.subjects) == 1 else 'ies'} checked"
        result = f"{count} finding{'' if count == 1 else 's'}" if count else "all well"
        self.report({"INFO"}, f"{checked}, {result}")
        return {"FINISHED"}
