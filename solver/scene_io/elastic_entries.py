"""Entries of deformable bodies in scene files, and files of tetrahedra."""

import dataclasses

import numpy as np

from ..base.files import read_arrays
from ..base.refusal import SceneError
from ..scene import Elastic, KeyedPoints, Reduction
from ..shapes import Tetrahedra


def elastic_from_json(entry, key):
    """Elastic of the `elastic` entry of a body, None without one; key: where it stands."""
    if entry is None:
        return None
    values = dict(entry)
    given = values.pop("pins", ())
    for number, pin in enumerate(given):
        if "box" not in pin and not pin.get("points"):
            raise SceneError(f"{key}.pins[{number}]: has neither a box nor points; give one")
    pins = tuple(tuple(tuple(corner) for corner in pin["box"]) for pin in given if "box" in pin)
    points = tuple(tuple(point) for pin in given for point in pin.get("points", ()))
    moving = [pin for pin in given if "times" in pin or "paths" in pin]
    if moving:
        values["pin_keys"] = _moving(moving, points, f"{key}.pins")
    for name in ("stiffness_points", "mass_points", "start"):
        if name in values:
            values[name] = tuple(map(tuple, values[name]))
    if "goals" in values:
        goals = values.pop("goals")
        values["goals"] = tuple(map(tuple, goals["points"]))
        if "times" in goals or "paths" in goals:
            values["goal_keys"] = _moving([goals], values["goals"], f"{key}.goals")
    if "damping" in values:
        values["damping"] = tuple(values["damping"])
    if isinstance(values.get("pressure"), list):
        values["pressure"] = tuple(map(tuple, values["pressure"]))
    if "inflated" in values:
        values["inflated"] = tuple(tuple(tuple(corner) for corner in part["box"]) for part in values["inflated"])
    if values.get("reduction") is not None:
        reduction = dict(values["reduction"])
        boxes = reduction.pop("attachments", ())
        boxes = tuple(tuple(tuple(corner) for corner in part["box"]) for part in boxes)
        values["reduction"] = Reduction(attachments=boxes, **reduction)
    return Elastic(pins=pins, pin_points=points, **values)


def elastic_to_json(elastic):
    """The entry of an Elastic."""
    entry = {field.name: getattr(elastic, field.name) for field in dataclasses.fields(elastic)}
    entry["pins"] = [{"box": box} for box in elastic.pins]
    points, keys = entry.pop("pin_points"), entry.pop("pin_keys")
    goals, goal_keys = entry.pop("goals"), entry.pop("goal_keys")
    if goals:
        moves = {} if goal_keys is None else {"times": goal_keys.times, "paths": goal_keys.points}
        entry["goals"] = {"points": goals, **moves}
    if elastic.inflated:
        entry["inflated"] = [{"box": box} for box in elastic.inflated]
    if elastic.reduction is not None:
        boxes = [{"box": box} for box in elastic.reduction.attachments]
        entry["reduction"] = {**vars(elastic.reduction), "attachments": boxes}
    for name in ("stiffness_points", "mass_points", "inflated", "bent", "reduction", "start"):
        if not getattr(elastic, name):
            # Files and digests of scenes without any stay as they were.
            del entry[name]
    if points:
        moves = {} if keys is None else {"times": keys.times, "paths": keys.points}
        entry["pins"].append({"points": points, **moves})
    return entry


def _moving(pins, points, key):
    """KeyedPoints of the one entry of pins or goals that moves, which has all the points."""
    pin = pins[0]
    if len(pins) > 1 or not {"times", "paths", "points"} <= pin.keys() or len(pin["points"]) != len(points):
        raise SceneError(f"{key}: times and paths go together, in one entry that has all points; put them "
                         "into one")  # fmt: skip
    try:
        return KeyedPoints(np.array(pin["times"], dtype=float), np.array(pin["paths"], dtype=float))
    except ValueError:
        raise SceneError(f"{key}: times and paths are no table of numbers; give every time as many "
                         "points") from None  # fmt: skip


def tetrahedra_from_json(entry, key, folder):
    """Tetrahedra of a shape entry: vertices and tets, or a file."""
    if "file" in entry:
        if "vertices" in entry or "tets" in entry:
            raise SceneError(f"{key}: has a file and vertices or tets; give one of them")
        return read_tetrahedra(folder / entry["file"], key)
    for name in ("vertices", "tets"):
        if name not in entry:
            raise SceneError(f"{key}: has no {name!r}; add it, or a 'file'")
    return Tetrahedra(np.array(entry["vertices"], dtype=float), np.array(entry["tets"]))


def read_tetrahedra(path, key):
    """Tetrahedra of a file: .npz with vertices and tets, or what meshio reads (.msh, .mesh, .vtu, ...)."""
    if not path.exists():
        raise SceneError(f"{key}.file: {path} does not exist; correct the name")
    if path.suffix == ".npz":
        data = read_arrays(path, SceneError, "tetrahedra")
        if "vertices" not in data or "tets" not in data:
            raise SceneError(f"{key}.file: {path} holds {', '.join(data)}; it needs vertices and tets")
        return Tetrahedra(data["vertices"], data["tets"])
    try:
        import meshio
    except ImportError:
        raise SceneError(f"{key}.file: {path} needs the package meshio; install it, or give an .npz") from None
    try:
        mesh = meshio.read(path)
    except Exception as error:
        raise SceneError(f"{key}.file: {path} cannot be read ({error}); give a mesh of tetrahedra") from None
    tets = [cells.data for cells in mesh.cells if cells.type in ("tetra", "tetra10")]
    if not tets:
        raise SceneError(f"{key}.file: {path} holds no tetrahedra; give a volume mesh")
    return Tetrahedra(np.asarray(mesh.points, dtype=float), np.concatenate([part[:, :4] for part in tets]))
