"""What operators share that wait for the processes of a study while Blender stays usable."""

import bpy

from ...blender_addon.base import events
from ...blender_addon.base.events import waits
from ...blender_addon.base.windows import redraw_views
from ...blender_addon.study import process

# Seconds between two checks of the process.
INTERVAL = 0.2

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
        return events.begin(self, context, INTERVAL)

    def modal(self, context, event):
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        redraw_views(context.window_manager)
        if process.running():
            return {"PASS_THROUGH"}
        try:
            if self._more(context):
                return {"PASS_THROUGH"}
        except self.refusals as error:
            events.end(self)
            return self._refused(error)
        events.end(self)
        return self._finish(context)

    def cancel(self, context):
        """Blender closes the file: the process must not outlive the scene it works for."""
        process.stop()
        events.end(self)

    def _more(self, context):
        return False

    def _refused(self, error):
        self.report({"ERROR"}, str(error))
        return {"CANCELLED"}
