"""Let the selected objects fall until they rest, and keep their poses."""

import bpy

from ..blender_addon.running import dropping
from .bake import Running


class STICTION_OT_drop_to_rest(Running, bpy.types.Operator):
    """Let the selected objects fall onto what is seen until all rest, and leave them there: no keys, one undo step"""

    bl_idname = "stiction.drop_to_rest"
    bl_label = "Drop to Rest"
    bl_options = {"REGISTER", "UNDO"}
    when_writing, again, done = "they were put down", "Drop to Rest", "Dropped"
    follow = revocable = False

    seconds: bpy.props.FloatProperty(
        name="At Most", default=10.0, min=0.1, soft_max=60.0, unit="TIME_ABSOLUTE",
        description="Simulated time after which objects that still move are left where they are",
    )  # fmt: skip
    bodies_only: bpy.props.BoolProperty(
        name="Onto Bodies Only", default=False,
        description="Fall onto Active and Passive bodies alone, not onto every mesh that is seen",
    )  # fmt: skip

    @classmethod
    def poll(cls, context):
        if not super().poll(context):
            return False
        return context.mode == "OBJECT" and any(ob.type == "MESH" for ob in context.selected_objects)

    def begin(self, context):
        """Read the scene as it is now, with the selected objects as Active bodies."""
        return dropping.begin_steps(context, self.seconds, self.bodies_only)

    def finish_steps(self, run):
        """Put the objects where they came to lie."""
        return dropping.finish_steps(run)

    def stopped(self, run):
        """What the user reads after Cancel."""
        dropping.forget(run)
        return "stopped; all objects are where they were"


def draw_in_transform(self, context):
    """In the menu Object > Transform, where F3 finds it."""
    self.layout.separator()
    self.layout.operator("stiction.drop_to_rest")
