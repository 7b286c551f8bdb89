"""What operators share that wait for the processes of a study while Blender stays usable."""

from pathlib import Path

import bpy

from ...blender_addon.base import events
from ...blender_addon.base.events import waits
from ...blender_addon.base.windows import redraw_views
from ...blender_addon.study import process
from ...solver.base.refusal import StudyError

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
            return self._finish(context)
        except self.refusals as error:
            return self._refused(error)

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
            events.end(self)
            return self._finish(context)
        except self.refusals as error:
            events.end(self)
            return self._refused(error)

    def cancel(self, context):
        """Blender closes the file: the process must not outlive the scene it works for."""
        process.stop()
        events.end(self)

    def _more(self, context):
        return False

    @staticmethod
    def _scene():
        """The scene whose study the process works for, whichever is shown by now; StudyError where it is gone."""
        folder = process.current().folder
        found = (scene for scene in bpy.data.scenes if scene.stiction_study.folder)
        scene = next((scene for scene in found if Path(scene.stiction_study.folder) == Path(folder)), None)
        if scene is None:
            raise StudyError(f"the scene of this study was deleted meanwhile; what was made is in {folder}")
        return scene

    def _refused(self, error):
        self.report({"ERROR"}, str(error))
        return {"CANCELLED"}
