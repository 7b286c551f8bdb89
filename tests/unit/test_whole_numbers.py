"""Whole numbers in a scene file are numbers as any others: every column of a model is of floats."""

import json

import numpy as np
import pytest

from stiction.solver.model import compile_scene
from stiction.solver.scene_io.scene_file import load_scene

MATERIALS = {"m": {"density": 1000, "friction": 1, "friction_t": 1, "restitution": 1}}
BOX = {"name": "b", "motion": "dynamic", "material": "m", "shape": {"type": "box", "size": [1, 1, 1]}, "mass": 1,
       "inertia": [1, 2, 2], "position": [0, 0, 3], "velocity": [1, 0, 0]}  # fmt: skip
HULL = {"name": "h", "motion": "dynamic", "material": "m", "position": [4, 0, 3], "mass": 1, "inertia": [1, 1, 1],
        "shape": {"type": "convex_hull", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]},
        "center_of_mass": [0, 0, 0]}  # fmt: skip
JOINT = {"name": "j", "type": "slider", "bodies": ["world", "b"], "position": [0, 0, 3], "axis": [1, 0, 0],
         "limits": [-1, 1], "friction": 1, "spring": {"stiffness": 1, "damping": 1, "rest": 0}}  # fmt: skip


def as_floats(value):
    """The same entry with floats for whole numbers."""
    if isinstance(value, dict):
        return {key: as_floats(one) for key, one in value.items()}
    if isinstance(value, list):
        return [as_floats(one) for one in value]
    return float(value) if isinstance(value, int) else value


@pytest.mark.parametrize(("bodies", "joints"), [([BOX], []), ([BOX], [JOINT]), ([HULL], []), ([HULL, BOX], [])])
def test_a_scene_of_whole_numbers_is_the_same_as_one_of_floats(tmp_path, bodies, joints):
    made = []
    for convert in (lambda entry: entry, as_floats):
        entry = convert({"gravity": [0, 0, -10], "materials": MATERIALS, "bodies": bodies, "joints": joints})
        path = tmp_path / "scene.json"
        path.write_text(json.dumps({"stiction_scene": 1, **entry}))
        made.append(compile_scene(load_scene(path)))
    (model, state), (other, _) = made
    for name in ("mass", "inverse_mass", "inertia", "inverse_inertia", "center_of_mass", "size", "mu", "gravity"):
        assert getattr(model, name).dtype == float, name
        assert np.array_equal(getattr(model, name), getattr(other, name)), name
    assert state.twist.dtype == state.position.dtype == float
