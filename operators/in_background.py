"""What operators share that wait for a process in the background: plots, comparisons."""

import bpy

from ..blender_addon.base import events
from ..blender_addon.base.events import waits
from ..blender_addon.base.windows import redraw_status
from ..blender_addon.inside import background
from ..solver.base.refusal import SceneError, TrajectoryError

REFUSALS = (SceneError, TrajectoryError, OSError)
GONE = "the run it looked into was removed meanwhile, by a later bake or by hand; press it again"
INTERVAL = 0.1  # seconds between two polls of the process

# What runs, by operator; not on the operator, which Blender frees when a file is loaded.
_work = {}


def stop():
    """End what runs: the extension is switched off."""
    for process in _work.values():
        process.cancel()
    _work.clear()


class InBackground:
    """`start(context)` returns a Background; `done(context, code)` shows what it made and returns the result."""

    def execute(self, context):
        try:
            return self._ended(context, self.start(context).wait())
        except REFUSALS as error:
            return self._refused(error)

    @waits
    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        if self.bl_idname in _work:
            self.report({"INFO"}, f"{self.bl_label}: at work already")
            return {"CANCELLED"}
        try:
            work = _work[self.bl_idname] = self.start(context)
        except REFUSALS as error:
            return self._refused(error)
        work.label = self.bl_label
        redraw_status(context)
        self.report({"INFO"}, f"{self.bl_label}: at work, Blender stays usable")
        return events.begin(self, context, INTERVAL)

    def modal(self, context, event):
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        if self.bl_idname not in _work:
            return {"CANCELLED"}
        code = _work[self.bl_idname].poll()
        if code is None:
            return {"PASS_THROUGH"}
        redraw_status(context)
        events.end(self)
        try:
            return self._ended(context, code)
        except REFUSALS as error:
            return self._refused(error)

    def cancel(self, context):
        """Blender closes the file or itself."""
        if self.bl_idname in _work:
            _work.pop(self.bl_idname).cancel()
        events.end(self)

    def _ended(self, context, code):
        process = _work.pop(self.bl_idname, None) or self.process
        if code not in self.known_codes:
            gone = process.folder is not None and not process.folder.is_dir()
            raise SceneError(f"{self.bl_label}: {GONE}" if gone else process.said)
        return self.done(context, code)

    known_codes = (0,)
    process = None

    def worker(self, module, *arguments):
        """Start main(*arguments) of a module of blender_addon/inside; the result is what `start` returns."""
        process = background.Background(module, *arguments)
        # Kept on the class: an operator's own attributes must be declared.
        type(self).process = process
        return process

    def _refused(self, error):
        self.report({"ERROR"}, str(error))
        return {"CANCELLED"}
