"""Studies: what is varied, how often, and what came out."""

import textwrap

import bpy

from ..blender_addon.flow.settings import objects_of
from ..blender_addon.study import process, table
from .base import StictionPanel

# Width of a letter [pixels at a scale of 1], and lines of a verdict that are shown.
LETTER, MOST_LINES = 7.0, 8


class STICTION_UL_study_parameters(bpy.types.UIList):
    """Parameters: what is set, and to which values."""

    def draw_item(self, _context, layout, _data, item, _icon, _active_data, _active_property):
        split = layout.split(factor=0.6, align=True)
        split.prop(item, "path", text="")
        split.prop(item, "values", text="")


class STICTION_PT_study(StictionPanel, bpy.types.Panel):
    """Study."""

    bl_label = "Study"
    bl_idname = "STICTION_PT_study"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, settings = self.columns(), context.scene.stiction_study
        row = layout.row()
        row.template_list("STICTION_UL_study_parameters", "", settings, "parameters", settings, "active", rows=2)
        buttons = row.column(align=True)
        buttons.operator("stiction.study_parameter_add", icon="ADD", text="")
        buttons.operator("stiction.study_parameter_remove", icon="REMOVE", text="")
        if not settings.parameters:
            layout.operator("stiction.study_set_up", icon="SHADERFX")
        layout.prop(settings, "counter", text=_text(settings.counter, context.scene, "COUNTER", "Counter"))
        layout.prop(settings, "gate", text=_text(settings.gate, context.scene, "GATE", "Gate"))
        if settings.gate is not None:
            layout.prop(settings, "gate_time")
        layout.prop(settings, "repeats")
        layout.prop(settings, "quiet")
        layout.prop(settings, "time")
        work = process.current()
        if process.running():
            layout.progress(factor=work.fraction, text=work.status())
            layout.operator("stiction.study_cancel", icon="CANCEL")
            return
        row = layout.row()
        row.scale_y = 1.4
        row.operator("stiction.study_run", icon="PLAY")


class STICTION_PT_study_result(StictionPanel, bpy.types.Panel):
    """What came out, apart from the progress that was there before: see STICTION_PT_progress."""

    bl_label = "Result"
    bl_parent_id = "STICTION_PT_study"
    bl_options = {"HIDE_HEADER"}

    @classmethod
    def poll(cls, context):
        return bool(context.scene.stiction_study.result) and not process.running()

    def draw(self, context):
        layout, settings = self.columns(), context.scene.stiction_study
        column = layout.column(align=True)
        for line in settings.shares.split("\n")[:MOST_LINES]:
            column.label(text=line)
        for line in textwrap.wrap(settings.result, _letters(context))[:MOST_LINES]:
            column.label(text=line)
        layout.operator("stiction.study_show", text="Show Plot", icon="IMAGE_DATA")
        rows = table.rows_of(settings.folder)
        if not rows:
            return
        column = layout.column(align=True)
        column.prop(settings, "row")
        if settings.row <= len(rows):
            for line in textwrap.wrap(table.sentence(rows[settings.row - 1]), _letters(context)):
                column.label(text=line)
        column.operator("stiction.study_load", text="Load This Run", icon="IMPORT")
        row = column.row(align=True)
        row.operator("stiction.study_render", icon="RENDER_STILL", text="Render All")
        row.operator("stiction.study_render", icon="RENDER_ANIMATION", text="Films").films = True


def _text(chosen, scene, kind, name):
    """Label of a field: where nothing is chosen, the object of the scene that will serve."""
    known = [ob.name for ob in objects_of(scene, kind)] if chosen is None else []
    return f"{name}: {known[0]}" if known else name


def _letters(context):
    """Letters that fit into a line of the panel."""
    width = context.region.width if context.region else 300
    return max(20, int(width / (LETTER * (context.preferences.system.ui_scale or 1.0))))


CLASSES = (STICTION_UL_study_parameters, STICTION_PT_study, STICTION_PT_study_result)
