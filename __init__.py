"""Stiction: frictional contact simulation for Blender, and a solver library that needs no Blender."""


def register():
    """Register the extension's classes with Blender."""
    from . import blender_addon, operators, ui

    for package in (blender_addon, operators, ui):
        package.register()


def unregister():
    """Remove the extension's classes from Blender, in reverse order."""
    from . import blender_addon, operators, ui

    for package in (ui, operators, blender_addon):
        package.unregister()
