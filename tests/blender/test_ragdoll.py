"""An armature falls as a ragdoll: the bones follow the bodies, keyed alike, and all of it goes away again."""

from math import radians

import bpy
import numpy as np
import pytest

from stiction.blender_addon.exporting.export import export_scene
from stiction.blender_addon.inside.contacts import record_of
from stiction.blender_addon.joints import ragdoll
from stiction.solver.shapes import Capsule


@pytest.fixture
def doll(scene, add, tmp_path):
    """Trunk, thigh and shin; the knee bends about X alone, by its IK limits; the hip has a Limit Rotation."""
    add("floor", kind="PASSIVE", scale=(10, 10, 1), location=(0, 0, -0.5))
    scene.stiction.cache, scene.frame_end = str(tmp_path), 12
    armature = bpy.data.objects.new("doll", bpy.data.armatures.new("doll"))
    scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    armature.location, armature.scale = (0.2, 0, 0.1), (1.1, 1.1, 1.1)
    bpy.ops.object.mode_set(mode="EDIT")
    bones, parent = armature.data.edit_bones, None
    for name, head, tail in (("trunk", (0, 0, 0.9), (0.1, 0, 1.4)), ("thigh", (0, 0, 0.9), (0, 0.1, 0.5)),
                             ("shin", (0, 0.1, 0.5), (0, 0, 0.1))):  # fmt: skip
        bone = bones.new(name)
        bone.head, bone.tail, bone.parent = head, tail, parent
        bone.use_connect = name == "shin"
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    shin, thigh = armature.pose.bones["shin"], armature.pose.bones["thigh"]
    shin.lock_ik_y = shin.lock_ik_z = shin.use_ik_limit_x = True
    shin.ik_min_x, shin.ik_max_x = radians(-130), radians(5)
    rule = thigh.constraints.new("LIMIT_ROTATION")
    rule.use_limit_x = rule.use_limit_y = rule.use_limit_z = True
    rule.min_x, rule.max_x, rule.min_y, rule.max_y, rule.min_z, rule.max_z = -1.0, 0.5, -0.2, 0.3, -0.4, 0.4
    trunk = armature.pose.bones["trunk"]
    trunk.rotation_mode = "XYZ"
    trunk.keyframe_insert("rotation_euler", frame=1)
    armature.keyframe_insert("scale", frame=1)
    bpy.context.view_layer.update()
    return scene, armature


def bone_matrices(armature):
    posed = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return {bone.name: np.array(posed.matrix_world @ bone.matrix) for bone in posed.pose.bones}


def test_ragdoll_falls_bones_follow_and_keys_agree(doll):
    scene, armature = doll
    before, action = bone_matrices(armature), armature.animation_data.action
    assert bpy.ops.stiction.ragdoll() == {"FINISHED"}
    assert bpy.ops.stiction.ragdoll() == {"CANCELLED"}, "once is enough"
    bpy.context.view_layer.update()
    for name, matrix in bone_matrices(armature).items():
        assert matrix == pytest.approx(before[name], abs=1e-6), "as posed"
    joints = {ob.name.split()[1]: ob.stiction_joint for ob in ragdoll.parts_of(scene, armature) if ob.type == "EMPTY"}
    assert {name: own.type for name, own in joints.items()} == {"thigh": "BALL", "shin": "HINGE"}
    assert (joints["shin"].rz.low, joints["shin"].rz.high) == pytest.approx((radians(-130), radians(5)))
    assert joints["thigh"].swing.high == pytest.approx(1.0)
    assert (joints["thigh"].twist.low, joints["thigh"].twist.high) == pytest.approx((-0.2, 0.3))
    made = export_scene(scene).scene
    shapes = [body.shape.parts[0].shape for body in made.bodies if body.name != "floor"]
    assert all(isinstance(shape, Capsule) for shape in shapes)
    shin = next(joint for joint in made.joints if joint.type == "hinge")
    assert np.abs(shin.axis) == pytest.approx(np.abs(before["shin"][:3, 0] / 1.1), abs=1e-5)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    assert record_of(scene).frames.joints[:, :, 2:4].max() < 1e-8
    followed = {}
    for frame in (1, 7, 12):
        scene.frame_set(frame)
        followed[frame] = bone_matrices(armature)
    for name in before:
        body = scene.objects[f"doll {name}"]
        assert followed[12][name][:3, 3] == pytest.approx(np.array(body.matrix_world)[:3, 3], abs=1e-5)
    assert followed[12]["trunk"][2, 3] < before["trunk"][2, 3] - 0.05, "it falls"
    assert bpy.ops.stiction.ragdoll_to_bones() == {"FINISHED"}
    for ob in ragdoll.parts_of(scene, armature):
        if ob.type == "MESH":
            ob.location.z += 5.0
    for frame in (1, 7, 12):
        scene.frame_set(frame)
        for name, matrix in bone_matrices(armature).items():
            assert matrix == pytest.approx(followed[frame][name], abs=2e-5), (frame, name)
    assert any(curve.data_path == "scale" for curve in ragdoll.curves_of(armature.animation_data)), "kept"
    assert bpy.ops.stiction.remove_parts() == {"FINISHED"}
    scene.frame_set(1)
    assert not ragdoll.parts_of(scene, armature)
    assert armature.animation_data.action == action
    assert [rule.mute for rule in armature.pose.bones["thigh"].constraints] == [False]
    assert armature.pose.bones["trunk"].rotation_mode == "XYZ", "its own keys act again"
    bpy.context.view_layer.update()
    for name, matrix in bone_matrices(armature).items():
        assert matrix == pytest.approx(before[name], abs=1e-6), "as it was"
