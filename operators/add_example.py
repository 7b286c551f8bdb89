"""Add a scene to begin with."""

import bpy

from ..blender_addon.base.enums import items_of, keys_by_identifier
from ..blender_addon.examples import EXAMPLES, placing

KEYS = keys_by_identifier(EXAMPLES)
ITEMS = items_of((example.key, example.label, example.description) for example in EXAMPLES.values())


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
        example, scene = EXAMPLES[KEYS[self.example]], context.scene
        made = example.build(scene)
        collection = placing.collect(scene, example.label, made)
        seen = [ob for ob in made if ob.name.partition(".")[0] not in example.beside]
        placing.look_at_all(scene, collection, seen)
        hidden = "; the default cube is hidden" if placing.leave_out_default_cube(scene) else ""
        self.report({"INFO"}, f"{len(made)} bodies added in the collection {collection.name!r}{hidden}; press Bake")
        return {"FINISHED"}
