"""The scenes to begin with: they bake without a word of warning, and do what they are for."""

import bpy
import numpy as np
import pytest
from bpy_extras.object_utils import world_to_camera_view
from mathutils import Vector

from stiction.blender_addon.checks import runner
from stiction.blender_addon.examples import EXAMPLES
from stiction.blender_addon.running import run as runs


@pytest.fixture
def example(scene, tmp_path, request):
    """A scene with an example in it."""
    scene.stiction.cache = str(tmp_path)
    assert bpy.ops.stiction.add_example(example=request.param.upper()) == {"FINISHED"}
    bpy.context.view_layer.update()
    return scene


@pytest.mark.parametrize("example", EXAMPLES, indirect=True)
def test_nothing_is_found_wrong_with_an_example(example):
    found, _ = runner.check_now(example)
    assert not [finding for kind in found.values() for finding in kind]


@pytest.mark.parametrize("example", ["wall"], indirect=True)
def test_wall_stands_until_the_ball_comes_and_not_after(example):
    example.frame_end = 30
    _, warnings = runs.simulate_and_bake(example)
    bricks = [ob for ob in example.objects if ob.name.startswith("Brick")]
    example.frame_set(1)
    start = np.array([ob.matrix_world.translation for ob in bricks])
    example.frame_set(9)
    before = np.array([ob.matrix_world.translation for ob in bricks])
    assert np.linalg.norm(before - start, axis=1).max() < 1e-3, "the ball is not there yet"
    example.frame_set(30)
    after = np.array([ob.matrix_world.translation for ob in bricks])
    assert (np.linalg.norm(after - start, axis=1) > 0.2).sum() > 5, "bricks have flown"
    assert example.objects["Ball"].matrix_world.translation.z > 0.3


@pytest.mark.parametrize("example", ["wall"], indirect=True)
def test_the_first_blow_on_the_wall_is_verified(example):
    example.frame_end = 12
    example.stiction.simulation.store_contacts = True
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    assert bpy.ops.stiction.verify() == {"FINISHED"}
    assert example.stiction.verified.startswith("Verified: "), example.stiction.verified


@pytest.mark.slow(hours=True)
@pytest.mark.parametrize("example", ["bowl"], indirect=True)
def test_monkeys_stay_in_the_bowl(example):
    example.frame_end = 100
    runs.simulate_and_bake(example)
    example.frame_set(100)
    low = [ob.matrix_world.translation.z for ob in example.objects if ob.name.startswith("Suzanne")]
    assert min(low) > 0.05


@pytest.mark.parametrize("key", EXAMPLES)
def test_an_example_stands_apart_and_is_seen_whole(extension, key):
    """In the file that Blender starts with: cube, camera and light."""
    bpy.ops.wm.read_factory_settings(use_empty=False)
    scene = bpy.context.scene
    camera, cube = scene.camera, scene.objects["Cube"]
    own = list(scene.collection.objects)
    assert bpy.ops.stiction.add_example(example=key.upper()) == {"FINISHED"}
    assert list(scene.collection.objects) == own
    (collection,) = [one for one in scene.collection.children if one.name == EXAMPLES[key].label]
    assert cube.hide_render and cube.hide_viewport and cube.name in scene.objects
    assert scene.camera != camera and scene.camera.name in collection.objects
    bpy.context.view_layer.update()
    for ob in collection.objects:
        if ob.type == "MESH" and ob.name not in EXAMPLES[key].beside:
            for corner in ob.bound_box:
                seen = world_to_camera_view(scene, scene.camera, ob.matrix_world @ Vector(corner))
                assert 0 <= seen.x <= 1 and 0 <= seen.y <= 1 and seen.z > 0, ob.name


def test_a_persons_own_camera_and_cube_stay(extension):
    bpy.ops.wm.read_factory_settings(use_empty=False)
    scene = bpy.context.scene
    camera, cube = scene.camera, scene.objects["Cube"]
    camera.location.x += 1.0
    cube.stiction.type = "ACTIVE"
    bpy.context.view_layer.update()
    bpy.ops.stiction.add_example(example="WALL")
    assert scene.camera == camera and not cube.hide_render


@pytest.mark.parametrize("example", ["wall"], indirect=True)
def test_bricks_can_be_told_apart(example):
    bricks = [ob for ob in example.objects if ob.name.startswith("Brick")]
    shades = {tuple(ob.active_material.diffuse_color) for ob in bricks}
    assert len(shades) == 3
    beside = [(one, other) for one in bricks for other in bricks if one.location.z == other.location.z
              and 0 < other.location.x - one.location.x < 0.51]  # fmt: skip
    assert len(beside) > 40
    assert all(one.active_material != other.active_material for one, other in beside)
    assert all(len(ob.data.vertices) == 24 for ob in bricks)
