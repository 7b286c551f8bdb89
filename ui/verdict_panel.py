"""How good the result is, in words."""

import textwrap

import bpy

from ..blender_addon import bake as baking
from ..blender_addon import job as jobs
from .base import StictionPanel

ICONS = {"good": "CHECKMARK", "usable": "INFO", "poor": "ERROR"}


class STICTION_PT_verdict(StictionPanel, bpy.types.Panel):
    """The verdict on the bake."""

    bl_label = "Verdict"
    bl_parent_id = "STICTION_PT_bake"

    @classmethod
    def poll(cls, context):
        scene = context.scene
        return bool(scene.stiction.verdict) and not jobs.running() and bool(baking.baked_objects(scene))

    def draw(self, context):
        settings = context.scene.stiction
        # About six pixels a letter at the usual scale.
        width = max(24, int(context.region.width / (6.5 * context.preferences.view.ui_scale))) if context.region else 40
        column = self.layout.column(align=True)
        for number, line in enumerate(textwrap.wrap(settings.verdict, width)):
            column.label(text=line, icon=ICONS.get(settings.worth, "INFO") if number == 0 else "BLANK1")
        self.layout.operator("stiction.open_report", icon="TEXT")


CLASSES = (STICTION_PT_verdict,)
