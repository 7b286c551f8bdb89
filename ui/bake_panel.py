"""Baking: the button, the progress of a run, what it left, and its result."""

import bpy

from ..blender_addon.bakers import deformables
from ..blender_addon.baking import bake as baking
from ..blender_addon.baking.signature import out_of_date, signature_lately
from ..blender_addon.inside.background import at_work
from ..blender_addon.running import job as jobs
from ..blender_addon.running import run as runs
from ..solver.base.wording import as_length
from .base import StictionPanel, draw_wrapped

# From so many bodies on, keyframes are slow to play: 2,000 take 30 to 60 ms a frame, as instances half of one.
MANY = 500


def _active_count(scene):
    return sum(ob.stiction.type == "ACTIVE" for ob in scene.objects)


class STICTION_PT_bake(StictionPanel, bpy.types.Panel):
    """Bake, progress, result."""

    bl_label = "Bake"
    bl_idname = "STICTION_PT_bake"

    def draw_header_preset(self, context):
        """Progress and Cancel in the header: seen while the panel is folded, too."""
        if jobs.running():
            # There is little room beside the title.
            draw_short(self.layout, f"{jobs.current().fraction:.0%}" if jobs.current().done else "")

    def draw(self, context):
        layout, scene = self.layout, context.scene
        if jobs.running():
            return
        row = layout.row(align=True)
        row.scale_y = 1.4
        row.operator("stiction.bake", text="Bake", icon="REC")
        baked = baking.baked_objects(scene)
        if baked:
            row.operator("stiction.clear", text="Clear", icon="X")
        if scene.stiction.bake_to == "KEYFRAMES" and _active_count(scene) > MANY:
            layout.label(text="Instances play faster for so many", icon="INFO")
        left = runs.unfinished(scene)
        if left is not None:
            _draw_unfinished(layout, left)
        elif runs.to_go_on_with(scene, signature_lately(scene)) is not None:
            layout.operator("stiction.go_on", icon="PLAY", text=f"Go On from Frame {runs.baked_end(scene)}")
        elif out_of_date(scene):
            layout.label(text="Bake is out of date", icon="ERROR")
        for sentence in deformables.missing_caches(scene):
            _draw_summary(layout, sentence)
        if scene.stiction.summary and baked:
            _draw_summary(layout, scene.stiction.summary)


class STICTION_PT_output(StictionPanel, bpy.types.Panel):
    """What a bake writes, and where."""

    bl_label = "Output"
    bl_parent_id = "STICTION_PT_bake"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return not jobs.running()

    def draw(self, context):
        layout, settings = self.columns(), context.scene.stiction
        layout.prop(settings, "bake_to")
        layout.prop(settings, "bake_selected")
        layout.prop(settings, "cache")


class STICTION_PT_progress(StictionPanel, bpy.types.Panel):
    """The run in work, in a panel of its own that goes with it: where the mouse was on a progress bar, Blender draws a
    label that comes into the same panel as that bar, until the mouse moves."""

    bl_label = "Progress"
    bl_parent_id = "STICTION_PT_bake"
    bl_options = {"HIDE_HEADER"}

    @classmethod
    def poll(cls, context):
        return jobs.running()

    def draw(self, context):
        _draw_progress(self.layout, context)


def draw_short(layout, text):
    """Progress, Pause and Cancel in one row."""
    job = jobs.current()
    row = layout.row(align=True)
    if text:
        row.label(text=text)
    row.operator("stiction.pause", text="", icon="PLAY" if job.paused else "PAUSE")
    row.operator("stiction.cancel", text="", icon="CANCEL")


def _draw_progress(layout, context):
    job, scene = jobs.current(), context.scene
    layout.progress(factor=job.fraction, text=job.status())
    if job.advice():
        draw_wrapped(layout, context, job.advice())
    if job.done:
        column = layout.column(align=True)
        column.scale_y = 0.8
        column.label(text=f"{job.contact_count} contacts, overlap {as_length(job.overlap_now)}")
        column.label(text=f"residual {job.residual_now:.1e} m/s, at worst {job.residual:.1e}")
    row = layout.row(align=True)
    row.operator("stiction.pause", text="Continue" if job.paused else "Pause", icon="PLAY" if job.paused else "PAUSE")
    row.operator("stiction.cancel", text="Cancel", icon="CANCEL")
    layout.label(text="Esc over this tab cancels, too")
    layout.prop(scene.stiction, "follow")


def _draw_unfinished(layout, left):
    box = layout.box()
    reading = left.run.reading
    box.label(text=f"Stopped: {left.frame_count} of {reading.frame_count} frames", icon="INFO")
    box.operator("stiction.bake_partial", icon="REC")
    row = box.row(align=True)
    if left.fits:
        row.operator("stiction.go_on", text="Go On", icon="PLAY")
    row.operator("stiction.discard", text="", icon="TRASH")
    if not left.fits:
        box.label(text="the scene has changed since")


def _draw_summary(layout, summary):
    column = layout.column(align=True)
    column.scale_y = 0.8
    for part in summary.split(", "):
        column.label(text=part)


def draw_status_bar(self, context):
    """The run in Blender's status bar, whatever is folded or hidden."""
    if jobs.running():
        draw_short(self.layout, f"Stiction: {jobs.current().status()}")
    for label in at_work():
        self.layout.label(text=f"Stiction: {label} at work", icon="SORTTIME")


CLASSES = (STICTION_PT_bake, STICTION_PT_progress, STICTION_PT_output)
