"""Studies: add a parameter, run, cancel, show the result."""

import time
from pathlib import Path

import bpy

from ...blender_addon.base.windows import show_image
from ...blender_addon.running import run as runs
from ...blender_addon.settings.lists import remove_line
from ...blender_addon.study import pictures, process
from ...blender_addon.study.setup import set_up
from ...blender_addon.study.writing import write_study
from ...solver.base.refusal import SceneError, StudyError
from ...solver.options import OptionError
from .waiting import Waiting

SHOWN = pictures.PLOT


class STICTION_OT_study_parameter_add(bpy.types.Operator):
    """Add something that the study varies"""

    bl_idname = "stiction.study_parameter_add"
    bl_label = "Add Study Parameter"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        settings = context.scene.stiction_study
        settings.parameters.add()
        settings.active = len(settings.parameters) - 1
        return {"FINISHED"}


class STICTION_OT_study_parameter_remove(bpy.types.Operator):
    """Remove the parameter that is chosen"""

    bl_idname = "stiction.study_parameter_remove"
    bl_label = "Remove Study Parameter"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return bool(context.scene.stiction_study.parameters)

    def execute(self, context):
        settings = context.scene.stiction_study
        remove_line(settings, "parameters", "active")
        return {"FINISHED"}


class STICTION_OT_study_run(Waiting, bpy.types.Operator):
    """Run the study on all cores; Blender stays usable. A study that was stopped goes on where it ended"""

    bl_idname = "stiction.study_run"
    bl_label = "Run Study"
    bl_options = {"UNDO"}

    refusals = (SceneError, OptionError, StudyError, runs.JobFailed, OSError)
    _began = 0.0

    @classmethod
    def poll(cls, context):
        return not process.running()

    def _start(self, context):
        scene = context.scene
        folder = runs.cache_folder(scene) / "study"
        study = write_study(scene, folder)
        results = folder / "results"
        scene.stiction_study.folder, self._began = str(results), time.time()
        process.start(study, results, resume=results.exists())

    def _finish(self, context):
        work = process.current()
        if work.running or work.cancelled:
            self.report({"INFO"}, "study stopped; finished runs are kept, Run Study goes on")
            return {"CANCELLED"}
        if work.summary is None:
            self.report({"ERROR"}, work.error)
            return {"CANCELLED"}
        settings, cells = self._scene().stiction_study, work.summary["cells"]
        # Undo may have taken it back meanwhile.
        settings.folder = str(work.folder)
        settings.result = f"{work.summary['runs']} runs, {work.summary['failed']} failed. {work.summary['quality']}"
        settings.shares = "\n".join(share_line(cell) for cell in cells)
        plot = Path(settings.folder) / SHOWN
        if cells and (not plot.is_file() or plot.stat().st_mtime < self._began):
            # The report has none where there is no matplotlib.
            pictures.draw_plot(settings.folder, cells)
        self.report({"INFO" if work.summary["quality_ok"] else "WARNING"}, settings.result)
        show_plot(context, plot)
        return {"FINISHED"}


def share_line(cell):
    """A point's share of jams with its interval, for the panel."""
    said = ", ".join(f"{name.rpartition('.')[2]} {value:g}" if isinstance(value, (int, float)) else f"{value}"
                     for name, value in cell["values"].items())  # fmt: skip
    share = cell["jams"] / cell["runs"]
    return f"{said}: {share:.2f} jam [{cell['low']:.2f}, {cell['high']:.2f}], {cell['jams']} of {cell['runs']}"


def show_plot(context, path, new=False):
    """Load a plot as an image, and show it in an image editor that is open, else, where `new`, in a window of its own;
    nothing where there is no plot."""
    if path.is_file():
        image = bpy.data.images.load(str(path), check_existing=True)
        image.reload()
        show_image(context, image, new)


class STICTION_OT_study_cancel(bpy.types.Operator):
    """Stop the study; finished runs are kept"""

    bl_idname = "stiction.study_cancel"
    bl_label = "Stop Study"

    @classmethod
    def poll(cls, context):
        return process.running()

    def execute(self, context):
        process.stop()
        return {"FINISHED"}


class STICTION_OT_study_show(bpy.types.Operator):
    """Open an image editor on the study's plot"""

    bl_idname = "stiction.study_show"
    bl_label = "Show Plot of Study"
    bl_options = {"UNDO"}

    @classmethod
    def poll(cls, context):
        return (Path(context.scene.stiction_study.folder or ".") / SHOWN).is_file()

    def execute(self, context):
        show_plot(context, Path(context.scene.stiction_study.folder) / SHOWN, new=True)
        return {"FINISHED"}


class STICTION_OT_study_set_up(bpy.types.Operator):
    """Add what a first study needs: friction as the parameter, the gate, a counter below where bodies leave"""

    bl_idname = "stiction.study_set_up"
    bl_label = "Set Up Study"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        try:
            said = set_up(context.scene)
        except StudyError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, "; ".join(said) or "the study has all it needs")
        return {"FINISHED"}


CLASSES = (
    STICTION_OT_study_set_up,
    STICTION_OT_study_parameter_add,
    STICTION_OT_study_parameter_remove,
    STICTION_OT_study_run,
    STICTION_OT_study_cancel,
    STICTION_OT_study_show,
)
