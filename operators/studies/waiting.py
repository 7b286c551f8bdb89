"""What operators share that wait for the processes of a study while Blender stays usable."""

import bpy

from ...blender_addon.base import events
from ...blender_addon.base.events import waits
from ...blender_addon.base.windows import redraw_views
from ...blender_addon.study import process
from ...solver.base.refusal import StudyError

# Seconds between two checks of the process.
INTERVAL = 0.2

# Number in this session of the scene whose study an operator works for, by its name; not on the operator, which Blender
# frees when a file is loaded, and not what a scene's settings say, which undo changes.
_scenes = {}


class Waiting:
    """`_start(context)` starts a process; `_more(context)` takes what it made, and starts the next one and returns True
    if there is one; `_finish(context)` returns the operator's result. Errors of the types `refusals` are reported."""

    refusals = ()

    def execute(self, context):
        try:
            self._begun(context)
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
            self._begun(context)
        except self.refusals as error:
            return self._refused(error)
        return events.begin(self, context, INTERVAL)

    def _begun(self, context):
        _scenes[self.bl_idname] = context.scene.session_uid
        self._start(context)

    def modal(self, context, event):
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        redraw_views(context.window_manager)
        try:
            if process.running():
                self._scene()
                return {"PASS_THROUGH"}
            if self._more(context):
                return {"PASS_THROUGH"}
            events.end(self)
            return self._finish(context)
        except self.refusals as error:
            process.stop()
            events.end(self)
            return self._refused(error)

    def cancel(self, context):
        """Blender closes the file: the process must not outlive the scene it works for."""
        process.stop()
        events.end(self)

    def _more(self, context):
        return False

    def _scene(self):
        """The scene whose study the process works for, whichever is shown by now; StudyError where it is gone."""
        number = _scenes[self.bl_idname]
        scene = next((scene for scene in bpy.data.scenes if scene.session_uid == number), None)
        if scene is None:
            raise StudyError("the scene of this study was deleted meanwhile; what was made is in "
                             f"{process.current().folder}")  # fmt: skip
        return scene

    def _refused(self, error):
        self.report({"ERROR"}, str(error))
        return {"CANCELLED"}
