"""A curve or a mesh of edges as a rope, and away with it."""

import bpy

from ...blender_addon.joints import rope


class _OnLine:
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.object is not None and rope.is_line(context.object)


class STICTION_OT_rope(_OnLine, bpy.types.Operator):
    """Make a body of every edge of a curve, or of a mesh without faces, and join them; the object follows them"""

    bl_idname = "stiction.rope"
    bl_label = "Make Rope"

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


class STICTION_OT_remove_rope(_OnLine, bpy.types.Operator):
    """Remove the rope's bodies, joints and hooks; a curve is as it was drawn again"""

    bl_idname = "stiction.remove_rope"
    bl_label = "Remove Rope"

    def execute(self, context):
        count = rope.remove(context.scene, context.object)
        self.report({"INFO"}, f"{count} objects of the rope removed")
        return {"FINISHED"}


CLASSES = (STICTION_OT_rope, STICTION_OT_remove_rope)
