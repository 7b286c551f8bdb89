"""Constraints that keys switch, that are off, or that join what cannot move: as in Blender, and said."""

import bpy
import numpy as np
import pytest
from conftest import shown_poses

from stiction.blender_addon.checks import runner
from stiction.blender_addon.exporting.export import export_scene
from stiction.blender_addon.rigid_body import take_over

PATH = "enabled"


@pytest.fixture
def hung(scene, tmp_path):
    """hung(kind, second="ACTIVE", first="PASSIVE") -> (first, second, constraint's object): a slab and a cube above."""
    scene.frame_end, scene.stiction.cache = 30, str(tmp_path)

    def block(kind, **place):
        bpy.ops.mesh.primitive_cube_add(size=1, **place)
        bpy.ops.rigidbody.object_add(type=kind)
        ob = bpy.context.object
        ob.rigid_body.collision_shape = "BOX"
        ob.rigid_body.linear_damping = ob.rigid_body.angular_damping = 0.0
        return ob

    def hung(kind, second="ACTIVE", first="PASSIVE", **settings):
        slab, cube = block(first, location=(0, 0, -0.5), scale=(5, 5, 1)), block(second, location=(0, 0, 0.9))
        bpy.ops.object.empty_add()
        bpy.ops.rigidbody.constraint_add(type=kind)
        ob = bpy.context.object
        own = ob.rigid_body_constraint
        own.object1, own.object2 = slab, cube
        for name, value in settings.items():
            setattr(own, name, value)
        return slab, cube, ob

    return hung


def heights(scene, ob):
    """Heights (F,) frame by frame, as Blender shows them."""
    return shown_poses(scene, ob)[:, 2, 3]


def key(ob, *pairs):
    for frame, value in pairs:
        ob.rigid_body_constraint.enabled = value
        ob.rigid_body_constraint.keyframe_insert(PATH, frame=frame)


def by_a_strip(ob):
    """Make the object's action a strip of its NLA."""
    data = ob.animation_data
    data.nla_tracks.new().strips.new("strip", 1, data.action)
    data.action = None


def by_a_driver(ob):
    """Let a driver do what the keys do."""
    ob.animation_data_clear()
    driver = ob.driver_add(f"rigid_body_constraint.{PATH}").driver
    driver.type, driver.expression = "SCRIPTED", "frame < 10"


def both(scene, ob):
    """(heights in Blender's own simulation, ours)."""
    theirs = heights(scene, ob)
    scene.frame_set(1)
    take_over(scene)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    return theirs, heights(scene, ob)


@pytest.mark.parametrize("kind", ["FIXED", "SLIDER"])
@pytest.mark.parametrize(
    "keys", [[(1, True), (11, False)], [(1, False), (5, True), (9, False)], [(1, False), (2, True), (20, False)]]
)
def test_keys_switch_a_constraint_as_in_blender(scene, hung, kind, keys):
    _, cube, ob = hung(kind, disable_collisions=False)
    key(ob, *keys)
    theirs, ours = both(scene, cube)
    # Where it takes hold again Blender needs a frame or two for the way back.
    apart = np.abs(theirs - ours)
    assert np.sort(apart)[-3] < 0.03
    assert ours[-1] == pytest.approx(theirs[-1], abs=0.03)


@pytest.mark.parametrize("disable", [True, False])
def test_a_constraint_that_is_off_keeps_its_bodies_from_colliding_if_it_says_so(scene, hung, disable):
    _, cube, _ = hung("FIXED", enabled=False, disable_collisions=disable)
    theirs, ours = both(scene, cube)
    assert ours == pytest.approx(theirs, abs=0.06)
    assert (ours[-1] < 0) == disable


@pytest.mark.parametrize("kind", ["FIXED", "HINGE", "POINT", "GENERIC"])
def test_joints_of_what_cannot_move_are_left_out_with_a_line(scene, hung, kind):
    hung(kind, second="PASSIVE")
    bpy.ops.mesh.primitive_cube_add(size=1, location=(9, 0, 5))
    bpy.ops.rigidbody.object_add()
    _, entries = take_over(scene)
    said = [line for entry in entries if entry.name == "Empty" for line in entry.left_out]
    assert said == ["it joins 'Cube' and 'Cube.001', and neither can move"]
    assert export_scene(scene).scene.joints == ()
    assert bpy.ops.stiction.bake() == {"FINISHED"}


@pytest.mark.parametrize("by", [by_a_strip, by_a_driver])
def test_strips_and_drivers_switch_a_constraint_as_its_keys_do(scene, hung, by):
    _, cube, joint = hung("FIXED")
    key(joint, (1, True), (10, False))
    by(joint)
    theirs, ours = both(scene, cube)
    assert theirs[-1] < 0.6
    assert np.abs(ours - theirs).max() < 0.02


def test_a_joint_of_what_is_let_go_later_holds_from_then_on(scene, hung):
    """Held by its animation until frame 10, then by the constraint alone."""
    _, cube, _ = hung("FIXED")
    for frame, value in ((1, True), (11, False)):
        cube.rigid_body.kinematic = value
        cube.rigid_body.keyframe_insert("kinematic", frame=frame)
    theirs, ours = both(scene, cube)
    assert ours == pytest.approx(0.9, abs=1e-4)
    assert theirs == pytest.approx(0.9, abs=1e-2)


def test_own_joints_of_what_cannot_move_are_left_out_and_told(scene, add):
    add("wall", kind="PASSIVE")
    add("ball", location=(0, 0, 5))
    joint = bpy.data.objects.new("hinge", None)
    scene.collection.objects.link(joint)
    joint.stiction_joint.type, joint.stiction_joint.object2 = "HINGE", scene.objects["wall"]
    gear = bpy.data.objects.new("gear", None)
    scene.collection.objects.link(gear)
    gear.stiction_joint.type, gear.stiction_joint.joint1 = "GEAR", joint
    other = bpy.data.objects.new("other", None)
    scene.collection.objects.link(other)
    other.stiction_joint.type, other.stiction_joint.object2 = "HINGE", scene.objects["ball"]
    gear.stiction_joint.joint2 = other
    assert [one.name for one in export_scene(scene).scene.joints] == ["other"]
    found, _ = runner.check_now(scene)
    assert [finding.names[0] for finding in found["joints"]] == ["hinge", "gear"]
