"""Baking: what Blender evaluates is the trajectory, and Clear leaves no trace."""

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix

from stiction.blender_addon.baking import bake as baking
from stiction.blender_addon.exporting.export import export_scene

# Single precision at coordinates of a few units: 2^-23 times 8, and a parent's product on top.
EXACT = 2e-6


def largest_error(scene, export, trajectory):
    """Largest difference of an evaluated matrix_world from the trajectory's, relative to its own size above 1."""
    worst = {}
    for link in export.links:
        if not link.active:
            continue
        motion = baking.Motion(link, trajectory, export.unit)
        for row, wanted in enumerate(motion.matrices()):
            scene.frame_set(export.frame_start + row)
            evaluated = scene.objects[link.name].evaluated_get(bpy.context.evaluated_depsgraph_get())
            error = np.abs(np.array(evaluated.matrix_world) - wanted).max() / max(1.0, np.abs(wanted).max() / 2)
            worst[link.name] = max(worst.get(link.name, 0.0), error)
    return worst


def bake(scene, fake_trajectory):
    export = export_scene(scene)
    trajectory = fake_trajectory(export)
    warnings = baking.bake(scene, export, trajectory)
    return export, trajectory, warnings


DELTAS = {"delta_location": (0.3, -0.2, 0.1), "delta_scale": (1.1, 0.9, 1.3)}
CASES = {
    "plain": {"rotation_mode": "QUATERNION"},
    "non-uniform": {"rotation_mode": "QUATERNION", "scale": (1, 2, 0.3), "location": (1, 2, 3)},
    "negative": {"rotation_mode": "QUATERNION", "scale": (-1, 2, 0.3), "rotation_quaternion": (0.5, 0.5, 0.5, 0.5)},
    "three negative": {"rotation_mode": "XYZ", "scale": (-1, -2, -0.3), "rotation_euler": (0.3, 0.2, 0.1)},
    "euler": {"rotation_mode": "ZYX", "scale": (1, 2, 0.3), "rotation_euler": (1, 0.5, -0.4)},
    "axis": {"rotation_mode": "AXIS_ANGLE", "rotation_axis_angle": (0.7, 0.6, 0.0, 0.8)},
    "delta": {"rotation_mode": "QUATERNION", "delta_rotation_quaternion": (0.8, 0.6, 0, 0), **DELTAS},
    "delta euler": {"rotation_mode": "YXZ", "delta_rotation_euler": (0.2, 0.5, -0.4), **DELTAS},
}


@pytest.mark.parametrize("case", CASES)
def test_evaluated_matrices_are_the_trajectory(scene, add, fake_trajectory, case):
    add("body", **CASES[case])
    export, trajectory, warnings = bake(scene, fake_trajectory)
    assert not warnings
    assert largest_error(scene, export, trajectory)["body"] < EXACT


@pytest.mark.parametrize("system", ["NONE", "METRIC"])
def test_unit_scale_cancels(scene, add, fake_trajectory, system):
    scene.unit_settings.system, scene.unit_settings.scale_length = system, 0.01
    add("body", location=(1, 2, 3), rotation_mode="QUATERNION")
    export, trajectory, _ = bake(scene, fake_trajectory)
    # Moves of decimetres are tens of units here, where single precision is coarser.
    assert largest_error(scene, export, trajectory)["body"] < EXACT


def moving_parent(scene):
    parent = bpy.data.objects.new("parent", None)
    scene.collection.objects.link(parent)
    parent.scale, parent.rotation_euler, parent.location = (2, 2, 2), (0.3, 0.2, 0.1), (1, 0, 0)
    parent.keyframe_insert("location", frame=1)
    parent.keyframe_insert("rotation_euler", frame=1)
    parent.location, parent.rotation_euler = (4, 1, 0), (1, 2, 0.1)
    parent.keyframe_insert("location", frame=20)
    parent.keyframe_insert("rotation_euler", frame=20)
    return parent


@pytest.mark.parametrize("case", ["plain", "negative", "euler", "delta euler"])
def test_animated_parent_with_inverse(scene, add, fake_trajectory, case):
    inverse = Matrix.Translation((1, 2, 3)) @ Euler((0.1, 0.4, -0.3)).to_matrix().to_4x4()
    add("body", parent=moving_parent(scene), matrix_parent_inverse=inverse, **CASES[case])
    export, trajectory, warnings = bake(scene, fake_trajectory)
    assert not warnings
    assert largest_error(scene, export, trajectory)["body"] < EXACT


def test_parent_that_is_itself_a_body(scene, add, fake_trajectory):
    parent = add("parent", rotation_mode="QUATERNION")
    add("child", parent=parent, location=(0, 0, 2), rotation_mode="XYZ")
    export, trajectory, _ = bake(scene, fake_trajectory)
    errors = largest_error(scene, export, trajectory)
    assert max(errors.values()) < EXACT


def test_mesh_off_its_origin(scene, add, fake_trajectory):
    from conftest import CUBE

    add("body", vertices=[(x + 5, y - 3, z) for x, y, z in CUBE], rotation_euler=(0.3, 0.2, 0.1), scale=(1, 2, 3))
    export, trajectory, _ = bake(scene, fake_trajectory)
    assert largest_error(scene, export, trajectory)["body"] < EXACT


def test_non_uniform_parent_is_reported(scene, add, fake_trajectory):
    parent = bpy.data.objects.new("squash", None)
    scene.collection.objects.link(parent)
    parent.scale = (1, 3, 0.5)
    add("body", parent=parent)
    _, _, warnings = bake(scene, fake_trajectory)
    assert len(warnings) == 1
    assert "'body'" in warnings[0]
    assert "clear the parent" in warnings[0]


def test_quaternions_do_not_jump_between_frames(scene, add, fake_trajectory):
    ob = add("body", rotation_mode="QUATERNION")
    export = export_scene(scene)
    trajectory = fake_trajectory(export)
    trajectory.orientations[::2] *= -1
    baking.bake(scene, export, trajectory)
    values = []
    for frame in range(1, 21):
        scene.frame_set(frame)
        values.append(np.array(ob.rotation_quaternion))
    assert min(a @ b for a, b in zip(values, values[1:], strict=False)) > 0


def test_constant_runs_are_thinned_and_exact(scene, add, fake_trajectory):
    ob = add("body", rotation_mode="QUATERNION")
    export = export_scene(scene)
    trajectory = fake_trajectory(export)
    trajectory.positions[5:], trajectory.orientations[5:] = trajectory.positions[5], trajectory.orientations[5]
    baking.bake(scene, export, trajectory)
    from stiction.blender_addon.base.curves import curves_of

    assert {len(curve.keyframe_points) for curve in curves_of(ob.animation_data)} == {7}
    assert largest_error(scene, export, trajectory)["body"] < EXACT


def snapshot(ob):
    """Everything the bake may touch."""
    data = ob.animation_data
    animation = None
    if data is not None:
        slot = getattr(data, "action_slot", None)
        slot = slot.identifier if slot else None
        animation = (data.action and data.action.name, slot, data.action_blend_type, data.action_extrapolation,
                     data.action_influence)  # fmt: skip
    return (tuple(ob.location), tuple(ob.rotation_euler), tuple(ob.rotation_quaternion), tuple(ob.scale),
            ob.rotation_mode, animation)  # fmt: skip


def test_clear_restores_the_earlier_action(scene, add, fake_trajectory):
    ob = add("body", location=(1, 2, 3))
    ob.keyframe_insert("location", frame=1)
    ob.scale = (1, 1, 1)
    ob.keyframe_insert("scale", frame=1)
    ob.scale = (2, 2, 2)
    ob.keyframe_insert("scale", frame=20)
    ob.animation_data.action_influence = 0.5
    scene.frame_set(7)
    before, own = snapshot(ob), ob.animation_data.action
    export, trajectory, _ = bake(scene, fake_trajectory)
    assert ob.animation_data.action != own
    assert own.users == 1, "the user's action must survive saving while the bake is assigned"
    scene.frame_set(20)
    assert ob.scale[0] == pytest.approx(2), "channels that the bake does not write keep their animation"
    assert baking.clear(scene) == (1, [])
    scene.frame_set(7)
    assert snapshot(ob) == before
    assert [action.name for action in bpy.data.actions] == [own.name]


def test_an_object_tells_by_which_action_it_moves(scene, add, fake_trajectory):
    # Blender 4.3 would take it for unchanged by a second bake, and undo would leave it the action that was removed.
    ob, told = add("body"), []
    for _ in range(2):
        bake(scene, fake_trajectory)
        assert ob.stiction.record.refers == ob.animation_data.action.session_uid
        told.append(ob.stiction.record.refers)
    assert told[0] != told[1]


def test_clear_leaves_no_trace_on_plain_objects(scene, add, fake_trajectory):
    objects = [add("a"), add("b", location=(3, 0, 0), rotation_mode="QUATERNION")]
    before = [snapshot(ob) for ob in objects]
    bake(scene, fake_trajectory)
    scene.frame_set(13)
    baking.clear(scene)
    assert [snapshot(ob) for ob in objects] == before
    assert len(bpy.data.actions) == 0
    assert objects[0].animation_data is None


def test_second_bake_starts_from_the_original_pose(scene, add, fake_trajectory):
    ob = add("body", location=(1, 2, 3))
    first, _, _ = bake(scene, fake_trajectory)
    scene.frame_set(15)
    with baking.lifted(scene):
        second = export_scene(scene)
    assert second.scene.bodies[0].position == first.scene.bodies[0].position == (1, 2, 3)
    scene.frame_set(15)
    moved = ob.location.copy()
    with baking.lifted(scene):
        pass
    scene.frame_set(15)
    assert ob.location == moved
