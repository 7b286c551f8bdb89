"""Paths of files as Blender keeps them."""

import bpy


def blend_path(path):
    """The path as Blender keeps it: relative to the file, if that is saved on the same drive."""
    if not bpy.data.filepath:
        return str(path)
    try:
        return bpy.path.relpath(str(path))
    except ValueError:
        return str(path)
