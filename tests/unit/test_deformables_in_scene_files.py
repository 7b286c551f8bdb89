"""Deformable bodies of scene files that cannot be: one sentence that names the place, the value and a remedy."""

import json

import numpy as np
import pytest

from stiction.solver.cli import main

VERTICES = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
TETS = [[0, 1, 2, 3], [1, 2, 3, 4]]
HUGE = 10**400  # an integer of JSON that no double holds


def refusal(folder, capsys, elastic=None, shape=None, **body):
    """What `stiction simulate` says of a scene with one deformable body, which it refuses."""
    shape = {"type": "tetrahedra"} | ({"vertices": VERTICES, "tets": TETS} if shape is None else shape)
    thing = {"name": "thing", "shape": shape, "position": [0, 0, 0.1], "elastic": elastic or {}} | body
    path = folder / "scene.json"
    path.write_text(json.dumps({"stiction_scene": 1, "materials": {"default": {"density": 1000.0}}, "bodies": [thing]}))
    assert main(["simulate", str(path), "--time", "0.01"]) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1
    return lines[0]


@pytest.mark.parametrize(("elastic", "sentence"), [
    ({"pins": [{"points": [[0, 0, 0.1]], "times": [0, 1], "paths": [[[0, 0, 0.1]], []]}]},
     "scene.bodies[0] (thing).elastic.pins: times and paths are no table of numbers"),
    ({"pins": [{}]}, "scene.bodies[0] (thing).elastic.pins[0]: has neither a box nor points; give one"),
    ({"pins": [{"points": []}]}, "scene.bodies[0] (thing).elastic.pins[0]: has neither a box nor points; give one"),
    ({"poisson": -1}, "poisson is -1; give a value above -1 and up to 0.49"),
    ({"young": HUGE}, "a whole number of 401 digits"),
])  # fmt: skip
def test_what_elastic_cannot_be(tmp_path, capsys, elastic, sentence):
    assert sentence in refusal(tmp_path, capsys, elastic)


def test_damping_of_a_rigid_body_is_refused(tmp_path, capsys):
    """It had no effect."""
    assert "give elastic.damping instead" in refusal(tmp_path, capsys, damping=[1.0, 0.0])


def test_tetrahedra_on_the_same_side_of_a_face_are_refused(tmp_path, capsys):
    """One of them is inside out, though each has a volume."""
    folded = {"vertices": VERTICES, "tets": [[0, 1, 2, 3], [0, 1, 2, 4]]}
    said = refusal(tmp_path, capsys, shape=folded)
    assert "tetrahedra 0 and 1 lie on the same side of the face that they share" in said


@pytest.mark.parametrize(("content", "sentence"), [
    (b"hello", "damaged"), (b"", "damaged"), (None, "is a folder"), ("one array", "holds one array alone"),
    ({"vertices": np.array(VERTICES, dtype=object), "tets": TETS}, "damaged"),
    ({"vertices": np.array(VERTICES, dtype=complex), "tets": TETS}, "vertices are not numbers"),
    ({"vertices": VERTICES, "tets": np.array(TETS, dtype=complex)}, "tets are not numbers"),
    ({"vertices": VERTICES}, "it needs vertices and tets"),
])  # fmt: skip
def test_files_without_tetrahedra(tmp_path, capsys, content, sentence):
    path = tmp_path / "body.npz"
    if content is None:
        path.mkdir()
    elif isinstance(content, bytes):
        path.write_bytes(content)
    elif content == "one array":
        with path.open("wb") as handle:
            np.save(handle, np.zeros(3))
    else:
        np.savez(path, **content)
    said = refusal(tmp_path, capsys, shape={"file": "body.npz"})
    assert sentence in said and ("body.npz" in said or "thing" in said)
