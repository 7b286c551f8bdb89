"""Panels: draw only."""


def _classes():
    """All classes in the order of registration, which is that of the panels."""
    from . import check_panel, material_panel, panel

    return (*material_panel.CLASSES, *panel.CLASSES, *check_panel.CLASSES)


def register():
    """Register the panels."""
    import bpy

    for cls in _classes():
        bpy.utils.register_class(cls)


def unregister():
    """Remove the panels."""
    import bpy

    for cls in reversed(_classes()):
        bpy.utils.unregister_class(cls)
