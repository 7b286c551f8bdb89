"""The draw handler: there only while something is shown, never needed to play or render a bake."""

import bpy
import gpu
import numpy as np
from bpy.props import BoolProperty, FloatProperty
from gpu_extras.batch import batch_for_shader

from ..base.windows import redraw_views
from . import OVERLAYS
from .view import View

_handlers = []


def shown_strokes(scene, settings, frame):
    """Strokes of all overlays that are switched on."""
    view, strokes = View(scene, frame, settings.length, settings.only_selected), []
    for key, overlay in OVERLAYS.items():
        if not getattr(settings, key) or (overlay.from_run and view.record is None):
            continue
        strokes += [stroke for stroke in overlay.strokes(view) if len(stroke.segments)]
    return strokes


def draw():
    """Draw what is switched on into the viewport that is being drawn."""
    context = bpy.context
    settings = context.window_manager.stiction_look
    strokes = shown_strokes(context.scene, settings, context.scene.frame_current)
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("NONE" if settings.in_front else "LESS_EQUAL")
    shader.bind()
    shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
    for stroke in strokes:
        points = np.ascontiguousarray(stroke.segments.reshape(-1, 3), dtype=np.float32)
        shader.uniform_float("lineWidth", stroke.width)
        shader.uniform_float("color", stroke.color)
        batch_for_shader(shader, "LINES", {"pos": points}).draw(shader)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")


def _changed(self, context):
    """A switch was turned: be there if anything is shown, be gone if nothing is."""
    wanted = any(getattr(self, key) for key in OVERLAYS)
    if wanted and not _handlers:
        _handlers.append(bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", "POST_VIEW"))
    elif not wanted:
        remove()
    if any(getattr(self, key) for key, overlay in OVERLAYS.items() if not overlay.from_run):
        _look_at_bodies(context)
    redraw_views(context.window_manager)


def _look_at_bodies(context):
    from ..checks import runner, store

    if not store.last_subjects(context.scene):
        runner.soon()


def remove():
    """Draw nothing any more."""
    while _handlers:
        bpy.types.SpaceView3D.draw_handler_remove(_handlers.pop(), "WINDOW")


def _settings_class():
    annotations = {
        overlay.key: BoolProperty(
            name=overlay.label, description=overlay.description, update=_changed, options={"SKIP_SAVE"}
        )
        for overlay in OVERLAYS.values()
    }
    annotations |= {
        "length": FloatProperty(
            name="Arrow Length", default=1.0, min=0.0, soft_max=10.0, update=_changed,
            description="Factor on all arrows. Raise it where arrows are too short to see",
        ),  # fmt: skip
        "only_selected": BoolProperty(
            name="Selected Only", update=_changed,
            description="Draw nothing of bodies that are not selected. Switch it on where there are too many arrows"
        ),
        "in_front": BoolProperty(
            name="In Front", default=True, update=_changed,
            description="Draw over objects, not hidden by them. Switch it on where meshes hide what is drawn"
        ),
    }
    members = {"__annotations__": annotations, "__doc__": "What is drawn over the viewport; never saved."}
    return type("StictionLook", (bpy.types.PropertyGroup,), members)


_classes = []


def register():
    """Attach the switches to the window manager."""
    _classes.append(_settings_class())
    bpy.utils.register_class(_classes[0])
    bpy.types.WindowManager.stiction_look = bpy.props.PointerProperty(type=_classes[0], options={"SKIP_SAVE"})


def unregister():
    """Remove the switches and the handler."""
    remove()
    del bpy.types.WindowManager.stiction_look
    bpy.utils.unregister_class(_classes.pop())
