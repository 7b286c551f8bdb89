"""Scene files: JSON with meshes beside it, read and written."""

import dataclasses
import hashlib
import json
from pathlib import Path

import numpy as np

from ..base.refusal import SceneError
from ..materials import Material, MaterialPair, MaterialTable
from ..meshes.repairs import REPAIRS, MeshRepair
from ..scene import Attachment, Body, Counter, Emitter, Gate, KeyedPoses, Motion, Scene, Sink
from ..shapes import SHAPES, Box, Compound, ConvexHull, Mesh, Part
from ..shapes.recognise import recognise
from .elastic_entries import elastic_from_json, elastic_to_json, tetrahedra_from_json
from .joints import joints_to_json, read_joints
from .mesh_file import read_mesh, write_ply
from .scene_schema import check_schema
from .shape_notes import said_together

VERSION = 1
# Whole numbers of more digits fit into no double.
MOST_DIGITS = 300


def load_scene(path):
    """Return the Scene of a scene file. SceneError names the key, its value and what to give instead."""
    path = Path(path)
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"), parse_int=_whole_number,
                          object_pairs_hook=_checked_object)  # fmt: skip
    except FileNotFoundError:
        raise SceneError(f"scene file {path}: no such file; give a file or a name from `stiction scenes`") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise SceneError(f"scene file {path}: not JSON ({error}); correct that place") from None
    except RecursionError:
        raise SceneError(f"scene file {path}: nested too deeply to read; make it flatter") from None
    except IsADirectoryError:
        raise SceneError(f"scene file {path}: is a folder; give the scene file in it") from None
    except OSError as error:
        raise SceneError(f"scene file {path}: cannot be read ({error.strerror}); choose another file") from None
    return scene_from_json(data, path.parent, path.stem)


def _whole_number(text):
    if len(text) > MOST_DIGITS:
        raise SceneError(f"scene file: holds a whole number of {len(text)} digits; give one of up to {MOST_DIGITS}")
    return int(text)


def _checked_object(pairs):
    """A JSON object as a dict. A key given twice would silently hide its first value; half a character, which JSON can
    write, could not be written again."""
    values = dict(pairs)
    if len(values) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise SceneError(f"scene file: the key {twice!r} is given twice in one object; remove one of them")
    for text in (*values, *values.values()):
        if isinstance(text, str) and any("\ud800" <= letter <= "\udfff" for letter in text):
            raise SceneError(f"scene file: {text!r} holds half a character, which no file can; correct the text")
    return values


def scene_from_json(data, folder=".", name="scene"):
    """Return the Scene of a parsed scene file; mesh files are looked up in `folder`."""
    check_schema(data)
    materials = tuple(Material(key, **values) for key, values in data.get("materials", {}).items()) or (
        Material("default"),
    )
    pairs = tuple(MaterialPair(**{**pair, "materials": tuple(pair["materials"])}) for pair in data.get("pairs", []))
    taken: list[tuple[str, str]] = []
    bodies = tuple(_body(entry, i, Path(folder), materials, taken) for i, entry in enumerate(data["bodies"]))
    table = MaterialTable(materials, pairs, data.get("combine", "geometric"))
    return Scene(
        bodies, table, tuple(data.get("gravity", (0.0, 0.0, -9.81))),
        joints=read_joints(data.get("joints", [])),
        excluded_pairs=tuple(tuple(pair) for pair in data.get("excluded_pairs", [])),
        notes=(*data.get("notes", []), *said_together(taken)),
        settings=data.get("settings", {}), name=data.get("name", name), description=data.get("description", ""),
        **_flow(data, Path(folder), materials),
        attachments=tuple(Attachment(**_tuples(entry)) for entry in data.get("attachments", [])),
    )  # fmt: skip


def _flow(data, folder, materials):
    """Gates, emitters, counters and sinks of a parsed scene file, by field of the Scene."""
    emitters = []
    for i, entry in enumerate(data.get("emitters", [])):
        shapes = tuple(
            _shape(shape, f"scene.emitters[{i}].shapes[{k}]", folder, []) for k, shape in enumerate(entry["shapes"])
        )
        emitters.append(Emitter(**{"material": materials[0].name, **_tuples(entry), "shapes": shapes}))
    return {
        "gates": tuple(Gate(**entry) for entry in data.get("gates", [])), "emitters": tuple(emitters),
        "counters": tuple(Counter(**_tuples(entry)) for entry in data.get("counters", [])),
        "sinks": tuple(Sink(**_tuples(entry)) for entry in data.get("sinks", [])),
    }  # fmt: skip


def _tuples(entry):
    """The entry with tuples for lists, as scenes made in Python have them."""
    return {key: _tuple(value) if isinstance(value, list) else value for key, value in entry.items()}


def _tuple(value):
    return tuple(map(_tuple, value)) if isinstance(value, list) else value


def _body(entry, index, folder, materials, taken):
    entry = dict(entry)
    key = f"scene.bodies[{index}] ({entry['name']})"
    motion = entry.pop("motion", "dynamic")
    keys, elastic = entry.pop("keys", None), entry.pop("elastic", None)
    found: list[str] = []
    shape = _shape(entry.pop("shape"), f"{key}.shape", folder, found)
    taken += [(entry["name"], phrase) for phrase in found]
    entry.setdefault("material", materials[0].name)
    # Files from before `switches` know one of them.
    release = entry.pop("release", None)
    if release is not None:
        entry.setdefault("switches", [release])
    for key_name in ("layers", "collides_with", "switches"):
        if entry.get(key_name) is not None:
            entry[key_name] = tuple(entry[key_name])
    return Body(shape=shape, motion=Motion(motion), keys=KeyedPoses(**keys) if keys else None,
                elastic=elastic_from_json(elastic, f"{key}.elastic"), **entry)  # fmt: skip


def _shape(entry, key, folder, found):
    """The shape of an entry; `found` gets a phrase for every mesh that is taken for another shape."""
    entry = dict(entry)
    kind = entry.pop("type")
    if kind == "mesh":
        return _mesh(entry, key, folder, found)
    if kind == "compound":
        parts = [
            {**part, "shape": _shape(part["shape"], f"{key}.parts[{i}].shape", folder, found)}
            for i, part in enumerate(entry["parts"])
        ]
        return Compound(tuple(Part(**_tuples(part)) for part in parts))
    if kind == "tetrahedra":
        return tetrahedra_from_json(entry, key, folder)
    if kind == "box":
        return Box(tuple(entry["size"]))
    if kind == "convex_hull":
        return ConvexHull(np.array(entry["vertices"], dtype=float))
    return SHAPES[kind](**entry)


def _mesh(entry, key, folder, found):
    vertices, triangles = read_mesh(folder / entry["file"])
    scale = np.asarray(entry.get("scale", 1.0), dtype=float)
    if not np.all(np.isfinite(scale)) or np.any(scale == 0):
        raise SceneError(f"{key}.scale: is {entry['scale']}; give a number or three, none of them 0")
    if np.prod(np.broadcast_to(scale, 3)) < 0:
        triangles = triangles[:, ::-1]
    repair = _repair(entry, key)
    mesh = Mesh(vertices * scale, np.ascontiguousarray(triangles), repair)
    if repair is not None or not entry.get("recognise", True):
        return mesh
    mesh.check(key)
    known = recognise(mesh.prepared)
    if known is None:
        return mesh
    found.append(f"its mesh is a {known.shape.type.replace('_', ' ')} and is simulated as one")
    return known.in_place()


def _repair(entry, key):
    """The MeshRepair an entry of a mesh asks for, or None; a number that belongs to no chosen way is refused."""
    kind = entry.get("repair")
    option = REPAIRS[kind].option if kind else ""
    for other in {way.option for way in REPAIRS.values()} - {option, ""}:
        if other in entry:
            way = next(name for name, way in REPAIRS.items() if way.option == other)
            raise SceneError(f"{key}.{other}: belongs to repair {way!r}; choose that or remove the number")
    if kind is None:
        return None
    repair = MeshRepair(kind, entry.get(option) if option else None)
    repair.check(key)
    return repair


def scene_to_json(scene, write_mesh):
    """Return a Scene as the dict of a scene file; write_mesh(mesh) stores a Mesh and returns its file name."""
    return _plain(_said(scene, write_mesh))


def _said(scene, write_mesh):
    """As `scene_to_json`, with arrays and tuples in it."""
    materials = {}
    for material in scene.materials.materials:
        values = dict(vars(material))
        name = values.pop("name")
        materials[name] = {key: value for key, value in values.items() if value is not None}
    pairs = [{k: v for k, v in vars(pair).items() if v is not None} for pair in scene.materials.pairs]
    return {
        "stiction_scene": VERSION, "name": scene.name, "description": scene.description, "gravity": scene.gravity,
        "combine": scene.materials.combine, "materials": materials, "pairs": pairs,
        "bodies": [_body_to_json(body, write_mesh) for body in scene.bodies], "joints": joints_to_json(scene.joints),
        "excluded_pairs": scene.excluded_pairs, "notes": scene.notes, "settings": scene.settings,
        **_flow_to_json(scene, write_mesh),
    }  # fmt: skip


def _flow_to_json(scene, write_mesh):
    """Gates, emitters, counters, sinks and attachments; files and digests of scenes without any stay as they were."""
    kinds = ("gates", "emitters", "counters", "sinks", "attachments")
    entries = {name: [dict(vars(entry)) for entry in getattr(scene, name)] for name in kinds}
    for entry, emitter in zip(entries["emitters"], scene.emitters, strict=True):
        entry.update(shapes=[_shape_to_json(shape, write_mesh) for shape in emitter.shapes])
    return {name: given for name, given in entries.items() if given}


def _body_to_json(body, write_mesh):
    entry = {field.name: getattr(body, field.name) for field in dataclasses.fields(body)}
    entry["motion"] = str(body.motion)
    entry["shape"] = _shape_to_json(body.shape, write_mesh)
    # Files and digests of scenes without these stay as they were.
    for name in ("center_of_mass", "damping"):
        if entry[name] is None:
            del entry[name]
    for name in ("asleep", "switches"):
        if not entry[name]:
            del entry[name]
    elastic = entry.pop("elastic")
    if elastic is not None:
        entry["elastic"] = elastic_to_json(elastic)
    keys = entry.pop("keys")
    if keys is not None:
        entry["keys"] = {"times": keys.times, "positions": keys.positions, "orientations": keys.orientations}
    return entry


def _shape_to_json(shape, write_mesh):
    if shape.type == "mesh":
        entry = {"type": "mesh", "file": write_mesh(shape), "recognise": False}
        if shape.repair is not None:
            entry["repair"] = shape.repair.kind
            if shape.repair.amount is not None:
                entry[REPAIRS[shape.repair.kind].option] = shape.repair.amount
        return entry
    if shape.type == "compound":
        parts = [
            {"shape": _shape_to_json(p.shape, write_mesh), "position": p.position, "orientation": p.orientation}
            for p in shape.parts
        ]
        return {"type": "compound", "parts": parts}
    if shape.type == "tetrahedra":
        return {"type": "tetrahedra", "vertices": shape.vertices, "tets": shape.tets}
    return {"type": shape.type, **{field.name: getattr(shape, field.name) for field in dataclasses.fields(shape)}}


def _plain(value):
    """Numbers, lists and dicts only."""
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    return value


def _mesh_digest(mesh):
    digest = hashlib.sha256(np.ascontiguousarray(mesh.vertices, dtype=float).tobytes())
    digest.update(np.ascontiguousarray(mesh.triangles, dtype=np.int64).tobytes())
    return digest.hexdigest()[:24]


def save_scene(path, scene):
    """Write a scene file; meshes go beside it as .ply, one file for equal meshes."""
    path = Path(path)

    def write_mesh(mesh):
        name = f"{path.stem}_{_mesh_digest(mesh)}.ply"
        if not (path.parent / name).exists():
            write_ply(path.parent / name, mesh.vertices, mesh.triangles)
        return name

    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(scene_to_json(scene, write_mesh), indent=1))


def scene_digest(scene):
    """Hash of everything a Scene says; equal for equal scenes."""
    return hashlib.sha256(json.dumps(_said(scene, _mesh_digest), sort_keys=True, default=_plain).encode()).hexdigest()
