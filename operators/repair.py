"""Mend one kind of finding on all objects that have it."""

import bpy

from ..blender_addon.base.enums import items_of, keys_by_identifier
from ..blender_addon.checks import CHECKS, runner
from ..solver.base.refusal import SceneError

KEYS = keys_by_identifier(CHECKS)


class STICTION_OT_repair(bpy.types.Operator):
    """Repair this on every object on which it was found"""

    bl_idname = "stiction.repair"
    bl_label = "Repair Bodies"
    bl_options = {"REGISTER", "UNDO"}

    check: bpy.props.EnumProperty(
        name="Finding", items=items_of((one.key, one.label, one.repair_label) for one in CHECKS.values())
    )

    @classmethod
    def description(cls, context, properties):
        check = CHECKS[KEYS[properties.check]]
        return f"{check.repair_label} on all objects with the finding {check.label}: {check.repair.__doc__}"

    def execute(self, context):
        try:
            said = runner.repair(context.scene, KEYS[self.check], context.view_layer)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if not said:
            self.report({"WARNING"}, f"no object has the finding {CHECKS[KEYS[self.check]].label} any more")
            return {"CANCELLED"}
        self.report({"INFO"}, said)
        return {"FINISHED"}
