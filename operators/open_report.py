"""Show the report of the last bake, or of an import, in a text editor."""

import bpy

from ..blender_addon.inside.verdict import TEXT


class STICTION_OT_open_report(bpy.types.Operator):
    """Show all warnings with steps and bodies in a text editor (a new window if none is open)"""

    bl_idname = "stiction.open_report"
    bl_label = "Open Report"

    text: bpy.props.StringProperty(name="Text", default=TEXT)

    def execute(self, context):
        text = bpy.data.texts.get(self.text)
        if text is None:
            self.report({"WARNING"}, f"there is no Text block {self.text!r} any more; bake again")
            return {"CANCELLED"}
        area = self._editor(context)
        if area is not None:
            area.spaces.active.text = text
            text.current_line_index = 0
        self.report({"INFO"}, f"see the Text block {self.text!r}")
        return {"FINISHED"}

    def _editor(self, context):
        """An open text editor, or a new window with one; None without windows."""
        for window in context.window_manager.windows:
            for area in window.screen.areas:
                if area.type == "TEXT_EDITOR":
                    return area
        if bpy.app.background or not context.window_manager.windows:
            return None
        bpy.ops.wm.window_new()
        area = context.window_manager.windows[-1].screen.areas[0]
        area.type = "TEXT_EDITOR"
        return area
