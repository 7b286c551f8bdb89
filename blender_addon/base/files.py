"""Paths of files as Blender keeps them."""

from pathlib import Path

import bpy


def blend_path(path):
    """The path as Blender keeps it: relative to the file, if that is saved on the same drive."""
    if not bpy.data.filepath:
        return str(path)
    try:
        return bpy.path.relpath(str(path))
    except ValueError:
        return str(path)


def passing_note(scene, folder):
    """[A sentence] where objects of a scene play files of a folder that goes with Blender; else []."""
    if not bpy.app.tempdir or not Path(folder).is_relative_to(bpy.app.tempdir):
        return []
    caches = (one for ob in scene.objects for one in ob.modifiers if one.type == "MESH_CACHE")
    if not any(Path(bpy.path.abspath(one.filepath)).is_relative_to(folder) for one in caches):
        return []
    return ["the bake plays files in Blender's temporary folder, which goes when Blender is closed: save this file and "
            "bake again"]  # fmt: skip
