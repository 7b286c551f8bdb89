"""Keys on Animated and Dynamic: when a body is let go, and that it flies on as in Blender's own simulation."""

import bpy
import numpy as np
import pytest
from conftest import shown_poses

from stiction.blender_addon.base.curves import curves_of
from stiction.blender_addon.rigid_body import take_over
from stiction.blender_addon.running import run as runs


@pytest.fixture
def ball(scene, tmp_path):
    """A ball of Blender's own Rigid Body, without damping."""
    scene.frame_end, scene.stiction.cache = 30, str(tmp_path)
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.2, location=(0, 0, 2))
    bpy.ops.rigidbody.object_add()
    ob = bpy.context.object
    ob.rigid_body.collision_shape = "SPHERE"
    ob.rigid_body.linear_damping = ob.rigid_body.angular_damping = 0.0
    return ob


def key(ob, path, *pairs):
    """Key rigid_body.`path` at frames."""
    for frame, value in pairs:
        setattr(ob.rigid_body, path, value)
        ob.rigid_body.keyframe_insert(path, frame=frame)


def carry(ob, *pairs, turn=0.0):
    """Key straight ways along x, and turns about z."""
    for frame, x in pairs:
        ob.location.x, ob.rotation_euler.z = x, turn * x
        ob.keyframe_insert("location", frame=frame)
        ob.keyframe_insert("rotation_euler", frame=frame)
    for curve in curves_of(ob.animation_data):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


@pytest.mark.parametrize("first", [2, 9], ids=["from afar", "in one frame"])
def test_a_throw_flies_as_in_blender(scene, ball, first):
    carry(ball, (first, 0.0), (10, 0.3), turn=2.0)
    key(ball, "kinematic", (10, True), (11, False))
    wanted = shown_poses(scene, ball)
    scene.frame_set(1)
    take_over(scene)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    found = shown_poses(scene, ball)
    assert found[:, 0, 3] == pytest.approx(wanted[:, 0, 3], abs=2e-3)
    # Blender's own simulation falls by a substep's part less or more.
    assert found[:, 2, 3] == pytest.approx(wanted[:, 2, 3], abs=0.05)
    speed = (0.3 / (10 - first)) * 24
    assert (found[-1, 0, 3] - found[10, 0, 3]) * 24 / 19 == pytest.approx(speed, rel=1e-3)


def test_dynamic_keyed_on_lets_go_with_the_velocity(scene, ball):
    carry(ball, (1, 0.0), (10, 0.9))
    key(ball, "enabled", (1, False), (11, True))
    scene.frame_set(1)
    take_over(scene)
    assert (ball.stiction.release, ball.stiction.release_frame) == (True, 10)
    bpy.ops.stiction.bake()
    assert shown_poses(scene, ball)[:, 0, 3] == pytest.approx(0.1 * np.arange(30), abs=1e-4)


@pytest.mark.parametrize("shown_at", [1, 30])
def test_what_keys_say_at_the_first_frame_counts_whichever_is_shown(scene, ball, shown_at):
    key(ball, "kinematic", (1, False), (20, True))
    scene.frame_set(shown_at)
    _, entries = take_over(scene)
    own = ball.stiction
    assert (own.kinematic, own.release, own.release_frame, own.held_again) == (True, True, 1, "19")
    assert any("held again and released at frames 19 in turn" in line for entry in entries for line in entry.taken)


def test_what_is_caught_again_is_where_blender_has_it(scene, ball):
    """Let go, caught, carried on and let go again, in a scene of Blender's own frame by frame."""
    carry(ball, (1, 0.0), (30, 5.8))
    key(ball, "kinematic", (1, True), (6, False), (15, True), (22, False))
    wanted = shown_poses(scene, ball)
    scene.frame_set(1)
    take_over(scene)
    assert (ball.stiction.release_frame, ball.stiction.held_again) == (5, "14, 21")
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    found = shown_poses(scene, ball)
    assert found[14:21, :3, 3] == pytest.approx(wanted[14:21, :3, 3], abs=1e-4), "held"
    assert found[:, 0, 3] == pytest.approx(wanted[:, 0, 3], abs=2e-3)
    # Blender's own simulation falls by a substep's part less or more.
    assert found[:, 2, 3] == pytest.approx(wanted[:, 2, 3], abs=0.05)


def test_what_begins_free_is_caught_where_blender_has_it(scene, ball):
    carry(ball, (1, 0.0), (30, 0.0))
    key(ball, "kinematic", (1, False), (10, True), (20, False))
    wanted = shown_poses(scene, ball)
    scene.frame_set(1)
    take_over(scene)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    found = shown_poses(scene, ball)
    assert found[9:19, :3, 3] == pytest.approx(wanted[9:19, :3, 3], abs=1e-4), "held"
    assert found[:, 2, 3] == pytest.approx(wanted[:, 2, 3], abs=0.05)
    assert wanted[8, 2, 3] < 1.6 and wanted[-1, 2, 3] < 1.3, "and falls before and after"


def test_the_bake_says_what_blenders_own_settings_would_do_otherwise(scene, ball):
    bpy.ops.object.effector_add(type="WIND")
    take_over(scene)
    run = runs.begin(scene)
    run.job.wait()
    _, notes = runs.finish(run)
    assert any("force fields" in note and "Wind" in note for note in notes)


def test_a_world_that_is_off_is_said(scene, ball):
    scene.rigidbody_world.enabled = False
    world = next(entry for entry in take_over(scene)[1] if entry.name == "World")
    assert any("switched off" in line for line in world.changed)


def test_dynamic_off_for_good_is_passive(scene, ball):
    ball.rigid_body.enabled = False
    take_over(scene)
    assert ball.stiction.type == "PASSIVE"


def test_import_takes_an_empty_frame_range(scene, ball):
    key(ball, "kinematic", (1, True))
    scene.frame_start = scene.frame_end = 7
    take_over(scene)
    assert ball.stiction.kinematic


def test_dynamic_off_stops_it_in_the_air_as_in_blender(scene, ball):
    key(ball, "enabled", (1, False), (6, True), (15, False), (22, True))
    wanted = shown_poses(scene, ball)
    scene.frame_set(1)
    take_over(scene)
    own = ball.stiction
    assert (own.kinematic, own.release, own.release_frame, own.held_again) == (False, True, 5, "14, 21")
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    found = shown_poses(scene, ball)
    assert np.ptp(found[14:21, 2, 3]) < 1e-6 and np.ptp(wanted[14:21, 2, 3]) < 1e-6
    assert found[:, 2, 3] == pytest.approx(wanted[:, 2, 3], abs=0.05)


def test_dynamic_off_again_beside_an_animation_is_said(scene, ball):
    carry(ball, (1, 0.0), (30, 5.8))
    key(ball, "enabled", (1, False), (6, True), (15, False), (22, True))
    _, entries = take_over(scene)
    assert any("Dynamic off again at frame 15" in line for entry in entries for line in entry.changed)


def thrown(ob):
    """Key a way along x, and Animated off at frame 10."""
    carry(ob, (1, 0.0), (10, 0.9))
    key(ob, "kinematic", (1, True), (10, False))


def pushed_down(ob, start=1, scale=1.0):
    """Make the object's action a strip of its NLA."""
    data = ob.animation_data
    strip = data.nla_tracks.new().strips.new("strip", start, data.action)
    strip.scale, data.action = scale, None


def driven(ob):
    """Let a driver switch Animated instead of keys."""
    ob.keyframe_delete("rigid_body.kinematic", frame=1)
    ob.keyframe_delete("rigid_body.kinematic", frame=10)
    driver = ob.driver_add("rigid_body.kinematic").driver
    driver.type, driver.expression = "SCRIPTED", "frame < 10"


@pytest.mark.parametrize(("made", "last"), [(pushed_down, 9), (lambda ob: pushed_down(ob, 5, 2.0), 22), (driven, 9)])
def test_strips_and_drivers_let_go_as_keys_do(scene, ball, made, last):
    thrown(ball)
    made(ball)
    take_over(scene)
    assert (ball.stiction.type, ball.stiction.kinematic) == ("ACTIVE", True)
    assert (ball.stiction.release, ball.stiction.release_frame) == (True, last)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    ways = []
    for frame in (last - 1, last, last + 1, last + 5):
        scene.frame_set(frame)
        ways.append(ball.matrix_world.translation.x)
    speed = ways[1] - ways[0]
    assert speed > 0.01
    assert np.diff(ways[1:]) == pytest.approx([speed, 4 * speed], rel=1e-3)
