"""The modes of a body that moves in some: what was found of them, and one that swings in the viewport.

It swings by the modifier that shows a run in work, which undo, files and runs take away; the mesh is not touched.
"""

import math
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import bpy
import numpy as np

from ...solver.materials import MaterialTable
from ...solver.scene import Scene
from ...solver.scene_io.scene_file import save_scene
from ..bakers.point_cache import append_pc2, play
from ..base.geometry import vertices_of
from ..exporting.current_graph import CurrentGraph
from ..exporting.export import Exporter, unit_length
from ..exporting.meshes import mesh_of
from ..exporting.reading import plain_values
from ..running.soft_live import NAME, take_away
from .embedding import carried, embed

# Of a body's size: how far a mode is swung out, and seconds of a swing, slow enough to be seen.
SWING, PERIOD = 0.15, 1.2
# What another number of does not change modes.
NOT_COUNTED = {"preset", "plays_as", "use"}


class Found(NamedTuple):
    """Modes as found: folder of `modes.npz`; frequency [Hz] and decay [s], see inside/modes_worker.py; made_from: what
    they were found for."""

    folder: TemporaryDirectory
    frequency: list
    decay: list
    made_from: str


class Playing(NamedTuple):
    """Which mode of which object swings, since when [s]."""

    session_uid: int
    number: int
    start: float


# Found by the session's number of an object.
_found: dict = {}
_playing: list = []


def write(context, ob, path):
    """Write the scene file of a body alone. SceneError where the object cannot be simulated."""
    exporter = Exporter(context.scene, CurrentGraph(context.scene, context.view_layer))
    body, _ = exporter.body(ob)
    save_scene(path, Scene((body,), MaterialTable(exporter.materials)))


def keep(ob, folder, made_from):
    """Take the modes of a worker's folder for those of an object as it was then, see made_from; returns the Found."""
    with np.load(Path(folder.name, "modes.npz")) as data:
        one = Found(folder, data["frequency"].tolist(), data["decay"].tolist(), made_from)
    _found[ob.session_uid] = one
    return one


def found(ob):
    """The Found of an object as it is now, None where there is none."""
    known = _found.get(ob.session_uid)
    return known if known is not None and known.made_from == made_from(ob) else None


def made_from(ob):
    """What modes follow from, but for where vertices and weights are."""
    settings = ob.stiction
    numbers = settings.density, settings.use_mass, settings.mass, len(ob.data.vertices), tuple(ob.scale)
    return repr((numbers, plain_values(settings.elastic, NOT_COUNTED)))


def sentence(number, one):
    """What a person reads of mode `number` of a Found, counted from 1."""
    frequency, decay = one.frequency[number - 1], one.decay[number - 1]
    swings = f"{frequency:.4g} Hz" if frequency else "does not ring"
    return f"{number}: {swings}, " + (f"gone in {decay:.3g} s" if math.isfinite(decay) else "never ends")


def play_mode(scene, ob, number):
    """Let mode `number` of an object swing."""
    stop()
    one = found(ob)
    path = Path(one.folder.name, f"mode_{number}.pc2")
    append_pc2(path, _ends(scene, ob, one, number), 0)
    modifier = play(ob, str(path), 0, NAME)
    modifier.play_mode, modifier.time_mode = "CUSTOM", "FRAME"
    ob.modifiers.move(len(ob.modifiers) - 1, 0)
    _playing.append(Playing(ob.session_uid, number, time.perf_counter()))
    swing()


def _ends(scene, ob, one, number):
    """Places (2,V,3) of an object's own vertices at the two ends of a swing, in its own coordinates."""
    with np.load(Path(one.folder.name, "modes.npz")) as data:
        rest, tets, middle, shape = data["rest"], data["tets"], data["middle"], data["shape"][:, :, number - 1]
    own, matrix = vertices_of(mesh_of(ob)).astype(float), np.array(ob.matrix_world, dtype=float)
    unit = unit_length(scene)
    hung = embed((own @ matrix[:3, :3].T + matrix[:3, 3]) * unit, rest, tets, middle if middle.size else None)
    shape = shape * (SWING * np.ptp(rest, axis=0).max() / np.linalg.norm(shape, axis=1).max())
    moved = (carried(hung, rest + shape) - carried(hung, rest)) / unit @ np.linalg.inv(matrix[:3, :3]).T
    return np.stack([own - moved, own + moved])


def playing(ob=None):
    """Number of the mode that swings, of an object if given; 0 if none does."""
    return next((one.number for one in _playing if ob is None or one.session_uid == ob.session_uid), 0)


def swing():
    """Put what swings where it is now; False where it does not swing any more."""
    for one in _playing:
        ob = next((ob for ob in bpy.data.objects if ob.session_uid == one.session_uid), None)
        modifier = None if ob is None else ob.modifiers.get(NAME)
        if modifier is not None and ob.mode == "OBJECT":
            turn = 2.0 * math.pi * (time.perf_counter() - one.start) / PERIOD
            modifier.eval_frame = 0.5 + 0.5 * math.sin(turn)
            return True
    return False


def stop():
    """No mode swings any more."""
    if _playing:
        _playing.clear()
        take_away()


def forget():
    """Forget all modes: the extension is switched off."""
    stop()
    for one in _found.values():
        one.folder.cleanup()
    _found.clear()
