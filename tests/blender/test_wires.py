"""Meshes without faces: edges and points collide as thick as they are said to be."""

import bpy
import numpy as np
import pytest
from conftest import shown_vertices

from stiction.blender_addon.baking.signature import signature
from stiction.blender_addon.exporting.export import export_scene
from stiction.blender_addon.rigid_body import take_over
from stiction.blender_addon.settings import recognised
from stiction.solver.base.refusal import SceneError


def wire(name, vertices, edges, add, kind="PASSIVE", thickness=0.1):
    """An object of edges and points alone."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, edges, [])
    ob = add(name, mesh=mesh, kind=kind)
    ob.stiction.thickness = thickness
    return ob


def rails(add, **more):
    """Two edges along x at y = -0.3 and 0.3, z = 0."""
    return wire("rails", [(x, y, 0) for y in (-0.3, 0.3) for x in (-3, 3)], [(0, 1), (2, 3)], add, **more)


@pytest.mark.parametrize("shape", ["AUTO", "MESH", "CONVEX_HULL", "BOX"])
def test_a_cube_lies_on_two_rails(scene, add, tmp_path, shape):
    rails(add).stiction.shape = shape
    cube = add("cube", location=(0, 0, 0.6))
    scene.frame_end, scene.stiction.cache = 30, str(tmp_path)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    scene.frame_set(30)
    assert shown_vertices(cube)[:, 2].min() == pytest.approx(0.05, abs=1e-4), "half as high as the rails are thick"


def test_a_ball_lies_in_a_cloud_of_points(scene, add, tmp_path):
    places = [(x, y, 0.0) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    wire("points", places, [], add, thickness=0.04)
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.3, location=(0, 0, 0.4))
    ball = bpy.context.object
    ball.stiction.type, ball.stiction.shape = "ACTIVE", "SPHERE"
    scene.frame_end, scene.stiction.cache = 40, str(tmp_path)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    scene.frame_set(40)
    assert np.linalg.norm(np.array(ball.matrix_world.translation) - places[0]) == pytest.approx(0.32, abs=1e-4)


def test_edges_take_the_scale_and_the_thickness_does_not(scene, add):
    ob = rails(add, thickness=0.2)
    ob.scale, ob.rotation_euler = (2, 1, 3), (0.3, 0.2, 0.1)
    add("cube", location=(0, 0, 5))
    body = next(body for body in export_scene(scene).scene.bodies if body.name == "rails")
    assert body.shape.type == "compound"
    lengths = [(part.shape.radius, part.shape.length) for part in body.shape.parts]
    assert lengths == [pytest.approx((0.1, 12))] * 2
    surface = body.shape.surface()[0]
    assert np.ptp(surface, axis=0) == pytest.approx([12.2, 0.8, 0.2], rel=1e-3)


def test_a_frame_keeps_its_hull(scene, add):
    """The edges of a cube are one, where the shape is the hull, as in Blender."""
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    edges = [(a, b) for a in range(8) for b in range(a) if bin(a ^ b).count("1") == 1]
    ob = wire("frame", corners, edges, add)
    add("cube", location=(0, 0, 5))
    kinds = {}
    for shape in ("CONVEX_HULL", "MESH"):
        ob.stiction.shape = shape
        kinds[shape] = next(body for body in export_scene(scene).scene.bodies if body.name == "frame").shape
    assert kinds["CONVEX_HULL"].type == "convex_hull"
    assert len(kinds["MESH"].parts) == 12


def points(add):
    """Four points, Active."""
    return wire("points", [(x, y, 0) for x in (0, 1) for y in (0, 1)], [], add, kind="ACTIVE")


@pytest.mark.parametrize(
    ("made", "words"),
    [(points, "4 vertices and no faces; add faces"), (lambda add: rails(add, thickness=0.0), "0; set Thickness")],
)
def test_what_cannot_be_is_said(scene, add, made, words):
    made(add)
    add("cube")
    with pytest.raises(SceneError, match=words):
        export_scene(scene)


@pytest.mark.parametrize("shape", ["CONVEX_HULL", "MESH"])
def test_a_ring_of_edges_falls(scene, add, tmp_path, shape):
    """A circle of the Add menu, Active: the bake refused it, and one could but take it out."""
    add("ground", kind="PASSIVE", location=(0, 0, -0.5), scale=(9, 9, 1))
    bpy.ops.mesh.primitive_circle_add(radius=0.5, location=(0, 0, 1), rotation=(0.4, 0.2, 0))
    ring = bpy.context.object
    ring.stiction.type, ring.stiction.shape, ring.stiction.thickness = "ACTIVE", shape, 0.05
    scene.frame_end, scene.stiction.cache = 40, str(tmp_path)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    scene.frame_set(40)
    assert scene.stiction.worth == "good"
    assert shown_vertices(ring)[:, 2] == pytest.approx(0.025, abs=2e-3)


def test_import_and_panel_say_it_in_one_line(scene, add):
    ob = rails(add, kind="NONE")
    bpy.context.view_layer.objects.active = ob
    bpy.ops.rigidbody.object_add(type="PASSIVE")
    _, entries = take_over(scene)
    said = [line for entry in entries if entry.name == "rails" for line in entry.changed if "shape" in line]
    assert said == ["shape Convex Hull: No faces: its 2 edges collide, 0.1 thick"]
    recognised.line(ob)
    recognised._find()
    assert recognised.line(ob) == "No faces: its 2 edges collide, 0.1 thick"
    recognised.stop()


def test_other_edges_are_another_scene(scene, add):
    ob = rails(add)
    add("cube")
    before = signature(scene)
    mesh = bpy.data.meshes.new("other")
    mesh.from_pydata([vertex.co for vertex in ob.data.vertices], [(0, 1), (1, 2)], [])
    ob.data = mesh
    bpy.context.view_layer.update()
    assert signature(scene) != before
