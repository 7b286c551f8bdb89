"""Simulate the scene and key its Active bodies."""

import time

import bpy

from ..blender_addon.base import events
from ..blender_addon.base.events import waits
from ..blender_addon.base.slices import Slices
from ..blender_addon.base.steps import exhausted
from ..blender_addon.base.windows import redraw_status, tell_status
from ..blender_addon.checks import runner
from ..blender_addon.running import job as jobs
from ..blender_addon.running import run as runs
from ..blender_addon.running.run_view import RunView
from ..solver.base.refusal import SceneError, TrajectoryError
from ..solver.options import OptionError

REFUSALS = (SceneError, OptionError, TrajectoryError, runs.JobFailed, OSError)
INTERVAL = 0.04  # seconds between two looks at the worker
FIRST_SLICE = 0.15  # before Bake returns: most scenes are read by then
CHECK_SLICE = 0.08  # for the check before it
CATEGORY = "Stiction"


class Work:
    """What the running operator works on; not on the operator, which Blender frees when a file is loaded."""

    def __init__(self, steps, run=None, follow=True):
        self.steps, self.run, self.view, self.writing = steps, run, RunView(follow), None
        # What the generator that reads or writes has last yielded: what it is at.
        self.last, self._slices = "", Slices()

    def read(self, seconds=None):
        """Go on reading the scene for a slice, or for so long; True once the simulation has begun."""
        self.run = self._slice(self.steps, seconds)
        return self.run is not None

    def write(self, seconds=None):
        """Go on writing what was baked for a slice, or for so long; (summary, warnings) once all of it is there, else
        None."""
        return self._slice(self.writing, seconds)

    def _slice(self, steps, seconds):
        """Go on with a generator; returns what it returns once it has ended, else None."""
        until = self._slices.until(seconds)
        try:
            while time.perf_counter() < until:
                self.last = next(steps)
        except StopIteration as end:
            return end.value
        finally:
            self._slices.leave()
        return None

    def release(self):
        """Stop looking; the scene is read no further."""
        for steps in (self.steps, self.writing):
            if steps is not None:
                steps.close()


_work = {}


def stop():
    """End what runs: the extension is switched off."""
    for work in _work.values():
        work.release()
    _work.clear()


class Running:
    """What all operators that simulate share: `begin(context)` gives the generator that reads the scene and starts."""

    # For the sentence on objects that were removed meanwhile.
    when_writing, again = "the bake was written", "Bake"
    done = "Baked"
    # Whether frames are shown as they come, and whether Esc takes back what is being written.
    follow = revocable = True

    @classmethod
    def poll(cls, context):
        if _work or jobs.running():
            cls.poll_message_set("a simulation is running")
            return False
        return context.scene is not None

    @staticmethod
    def busy():
        """True while an operator of this kind works."""
        return bool(_work)

    def execute(self, context):
        return self.write_at_once(lambda: self._whole(context))

    def _whole(self, context):
        try:
            run = exhausted(self.begin(context))
            run.job.wait()
            return exhausted(self.finish_steps(run))
        finally:
            if jobs.current() is not None:
                jobs.current().cancel()

    def write_at_once(self, write):
        """Report on what write() gives: (summary, warnings)."""
        try:
            result = write()
        except REFUSALS as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return self._reported(*result)

    def write_on(self, context, run, steps):
        """Write the bake of a run in slices, so that the window lives on."""
        self.work_on(run, steps)
        return events.begin(self, context, INTERVAL)

    @staticmethod
    def work_on(run, steps):
        """The Work of a generator that writes."""
        work = _work["work"] = Work(None, run)
        work.writing = steps
        return work

    @staticmethod
    def working():
        """The Work there is, or None."""
        return _work.get("work")

    @waits
    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        # The list of findings is as fresh as the run; what takes longer goes on in the background.
        runner.soon(at_once=CHECK_SLICE)
        try:
            work = _work["work"] = Work(self.begin(context), follow=self.follow)
            work.read(FIRST_SLICE)
        except (*REFUSALS, ReferenceError) as error:
            return self._refused(error)
        return events.begin(self, context, INTERVAL)

    def modal(self, context, event):
        work = _work.get("work")
        if work is None:
            return {"CANCELLED"}
        try:
            return self._go_on(work, context, event)
        except (*REFUSALS, ReferenceError) as error:
            return self._refused(error)

    def cancel(self, context):
        """Blender closes the file or itself: the worker must not outlive the scene it works for."""
        self._release()
        jobs.stop_all()

    def _go_on(self, work, context, event):
        if work.run is None:
            return self._read(work, context, event)
        if work.writing is not None:
            return self._write(work, context, event)
        if event.type == "ESC" and event.value == "PRESS" and over_our_panel(context, event):
            work.run.job.cancel()
        elif event.type != "TIMER":
            return {"PASS_THROUGH"}
        if work.run.scene() is None:
            work.run.job.cancel()
            raise SceneError("the scene was deleted while it was simulated; the run was stopped")
        state = work.run.job.poll()
        work.view.show(work.run, context)
        if state == jobs.JobState.RUNNING:
            return {"PASS_THROUGH"}
        if state == jobs.JobState.CANCELLED:
            self._release()
            self.report({"INFO"}, self.stopped(work.run))
            return {"CANCELLED"}
        # Objects go back to where they were before keys take them on.
        work.view.close()
        work.writing = self.finish_steps(work.run)
        return self._write(work, context, event)

    def _read(self, work, context, event):
        """A slice of reading. Nothing else is let through: the scene must stay as it is until it is read."""
        if event.type == "ESC" and event.value == "PRESS":
            self._release()
            self.report({"INFO"}, "stopped while the scene was read; nothing was simulated")
            return {"CANCELLED"}
        if event.type == "TIMER":
            work.read()
            tell_status(context, f"Stiction: reading {work.last}. Esc: stop")
        return {"RUNNING_MODAL"}

    def _write(self, work, context, event):
        """A slice of writing. Nothing else is let through but Esc: the bake is whole or it is not there."""
        if event.type == "ESC" and event.value == "PRESS" and self.revocable:
            self._release()
            runs.take_back(work.run)
            self.report({"INFO"}, "stopped while the bake was written; Bake What There Is writes it")
            return {"FINISHED"}
        if event.type == "TIMER":
            result = work.write()
            if result is not None:
                self._release()
                return self._reported(*result)
            tell_status(context, f"Stiction: writing {work.last}" + (". Esc: stop" if self.revocable else ""))
        return {"RUNNING_MODAL"}

    def _refused(self, error):
        writing = "work" in _work and _work["work"].writing is not None
        self._release()
        if isinstance(error, ReferenceError):
            when = self.when_writing if writing else "the scene was read"
            error = f"objects were removed while {when}; press {self.again} again"
        self.report({"ERROR"}, str(error))
        # What was written so far is a step of undo, or Blender goes back to a file that never was.
        return {"FINISHED" if writing else "CANCELLED"}

    def finish_steps(self, run):
        """Generator that writes what a run gave; returns (summary, warnings)."""
        return runs.finish_steps(run)

    def stopped(self, run):
        """What the user reads after Cancel."""
        return runs.stopped_sentence(run)

    def _reported(self, line, warnings):
        self.report({"INFO"}, f"{self.done}: {line}")
        # Last, because the status bar shows the last.
        for sentence in warnings:
            self.report({"WARNING"}, sentence)
        return {"FINISHED"}

    def _release(self):
        events.end(self)
        work = _work.pop("work", None)
        if work is not None:
            work.release()
            work.view.close()
        runs.forget_unfinished()
        # Buttons that wait for the end of the run are live again.
        redraw_status(bpy.context)


def over_our_panel(context, event):
    """True if the mouse is over the sidebar's tab of this extension: elsewhere Esc belongs to Blender."""
    for area in context.window.screen.areas if context.window else ():
        for region in area.regions:
            if area.type == "VIEW_3D" and region.type == "UI" and region.active_panel_category == CATEGORY:
                inside = 0 <= event.mouse_x - region.x < region.width and 0 <= event.mouse_y - region.y < region.height
                if inside:
                    return True
    return False


class STICTION_OT_bake(Running, bpy.types.Operator):
    """Simulate the bodies of this scene and turn their motion into keyframes. Blender stays usable"""

    bl_idname = "stiction.bake"
    bl_label = "Bake Simulation"
    bl_options = {"REGISTER", "UNDO"}

    def begin(self, context):
        """Read the scene for a new run."""
        return runs.begin_steps(context.scene, context.view_layer)


class STICTION_OT_go_on(Running, bpy.types.Operator):
    """Go on from the last simulated frame, after a stop or after the frame range was extended"""

    bl_idname = "stiction.go_on"
    bl_label = "Go On Simulating"
    bl_options = {"REGISTER", "UNDO"}

    def begin(self, context):
        """Read the scene to go on with the run there is."""
        folder = runs.to_go_on_with(context.scene)
        if folder is None:
            raise SceneError("there is no run of this scene as it is now to go on with; press Bake")
        return runs.begin_steps(context.scene, context.view_layer, folder)
