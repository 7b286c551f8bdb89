"""Baking a .blend file from outside of Blender."""

from pathlib import Path

import bpy

from ...solver.base.refusal import SceneError
from .loaded_bake import bake_loaded
from .registered import ensure_registered


def bake_file(blend, output=None, render=None, progress=None):
    """Bake the active scene of a .blend file; save to `output` (default: the file itself), render to `render`.

    Returns the word of the verdict and all sentences to show. Nothing is written if the scene is refused.
    """
    try:
        bpy.ops.wm.open_mainfile(filepath=str(Path(blend).resolve()))
    except RuntimeError as error:
        said = str(error).strip().splitlines()[-1]
        raise SceneError(f"{blend}: Blender cannot open it ({said}); name a file that Blender has saved") from None
    ensure_registered()
    return bake_loaded(blend, output, render, progress)
