"""Materials: a menu of known ones and the user's own."""

import bpy

from ..blender_addon.materials.known import MATERIALS


class STICTION_MT_materials(bpy.types.Menu):
    """Known materials, then the user's own presets."""

    bl_label = "Material"
    preset_subdir = "stiction/material"
    preset_operator = "script.execute_preset"

    def draw(self, context):
        layout = self.layout
        for label in MATERIALS:
            layout.operator("stiction.set_material", text=label).material = label
        layout.separator()
        bpy.types.Menu.draw_preset(self, context)
        layout.separator()
        layout.operator("stiction.copy_material", icon="COPYDOWN")


def draw_material(layout, settings):
    """One row: the menu, and the buttons that keep and remove presets."""
    row = layout.row(align=True)
    row.menu("STICTION_MT_materials", text=settings.material or "Material", icon="MATERIAL")
    row.operator("stiction.material_preset", text="", icon="ADD")
    remove = row.operator("stiction.material_preset", text="", icon="REMOVE")
    remove.remove_active = True


CLASSES = (STICTION_MT_materials,)
