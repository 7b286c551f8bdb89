"""Bodies whose mesh an animation deforms: what the buttons of their findings leave behind."""

import bpy
import numpy as np
import pytest
from conftest import CUBE, shown_vertices
from deforming_bodies import posed, sculpted

from stiction.blender_addon.running.loaded_bake import simulate_and_bake


def test_capsules_on_bones_move_with_them_and_are_as_thick_as_the_mesh(scene, add):
    posed(scene, add)
    bpy.ops.stiction.check()
    bpy.ops.stiction.repair(check="POSED")
    capsule = scene.objects["rig leg"]
    assert scene.objects["body"].stiction.type == "NONE"
    assert (capsule.stiction.type, capsule.stiction.kinematic) == ("PASSIVE", True)
    # The corners of the cube are half a diagonal from the bone.
    assert max(vertex.co.x for vertex in capsule.data.vertices) == pytest.approx(np.sqrt(0.5), rel=1e-3)
    bone = scene.objects["rig"].pose.bones["leg"]
    for frame in (1, 20):
        scene.frame_set(frame)
        np.testing.assert_allclose(capsule.matrix_world, scene.objects["rig"].matrix_world @ bone.matrix, atol=1e-5)


def test_the_first_shape_is_kept_and_the_old_mesh_stays_in_the_file(scene, add):
    sculpted(scene, add)
    body, before = scene.objects["body"], scene.objects["body"].data
    scene.frame_set(15)
    bpy.ops.stiction.check()
    bpy.ops.stiction.repair(check="DEFORMING")
    assert scene.frame_current == 15 and before.use_fake_user
    np.testing.assert_allclose(shown_vertices(body), CUBE, atol=1e-6)


@pytest.mark.parametrize(("deform", "said"), [(sculpted, "Keep First Shape"), (posed, "Collide by Bones")])
def test_a_bake_that_no_check_goes_before_names_what_deforms(scene, add, deform, said):
    deform(scene, add)
    scene.objects["body"].stiction.type = "PASSIVE"
    add("falls", location=(0, 0, 4))
    _, notes = simulate_and_bake(scene)
    named = [note for note in notes if "in the shape of the first frame" in note]
    assert len(named) == 1 and "object 'body'" in named[0] and said in named[0]
    assert scene.stiction.worth == "usable" and named[0] in scene.stiction.verdict


def test_a_bake_of_what_grows_as_it_falls_is_no_good_one(scene, add):
    body = add("body", location=(0, 0, 4))
    for frame, size in ((1, 1.0), (20, 2.0)):
        body.scale = (size,) * 3
        body.keyframe_insert("scale", frame=frame)
    _, notes = simulate_and_bake(scene)
    said = "object 'body': has keys of its size: it collides in the size of the first frame, and is shown in another"
    assert len([note for note in notes if note.startswith(said)]) == 1
    assert scene.stiction.worth == "usable" and said in scene.stiction.verdict
    bpy.ops.stiction.check()
    bpy.ops.stiction.repair(check="KEYED_SCALE")
    simulate_and_bake(scene)
    assert scene.stiction.worth == "good"


def test_a_bake_names_no_body_whose_shape_keys_stand_still(scene, add):
    sculpted(scene, add)
    scene.objects["body"].data.shape_keys.animation_data_clear()
    _, notes = simulate_and_bake(scene)
    assert not any("in the shape of the first frame" in note for note in notes)


@pytest.mark.parametrize("by", ["keys", "a driver", "a strip"])
def test_a_bake_of_what_stands_and_is_shown_moving_is_no_good_one(scene, add, by):
    """A Passive body with keys, without Animated, passes through what falls onto where it stood."""
    pusher = add("pusher", kind="PASSIVE", location=(-3, 0, 0))
    add("body", location=(0, 0, 4))
    if by == "a driver":
        driver = pusher.driver_add("location", 0).driver
        driver.type, driver.expression = "SCRIPTED", "-3 + 0.2 * frame"
    else:
        for frame, x in ((1, -3.0), (20, 1.0)):
            pusher.location.x = x
            pusher.keyframe_insert("location", frame=frame)
    if by == "a strip":
        data = pusher.animation_data
        data.nla_tracks.new().strips.new("strip", 1, data.action)
        data.action = None
    _, notes = simulate_and_bake(scene)
    assert len([note for note in notes if note.startswith("object 'pusher': has keyframes but is not Animated")]) == 1
    assert scene.stiction.worth == "usable"
    bpy.ops.stiction.check()
    bpy.ops.stiction.repair(check="UNANIMATED")
    simulate_and_bake(scene)
    assert scene.stiction.worth == "good"
