"""Show the report of the last bake, or of an import, in a text editor."""

import bpy

from ..blender_addon.base.windows import editors, new_editor
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
        shown = next((area for _, area in editors(context.window_manager, "TEXT_EDITOR")), None)
        area = shown or new_editor(context, "TEXT_EDITOR")
        if area is not None:
            area.spaces.active.text = text
            text.current_line_index = 0
        self.report({"INFO"}, f"see the Text block {self.text!r}")
        return {"FINISHED"}
