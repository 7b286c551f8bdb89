"""Scene and mesh files give back what was written."""

import dataclasses
import json

import numpy as np
import pytest

from stiction.solver.base.refusal import SceneError
from stiction.solver.materials import Material, MaterialPair, MaterialTable
from stiction.solver.model import compile_scene
from stiction.solver.scene import Body, KeyedPoses, Motion, Scene
from stiction.solver.scene_io.mesh_file import read_mesh, write_ply
from stiction.solver.scene_io.scene_file import load_scene, save_scene, scene_digest
from stiction.solver.shapes import Box, Capsule, Compound, ConvexHull, Cylinder, Mesh, Part, Sphere

CUBE = Box((1.0, 2.0, 3.0)).surface()


def full_scene():
    table = MaterialTable(
        (Material("stone", 2600.0, 0.6, 0.3, 0.01, 0.1), Material("steel", 7800.0, law="box")),
        (MaterialPair(("stone", "steel"), friction=0.4, restitution=0.2),),
    )
    keys = KeyedPoses([0.0, 1.0], [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]], [[1.0, 0.0, 0.0, 0.0]] * 2)
    shapes = [
        Box((1.0, 2.0, 3.0)), Sphere(0.5), Capsule(0.2, 1.0), Cylinder(0.3, 0.7), ConvexHull(CUBE[0] * 0.7),
        Mesh(*CUBE),
        Compound((Part(Box((1.0, 0.2, 0.2))), Part(Sphere(0.3), (1.0, 0.0, 0.0), (0.6, 0.0, 0.8, 0.0)))),
    ]  # fmt: skip
    bodies = [Body(f"b{i}", shape, "stone", position=(3.0 * i, 0.0, 0.1)) for i, shape in enumerate(shapes)]
    bodies.append(Body("plate", Box((9.0, 9.0, 1.0)), "steel", Motion.KINEMATIC, keys=keys))
    return Scene(tuple(bodies), table, (0.0, 0.0, -1.62), settings={"time_step": 0.005, "time": 1.0}, name="full")


def test_round_trip_is_exact(tmp_path):
    scene = full_scene()
    save_scene(tmp_path / "full.json", scene)
    again = load_scene(tmp_path / "full.json")
    assert scene_digest(again) == scene_digest(scene)
    for a, b in zip(compile_scene(scene), compile_scene(again), strict=True):
        for field in dataclasses.fields(a):
            left, right = getattr(a, field.name), getattr(b, field.name)
            if isinstance(left, np.ndarray):
                assert np.array_equal(left, right), field.name
    assert again.settings == scene.settings


def test_digest_sees_every_change():
    scene = full_scene()
    heavier = dataclasses.replace(scene, bodies=(dataclasses.replace(scene.bodies[0], mass=3.0), *scene.bodies[1:]))
    assert scene_digest(heavier) != scene_digest(scene)
    assert scene_digest(dataclasses.replace(scene, gravity=(0.0, 0.0, -9.81))) != scene_digest(scene)


def volume(vertices, triangles):
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0


def obj_text(vertices, triangles):
    lines = ["# a comment", *(f"v {x} {y} {z}" for x, y, z in vertices)]
    return "\n".join([*lines, *(f"f {a + 1}/1/1 {b + 1}//2 {c + 1}" for a, b, c in triangles)])


def ascii_stl(vertices, triangles):
    lines = ["solid s"]
    for face in triangles:
        lines += [
            "facet normal 0 0 0",
            "outer loop",
            *("vertex {} {} {}".format(*vertices[i]) for i in face),
            "endloop",
            "endfacet",
        ]
    return "\n".join([*lines, "endsolid s"])


def binary_stl(vertices, triangles):
    record = np.zeros(len(triangles), dtype=[("normal", "<f4", 3), ("corner", "<f4", (3, 3)), ("spare", "<u2")])
    record["corner"] = vertices[triangles]
    return b"\0" * 80 + len(triangles).to_bytes(4, "little") + record.tobytes()


ASCII_PLY = """ply
format ascii 1.0
element vertex 4
property float x
property float y
property float z
element face 2
property list uchar int vertex_indices
end_header
0 0 0
1 0 0
1 1 0
0 1 0
4 0 1 2 3
3 0 1 2
"""


def test_mesh_readers_agree(tmp_path):
    vertices, triangles = CUBE
    (tmp_path / "a.obj").write_text(obj_text(vertices, triangles))
    (tmp_path / "b.stl").write_text(ascii_stl(vertices, triangles))
    (tmp_path / "c.stl").write_bytes(binary_stl(vertices, triangles))
    write_ply(tmp_path / "d.ply", vertices, triangles)
    for name in ("a.obj", "b.stl", "c.stl", "d.ply"):
        points, faces = read_mesh(tmp_path / name)
        assert volume(points, faces) == pytest.approx(6.0, rel=1e-12), name
    points, faces = read_mesh(tmp_path / "d.ply")
    assert np.array_equal(points, vertices) and np.array_equal(faces, triangles)


def test_polygons_are_fanned(tmp_path):
    (tmp_path / "quad.ply").write_text(ASCII_PLY)
    _, faces = read_mesh(tmp_path / "quad.ply")
    assert faces.tolist() == [[0, 1, 2], [0, 2, 3], [0, 1, 2]]


@pytest.mark.parametrize("name", ["broken.ply", "broken.stl", "broken.obj", "mesh.fbx"])
def test_damaged_mesh_is_refused(tmp_path, name):
    (tmp_path / name).write_text("v one two three\nnothing here")
    with pytest.raises(SceneError, match=name):
        read_mesh(tmp_path / name)


SMALL = {"type": "box", "size": [1, 1, 1]}


@pytest.mark.parametrize(("scene", "sentence"), [
    ({"bodies": []}, """scene: has no 'stiction_scene'; add it, as "stiction_scene": 1"""),
    ({"stiction_scene": 1, "bodies": [{"name": "a", "shape": {"size": [1, 1, 1]}}]},
     "scene.bodies[0].shape: has no 'type'; add it, one of box, sphere, capsule"),
    ({"stiction_scene": 1, "bodies": [{"name": "a", "shape": {"type": "box"}}]},
     "scene.bodies[0].shape: has no 'size'; add it: a list of 3 numbers"),
    ({"stiction_scene": 1, "bodies": [{"shape": SMALL}]}, "scene.bodies[0]: has no 'name'; add it: a text"),
    ({"stiction_scene": 1, "bodies": [{"name": "a", "shape": "box"}]},
     """scene.bodies[0].shape: is 'box'; give an object as {"type": "box", "size": [1, 1, 1]}"""),
])  # fmt: skip
def test_what_is_missing_is_said_with_what_to_write(scene, sentence, tmp_path):
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(scene))
    with pytest.raises(SceneError) as refused:
        load_scene(path)
    assert sentence in str(refused.value)
