"""A Blender scene as plain data: Blender writes it, the worker makes the solver's scene of it. No bpy here.

Reading is all that Blender waits for when Bake is pressed; recognising shapes, preparing meshes and refusing what
cannot be simulated is done where a second more or less freezes no window.
"""

import json
import struct
import zlib
from dataclasses import dataclass, field
from functools import cached_property
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import numpy as np

from ...solver.base.refusal import SceneError
from ..base.enums import OF_SOLVER, solver_key
from ..settings.motion import follows, is_deformable, is_dynamic

FILE = "reading.bin"
FORMAT = 6
# Before the text of a file; arrays begin where every type of number may lie.
_LENGTH, _PLACE = struct.Struct("<Q"), 16
# Tells this Blender from one that is started later: it gives the same session numbers to other objects.
SESSION = uuid4().hex


@dataclass(frozen=True)
class FrameSamples:
    """frames (F,); world: name -> (F,4,4) world matrices of Animated bodies and of bodies that are parents; parent:
    name -> (F,4,4) what stands before the own location, rotation and scale of a body with a parent; pins: name ->
    (F,P,3) places in the world of the vertices that hold an Animated deformable body; goals: name -> (F,V,3) of
    all its vertices, where it has goals. Blender units."""

    frames: np.ndarray
    world: dict
    parent: dict
    pins: dict
    goals: dict = field(default_factory=dict)


@dataclass(frozen=True)
class BodyReading:
    """One object at the first frame: settings and their `elastic` as in object.stiction, world matrix (4,4), signs of
    the scale (3,), its own scale (3,) where nothing stands before it (else None), key of its mesh, children of a
    compound."""

    name: str
    session_uid: int
    settings: SimpleNamespace
    matrix: np.ndarray
    signs: np.ndarray
    scale: Any
    mesh: str
    children: tuple = ()

    @property
    def who(self):
        """How a sentence calls it."""
        return f"object {self.name!r}"

    @property
    def dynamic(self):
        """See settings.motion."""
        return is_dynamic(self.settings)

    @property
    def deformable(self):
        """See settings.motion."""
        return is_deformable(self.settings)

    @property
    def follows(self):
        """See settings.motion."""
        return follows(self.settings)


@dataclass(frozen=True)
class SceneReading:
    """A Blender scene at its first frame, Blender units: unit is metres in one of them. meshes: key -> (vertices (V,3),
    triangles (T,3)); settings: the simulation options as plain values; signature: the scene's fingerprint;
    joints: see joints/constraints.py; flow and pours: see flow/reading.py."""

    name: str
    unit: float
    fps: float
    gravity: tuple
    combine: str
    frame_start: int
    frame_end: int
    bodies: tuple
    meshes: dict = field(repr=False)
    excluded_pairs: tuple
    samples: FrameSamples = field(repr=False)
    settings: dict = field(default_factory=dict)
    signature: str = ""
    pairs: tuple = ()
    joints: tuple = ()
    flow: dict = field(default_factory=dict)
    pours: dict = field(default_factory=dict)

    @cached_property
    def by_name(self):
        """The BodyReading of each body by its name."""
        return {one.name: one for one in self.bodies}

    @property
    def frame_count(self):
        """Frames, the first included."""
        return self.frame_end - self.frame_start + 1

    @property
    def time(self):
        """Simulated time [s]."""
        return (self.frame_count - 1) / self.fps


SIMPLE = (float, int, bool, str)


def plain_values(group, leave_out=()):
    """{name: plain value} of a property group, nested groups included; collections as their objects' names."""
    found = {}
    for name, is_array, of_solver in _names(type(group), group):
        if name in leave_out:
            continue
        value = getattr(group, name)
        if type(value) in SIMPLE:
            found[name] = solver_key(value) if of_solver else value
            continue
        if is_array:
            value = tuple(value)
        elif hasattr(value, "all_objects"):
            value = sorted(ob.name for ob in value.all_objects)
        elif hasattr(value, "session_uid"):
            # Another datablock.
            value = value.name
        elif hasattr(value, "foreach_get"):
            value = [plain_values(item, leave_out) for item in value]
        elif hasattr(value, "bl_rna"):
            value = plain_values(value, leave_out)
        found[name] = value
    return found


_known_names: dict = {}


def _names(kind, group):
    """(name, is an array, is a key of the solver) of the properties of a class of groups; asking RNA takes long."""
    if kind not in _known_names:
        properties = [entry for entry in group.bl_rna.properties if entry.identifier not in ("rna_type", "name")]
        keys = getattr(kind, OF_SOLVER, ())
        _known_names[kind] = [(entry.identifier, getattr(entry, "is_array", False), entry.identifier in keys)
                              for entry in properties]  # fmt: skip
    return _known_names[kind]


def forget_names():
    """Forget the properties of all groups: their classes are registered anew."""
    _known_names.clear()


def save(reading, folder):
    """Write a reading into a run's folder: the number of bytes of a text in JSON, that text, and the arrays of which it
    holds [data type, shape], each begun at a multiple of _PLACE bytes."""
    samples, keys = reading.samples, list(reading.meshes)
    arrays = [array for key in keys for array in reading.meshes[key]] + [samples.frames]
    arrays += [matrices for kind in SAMPLED for matrices in getattr(samples, kind).values()]
    content = b"".join(_filled(np.ascontiguousarray(array).tobytes()) for array in arrays)
    plain = {name: getattr(reading, name) for name in PLAIN} | {
        "format": FORMAT, "session": SESSION, "meshes": keys, "bodies": [_plain_body(body) for body in reading.bodies],
        **{kind: list(getattr(samples, kind)) for kind in SAMPLED},
        "pours": {name: [_plain_body(body) for body in bodies] for name, bodies in reading.pours.items()},
        "arrays": [[array.dtype.str, array.shape] for array in arrays], "checksum": zlib.crc32(content),
    }  # fmt: skip
    text = json.dumps(plain).encode()
    with open(folder / FILE, "wb") as handle:
        handle.write(_filled(_LENGTH.pack(len(text)) + text) + content)


def _filled(data):
    return data + bytes(-len(data) % _PLACE)


def _unpacked(path):
    """(plain values, arrays in the order that `save` wrote them in) of a file; ValueError where it is damaged."""
    data = np.fromfile(path, np.uint8)
    (length,) = _LENGTH.unpack_from(data)
    plain = json.loads(data[_LENGTH.size : _LENGTH.size + length].tobytes())
    if plain["format"] != FORMAT:
        raise SceneError(f"{path}: written by another version; bake again")
    at, arrays = _LENGTH.size + length, []
    at += -at % _PLACE
    if zlib.crc32(data[at:]) != plain["checksum"]:
        raise ValueError("its checksum is another one")
    for kind, shape in plain["arrays"]:
        array = np.ndarray(shape, kind, data, at)
        arrays.append(array)
        at += array.nbytes + -array.nbytes % _PLACE
    return plain, arrays


SAMPLED = ("world", "parent", "pins", "goals")
PLAIN = (
    "name", "unit", "fps", "gravity", "combine", "frame_start", "frame_end", "excluded_pairs", "settings", "signature",
    "pairs", "joints", "flow",
)  # fmt: skip


def _plain_body(body):
    settings = vars(body.settings) | {"elastic": vars(body.settings.elastic)}
    values = dict(vars(body), settings=settings, children=[_plain_body(child) for child in body.children])
    for name in ("matrix", "signs", "scale"):
        values[name] = None if values[name] is None else np.asarray(values[name], dtype=float).tolist()
    return values


def load(folder):
    """The reading in a run's folder; SceneError if there is none or it is of another version.

    The session numbers of one that another Blender wrote are 0: objects are known by their names alone.
    """
    try:
        plain, arrays = _unpacked(folder / FILE)
    except FileNotFoundError:
        raise SceneError(f"{folder}: holds no simulation any more; bake again") from None
    except (OSError, KeyError, ValueError, struct.error) as error:
        if isinstance(error, SceneError):
            raise
        raise SceneError(f"{folder / FILE}: damaged ({error}); bake again") from None
    following = iter(arrays)
    meshes = {key: (next(following), next(following)) for key in plain["meshes"]}
    samples = FrameSamples(next(following), *({name: next(following) for name in plain[kind]} for kind in SAMPLED))
    values = {name: plain[name] for name in PLAIN}
    values |= {"gravity": tuple(plain["gravity"]), "excluded_pairs": tuple(map(tuple, plain["excluded_pairs"]))}
    values["pairs"] = tuple(map(tuple, plain["pairs"]))
    values["joints"] = tuple(plain["joints"])
    ours = plain.get("session") == SESSION
    pours = {name: tuple(_body(row, ours) for row in rows) for name, rows in plain["pours"].items()}
    bodies = tuple(_body(row, ours) for row in plain["bodies"])
    return SceneReading(**values, bodies=bodies, meshes=meshes, samples=samples, pours=pours)


def _body(row, ours):
    """BodyReading of its plain values; ours: this Blender wrote them."""
    arrays = {name: None if row[name] is None else np.array(row[name]) for name in ("matrix", "signs", "scale")}
    children = tuple(_body(child, ours) for child in row["children"])
    changed = {"settings": settings_of(row["settings"]), "session_uid": row["session_uid"] if ours else 0}
    return BodyReading(**{**row, **arrays, **changed, "children": children})


def settings_of(values):
    """A body's settings of {name: plain value}, nested for `elastic`."""
    return SimpleNamespace(**values | {"elastic": SimpleNamespace(**values["elastic"])})
