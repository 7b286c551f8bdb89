"""An armature as a ragdoll, and its baked motion on the bones."""

import bpy

from ...blender_addon.exporting.export import frame_range
from ...blender_addon.joints import ragdoll
from ...solver.base.refusal import SceneError


class _OnArmature:
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "ARMATURE"


class STICTION_OT_ragdoll(_OnArmature, bpy.types.Operator):
    """Make a body of every deforming bone (in pose mode: of the selected ones) and join them where the bones are"""

    bl_idname = "stiction.ragdoll"
    bl_label = "Make Ragdoll"

    thick: bpy.props.FloatProperty(
        name="Thickness", default=ragdoll.THICK, min=0.01, max=0.4, description="Radius of a body over its length"
    )

    def execute(self, context):
        armature = context.object
        if ragdoll.parts_of(context.scene, armature):
            self.report({"WARNING"}, f"{armature.name!r} is a ragdoll already; press Remove Ragdoll first")
            return {"CANCELLED"}
        chosen = None
        if context.mode == "POSE":
            chosen = [bone.name for bone in context.selected_pose_bones]
        bodies, joints = ragdoll.make_ragdoll(context.scene, armature, chosen, self.thick)
        if not bodies:
            self.report({"WARNING"}, "no bone to make a body of; select bones, or switch Deform on for some")
            return {"CANCELLED"}
        self.report({"INFO"}, f"{len(bodies)} bodies and {len(joints)} joints made; add a Passive floor and press Bake")
        return {"FINISHED"}


class STICTION_OT_ragdoll_to_bones(_OnArmature, bpy.types.Operator):
    """Key the bones as the baked ragdoll moves them; the bodies are no longer needed"""

    bl_idname = "stiction.ragdoll_to_bones"
    bl_label = "Bake to Pose Bones"

    @classmethod
    def poll(cls, context):
        return super().poll(context) and bool(context.scene.stiction.run)

    def execute(self, context):
        try:
            start, end = frame_range(context.scene)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        count = ragdoll.to_bones(context.scene, context.object, range(start, end + 1))
        if not count:
            self.report({"WARNING"}, f"{context.object.name!r} has no ragdoll; press Make Ragdoll and Bake first")
            return {"CANCELLED"}
        self.report({"INFO"}, f"{count} bones keyed over frames {start} to {end}; its own action is kept")
        return {"FINISHED"}


CLASSES = (STICTION_OT_ragdoll, STICTION_OT_ragdoll_to_bones)
