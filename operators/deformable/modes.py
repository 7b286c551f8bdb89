"""The modes of a deformable body: how they ring, and what they look like."""

import bpy

from ...blender_addon.base import events
from ...blender_addon.base.events import waits
from ...blender_addon.base.windows import redraw_sidebars, redraw_status, tell_status
from ...blender_addon.deformable import modes
from ...blender_addon.running import job as jobs
from .of_body import OfBody, is_body

INTERVAL = 1.0 / 30.0  # seconds between two places of what swings


def stop():
    """Nothing swings any more: the extension is switched off."""
    modes.forget()


def has_modes(context):
    """True if the active object moves in modes."""
    return is_body(context.object) and context.object.stiction.elastic.motion == "MODES"


class STICTION_OT_find_modes(OfBody, bpy.types.Operator):
    """List the modes of the active object: how often each swings in a second, and the time after which a thousandth of
    it is left"""

    bl_idname = "stiction.find_modes"
    bl_label = "Find Modes"

    module, files = "modes_worker", ("body.json", "modes.npz")

    @classmethod
    def poll(cls, context):
        return has_modes(context)

    def write(self, context, ob, path):
        modes.write(context, ob, path)
        return modes.made_from(ob)

    def show(self, context, ob, folder, made):
        one = modes.keep(ob, folder, made)
        redraw_sidebars(context.window_manager)
        if modes.found(ob) is None:
            self.report({"WARNING"}, f"{ob.name!r} has changed meanwhile; press Find Modes again")
            return {"CANCELLED"}
        self.report({"INFO"}, f"{ob.name}: {len(one.frequency)} modes, the lowest {modes.sentence(1, one)}")
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
