"""How good the result is, in words."""

import bpy

from ..blender_addon.baking import bake as baking
from ..blender_addon.inside.verifying import HOLDS
from ..blender_addon.running import job as jobs
from .base import StictionPanel, draw_wrapped

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
        draw_wrapped(self.layout, context, settings.verdict, ICONS.get(settings.worth, "INFO"))
        self.layout.operator("stiction.open_report", icon="TEXT")
        self.layout.operator("stiction.verify", icon="VIEWZOOM")
        if settings.verified:
            icon = "CHECKMARK" if settings.verified.startswith(HOLDS) else "ERROR"
            draw_wrapped(self.layout, context, settings.verified, icon)


CLASSES = (STICTION_PT_verdict,)
