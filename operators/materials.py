"""Materials of many bodies at once."""

import bpy
from bl_operators.presets import AddPresetBase

from ..blender_addon.base.enums import items_of, keys_by_identifier
from ..blender_addon.materials import known, own_presets
from ..blender_addon.settings.lists import remove_line
from ..solver.base.wording import counted

LABELS = keys_by_identifier(known.MATERIALS)


def _bodies(context):
    """Selected bodies, the active one included."""
    chosen = {*context.selected_objects, *([context.object] if context.object else ())}
    return [ob for ob in chosen if ob.stiction.type != "NONE"]


class STICTION_OT_set_material(bpy.types.Operator):
    """Give all selected bodies this material: density, friction and bounciness"""

    bl_idname = "stiction.set_material"
    bl_label = "Set Material"
    bl_options = {"REGISTER", "UNDO"}

    material: bpy.props.EnumProperty(
        name="Material", items=items_of((label, label, entry.source) for label, entry in known.MATERIALS.items())
    )

    @classmethod
    def description(cls, context, properties):
        entry = known.MATERIALS[LABELS[properties.material]]
        return (
            f"{entry.density:g} kg/m³, friction {entry.friction:g}, bounciness {entry.restitution:g}, for all selected "
            f"bodies.\nSource: {entry.source}"
        )

    @classmethod
    def poll(cls, context):
        return bool(_bodies(context))

    def execute(self, context):
        bodies = _bodies(context)
        for ob in bodies:
            known.apply(ob.stiction, LABELS[self.material])
        self.report({"INFO"}, f"{LABELS[self.material]}: {counted(len(bodies), 'body')}")
        return {"FINISHED"}


class STICTION_OT_copy_material(bpy.types.Operator):
    """Copy the material of the active body to the other selected bodies"""

    bl_idname = "stiction.copy_material"
    bl_label = "Copy Material from Active"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        ob = context.object
        return ob is not None and ob.stiction.type != "NONE" and len(_bodies(context)) > 1

    def execute(self, context):
        others = [ob for ob in _bodies(context) if ob != context.object]
        for ob in others:
            known.copy(context.object.stiction, ob.stiction)
        self.report({"INFO"}, f"material copied to {counted(len(others), 'body')}")
        return {"FINISHED"}


class STICTION_OT_material_preset(AddPresetBase, bpy.types.Operator):
    """Keep the active body's material as a preset of your own, or remove one"""

    bl_idname = "stiction.material_preset"
    bl_label = "Add Material Preset"
    preset_menu = "STICTION_MT_materials"
    preset_subdir = own_presets.FOLDER
    # Whole paths, not parts of a line in preset_defines: Blenders up to 4.3 run that line where Python 3.13 forgets it.
    preset_values = [f"bpy.context.object.stiction.{name}" for name in known.FIELDS]

    def pre_cb(self, context):
        """Blender calls this before it writes the preset: the body's material has the preset's name from now on."""
        if not self.remove_active and context.object:
            context.object.stiction.material = self.name


class STICTION_OT_add_pair(bpy.types.Operator):
    """Add a pair of materials to the table, those of the two selected bodies if there are two"""

    bl_idname = "stiction.add_pair"
    bl_label = "Add Pair of Materials"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        settings = context.scene.stiction
        line = settings.pairs.add()
        names = [ob.stiction.material for ob in _bodies(context) if ob.stiction.material]
        line.first, line.second = (names * 2)[:2] if 0 < len(names) <= 2 else ("", "")
        settings.active_pair = len(settings.pairs) - 1
        return {"FINISHED"}


class STICTION_OT_remove_pair(bpy.types.Operator):
    """Remove the chosen pair of materials from the table"""

    bl_idname = "stiction.remove_pair"
    bl_label = "Remove Pair of Materials"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        settings = context.scene.stiction
        return 0 <= settings.active_pair < len(settings.pairs)

    def execute(self, context):
        settings = context.scene.stiction
        remove_line(settings, "pairs", "active_pair")
        return {"FINISHED"}


CLASSES = (
    STICTION_OT_set_material,
    STICTION_OT_copy_material,
    STICTION_OT_material_preset,
    STICTION_OT_add_pair,
    STICTION_OT_remove_pair,
)
