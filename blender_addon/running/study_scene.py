"""The scene of a .blend file as a scene file: what a study with `blend` in its scene table starts from."""

from pathlib import Path

import bpy

from ...solver.base.refusal import SceneError
from ..study.writing import study_scene
from .registered import ensure_registered


def scene_of_file(blend, target):
    """Write the active scene of a .blend file, with the gate and counter of its study, to `target`; returns that."""
    from ...solver.scene_io.scene_file import save_scene

    try:
        bpy.ops.wm.open_mainfile(filepath=str(Path(blend).resolve()))
    except RuntimeError as error:
        raise SceneError(f"{blend}: Blender cannot open it ({str(error).strip().splitlines()[-1]})") from None
    ensure_registered()
    target = Path(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    save_scene(target, study_scene(bpy.context.scene))
    return target
