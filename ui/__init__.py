"""Panels: draw only."""


def _classes():
    """All classes in the order of registration, which is that of the panels."""
    from . import bake_panel, check_panel, material_panel, panel, verdict_panel

    return (*panel.CLASSES, *material_panel.CLASSES, *bake_panel.CLASSES, *verdict_panel.CLASSES, *check_panel.CLASSES)


def register():
    """Register the panels."""
    import bpy

    for cls in _classes():
        bpy.utils.register_class(cls)
    from .bake_panel import draw_status_bar

    bpy.types.STATUSBAR_HT_header.append(draw_status_bar)


def unregister():
    """Remove the panels."""
    import bpy

    from .bake_panel import draw_status_bar

    bpy.types.STATUSBAR_HT_header.remove(draw_status_bar)
    for cls in reversed(_classes()):
        bpy.utils.unregister_class(cls)
