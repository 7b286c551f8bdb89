"""A curve or a mesh of edges as a rope; away with ropes and ragdolls."""

import bpy

from ...blender_addon.joints import ragdoll, rope
from ...solver.base.wording import counted


class STICTION_OT_rope(bpy.types.Operator):
    """Make a body of every edge of a curve, or of a mesh without faces, and join them; the object follows them"""

    bl_idname = "stiction.rope"
    bl_label = "Make Rope"
    bl_options = {"REGISTER", "UNDO"}

    thickness: bpy.props.FloatProperty(
        name="Thickness", default=0.0, min=0.0, unit="LENGTH",
        description="Of the rope; 0: the curve's Bevel, or 2 % of the length. Set it for a mesh of edges",
    )
    bending: bpy.props.FloatProperty(
        name="Bending [N m/rad]", default=0.0, min=0.0, precision=4,
        description="Stiffness of each joint against bending; 0: limp. Raise it for cables and wires",
    )
    tied: bpy.props.EnumProperty(
        name="Tied", default="NONE",
        items=[("NONE", "Nowhere", "Both ends are loose"), ("START", "Start", "The first point is held"),
               ("END", "End", "The last point is held"), ("BOTH", "Both Ends", "Both ends are held")],
        description="Ends that are held: by the other selected object, by the ground where none is selected",
    )  # fmt: skip

    @classmethod
    def poll(cls, context):
        return context.object is not None and rope.is_line(context.object)

    def execute(self, context):
        ob = context.object
        if rope.parts_of(context.scene, ob):
            self.report({"WARNING"}, f"{ob.name!r} is a rope already; press Remove Rope first")
            return {"CANCELLED"}
        others = [other for other in context.selected_objects if other is not ob and other.stiction.type != "NONE"]
        if len(others) > 1:
            many = f"{len(others)} bodies are selected beside {ob.name!r}"
            self.report({"WARNING"}, f"{many}; select the one to tie it to")
            return {"CANCELLED"}
        to = others[0] if others else None
        bodies, joints = rope.make_rope(context.scene, ob, self.thickness, self.bending, self.tied, to)
        if not bodies:
            self.report({"WARNING"}, f"{ob.name!r} has no edges to make a rope of; add points to it")
            return {"CANCELLED"}
        made = f"{len(bodies)} bodies and {len(joints)} joints made"
        self.report({"INFO"}, f"{made}; {ob.name!r} follows them, press Bake")
        return {"FINISHED"}


class STICTION_OT_remove_parts(bpy.types.Operator):
    """Remove the bodies and joints that were made of the active object; it is as it was: a curve as it was drawn, an
    armature with its own action"""

    bl_idname = "stiction.remove_parts"
    bl_label = "Remove Rope or Ragdoll"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.object is not None and (context.object.type == "ARMATURE" or rope.is_line(context.object))

    def execute(self, context):
        made, label = (ragdoll, "ragdoll") if context.object.type == "ARMATURE" else (rope, "rope")
        count = made.remove(context.scene, context.object)
        self.report({"INFO"}, f"{counted(count, 'object')} of the {label} removed")
        return {"FINISHED"}


CLASSES = (STICTION_OT_rope, STICTION_OT_remove_parts)
