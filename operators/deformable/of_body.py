"""What operators share that look at the active deformable body in a process beside Blender."""

import tempfile
from pathlib import Path

import bpy

from ...blender_addon.settings.motion import is_deformable
from ..in_background import InBackground

# Name of the object, folder in which the process works, and what was written there, by operator; not on the operator,
# which Blender frees.
_work = {}


def is_body(ob):
    """True if an object is a deformable body."""
    return ob is not None and ob.type == "MESH" and is_deformable(ob.stiction)


class OfBody(InBackground):
    """`write(context, ob, path)` writes what the process reads and returns what it was written from, `made`;
    `show(context, ob, folder, made)` shows what the process left in its folder, and returns the result.

    module: of blender_addon/inside; files: names of the file that it reads, and of that which it writes."""

    module, files = "", ()

    @classmethod
    def poll(cls, context):
        return is_body(context.object)

    def start(self, context):
        ob, folder = context.object, tempfile.TemporaryDirectory(prefix="stiction-")
        source, target = (Path(folder.name, name) for name in self.files)
        _work[self.bl_idname] = ob.name, folder, self.write(context, ob, source)
        return self.worker(self.module, source, target)

    def done(self, context, code):
        name, folder, made = _work.pop(self.bl_idname)
        ob = bpy.data.objects.get(name)
        if ob is None:
            self.report({"WARNING"}, f"object {name!r} is gone; nothing to show")
            return {"CANCELLED"}
        return self.show(context, ob, folder, made)
