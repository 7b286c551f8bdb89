"""recording.json: what stays constant in a recorded run, in numbers that need no code of this package to be read."""

import json
from pathlib import Path

import numpy as np

from ..base.files import checksum, replace_file
from ..laws.elastic_laws import LAWS
from ..scene_io.joints import joints_to_json
from .columns import HEAD, PARTS

NAME = "recording.json"
FORMAT = 3


def write_constants(folder, scene, model):
    """Write recording.json of a run's Scene and Model into its folder; OSError where the disk does not take it."""
    filters = model.collision.allowed
    first = np.repeat(np.arange(model.body_count), np.diff(filters.excluded_start))
    data = {
        "format": FORMAT,
        "columns": {"head": HEAD, **PARTS},
        "names": list(model.names), "motion": [str(motion) for motion in model.motion],
        "switches": {body.name: list(body.switches) for body in scene.bodies if body.switches},
        "shapes": [_solids(shape) for shape in model.shapes],
        "deformable": [_deformable(scene, model, number) for number in range(model.body_count)],
        "mass": model.mass.tolist(), "center_of_mass": model.center_of_mass.tolist(),
        "inertia": model.inertia.tolist(), "damping": model.damping.tolist(), "gravity": model.gravity.tolist(),
        "material": model.material.tolist(), "friction": model.mu.tolist(), "restitution": model.restitution.tolist(),
        "law": model.law.tolist(), "layers": filters.belongs.tolist(), "collides_with": filters.collides.tolist(),
        "excluded": np.column_stack([first, filters.excluded]).tolist(), "joints": _joints(scene, model),
    }  # fmt: skip
    text = json.dumps(data | {"checksum": checksum(data)}).encode()
    replace_file(Path(folder) / NAME, lambda handle: handle.write(text))


def _deformable(scene, model, number):
    """The elements, materials and masses of a deformable body; None of a rigid one."""
    body = model.elastic[number]
    if body is None:
        return None
    said = next(one for one in scene.bodies if one.name == model.names[number]).elastic
    held = bool(model.attachments.held_nodes(model.node_start)[model.span(number)].any())
    return {
        "law": next(name for name, law in LAWS.items() if law.number == body.law), "damping": list(body.damping),
        "rest": body.rest.tolist(), "elements": body.elements.tolist(), "mu": body.mu.tolist(),
        "lambda": body.lam.tolist(), "mass": body.mass.tolist(), "pinned": body.pinned.tolist(),
        "pressure": len(body.pressure) > 0, "goals": body.goals is not None, "attached": held,
        "keyed_pins": bool(body.pinned.any()) and (body.pin_times is not None or model.keys[number] is not None),
        "even": len(said.mass_points) == 0,
        "reduced": body.reduced is not None, "damping_ratio": said.reduction.damping_ratio if body.reduced else None,
    }  # fmt: skip


def _solids(shape):
    """The solids whose union a shape is: type, sizes or surface, and pose in the shape's frame."""
    parts = getattr(shape, "parts", None)
    if parts is not None:
        return [{**_solid(part.shape), "position": list(map(float, part.position)),
                 "orientation": list(map(float, part.orientation))} for part in parts]  # fmt: skip
    return [_solid(shape)]


def _solid(shape):
    solid = {"type": shape.type, "position": [0.0, 0.0, 0.0], "orientation": [1.0, 0.0, 0.0, 0.0]}
    for name in ("radius", "length"):
        if hasattr(shape, name):
            solid[name] = float(getattr(shape, name))
    if "radius" not in solid:
        vertices, triangles = shape.surface()
        solid |= {"vertices": np.asarray(vertices).tolist(), "triangles": np.asarray(triangles).tolist()}
    return solid


def _joints(scene, model):
    """Joints as the user gave them, with where they are: ends -1 for the world, anchors and axes (columns) in the
    frames of the bodies' centres of mass."""
    per_joint, entries = model.joints.per_joint, {entry["name"]: entry for entry in joints_to_json(scene.joints)}
    return [
        {**entries[name], "ends": per_joint.ends[j].tolist(), "anchors": per_joint.anchor[j].tolist(),
         "frames": per_joint.frame[j].tolist()}
        for j, name in enumerate(model.joints.names)
    ]  # fmt: skip
