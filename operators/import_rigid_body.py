"""Take over Blender's own Rigid Body settings."""

import bpy

from ..blender_addon import rigid_body
from ..blender_addon.deformable.soft_body import take_over_soft
from ..blender_addon.rigid_body.report import TEXT, Entry, write_report


class STICTION_OT_import_rigid_body(bpy.types.Operator):
    """Take over Blender's own Rigid Body and Soft Body settings. A Text block says what became of each"""

    bl_idname = "stiction.import_rigid_body"
    bl_label = "Import Rigid Body"
    bl_options = {"REGISTER", "UNDO"}

    remove: bpy.props.BoolProperty(
        name="Remove Rigid Body after Import", default=False,
        description="Take Blender's own Rigid Body from the objects; otherwise it is switched off and kept",
    )  # fmt: skip

    @classmethod
    def poll(cls, context):
        return any(ob.rigid_body or ob.soft_body for ob in context.scene.objects)

    def execute(self, context):
        taken, entries = rigid_body.take_over(context.scene, self.remove)
        soft = take_over_soft(context.scene, self.remove)
        if soft:
            taken, entries = taken + len(soft), (entries or [Entry("World")]) + soft
            write_report(context.scene, entries)
        changed = sum(bool(entry.changed or entry.left_out) for entry in entries[1:])
        line = f"{taken} object{'s' if taken != 1 else ''} taken over"
        if changed:
            line += f", {changed} with something changed or left out"
        self.report({"WARNING" if changed else "INFO"}, f"{line}: see the Text block {TEXT!r}")
        return {"FINISHED"}
