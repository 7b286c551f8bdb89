"""The tetrahedra that a deformable body is filled with, shown beside it."""

import tempfile
from pathlib import Path

import bpy

from ...blender_addon.base.events import waits
from ...blender_addon.deformable import preview
from ...blender_addon.settings.motion import is_deformable
from ..in_background import InBackground

# Where the process beside Blender works, by the name of the object; not on the operator, which Blender frees.
_places = {}


class STICTION_OT_tetrahedra(InBackground, bpy.types.Operator):
    """Fill the active object with tetrahedra and show them, with their volume and worst angle; again: hide them"""

    bl_idname = "stiction.tetrahedra"
    bl_label = "Show Tetrahedra"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        ob = context.object
        return ob is not None and ob.type == "MESH" and is_deformable(ob.stiction)

    def execute(self, context):
        return self._hidden(context) or super().execute(context)

    @waits
    def invoke(self, context, event):
        return self._hidden(context) or super().invoke(context, event)

    def start(self, context):
        folder = tempfile.TemporaryDirectory(prefix="stiction-")
        pose = preview.write_surface(context, context.object, Path(folder.name, "surface.npz"))
        _places[self.bl_idname] = context.object.name, folder, pose
        return self.worker("tets_worker", Path(folder.name, "surface.npz"), Path(folder.name, "tets.npz"))

    def done(self, context, code):
        name, folder, pose = _places.pop(self.bl_idname)
        ob = bpy.data.objects.get(name)
        if ob is None:
            self.report({"WARNING"}, f"object {name!r} is gone; nothing to show")
            return {"CANCELLED"}
        said = preview.show(context, ob, Path(folder.name, "tets.npz"), *pose)
        folder.cleanup()
        self.report({"INFO"}, f"{name}: {said}")
        return {"FINISHED"}

    def _hidden(self, context):
        return {"FINISHED"} if preview.hide(context.object) else None


CLASSES = (STICTION_OT_tetrahedra,)
