"""The extension's settings, where Blender has not registered them: without a window."""

import bpy


def ensure_registered():
    """Register the extension's settings, if Blender has not done it."""
    if not hasattr(bpy.types.Scene, "stiction"):
        from .. import register

        register()
