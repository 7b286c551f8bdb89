"""Runs of a study in the scene: load one, render all."""

from pathlib import Path

import bpy

from ...blender_addon.base.clock import frames_per_second
from ...blender_addon.base.render import refuse_to_render, render_movie, render_still
from ...blender_addon.study import pictures, process, table
from ...blender_addon.study.loading import last_frame_of, load_run
from ...blender_addon.study.writing import STUDY
from ...solver.base.refusal import SceneError, StudyError, TrajectoryError
from .study import show_plot
from .waiting import Waiting


class _Replaying(Waiting):
    """What operators share that make runs of the study again, one process after another."""

    refusals = (SceneError, StudyError, TrajectoryError, OSError, RuntimeError)

    @classmethod
    def poll(cls, context):
        return not process.running() and bool(table.rows_of(context.scene.stiction_study.folder))

    def _start(self, context):
        self._rows = self._chosen(context)
        self._begin(context)

    def _more(self, context):
        if process.current().cancelled:
            raise StudyError("stopped; nothing was loaded")
        scene = self._scene()
        if scene != context.scene:
            raise StudyError(f"scene {scene.name!r} is not shown any more; nothing was loaded, press it again there")
        self._taken(context)
        if self._rows:
            self._begin(context)
        return bool(self._rows)

    def _begin(self, context):
        folder = Path(context.scene.stiction_study.folder)
        process.start_replay(folder.parent / STUDY, folder, self._rows[0], frames_per_second(context.scene))

    def _taken(self, context):
        work = process.current()
        if work.running or work.summary is None:
            raise StudyError(work.error or "the run ended without frames")
        row = self._rows.pop(0)
        rows = table.rows_of(context.scene.stiction_study.folder)
        self._use(context, row, table.sentence(rows[row - 1]), Path(work.summary["run"]))


class STICTION_OT_study_load(_Replaying, bpy.types.Operator):
    """Make the chosen run of the study again and bake it into the scene, to look at and to render"""

    bl_idname = "stiction.study_load"
    bl_label = "Load Run of Study"
    bl_options = {"REGISTER", "UNDO"}

    def _chosen(self, context):
        return [context.scene.stiction_study.row]

    def _use(self, context, row, said, folder):
        for sentence in load_run(context.scene, folder, f"run {row}: {said}"):
            self.report({"INFO"}, sentence)

    def _finish(self, context):
        self.report({"INFO"}, context.scene.stiction.summary)
        return {"FINISHED"}


class STICTION_OT_study_render(_Replaying, bpy.types.Operator):
    """Make a run of each point of the study again and render its end, side by side in one picture; or a film of each"""

    bl_idname = "stiction.study_render"
    bl_label = "Render All Runs of Study"
    bl_options = {"REGISTER", "UNDO"}

    films: bpy.props.BoolProperty(name="Films", description="Render a film of each run instead of its end")

    def _chosen(self, context):
        refuse_to_render(context.scene)
        self._made = []
        return table.first_of_each_point(table.rows_of(context.scene.stiction_study.folder))

    def _use(self, context, row, said, folder):
        scene = context.scene
        load_run(scene, folder, f"run {row}: {said}")
        with pictures.kept_output(scene):
            path = folder.parent / (f"run_{row}.mp4" if self.films else f"run_{row}.png")
            if self.films:
                render_movie(scene, path)
            else:
                render_still(scene, path, last_frame_of(scene, folder))
        self._made.append((path, said))

    def _finish(self, context):
        folder = Path(context.scene.stiction_study.folder)
        if self.films:
            self.report({"INFO"}, f"{len(self._made)} films in {folder}")
            return {"FINISHED"}
        sheet = pictures.sheet_of(self._made, folder / pictures.SHEET)
        show_plot(context, sheet, new=True)
        self.report({"INFO"}, f"{len(self._made)} runs: {sheet}")
        return {"FINISHED"}


CLASSES = (STICTION_OT_study_load, STICTION_OT_study_render)
