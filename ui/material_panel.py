"""Materials: a menu of known ones and the user's own."""

import bpy

from ..blender_addon.base.enums import identifier
from ..blender_addon.materials import own_presets
from ..blender_addon.materials.known import MATERIALS
from .base import StictionPanel


class STICTION_MT_materials(bpy.types.Menu):
    """Known materials, then the user's own presets."""

    bl_label = "Material"
    preset_subdir = own_presets.FOLDER
    preset_operator = "script.execute_preset"

    def draw(self, context):
        layout = self.layout
        for label in MATERIALS:
            layout.operator("stiction.set_material", text=label).material = identifier(label)
        # Before the first preset there is no folder for them, which Blender would call a missing path.
        if bpy.utils.preset_paths(self.preset_subdir):
            layout.separator()
            bpy.types.Menu.draw_preset(self, context)
        layout.separator()
        layout.operator("stiction.copy_material", text="Copy from Active", icon="COPYDOWN")
        layout.operator("stiction.material_preset", text="Keep as Preset", icon="ADD")
        remove = layout.operator("stiction.material_preset", text="Remove Preset", icon="REMOVE")
        remove.remove_active = True


def draw_material(layout, settings):
    """The menu."""
    layout.menu("STICTION_MT_materials", text=settings.material or "Material", icon="MATERIAL")


class STICTION_UL_pairs(bpy.types.UIList):
    """A pair of materials a line."""

    def draw_item(self, context, layout, data, item, icon, active_data, active_propname, index):
        row = layout.row(align=True)
        row.prop(item, "first", text="")
        row.prop(item, "second", text="")
        row.prop(item, "friction", text="")


class STICTION_PT_pairs(StictionPanel, bpy.types.Panel):
    """Friction and bounciness of pairs of materials that no rule gives."""

    bl_label = "Pairs of Materials"
    bl_parent_id = "STICTION_PT_simulation"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return context.scene.stiction.developer or bool(context.scene.stiction.pairs)

    def draw(self, context):
        layout, settings = self.columns(), context.scene.stiction
        row = layout.row()
        row.template_list("STICTION_UL_pairs", "", settings, "pairs", settings, "active_pair", rows=3)
        column = row.column(align=True)
        column.operator("stiction.add_pair", text="", icon="ADD")
        column.operator("stiction.remove_pair", text="", icon="REMOVE")
        if 0 <= settings.active_pair < len(settings.pairs):
            line = settings.pairs[settings.active_pair]
            layout.prop(line, "use_restitution")
            if line.use_restitution:
                layout.prop(line, "restitution")


CLASSES = (STICTION_MT_materials, STICTION_UL_pairs, STICTION_PT_pairs)
