"""Panels: draw only."""


def register():
    """Register the panels."""
    import bpy

    from .panel import CLASSES

    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister():
    """Remove the panels."""
    import bpy

    from .panel import CLASSES

    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
