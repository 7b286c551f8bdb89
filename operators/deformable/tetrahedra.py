"""The tetrahedra that a deformable body is filled with, shown beside it."""

from pathlib import Path

import bpy

from ...blender_addon.base.events import waits
from ...blender_addon.deformable import preview
from .of_body import OfBody


class STICTION_OT_tetrahedra(OfBody, bpy.types.Operator):
    """Fill the active object with tetrahedra and show them, with their volume and worst angle; again: hide them"""

    bl_idname = "stiction.tetrahedra"
    bl_label = "Show Tetrahedra"
    bl_options = {"REGISTER", "UNDO"}

    module, files = "tets_worker", ("surface.npz", "tets.npz")

    def execute(self, context):
        return self._hidden(context) or super().execute(context)

    @waits
    def invoke(self, context, event):
        return self._hidden(context) or super().invoke(context, event)

    def write(self, context, ob, path):
        return preview.write_surface(context, ob, path)

    def show(self, context, ob, folder, made):
        said = preview.show(context, ob, Path(folder.name, "tets.npz"), *made)
        folder.cleanup()
        self.report({"INFO"}, f"{ob.name}: {said}")
        return {"FINISHED"}

    def _hidden(self, context):
        return {"FINISHED"} if preview.hide(context.object) else None


CLASSES = (STICTION_OT_tetrahedra,)
