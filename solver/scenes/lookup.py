"""A scene by its canonical name, or from its file."""

from pathlib import Path

from ..base.refusal import SceneError
from ..scene_io.mesh_file import read_mesh
from ..scene_io.scene_file import load_scene
from . import SCENES


def find_scene(name, full=False):
    """Return the canonical scene of that name, or the one in that file; full: with its paper's number of bodies."""
    if full and not (name in SCENES and SCENES[name].full):
        larger = ", ".join(key for key, entry in SCENES.items() if entry.full)
        raise SceneError(f"scene {name!r} has no larger version; leave --full out, or choose one of {larger}")
    if name in SCENES and full:
        return SCENES[name].build(full=True)
    if name in SCENES:
        return SCENES[name].build()
    if name.endswith(".urdf"):
        # Here, because no other scene needs them at its start.
        from ..robots.bodies import load_urdf, on_floor
        from ..robots.overlaps import apart

        return on_floor(apart(load_urdf(name, read_mesh)))
    if not Path(name).exists() and not name.endswith(".json"):
        raise SceneError(f"no scene {name!r}: neither a canonical scene (see `stiction scenes`) nor a file")
    return load_scene(name)
