"""Blender's windows."""

import bpy


def editors(window_manager, kind):
    """Yield (window, area) of all editors of a kind ("IMAGE_EDITOR") that are open."""
    for window in window_manager.windows if window_manager else ():
        for area in window.screen.areas:
            if area.type == kind:
                yield window, area


def new_editor(context, kind):
    """Area of an editor of a kind in a window of its own; None without windows.

    Blender makes a new window the context's. Whatever else still handles the event that opened it would take its own
    window for that one: a panel that moves is ended in the wrong one, and Blender crashes (tests/gui/opening.py).
    """
    if bpy.app.background or not context.window_manager.windows:
        return None
    # Only what an override changed is put back after it: the window is taken away first.
    opener = context.window or context.window_manager.windows[0]
    with context.temp_override(window=None), context.temp_override(window=opener):
        bpy.ops.wm.window_new()
    area = context.window_manager.windows[-1].screen.areas[0]
    area.type = kind
    return area


def show_image(context, image, new=True):
    """Show an image in an image editor that is open, else, where `new`, in a window of its own."""
    for window, area in editors(context.window_manager, "IMAGE_EDITOR"):
        area.spaces.active.image = image
        region = next(region for region in area.regions if region.type == "WINDOW")
        with context.temp_override(window=window, area=area, region=region):
            bpy.ops.image.view_all(fit_view=True)
        return
    area = new_editor(context, "IMAGE_EDITOR") if new else None
    if area is not None:
        area.spaces.active.image = image


def redraw_sidebars(window_manager):
    """Draw the sidebars of all 3D views anew.

    Only these: drawing a large scene anew for a line of text would slow down everything else.
    """
    for _, area in editors(window_manager, "VIEW_3D"):
        for region in area.regions:
            if region.type == "UI":
                region.tag_redraw()


def redraw_status(context):
    """Draw anew where the state of a run is told: the sidebars and the status bar."""
    redraw_sidebars(context.window_manager)
    if context.workspace is not None:
        # Global areas are in no list; setting the status text, to none as it is, draws them.
        context.workspace.status_text_set(None)


def tell_status(context, text):
    """Show a line in the status bar until `redraw_status`."""
    if context.workspace is not None:
        context.workspace.status_text_set(text)


def redraw_views(window_manager):
    """Draw all 3D views anew."""
    for _, area in editors(window_manager, "VIEW_3D"):
        area.tag_redraw()
