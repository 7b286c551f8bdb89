"""Constraints of bodies that are Animated at times: they hold where these are held, and move nothing that is baked."""

import bpy
import numpy as np
import pytest
from conftest import shown_poses
from mathutils import Matrix

from stiction.blender_addon.baking.signature import out_of_date
from stiction.blender_addon.exporting.export import export_scene
from stiction.solver.base.refusal import SceneError


@pytest.fixture
def carried(scene, add, tmp_path):
    """A cube that a Child Of to what moves along x holds at frames 5 to 15, by keys of its influence; then it is let
    go at 2 units a second."""
    hand = bpy.data.objects.new("hand", None)
    scene.collection.objects.link(hand)
    cube = add("cube", location=(0, 0, 8))
    hold = cube.constraints.new("CHILD_OF")
    hold.target, hold.inverse_matrix = hand, Matrix.Identity(4)
    for frame, value in ((1, 0.0), (4, 0.0), (5, 1.0), (15, 1.0), (16, 0.0)):
        hold.influence = value
        hold.keyframe_insert("influence", frame=frame)
    for frame, x in ((1, 0.0), (25, 2.0)):
        hand.location.x = x
        hand.keyframe_insert("location", frame=frame)
    for ob in (hand, cube):
        for curve in _curves(ob):
            for point in curve.keyframe_points:
                point.interpolation = "LINEAR"
    own = cube.stiction
    own.kinematic, own.release, own.release_frame = True, True, 15
    scene.frame_end, scene.stiction.cache = 24, str(tmp_path)
    scene.frame_set(1)
    return cube


def _curves(ob):
    from stiction.blender_addon.base.curves import curves_of

    return curves_of(ob.animation_data)


def places(scene, ob):
    """Where Blender shows an object (24,3)."""
    return shown_poses(scene, ob, range(1, 25))[:, :3, 3]


def test_it_is_shown_where_it_was_held_and_flies_on(scene, carried):
    own = places(scene, carried)
    scene.frame_set(1)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    found, fall = places(scene, carried), np.arange(10) / 24
    assert found[:15] == pytest.approx(own[:15], abs=1e-5)
    assert found[14:, 0] == pytest.approx(own[14, 0] + 2.0 * fall, abs=1e-4)
    assert found[14:, 2] == pytest.approx(8 - 0.5 * 9.81 * fall**2, abs=1e-4)
    assert carried.constraints[0].mute and not out_of_date(scene)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    assert np.array_equal(places(scene, carried), found)
    bpy.ops.stiction.clear()
    assert not carried.constraints[0].mute
    assert places(scene, carried) == pytest.approx(own, abs=1e-6)


def test_a_change_of_what_holds_it_is_noticed(scene, carried):
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    carried.constraints[0].use_location_z = False
    assert out_of_date(scene)


def test_a_check_leaves_the_bake_as_it_was(scene, carried):
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    found = places(scene, carried)
    bpy.ops.stiction.check()
    assert carried.constraints[0].mute
    assert np.array_equal(places(scene, carried), found)


def test_one_that_moves_freely_begins_where_its_constraints_have_it(scene, carried, add):
    """Turned by a Track To and moved by a Copy Location of which keys have begun a part."""
    body, aim = add("body", location=(9, 9, 9)), bpy.data.objects.new("aim", None)
    scene.collection.objects.link(aim)
    aim.location = (0, 5, 8)
    place, turn = body.constraints.new("COPY_LOCATION"), body.constraints.new("TRACK_TO")
    place.target, turn.target = bpy.data.objects["hand"], aim
    for frame, value in ((1, 0.5), (20, 1.0)):
        place.influence = value
        place.keyframe_insert("influence", frame=frame)
    scene.frame_set(1)
    bpy.context.view_layer.update()
    begun = np.array(body.matrix_world)
    assert begun[:3, 3] == pytest.approx((4.5, 4.5, 4.5)) and abs(begun[0, 0]) < 0.99
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    scene.frame_set(13)
    now = np.array(body.matrix_world)
    assert now[:3, :3] == pytest.approx(begun[:3, :3], abs=1e-5)
    assert now[:3, 3] == pytest.approx((4.5, 4.5, 4.5 - 0.5 * 9.81 * 0.25), abs=1e-4)
    assert not out_of_date(scene)
    bpy.ops.stiction.clear()
    scene.frame_set(1)
    assert np.array(body.matrix_world) == pytest.approx(begun, abs=1e-6)


def test_what_is_shown_while_a_run_works_is_not_moved_by_them(scene, carried, add):
    from stiction.blender_addon.baking.record import put_back, show

    body = add("body", location=(2, 0, 0))
    hold = body.constraints.new("COPY_LOCATION")
    hold.target = bpy.data.objects["hand"]
    show(body, (7, 0, 0), (0, 0, 0))
    bpy.context.view_layer.update()
    assert tuple(body.matrix_world.translation) == (7, 0, 0)
    put_back(body)
    bpy.context.view_layer.update()
    assert not hold.mute and tuple(body.matrix_world.translation) == (0, 0, 0)


def test_with_a_parent_besides_it_is_refused(scene, carried):
    assert carried.constraints[0].influence == 0
    carried.parent = bpy.data.objects["hand"]
    with pytest.raises(SceneError, match="object 'cube': has the constraint 'Child Of' beside its parent; mute"):
        export_scene(scene)
