"""A flat mesh of a body that does not move freely is its triangles, whatever its shape says."""

import bpy
import numpy as np
import pytest
from conftest import shown_vertices

from stiction.blender_addon.exporting.export import export_scene
from stiction.blender_addon.rigid_body import take_over
from stiction.blender_addon.settings import recognised
from stiction.blender_addon.settings.properties import SHAPE_ITEMS

SHAPES = [key for key, *_ in SHAPE_ITEMS if key not in ("COMPOUND", "SOLIDIFY")]
TRIANGLE_FAN = [(4, 0, 0), (0, 4, 0), (-4, 0, 0), (0, -4, 0)]


def on(z, add):
    """A cube of 1 m whose lower face is at z."""
    return add("cube", location=(0.1, 0.2, z + 0.5))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_flat_ground_of_any_shape_holds_a_cube(scene, add, tmp_path, shape):
    ground = add("ground", TRIANGLE_FAN, [(0, 1, 2, 3)], kind="PASSIVE")
    ground.stiction.shape = shape
    cube = on(0.05, add)
    scene.stiction.cache = str(tmp_path)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    scene.frame_set(20)
    assert shown_vertices(cube)[:, 2].min() == pytest.approx(0, abs=1e-4)


def test_a_flat_ground_far_from_its_origin_is_flat_all_the_same(scene, add):
    """Single precision makes a tilted plane 100 m from its origin rough by micrometres."""
    turn = np.array([[0.8, 0, 0.6], [0, 1, 0], [-0.6, 0, 0.8]])
    corners = np.array([(x, y, 0) for x in (-1, 0.3, 1) for y in (-1, 0.1, 1)]) @ turn.T + (70, 80, 90)
    faces = [(i, i + 1, i + 4, i + 3) for i in (0, 1, 3, 4)]
    ground = add("ground", corners.tolist(), faces, kind="PASSIVE")
    ground.stiction.shape = "CONVEX_HULL"
    add("cube")
    assert export_scene(scene).scene.bodies[1].shape.type == "mesh"


def test_a_flat_animated_pusher_pushes(scene, add, tmp_path):
    pusher = add("pusher", [(0, y, z) for y in (-1, 1) for z in (-1, 1)], [(0, 1, 3, 2)], kind="ACTIVE")
    pusher.stiction.shape, pusher.stiction.kinematic = "BOX", True
    for frame, x in ((1, -1.0), (20, 1.0)):
        pusher.location.x = x
        pusher.keyframe_insert("location", frame=frame)
    cube = add("cube")
    scene.use_gravity = False
    scene.stiction.cache = str(tmp_path)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    scene.frame_set(20)
    assert shown_vertices(cube)[:, 0].min() > 0.99


def test_what_has_a_form_keeps_its_shape(scene, add):
    """Neither a thin plate nor a flat body that moves freely becomes its triangles."""
    plate = add("plate", scale=(9, 9, 1e-4), kind="PASSIVE")
    plate.stiction.shape = "BOX"
    add("cube")
    assert export_scene(scene).scene.bodies[1].shape.type == "box"
    card = add("sheet", TRIANGLE_FAN, [(0, 1, 2, 3)])
    card.stiction.shape = "SOLIDIFY"
    assert export_scene(scene).scene.bodies[2].shape.repair.kind == "solidify"


def test_import_and_panel_say_it_in_one_line(scene, add):
    add("ground", TRIANGLE_FAN, [(0, 1, 2, 3)], kind="NONE")
    ground = scene.objects["ground"]
    bpy.context.view_layer.objects.active = ground
    bpy.ops.rigidbody.object_add(type="PASSIVE")
    _, entries = take_over(scene)
    said = [line for entry in entries if entry.name == "ground" for line in entry.taken if "shape" in line]
    assert said == ["shape Convex Hull, of a flat mesh: its triangles collide"]
    recognised.line(ground)
    recognised._find()
    assert recognised.line(ground) == "Flat: its 2 triangles collide"
    recognised.stop()
