"""Take over Blender's own Rigid Body settings."""

import bpy

from ..blender_addon import rigid_body


class STICTION_OT_import_rigid_body(bpy.types.Operator):
    """Take over the settings of Blender's own Rigid Body objects in this scene, and switch those off"""

    bl_idname = "stiction.import_rigid_body"
    bl_label = "Import Rigid Body"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return any(ob.rigid_body for ob in context.scene.objects)

    def execute(self, context):
        taken, notes = rigid_body.take_over(context.scene)
        for sentence in notes:
            self.report({"WARNING"}, sentence)
        self.report({"INFO"}, f"{taken} Rigid Body object{'s' if taken != 1 else ''} taken over")
        return {"FINISHED"}
