"""The list of findings, with a repair for each kind."""

import bpy

from ..blender_addon.base.enums import identifier
from ..blender_addon.checks import CHECKS
from ..blender_addon.checks.store import count_of, unsearched
from .base import StictionPanel, draw_wrapped

ICONS = {"REFUSED": "CANCEL", "WARNING": "ERROR", "ADVICE": "INFO"}


class STICTION_UL_findings(bpy.types.UIList):
    """One finding a line: what weight, which object, what."""

    def draw_item(self, context, layout, data, item, icon, active_data, active_propname, index):
        row = layout.split(factor=0.35)
        row.label(text=item.name, icon=ICONS[item.weight], translate=False)
        row.label(text=item.text, translate=False)


class STICTION_PT_check(StictionPanel, bpy.types.Panel):
    """What may go wrong, before it does."""

    bl_label = "Check"
    bl_idname = "STICTION_PT_check"
    bl_parent_id = "STICTION_PT_bodies"

    def draw(self, context):
        layout, group = self.layout, context.window_manager.stiction_findings
        layout.operator("stiction.check", icon="VIEWZOOM")
        if group.scene != context.scene.name or not group.body_count:
            return
        if not group.found:
            words, icon = ("all well", "CHECKMARK") if group.at_start else ("but not for overlaps", "INFO")
            layout.label(text=f"{group.body_count} checked, {words}", icon=icon)
        else:
            layout.template_list(
                "STICTION_UL_findings", "", group, "found", group, "active", rows=min(4, len(group.found))
            )
            if 0 <= group.active < len(group.found):
                item = group.found[group.active]
                draw_wrapped(layout, context, f"{item.name}: {item.text}")
        if group.large:
            draw_wrapped(layout, context, unsearched(group.large))
            self._repairs(layout.column(align=True), group)

    def _repairs(self, column, group):
        for check in CHECKS.values():
            count = count_of(group, check.key)
            if count:
                text = f"{check.repair_label} for {'this one' if count == 1 else f'these {count}'}"
                column.operator("stiction.repair", text=text, icon="TOOL_SETTINGS").check = identifier(check.key)


CLASSES = (STICTION_UL_findings, STICTION_PT_check)
