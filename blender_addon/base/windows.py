"""Blender's windows."""


def redraw_sidebars(window_manager):
    """Draw the sidebars of all 3D views anew.

    Only these: drawing a large scene anew for a line of text would slow down everything else.
    """
    for window in window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
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
    for window in window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()
