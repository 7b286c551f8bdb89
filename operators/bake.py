"""Simulate the scene and key its Active bodies."""

import bpy

from ..blender_addon import job as jobs
from ..blender_addon import run as runs
from ..blender_addon.windows import redraw_sidebars
from ..solver.options import OptionError
from ..solver.refusal import SceneError

REFUSALS = (SceneError, OptionError, OSError)
INTERVAL = 0.1

# The run in work; not on the operator, which Blender frees when a file is loaded.
_runs = {}


class STICTION_OT_bake(bpy.types.Operator):
    """Simulate the bodies of this scene and turn their motion into keyframes. Blender stays usable; Esc cancels"""

    bl_idname = "stiction.bake"
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if jobs.running():
            cls.poll_message_set("a simulation is running")
            return False
        return context.scene is not None

    def execute(self, context):
        try:
            line, warnings = runs.simulate_and_bake(context.scene, context.view_layer)
        except (*REFUSALS, runs.JobFailed) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return self._report(line, warnings)

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        try:
            _runs["run"] = runs.begin(context.scene, context.view_layer)
        except REFUSALS as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self._timer = context.window_manager.event_timer_add(INTERVAL, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        run = _runs["run"]
        if event.type == "ESC" and event.value == "PRESS":
            run.job.cancel()
        if event.type not in {"TIMER", "ESC"}:
            return {"PASS_THROUGH"}
        state = run.job.poll()
        if run.job.status() != run.shown:
            run.shown = run.job.status()
            redraw_sidebars(context.window_manager)
        if state == jobs.JobState.RUNNING:
            return {"PASS_THROUGH"}
        self._release(context)
        if state == jobs.JobState.CANCELLED:
            self.report({"INFO"}, "simulation cancelled; nothing was baked")
            return {"CANCELLED"}
        return self._bake(run)

    def cancel(self, context):
        """Blender closes the file or itself: the worker must not outlive the scene it works for."""
        jobs.stop_all()

    def _bake(self, run):
        try:
            line, warnings = runs.finish(run)
        except (*REFUSALS, runs.JobFailed) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return self._report(line, warnings)

    def _report(self, line, warnings):
        self.report({"INFO"}, f"Baked: {line}")
        # Last, because the status bar shows the last.
        for sentence in warnings:
            self.report({"WARNING"}, sentence)
        return {"FINISHED"}

    def _release(self, context):
        context.window_manager.event_timer_remove(self._timer)
        _runs.clear()
