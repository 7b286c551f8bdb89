"""Look through the bodies before a run."""

import time

import bpy

from ..blender_addon.base import events
from ..blender_addon.base.events import waits
from ..blender_addon.base.slices import Slices
from ..blender_addon.base.steps import Ahead
from ..blender_addon.base.windows import redraw_status, tell_status
from ..blender_addon.checks import runner
from ..blender_addon.checks.store import unsearched
from ..solver.base.refusal import SceneError
from ..solver.base.wording import counted

INTERVAL = 0.04  # seconds between two slices
FIRST_SLICE = 0.15  # before the button returns: most scenes are checked by then

# What is being checked; not on the operator, which Blender frees when a file is loaded.
_work = {}


def stop():
    """Check no more: the extension is switched off."""
    steps, _ = _work.pop("steps", None), _work.pop("slices", None)
    if steps is not None:
        steps.close()


class STICTION_OT_check(bpy.types.Operator):
    """Find what may go wrong with the bodies: open meshes, overlaps, unused keyframes, unlikely masses"""

    bl_idname = "stiction.check"
    bl_label = "Check Bodies"

    @classmethod
    def poll(cls, context):
        return context.scene is not None and not _work

    def execute(self, context):
        try:
            return self._reported(*runner.check_now(context.scene, context.view_layer))
        except SceneError as error:
            return self._refused(error)

    @waits
    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        _work.update(steps=runner.check_steps(context.scene, context.view_layer), slices=Slices())
        answer = self._go_on(context, FIRST_SLICE)
        return events.begin(self, context, INTERVAL) if answer == {"RUNNING_MODAL"} else answer

    def modal(self, context, event):
        """A slice of checking. Nothing else is let through: the scene shows its first frame, without its bake."""
        if "steps" not in _work:
            return {"CANCELLED"}
        if event.type == "ESC" and event.value == "PRESS":
            self._release(context)
            self.report({"INFO"}, "stopped; the findings are those from before")
            return {"CANCELLED"}
        return self._go_on(context) if event.type == "TIMER" else {"RUNNING_MODAL"}

    def cancel(self, context):
        """Blender closes the file or itself."""
        self._release(context)

    def _go_on(self, context, seconds=None):
        until, at = _work["slices"].until(seconds), "the bodies"
        try:
            while time.perf_counter() < until and not isinstance(at, Ahead):
                at = next(_work["steps"])
        except StopIteration as end:
            self._release(context)
            return self._reported(*end.value)
        except (SceneError, ReferenceError) as error:
            self._release(context)
            return self._refused(error)
        tell_status(context, f"Stiction: checking {at}. Esc: stop")
        _work["slices"].leave()
        return {"RUNNING_MODAL"}

    def _release(self, context):
        events.end(self)
        stop()
        redraw_status(context)

    def _refused(self, error):
        self.report({"ERROR"}, str(error))
        return {"CANCELLED"}

    def _reported(self, found, scan):
        count = sum(map(len, found.values()))
        checked = f"{counted(len(scan.subjects), 'body')} checked"
        result = counted(count, "finding") if count else "all well"
        large = len(scan.large())
        self.report({"INFO"}, f"{checked}, {result}" + (f", {unsearched(large)}" if large else ""))
        return {"FINISHED"}
