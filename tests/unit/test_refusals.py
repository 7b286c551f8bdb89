"""Bad input is refused with one sentence that names the object, the value and the remedy."""

import json
import math

import numpy as np
import pytest

from stiction.solver.base.refusal import SceneError
from stiction.solver.materials import Material, MaterialPair, MaterialTable
from stiction.solver.model import compile_scene
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.scene_io.scene_file import scene_from_json
from stiction.solver.shapes import Box, ConvexHull, Mesh, Sphere


def scene(*bodies, **material):
    return Scene(bodies, MaterialTable((Material("stone", **material),)))


def body(name="crate", shape=None, **other):
    return Body(name, shape or Box((1.0, 1.0, 1.0)), "stone", **other)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (scene(), ["no bodies"]),
        (scene(body(), body()), ["crate", "2 bodies"]),
        (scene(body(), density=0.0), ["stone", "density", "0.0", "above 0"]),
        (scene(body(), density=math.nan), ["stone", "density", "nan"]),
        (scene(body(), friction=-0.1), ["stone", "friction", "-0.1"]),
        (scene(body(), restitution=1.2), ["stone", "restitution", "1.2", "from 0 to 1"]),
        (scene(body(), law="glue"), ["stone", "glue", "ellipsoid"]),
        (scene(body(position=(0.0, math.nan, 0.0))), ["crate", "position", "finite"]),
        (scene(body(velocity=(0.0, math.inf, 0.0))), ["crate", "velocity", "finite"]),
        (scene(body(orientation=(0.0, 0.0, 0.0, 0.0))), ["crate", "orientation", "unit quaternion"]),
        (scene(body(mass=-2.0)), ["crate", "mass", "-2.0", "above 0"]),
        (scene(body(inertia=(1.0, 1.0, -1.0))), ["crate", "inertia", "positive"]),
        (scene(body(motion=Motion.KINEMATIC)), ["crate", "kinematic", "keys"]),
        (scene(body(shape=Box((1.0, 0.0, 1.0)))), ["crate", "size y", "0 m", "greater than zero"]),
        (scene(body(shape=Sphere(-1.0))), ["crate", "radius", "-1"]),
        (scene(Body("crate", Box((1.0, 1.0, 1.0)), "glass")), ["crate", "glass"]),
        (scene(body(shape=ConvexHull(np.zeros((4, 3))))), ["crate"]),
        (
            scene(body(shape=Mesh(np.array([[0, 0, 0], [1, 0, 0], [0, math.nan, 0.0]]), np.array([[0, 1, 2]])))),
            ["crate"],
        ),
        (scene(body(shape=Mesh(np.array([[0, 0, 0], [1, 0, 0], [0, 1.0, 0]]), np.array([[0, 1, 2]])))), ["crate"]),
        (scene(body(shape=Mesh(np.zeros((0, 3)), np.zeros((0, 3), dtype=int)))), ["crate"]),
    ],
)
def test_compile_refuses(bad, words):
    with pytest.raises(SceneError) as refusal:
        compile_scene(bad)
    for word in words:
        assert word in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_pair_must_name_known_materials():
    table = MaterialTable((Material("stone"),), (MaterialPair(("stone", "steel"), friction=0.4),))
    with pytest.raises(SceneError, match="steel"):
        table.check()


GOOD = {
    "stiction_scene": 1,
    "materials": {"stone": {"density": 2600, "friction": 0.6}},
    "bodies": [{"name": "b1", "material": "stone", "shape": {"type": "box", "size": [1, 1, 1]}}],
}


def changed(**changes):
    data = json.loads(json.dumps(GOOD))
    for path, value in changes.items():
        at = data
        *keys, last = path.split("__")
        for key in keys:
            at = at[int(key) if key.isdigit() else key]
        at[int(last) if last.isdigit() else last] = value
    return data


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (changed(stiction_scene=7), ["stiction_scene", "7"]),
        (changed(bodies__0__shape={"type": "blob"}), ["bodies[0]", "shape.type", "blob", "box"]),
        (changed(bodies__0__shape={"type": "box"}), ["bodies[0]", "size"]),
        (changed(bodies__0__shape={"type": "box", "size": [1, 2]}), ["size", "2 values", "3"]),
        (changed(bodies__0__colour="red"), ["bodies[0].colour", "unknown key"]),
        (changed(bodies__0__position="here"), ["bodies[0].position", "here"]),
        (changed(bodies__0__motion="floating"), ["motion", "floating", "dynamic"]),
        (changed(bodies__0__shape={"type": "mesh", "file": "gone.ply"}), ["gone.ply", "no such file"]),
        (changed(materials__stone__frictoin=1.0), ["materials.stone.frictoin", "unknown key"]),
        (changed(joints=[{}]), ["joints"]),
        ({"stiction_scene": 1}, ["bodies"]),
        ([], ["scene"]),
    ],
)
def test_scene_file_names_the_key(data, words):
    with pytest.raises(SceneError) as refusal:
        scene_from_json(data)
    for word in words:
        assert word in str(refusal.value)


def test_good_scene_file_compiles():
    model, state = compile_scene(scene_from_json(GOOD))
    assert model.mass[0] == 2600.0
    assert state.position.tolist() == [[0.0, 0.0, 0.0]]
