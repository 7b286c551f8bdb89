"""Inspect: what is drawn over the viewport, and what can be made of the baked run."""

import bpy

from ..blender_addon.bakers import deformables
from ..blender_addon.inside.background import at_work
from ..blender_addon.inside.contacts import record_of
from ..blender_addon.overlay import OVERLAYS
from .base import StictionPanel


class STICTION_PT_inside(StictionPanel, bpy.types.Panel):
    """Switches of the overlays."""

    bl_label = "Inspect"
    bl_idname = "STICTION_PT_inside"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, look = self.layout, context.window_manager.stiction_look
        record = record_of(context.scene)
        self._switches(layout, look, False)
        box = layout.column(align=True)
        if record is None:
            box.label(text="Bake to see contacts and forces", icon="INFO")
        elif not record.has_contacts:
            box.label(text="This run kept no contacts:", icon="INFO")
            box.label(text="switch on, and bake again")
        box.prop(context.scene.stiction.simulation, "store_contacts", text="Keep Contacts")
        if record is not None:
            self._switches(layout, look, True)
        row = layout.row(align=True)
        row.prop(look, "only_selected", toggle=True)
        row.prop(look, "in_front", toggle=True)
        layout.prop(look, "length")
        if record is not None:
            for label in at_work():
                layout.label(text=f"{label}: at work", icon="SORTTIME")
            column = layout.column(align=True)
            column.operator("stiction.plots", text="Plots", icon="GRAPH")
            column.operator("stiction.compare_methods", icon="SORTSIZE")
            column.operator("stiction.compare_runs", icon="MOD_ARRAY")
            column.operator("stiction.save_problem", icon="EXPORT")
            column.operator("stiction.contact_mesh", icon="MESH_DATA")
            if deformables.baked_objects(context.scene):
                column.operator("stiction.stress", icon="MOD_SIMPLEDEFORM")

    def _switches(self, layout, look, from_run):
        grid = layout.column(align=True)
        for overlay in OVERLAYS.values():
            if overlay.from_run == from_run:
                shown = getattr(look, overlay.key)
                grid.prop(look, overlay.key, toggle=True, icon="HIDE_OFF" if shown else "HIDE_ON")


CLASSES = (STICTION_PT_inside,)
