"""Where the runs of a scene lie on disk."""

import os
import tempfile
from pathlib import Path

import bpy

from .run_folders import still_there


def cache_path(scene):
    """Folder for a scene's runs: the one set, else beside the file, else temporary."""
    name = bpy.path.clean_name(scene.name)
    if scene.stiction.cache:
        return Path(bpy.path.abspath(scene.stiction.cache)) / name
    if bpy.data.filepath:
        file = Path(bpy.data.filepath)
        return file.parent / f"cache_{file.stem}" / name
    return Path(bpy.app.tempdir or tempfile.gettempdir()) / f"stiction-{os.getpid()}" / name


def run_folder(scene):
    """Folder of the run that a scene's bake is of, also after the file was moved with its cache; None if it is gone."""
    return still_there(scene.stiction.run, cache_path(scene))
