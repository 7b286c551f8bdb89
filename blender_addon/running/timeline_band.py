"""A band in the timeline: the frames that a run in work has, in the range that it will have."""

import bpy

DONE, RANGE = (0.16, 0.62, 0.56, 0.9), (0.16, 0.62, 0.56, 0.25)
HEIGHT = 5  # pixels at a resolution scale of 1


class TimelineBand:
    """Drawn in every timeline while it is shown."""

    def __init__(self):
        self._handle = None
        self.frames = None

    def show(self, start, newest, end, context):
        """Show that frames `start` to `newest` of a range to `end` are there."""
        if bpy.app.background or self.frames == (start, newest, end):
            return
        self.frames = start, newest, end
        if self._handle is None:
            space = bpy.types.SpaceDopeSheetEditor
            self._handle = space.draw_handler_add(self._draw, (), "WINDOW", "POST_PIXEL")
        _redraw(context.window_manager)

    def close(self):
        """Take the band away."""
        if self._handle is not None:
            bpy.types.SpaceDopeSheetEditor.draw_handler_remove(self._handle, "WINDOW")
            self._handle = None
            _redraw(bpy.context.window_manager)

    def _draw(self):
        region = bpy.context.region
        start, newest, end = self.frames
        height = HEIGHT * bpy.context.preferences.system.ui_scale
        place = [region.view2d.view_to_region(frame, 0, clip=False)[0] for frame in (start, newest, end)]
        _rectangle(place[0], place[2], height, RANGE)
        _rectangle(place[0], place[1], height, DONE)


def _rectangle(left, right, height, color):
    import gpu
    from gpu_extras.batch import batch_for_shader

    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    corners = [(left, 0), (right, 0), (right, height), (left, height)]
    batch = batch_for_shader(shader, "TRIS", {"pos": corners}, indices=[(0, 1, 2), (0, 2, 3)])
    gpu.state.blend_set("ALPHA")
    shader.uniform_float("color", color)
    batch.draw(shader)
    gpu.state.blend_set("NONE")


def _redraw(window_manager):
    for window in window_manager.windows:
        for area in window.screen.areas:
            if area.type == "DOPESHEET_EDITOR":
                area.tag_redraw()
