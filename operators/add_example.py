"""Add a scene to begin with."""

import bpy

from ..blender_addon.examples import EXAMPLES

ITEMS = [(example.key, example.label, example.description) for example in EXAMPLES.values()]


class STICTION_OT_add_example(bpy.types.Operator):
    """Add an example to the scene; then press Bake"""

    bl_idname = "stiction.add_example"
    bl_label = "Add Example"
    bl_options = {"REGISTER", "UNDO"}

    example: bpy.props.EnumProperty(name="Example", items=ITEMS)

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT"

    def execute(self, context):
        made = EXAMPLES[self.example].build(context.scene)
        self.report({"INFO"}, f"{len(made)} bodies added; press Bake")
        return {"FINISHED"}
