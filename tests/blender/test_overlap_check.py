"""Overlaps at the first frame: said where there is one and by how much, and taken apart by no more than it takes."""

import math

import bpy
import numpy as np
import pytest
from conftest import CUBE, CUBE_FACES, shown_vertices
from marks import few

from stiction.blender_addon.checks import runner
from stiction.blender_addon.checks.overlaps.convex import axes_of_surface

PLANE = [(x, y, 0) for x in (-10, 10) for y in (-10, 10)], [(0, 1, 3, 2)]


def overlaps(scene):
    """{(name, name): depth [m]} as the check says."""
    bpy.context.view_layer.update()
    found, _ = runner.check_now(scene)
    return {finding.names: length(finding.text.split("about ")[1]) for finding in found["overlapping"]}


def length(text):
    """[m] of a text that begins with a length in m or mm."""
    number, unit = text.split()[:2]
    return float(number) * {"m": 1.0, "mm": 1e-3}[unit]


def separated(scene):
    """{name: how far [m] Separate moved it}, and what still overlaps."""
    bpy.context.view_layer.update()
    before = {ob.name: np.array(ob.matrix_world.translation) for ob in scene.objects}
    bpy.ops.stiction.repair(check="OVERLAPPING")
    bpy.context.view_layer.update()
    moved = {ob.name: np.array(ob.matrix_world.translation) - before[ob.name] for ob in scene.objects}
    return {name: way for name, way in moved.items() if way.any()}, overlaps(scene)


@pytest.mark.parametrize("seed", range(12))
def test_boxes_apart_whose_sides_are_nearly_level_do_not_overlap(scene, add, seed):
    """The nearest point is on an edge there, where one face tells nothing of inside and outside."""
    rng = np.random.default_rng(seed)
    height, turn = rng.uniform(1.2, 2.2), rng.choice([0.0, math.pi / 2, rng.uniform(0, 6)])
    x, y = 1.108 * math.cos(turn) - 1.218 * math.sin(turn), 1.108 * math.sin(turn) + 1.218 * math.cos(turn)
    for number, (place, angle) in enumerate((((0, 0, height), 322.1), ((x, y, height + 1e-6), 131.9))):
        rotation = (0, 0, math.radians(angle) + turn)
        add(f"box {number}", location=place, rotation_euler=rotation, scale=(1.6, 0.272, 2 * height))
    assert overlaps(scene) == {}


@pytest.mark.parametrize("seed", range(4))
def test_two_boxes_overlap_by_what_takes_them_apart(scene, add, seed):
    """Moved by the depth that is said they are apart, by a little less in any direction they are not."""
    rng = np.random.default_rng(seed)
    for name in ("a", "b"):
        add(name, location=rng.uniform(-0.3, 0.3, 3), rotation_euler=rng.uniform(0, 6, 3), scale=rng.uniform(0.5, 2, 3))
    depth = overlaps(scene)["a", "b"]
    place = scene.objects["a"].location.copy()
    ways = rng.normal(size=(30, 3))
    for way in ways / np.linalg.norm(ways, axis=1)[:, None]:
        scene.objects["a"].location = place + 0.97 * depth * type(place)(way)
        assert overlaps(scene)
    scene.objects["a"].location = place
    moved, left = separated(scene)
    assert left == {}
    assert sum(np.linalg.norm(way) for way in moved.values()) == pytest.approx(depth, rel=0.02)


def test_a_box_has_three_directions_of_faces_and_six_of_edges():
    """Those of its triangles, each once, whichever way it points and whatever its sign of zero."""
    corners = np.array(CUBE, dtype=float)
    triangles = np.array([three for a, b, c, d in CUBE_FACES for three in ((a, b, c), (a, c, d))])
    normals, edges = axes_of_surface(corners, triangles)
    assert len(normals) == 3 and len(edges) == 6
    assert np.abs(normals).sum(axis=0) == pytest.approx(1.0)


def test_equal_cubes_come_apart_along_the_side_that_parts_them(scene, add):
    add("a")
    add("b", location=(0.1, 0.2, 0.625))
    moved, left = separated(scene)
    assert left == {}
    assert moved["a"][2] < 0 < moved["b"][2]
    assert np.abs([way[:2] for way in moved.values()]).max() == 0.0


def test_bodies_in_one_place_come_apart(scene, add):
    mesh = add("a").data
    add("b", mesh=mesh)
    assert overlaps(scene)["a", "b"] == pytest.approx(1.0)
    assert separated(scene)[1] == {}


def test_nothing_is_moved_that_no_move_helps(scene, add):
    """Between two walls that are too near; and a body whose own keys say where it begins."""
    add("cube")
    for x in (-0.9, 0.9):
        add(f"wall {x}", kind="PASSIVE", location=(x, 0, 0), scale=(1, 5, 5))
    keyed = add("keyed", location=(20, 0, 0.2))
    keyed.keyframe_insert("location", frame=1)
    add("slab", kind="PASSIVE", location=(20, 0, -0.5))
    moved, left = separated(scene)
    assert moved == {}
    assert set(left) == {("cube", "wall -0.9"), ("cube", "wall 0.9"), ("keyed", "slab")}


def test_what_lies_free_beside_an_overlap_stays(scene, add):
    add("a")
    add("b", location=(0, 0, 0.9))
    free = [add(f"free {k}", location=(1.05 * k, 0, 5)) for k in range(5)]
    moved, _ = separated(scene)
    assert set(moved) == {"a", "b"}
    assert free[0].location.z == 5


@pytest.mark.parametrize("seed", range(3))
def test_a_pile_comes_apart(scene, add, seed):
    rng = np.random.default_rng(seed)
    add("ground", *PLANE, kind="PASSIVE")
    for number in range(12):
        place = *rng.uniform(-1.5, 1.5, 2), rng.uniform(0.5, 2.5)
        add(f"box {number}", location=place, rotation_euler=rng.uniform(0, 6, 3))
    assert len(overlaps(scene)) > 8
    moved, left = separated(scene)
    assert left == {}
    assert max(np.linalg.norm(way) for way in moved.values()) < 3
    assert min(shown_vertices(scene.objects[f"box {number}"])[:, 2].min() for number in range(12)) > -1e-6


SOLIDS = {
    "torus": bpy.ops.mesh.primitive_torus_add, "ball": bpy.ops.mesh.primitive_uv_sphere_add,
    "cone": bpy.ops.mesh.primitive_cone_add, "Suzanne": bpy.ops.mesh.primitive_monkey_add,
}  # fmt: skip


@pytest.mark.parametrize("sunk", [0.005, pytest.param(0.03, marks=pytest.mark.slow(hours=True)), 0.2])
@pytest.mark.parametrize("shape", few(["AUTO", "MESH", "CONVEX_HULL"], "MESH"))
@pytest.mark.parametrize("solid", SOLIDS)
def test_what_begins_in_an_open_ground_is_named_and_brought_out(scene, add, solid, shape, sunk, tmp_path):
    if solid == "Suzanne" and shape != "CONVEX_HULL":
        pytest.skip("has holes")
    add("ground", *PLANE, kind="PASSIVE").stiction.shape = "CONVEX_HULL"
    SOLIDS[solid](rotation=(0.3, 0.2, 0.1))
    ob = bpy.context.object
    ob.stiction.type, ob.stiction.shape = "ACTIVE", shape
    bpy.context.view_layer.update()
    ob.location.z -= shown_vertices(ob)[:, 2].min() + sunk
    assert overlaps(scene)[ob.name, "ground"] == pytest.approx(sunk, rel=0.02)
    moved, left = separated(scene)
    assert left == {}
    assert moved[ob.name] == pytest.approx([0, 0, sunk], abs=0.02 * sunk + 1e-6)
    scene.frame_end, scene.stiction.cache = 10, str(tmp_path)
    bpy.ops.stiction.bake()
    scene.frame_set(10)
    assert shown_vertices(ob)[:, 2].min() > -1e-3


def test_a_body_above_a_ground_by_less_than_half_is_brought_out_below(scene, add):
    """To the side that most of it is on."""
    add("sheet", *PLANE, kind="PASSIVE")
    add("body", location=(0, 0, -0.3))
    moved, left = separated(scene)
    assert left == {} and moved["body"][2] == pytest.approx(-0.2, rel=0.02)


def test_a_ball_deep_in_a_bowl_comes_to_its_middle(scene, add):
    bpy.ops.mesh.primitive_uv_sphere_add(radius=2)
    bowl = bpy.context.object
    kept = [polygon.vertices[:] for polygon in bowl.data.polygons if polygon.center.z < 0]
    corners = [vertex.co[:] for vertex in bowl.data.vertices]
    bpy.data.objects.remove(bowl)
    add("bowl", corners, kept, kind="PASSIVE")
    bpy.ops.mesh.primitive_ico_sphere_add(radius=0.5, subdivisions=3, location=(0, 0, -1.55))
    bpy.context.object.name = "ball"
    bpy.context.object.stiction.type = "ACTIVE"
    assert overlaps(scene)["ball", "bowl"] == pytest.approx(0.05, rel=0.05)
    moved, left = separated(scene)
    assert left == {} and moved["ball"] == pytest.approx([0, 0, 0.05], abs=0.01)


def test_boxes_half_in_a_hilly_ground_come_out_on_top(scene, add):
    steps = np.linspace(-5, 5, 31)
    corners = [(x, y, 0.5 * math.sin(1.3 * x) * math.cos(1.1 * y)) for x in steps for y in steps]
    faces = [(31 * i + j, 31 * i + j + 31, 31 * i + j + 32, 31 * i + j + 1) for i in range(30) for j in range(30)]
    add("hills", corners, faces, kind="PASSIVE")
    for number, (x, y) in enumerate((x, y) for x in (-3, -1, 1, 3) for y in (-3, 0, 2)):
        add(f"box {number}", location=(x, y, 0.35), scale=(0.8, 0.8, 0.8))
    assert len(overlaps(scene)) == 7
    moved, left = separated(scene)
    assert left == {}
    assert min(way[2] for way in moved.values()) > 0


def test_linked_rings_and_what_touches_are_no_overlap(scene, add):
    for place, turn in (((0, 0, 0), (0, 0, 0)), ((1, 0, 0), (math.pi / 2, 0, 0))):
        bpy.ops.mesh.primitive_torus_add(location=place, rotation=turn)
        bpy.context.object.stiction.type = "ACTIVE"
    add("ground", *PLANE, kind="PASSIVE", location=(0, 0, -3))
    for level in range(3):
        add(f"box {level}", location=(0, 5, level - 2.5))
    assert overlaps(scene) == {}


def crowded(scene, add):
    """Bodies that overlap at the first frame, and others that do later."""
    for number in range(6):
        add(f"body {number}", location=(3 * number, 0, 0))
    add("first", location=(0, 0, 0.9))


@pytest.mark.parametrize("by", ["frame", "run"])
def test_what_a_run_shows_is_not_taken_for_the_first_frame(scene, add, by):
    """The list goes on being made while a run is shown: at other frames, in other poses."""
    crowded(scene, add)
    runner._work.clear()
    runner._tick(0.0)
    ob = scene.objects["body 1"]
    if by == "frame":
        scene.frame_set(9)
    else:
        ob.stiction.record.shown = True
    ob.location.x = 0.5
    bpy.context.view_layer.update()
    while runner._tick() is not None:
        pass
    found = bpy.context.window_manager.stiction_findings.found
    assert not [item for item in found if item.check == "overlapping"]


@pytest.mark.parametrize("rows", [1, 4])
def test_a_row_and_a_grid_are_spread(scene, add, rows):
    """Each cube has neighbours on either side, so that no move of one or two helps; no cube jumps over another."""
    add("ground", *PLANE, kind="PASSIVE", location=(0, 0, -0.5))
    mesh = add("cube 0 0").data
    for k in range(1, 12 * rows):
        add(f"cube {k // rows} {k % rows}", mesh=mesh, location=(0.9 * (k // rows), 0.9 * (k % rows), 0))
    moved, left = separated(scene)
    assert left == {}
    assert max(np.abs(way[2]) for way in moved.values()) < 1e-6
    assert max(np.linalg.norm(way) for way in moved.values()) < 0.13 * 0.9 * 6 * rows**0.5
    places = [scene.objects[f"cube {k} 0"].location.x for k in range(12)]
    assert np.all(np.diff(places) > 1)


def test_a_stack_is_lifted_from_its_ground(scene, add):
    add("ground", *PLANE, kind="PASSIVE")
    for level in range(6):
        add(f"box {level}", location=(0, 0, 0.48 + 0.95 * level))
    moved, left = separated(scene)
    assert left == {}
    assert np.abs([way[:2] for way in moved.values()]).max() == 0.0
    assert [ob.location.z for ob in sorted(scene.objects, key=lambda ob: ob.location.z)[1:]] == pytest.approx(
        [0.5 + level for level in range(6)], abs=0.1
    )


@pytest.mark.slow
def test_many_bodies_are_separated_soon(scene, add):
    import time

    mesh = add("cube 0").data
    for k in range(1, 300):
        add(f"cube {k}", mesh=mesh, location=(0.9 * (k % 20), 2 * (k // 20), 0))
    bpy.context.view_layer.update()
    start = time.process_time()
    assert separated(scene)[1] == {}
    assert time.process_time() - start < 20


def test_what_a_constraint_keeps_apart_does_not_overlap(scene):
    """An arm on a post it begins in: a hinge whose bodies do not collide, as Blender sets it; Separate would pull it
    off."""
    from other_peoples_scenes.tutorial import add, join

    post, arm = add("cube", "PASSIVE", size=1), add("cube", at=(0.9, 0, 0), size=1)
    hinge = join("HINGE", post, arm, (0.4, 0, 0))
    bpy.ops.stiction.import_rigid_body()
    assert overlaps(scene) == {}
    assert separated(scene) == ({}, {})
    hinge.rigid_body_constraint.disable_collisions = False
    assert list(overlaps(scene)) == [(arm.name, post.name)]


def test_what_a_joint_or_an_ignored_collection_keeps_apart_does_not_overlap(scene, add):
    a, b, joint = add("a"), add("b", location=(0.8, 0, 0)), bpy.data.objects.new("joint", None)
    scene.collection.objects.link(joint)
    joint.stiction_joint.type, joint.stiction_joint.object1, joint.stiction_joint.object2 = "BALL", a, b
    assert overlaps(scene) == {}
    joint.stiction_joint.collide = True
    assert list(overlaps(scene)) == [("a", "b")]
    a.stiction.ignore = bpy.data.collections.new("others")
    a.stiction.ignore.objects.link(b)
    assert overlaps(scene) == {}
