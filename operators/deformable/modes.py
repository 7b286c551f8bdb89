"""The modes of a deformable body: how they ring, and what they look like."""

import tempfile
from pathlib import Path

import bpy

from ...blender_addon.base import events
from ...blender_addon.base.events import waits
from ...blender_addon.base.windows import redraw_sidebars, redraw_status, tell_status
from ...blender_addon.deformable import modes
from ...blender_addon.running import job as jobs
from ...blender_addon.settings.motion import is_deformable
from ..in_background import InBackground

INTERVAL = 1.0 / 30.0  # seconds between two places of what swings

# Name of the object, folder in which the process beside Blender works, and what it was made from; not on the operator,
# which Blender frees.
_places = {}


def stop():
    """Nothing swings any more: the extension is switched off."""
    modes.forget()


def has_modes(context):
    """True if the active object moves in modes."""
    ob = context.object
    return ob is not None and ob.type == "MESH" and is_deformable(ob.stiction) and ob.stiction.elastic.motion == "MODES"


class STICTION_OT_find_modes(InBackground, bpy.types.Operator):
    """List the modes of the active object: how often each swings in a second, and the time after which a thousandth of
    it is left"""

    bl_idname = "stiction.find_modes"
    bl_label = "Find Modes"

    @classmethod
    def poll(cls, context):
        return has_modes(context)

    def start(self, context):
        ob, folder = context.object, tempfile.TemporaryDirectory(prefix="stiction-")
        modes.write(context, ob, Path(folder.name, "body.json"))
        _places[self.bl_idname] = ob.name, folder, modes.made_from(ob)
        return self.worker("modes_worker", Path(folder.name, "body.json"), Path(folder.name, "modes.npz"))

    def done(self, context, code):
        name, folder, made_from = _places.pop(self.bl_idname)
        ob = bpy.data.objects.get(name)
        if ob is None:
            self.report({"WARNING"}, f"object {name!r} is gone; nothing to show")
            return {"CANCELLED"}
        one = modes.keep(ob, folder, made_from)
        redraw_sidebars(context.window_manager)
        if modes.found(ob) is None:
            self.report({"WARNING"}, f"{name!r} has changed meanwhile; press Find Modes again")
            return {"CANCELLED"}
        self.report({"INFO"}, f"{name}: {len(one.frequency)} modes, the lowest {modes.sentence(1, one)}")
        return {"FINISHED"}


class STICTION_OT_play_mode(bpy.types.Operator):
    """Let the active object swing in this mode, slowly and far enough to be seen, until Esc or another click"""

    bl_idname = "stiction.play_mode"
    bl_label = "Play Mode"

    mode: bpy.props.IntProperty(
        name="Mode", default=1, min=1, description="Number of the mode, counted from the lowest, which is 1"
    )

    @classmethod
    def poll(cls, context):
        if jobs.running():
            cls.poll_message_set("a simulation is running")
            return False
        if not has_modes(context) or modes.found(context.object) is None:
            cls.poll_message_set("press Find Modes first")
            return False
        return context.object.mode == "OBJECT"

    def execute(self, context):
        self.report({"ERROR"}, "modes are played in a window, and Blender has none")
        return {"CANCELLED"}

    @waits
    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        ob, before = context.object, modes.playing()
        count = len(modes.found(ob).frequency)
        if self.mode > count:
            self.report({"ERROR"}, f"{ob.name!r} has {count} modes, and this is number {self.mode}; choose one of them")
            return {"CANCELLED"}
        if modes.playing(ob) == self.mode:
            modes.stop()
            return {"FINISHED"}
        modes.play_mode(context.scene, ob, self.mode)
        tell_status(context, "Stiction: a mode swings. Esc: stop")
        # The one that waits for events already goes on with this mode.
        return {"FINISHED"} if before else events.begin(self, context, INTERVAL)

    def modal(self, context, event):
        pressed = event.type == "ESC" and event.value == "PRESS"
        if pressed or jobs.running() or not modes.swing():
            self.cancel(context)
            return {"CANCELLED"}
        return {"PASS_THROUGH"}

    def cancel(self, context):
        """It swings no more; also where Blender closes the file or itself."""
        modes.stop()
        events.end(self)
        redraw_status(bpy.context)


CLASSES = (STICTION_OT_find_modes, STICTION_OT_play_mode)
