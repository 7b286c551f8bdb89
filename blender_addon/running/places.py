"""Where the runs of a scene lie on disk."""

import os
import tempfile
from pathlib import Path

import bpy

from .run_folders import still_there


def cache_path(scene):
    """Folder for a scene's runs: the one set, else beside the file, else temporary.

    A folder that is set relatively, with or without Blender's //, is one beside the file; of a file not saved yet it
    is temporary, never a folder in whatever place Blender was started from.
    """
    name = bpy.path.clean_name(scene.name)
    file = Path(bpy.data.filepath) if bpy.data.filepath else None
    home = file.parent if file else Path(bpy.app.tempdir or tempfile.gettempdir()) / f"stiction-{os.getpid()}"
    if scene.stiction.cache:
        return home / scene.stiction.cache.removeprefix("//") / name
    return home / f"cache_{file.stem}" / name if file else home / name


def run_folder(scene):
    """Folder of the run that a scene's bake is of, also after the file was moved with its cache; None if it is gone."""
    return still_there(scene.stiction.run, cache_path(scene))
