"""Remove the bake."""

import bpy

from ..blender_addon.baking import bake as baking
from ..blender_addon.base import events
from ..blender_addon.base.events import waits
from ..blender_addon.base.windows import tell_status
from ..blender_addon.running import job as jobs
from ..blender_addon.running import run as runs
from .bake import INTERVAL, REFUSALS, Running

# Seconds before Clear returns to the window: most bakes are gone by then.
FIRST_SLICE = 0.15


class STICTION_OT_clear(Running, bpy.types.Operator):
    """Remove the baked motion from all bodies of this scene; their own animation and pose come back"""

    bl_idname = "stiction.clear"
    bl_label = "Clear Bake"
    bl_options = {"REGISTER", "UNDO"}
    when_writing, again = "the bake was removed", "Clear"

    @classmethod
    def poll(cls, context):
        return not cls.busy() and not jobs.running() and bool(baking.baked_objects(context.scene))

    def execute(self, context):
        return self._reported(*baking.clear(context.scene))

    @waits
    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        work = self.work_on(None, baking.clear_steps(context.scene))
        try:
            result = work.write(FIRST_SLICE)
        except (*REFUSALS, ReferenceError) as error:
            return self._refused(error)
        if result is not None:
            return self._ended(result)
        return events.begin(self, context, INTERVAL)

    def modal(self, context, event):
        """A slice of clearing; nothing else is let through but Esc, which brings back what was cleared so far."""
        work = self.working()
        if work is None:
            return {"CANCELLED"}
        if event.type == "ESC" and event.value == "PRESS":
            self._release()
            kept = bool(baking.baked_objects(context.scene))
            self.report({"INFO"}, "stopped; the bake is as it was" if kept else "the bake was removed already")
            return {"CANCELLED" if kept else "FINISHED"}
        try:
            result = work.write() if event.type == "TIMER" else None
        except (*REFUSALS, ReferenceError) as error:
            return self._refused(error)
        if result is not None:
            return self._ended(result)
        if work.last:
            tell_status(context, "Stiction: cleared {} of {} objects. Esc: keep the bake".format(*work.last))
        return {"RUNNING_MODAL"}

    def _ended(self, result):
        self._release()
        return self._reported(*result)

    def _reported(self, count, notes):
        runs.forget_unfinished()
        for sentence in notes:
            self.report({"WARNING"}, sentence)
        self.report({"INFO"}, f"bake removed from {count} object{'s' if count > 1 else ''}")
        return {"FINISHED"}
