"""What operators share that wait for the processes of a study while Blender stays usable."""

import bpy

from ...blender_addon.base.events import waits
from ...blender_addon.study import process

# Seconds between two checks of the process.
INTERVAL = 0.2

# The timer of each operator that waits; not on the operator, which Blender frees when the extension is switched off.
_timers = {}


def stop():
    """Wait no more: the extension is switched off."""
    for key in list(_timers):
        _remove_timer(key)


def _remove_timer(key):
    manager, timer = _timers.pop(key)
    manager.event_timer_remove(timer)


class Waiting:
    """`_start(context)` starts a process; `_more(context)` takes what it made, and starts the next one and returns True
    if there is one; `_finish(context)` returns the operator's result. Errors of the types `refusals` are reported."""

    refusals = ()

    def execute(self, context):
        try:
            self._start(context)
            process.current().process.wait()
            while self._more(context):
                process.current().process.wait()
        except self.refusals as error:
            return self._refused(error)
        return self._finish(context)

    @waits
    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        try:
            self._start(context)
        except self.refusals as error:
            return self._refused(error)
        manager = context.window_manager
        _timers[self.bl_idname] = manager, manager.event_timer_add(INTERVAL, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        redraw_views(context)
        if process.running():
            return {"PASS_THROUGH"}
        try:
            if self._more(context):
                return {"PASS_THROUGH"}
        except self.refusals as error:
            _remove_timer(self.bl_idname)
            return self._refused(error)
        _remove_timer(self.bl_idname)
        return self._finish(context)

    def cancel(self, context):
        """Blender closes the file: the process must not outlive the scene it works for."""
        process.stop()
        # The timer goes with the window.
        _timers.pop(self.bl_idname, None)

    def _more(self, context):
        return False

    def _refused(self, error):
        self.report({"ERROR"}, str(error))
        return {"CANCELLED"}


def redraw_views(context):
    """Have all 3D views drawn again: their panel shows the progress."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()
