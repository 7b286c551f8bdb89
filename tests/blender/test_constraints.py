"""Rigid Body constraints taken over: free axis, sign and limits against Blender's own simulation of each type."""

import math

import bpy
import numpy as np
import pytest
from marks import few
from mathutils import Euler

from stiction.blender_addon.baking.signature import signature
from stiction.blender_addon.exporting.export import export_scene
from stiction.blender_addon.joints.constraints import read_constraints
from stiction.blender_addon.rigid_body import take_over
from stiction.solver.runs.simulation_options import SimulationOptions
from stiction.solver.simulation import simulate

LOW, HIGH = -0.2, 0.7
LOCKED = {f"use_limit_{kind}_{axis}": True for kind in ("lin", "ang") for axis in "xyz"} | {
    f"limit_{kind}_{axis}_{end}": 0.0 for kind in ("lin", "ang") for axis in "xyz" for end in ("lower", "upper")
}


def limited(kind, axis):
    """Settings with one motion limited."""
    return {f"use_limit_{kind}_{axis}": True, f"limit_{kind}_{axis}_lower": LOW, f"limit_{kind}_{axis}_upper": HIGH}


CASES = [
    ("HINGE", "ang", "z", limited("ang", "z")), ("SLIDER", "lin", "x", limited("lin", "x")),
    ("PISTON", "lin", "x", limited("lin", "x") | {"use_limit_ang_x": True, "limit_ang_x_lower": 0.0,
                                                  "limit_ang_x_upper": 0.0}),
    ("PISTON", "ang", "x", limited("ang", "x") | {"use_limit_lin_x": True, "limit_lin_x_lower": 0.0,
                                                  "limit_lin_x_upper": 0.0}),
    *(("GENERIC", kind, axis, LOCKED | limited(kind, axis)) for kind in ("lin", "ang") for axis in "xyz"),
]  # fmt: skip


def cube(name, place, type):
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=place)
    ob = bpy.context.object
    ob.name = name
    bpy.ops.rigidbody.object_add(type=type)
    ob.rigid_body.mass, ob.rigid_body.collision_shape = 1.0, "BOX"
    ob.rigid_body.linear_damping = ob.rigid_body.angular_damping = 0.0
    return ob


def built(scene, kind, place, gravity, **settings):
    """Two bodies and an empty with a constraint; returns the moving one."""
    bpy.ops.rigidbody.world_add()
    scene.rigidbody_world.point_cache.frame_end = 200
    scene.gravity, scene.frame_end = gravity, 100
    fixed, moving = cube("fixed", (0, 0, 0), "PASSIVE"), cube("moving", place, "ACTIVE")
    bpy.ops.object.empty_add(type="ARROWS", location=(0, 0, 0))
    bpy.ops.rigidbody.constraint_add(type=kind)
    constraint = bpy.context.object.rigid_body_constraint
    constraint.object1, constraint.object2 = fixed, moving
    for name, value in settings.items():
        setattr(constraint, name, value)
    return moving


def pushed(kind, axis, sign):
    """(place, gravity) that push a body along or about an axis."""
    i = "xyz".index(axis)
    place, gravity = [0.0] * 3, [0.0] * 3
    if kind == "lin":
        gravity[i] = 5.0 * sign
    else:
        place[(i + 1) % 3], gravity[(i + 2) % 3] = 1.0, 5.0 * sign
    return place, gravity


def moved(matrix, kind, axis):
    i = "xyz".index(axis)
    if kind == "lin":
        return matrix[i, 3]
    j, k = (i + 1) % 3, (i + 2) % 3
    return math.atan2(matrix[k, j] - matrix[j, k], matrix[j, j] + matrix[k, k])


@pytest.mark.parametrize("sign", few([1, -1], -1))
@pytest.mark.parametrize(("type", "kind", "axis", "settings"), CASES, ids=lambda case: str(case)[:12])
def test_limits_as_in_blender(scene, type, kind, axis, settings, sign):
    place, gravity = pushed(kind, axis, sign)
    ob = built(scene, type, place, gravity, **settings)
    for frame in range(1, 101):
        scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    theirs = moved(np.array(ob.evaluated_get(graph).matrix_world), kind, axis)
    scene.frame_set(1)
    take_over(scene)
    run = simulate(export_scene(scene).scene, SimulationOptions(time=4.0))
    body = run.names.index("moving")
    matrix = np.eye(4)
    from stiction.solver.dynamics import rotation

    matrix[:3, :3] = rotation.matrix(run.orientations[-1:, body])[0]
    matrix[:3, 3] = run.positions[-1, body]
    ours = moved(matrix, kind, axis)
    assert ours == pytest.approx(theirs, abs=0.02)
    assert abs(abs(ours) - (HIGH if abs(ours) > 0.5 else -LOW)) < 1e-4, "at a limit, exactly"
    assert run.joints[:, 0, 2:4].max() < 1e-8


@pytest.mark.parametrize("scale", [(-1, 1, 1), (1, -1, 1), (1, 1, -1), (-1, -1, -1), (-1, -1, 1)])
@pytest.mark.parametrize(("type", "kind", "axis", "settings"), [CASES[0], CASES[1], CASES[-1]],
                         ids=["hinge", "slider", "generic"])  # fmt: skip
def test_a_mirrored_empty_means_what_it_does_in_blender(scene, type, kind, axis, settings, scale):
    """Its limits counted the other way, in silence."""
    place, gravity = pushed(kind, axis, 1)
    ob = built(scene, type, place, gravity, **settings)
    next(one for one in scene.objects if one.rigid_body_constraint).scale = scale
    theirs, ours, _ = both(scene, ob, 100)
    assert moved(ours, kind, axis) == pytest.approx(moved(theirs, kind, axis), abs=0.02)


@pytest.mark.parametrize(("low", "high"), [(0.0, 2 * math.pi), (-2 * math.pi, 0.0), (-math.pi, math.pi), (-1.0, 9.0)])
@pytest.mark.parametrize("sign", few([-1, 1], 1))
@pytest.mark.parametrize(("type", "axis"), [("HINGE", "z"), ("PISTON", "x"), ("GENERIC", "z")])
def test_limits_a_turn_apart_are_none(scene, type, axis, sign, low, high):
    settings = dict(LOCKED) if type == "GENERIC" else {}
    settings |= {f"use_limit_ang_{axis}": True, f"limit_ang_{axis}_lower": low, f"limit_ang_{axis}_upper": high}
    moving = built(scene, type, *pushed("ang", axis, sign), **settings)
    take_over(scene)
    run = simulate(export_scene(scene).scene, SimulationOptions(time=0.6))
    w = run.orientations[-1, run.names.index(moving.name), 0]
    assert 2 * math.acos(min(1.0, abs(w))) > 0.5, "it turned either way"


@pytest.mark.parametrize("kind", ["GENERIC", "GENERIC_SPRING"])
def test_two_and_three_turns_mean_what_they_do_in_blender(scene, kind):
    """Bullet takes a body to angles about all three axes that it is locked at; so turned it reads the same angles in
    our joint, in the sense of the limits taken over, and our limits take it to the same pose."""
    locked = {"x": 0.5, "y": -0.7, "z": 0.9}
    ends = {f"limit_ang_{letter}_{end}": angle for letter, angle in locked.items() for end in ("lower", "upper")}
    theirs, ours, run = both(scene, built(scene, kind, (0, 0, 0), (0, 0, 0), **(LOCKED | ends)), 49)
    x, y, z = -np.array(list(locked.values()))
    expected = np.array(Euler((x, y, z), "XYZ").to_matrix())
    assert theirs[:3, :3] == pytest.approx(expected, abs=2e-3)
    assert ours[:3, :3] == pytest.approx(expected, abs=1e-6)


def test_motor_counts_as_in_blender(scene):
    """+1 m/s moves object 2 by -1 m/s, with at most max_impulse newton."""
    ob = built(scene, "MOTOR", (0, 0, 0), (0, 0, 0), use_motor_lin=True, motor_lin_target_velocity=1.0,
               motor_lin_max_impulse=0.1)  # fmt: skip
    for frame in range(1, 26):
        scene.frame_set(frame)
    theirs = ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation.x
    scene.frame_set(1)
    take_over(scene)
    run = simulate(export_scene(scene).scene, SimulationOptions(time=1.0, time_step=1 / 240))
    ours = run.positions[-1, run.names.index("moving"), 0]
    assert ours == pytest.approx(-0.05, abs=1e-3)
    assert theirs == pytest.approx(ours, abs=5e-3)


def test_what_is_left_out_is_said_and_changes_count(scene):
    ob = built(scene, "HINGE", (1, 0, 0), (0, 0, -9.81))
    empty = next(one for one in scene.objects if one.rigid_body_constraint)
    _, entries = take_over(scene)
    entry = next(entry for entry in entries if entry.name == empty.name)
    assert "Hinge" in entry.taken[0] and "'moving'" in entry.taken[0]
    before = signature(scene)
    empty.rigid_body_constraint.use_limit_ang_z = True
    assert signature(scene) != before
    empty.rigid_body_constraint.object1 = None
    _, entries = take_over(scene)
    entry = next(entry for entry in entries if entry.name == empty.name)
    assert "one object only" in entry.left_out[0]
    assert export_scene(scene).scene.joints == ()
    assert ob.name == "moving"


def both(scene, ob, frames, time_step=1 / 240):
    """(matrix in Blender's own simulation, ours, our run) of a body after so many frames."""
    for frame in range(1, frames + 1):
        scene.frame_set(frame)
    theirs = np.array(ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)
    scene.frame_set(1)
    take_over(scene)
    run = simulate(export_scene(scene).scene, SimulationOptions(time=(frames - 1) / 24, time_step=time_step))
    return theirs, matrix_at(run, -1), run


def matrix_at(run, row):
    from stiction.solver.dynamics import rotation

    matrix, body = np.eye(4), run.names.index("moving")
    matrix[:3, :3] = rotation.matrix(run.orientations[row : row + 1 if row != -1 else None, body])[0]
    matrix[:3, 3] = run.positions[row, body]
    return matrix


def test_fixed_holds_all_and_point_a_point(scene):
    """A body a metre off: fixed stays; on a point it swings down about the empty, as far as in Blender."""
    ob = built(scene, "FIXED", (1, 0, 0), (0, 0, -7.0))
    theirs, ours, run = both(scene, ob, 13)
    assert np.abs(ours[:3, 3] - [1, 0, 0]).max() < 1e-8
    assert np.abs(theirs[:3, 3] - [1, 0, 0]).max() < 0.01
    constraint = next(one for one in scene.objects if one.rigid_body_constraint).rigid_body_constraint
    constraint.type = "POINT"
    scene.rigidbody_world.enabled = True
    theirs, ours, run = both(scene, ob, 13)
    assert ours[2, 3] < -0.4
    assert theirs[2, 3] == pytest.approx(ours[2, 3], abs=0.05)
    assert np.linalg.norm(ours[:3, 3]) == pytest.approx(1.0, abs=1e-8)
    assert run.joints[:, 0, 2].max() < 1e-8


def chain_of_ten(scene):
    """Ten cubes of 1 kg, the last of 100 kg, a tenth of a metre apart on POINT constraints, from horizontal."""
    bpy.ops.rigidbody.world_add()
    scene.rigidbody_world.point_cache.frame_end = 200
    scene.gravity, scene.frame_end = (0, 0, -9.81), 100
    links = [cube("fixed", (0, 0, 0), "PASSIVE"), *(cube(f"link{k}", (0.1 * k, 0, 0), "ACTIVE") for k in range(1, 10)),
             cube("moving", (1.0, 0, 0), "ACTIVE")]  # fmt: skip
    links[-1].rigid_body.mass = 100.0
    for k in range(10):
        bpy.ops.object.empty_add(type="ARROWS", location=(0.1 * k + 0.05, 0, 0))
        bpy.ops.rigidbody.constraint_add(type="POINT")
        constraint = bpy.context.object.rigid_body_constraint
        constraint.object1, constraint.object2, constraint.disable_collisions = links[k], links[k + 1], True
    for link in links:
        link.rigid_body.collision_collections = [k == 19 for k in range(20)]
        link.scale = (0.2, 0.2, 0.2)
    return links


def test_a_straight_bridge_is_shown_in_the_sag_in_which_it_begins(scene):
    """At the first frame, too: places of a bake are those of the run, not of how far it went from where it began."""
    bpy.ops.rigidbody.world_add()
    scene.gravity, scene.frame_end = (0, 0, -9.81), 10
    kinds = ["PASSIVE", *["ACTIVE"] * 4, "PASSIVE"]
    planks = [cube(f"plank{k}", (0.2 * k, 0, 0), kind) for k, kind in enumerate(kinds)]
    for k in range(5):
        bpy.ops.object.empty_add(type="ARROWS", location=(0.2 * k + 0.1, 0, 0))
        bpy.ops.rigidbody.constraint_add(type="POINT")
        constraint = bpy.context.object.rigid_body_constraint
        constraint.object1, constraint.object2, constraint.disable_collisions = planks[k], planks[k + 1], True
    take_over(scene)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    sags = []
    for frame in (1, 2, 10):
        scene.frame_set(frame)
        sags.append([-plank.matrix_world.translation.z for plank in planks])
    assert sags[0][0] == sags[0][-1] == 0.0
    assert min(sags[0][1:-1]) > 0.004
    assert np.abs(np.diff(sags, axis=0)).max() < 0.002


@pytest.mark.slow
def test_a_chain_with_a_heavy_end_stays_closed(scene):
    """Blender's own chain opens by centimetres in half a second; ours by less than 1e-8 m."""
    links = chain_of_ten(scene)
    widest = 0.0
    for frame in range(1, 15):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        places = [np.array(link.evaluated_get(graph).matrix_world) for link in links]
        ends = [(a[:3, 3] + 0.05 * a[:3, 0] / 0.2, b[:3, 3] - 0.05 * b[:3, 0] / 0.2)
                for a, b in zip(places[:-1], places[1:], strict=True)]  # fmt: skip
        widest = max(widest, *(np.linalg.norm(one - other) for one, other in ends))
    _, _, run = both(scene, links[-1], 14, 0.01)
    assert run.joints[:, :, 2:4].max() < 1e-8
    assert run.positions[:, run.names.index("moving"), 2].min() < -0.9
    assert widest > 0.01


@pytest.mark.parametrize("spring", ["SPRING2", "SPRING1"])
def test_springs_are_newtons_a_metre_and_rest_where_they_start(scene, spring):
    """1 kg on 100 N/m and 0.5 N s/m, which springs of type 1 do not have: at -m g / k in the middle of its way."""
    free = {"use_limit_lin_z": False}
    ob = built(scene, "GENERIC_SPRING", (0, 0, 0), (0, 0, -9.81), **(LOCKED | free), spring_type=spring,
               use_spring_z=True, spring_stiffness_z=100.0, spring_damping_z=0.5)  # fmt: skip
    theirs, ours, run = both(scene, ob, 24)
    heights = run.positions[:, run.names.index("moving"), 2]
    decay = 0.25 if spring == "SPRING2" else 0.0
    w = np.sqrt(100.0 - decay**2)
    sag, t = 9.81 / 100.0, run.times
    exact = -sag * (1 - np.exp(-decay * t) * (np.cos(w * t) + decay / w * np.sin(w * t)))
    assert heights == pytest.approx(exact, abs=0.01 * sag)
    assert theirs[2, 3] == pytest.approx(ours[2, 3], abs=0.3 * sag)


def test_angular_motor_turns_object_2_backwards_with_a_torque(scene):
    """.001 N m at most turn a cube of 1 kg and .2 m, I = .00667, by .15 rad/s^2, object 2 against the sense given."""
    ob = built(scene, "MOTOR", (0, 0, 0), (0, 0, 0), use_motor_ang=True, motor_ang_target_velocity=1.0,
               motor_ang_max_impulse=0.001)  # fmt: skip
    theirs, ours, _ = both(scene, ob, 25)
    assert moved(ours, "ang", "x") == pytest.approx(-0.5 * 0.15, rel=0.01)
    assert moved(theirs, "ang", "x") == pytest.approx(moved(ours, "ang", "x"), rel=0.15)


def test_a_driver_of_a_motor_is_followed_as_in_blender(scene):
    ob = built(scene, "MOTOR", (0, 0, 0), (0, 0, 0), use_motor_ang=True, motor_ang_max_impulse=1.0,
               motor_lin_max_impulse=1.0)  # fmt: skip
    driver = bpy.context.object.driver_add("rigid_body_constraint.motor_ang_target_velocity").driver
    driver.type, driver.expression = "SCRIPTED", "1 if frame < 21 else -2"
    theirs, ours, _ = both(scene, ob, 40)
    assert moved(theirs, "ang", "x") == pytest.approx((40 - 19) / 24, abs=0.06)
    assert moved(ours, "ang", "x") == pytest.approx(moved(theirs, "ang", "x"), abs=0.06)


def test_keys_of_a_motor_are_followed_as_in_blender(scene):
    """A driven wheel that turns back at frame 21: 19 frames of 1 rad/s and 20 of -2 rad/s, object 2 against both."""
    ob = built(scene, "MOTOR", (0, 0, 0), (0, 0, 0), use_motor_ang=True, motor_ang_max_impulse=1.0,
               motor_lin_max_impulse=1.0)  # fmt: skip
    motor = bpy.context.object
    for frame, speed in ((1, 1.0), (20, 1.0), (21, -2.0)):
        motor.rigid_body_constraint.motor_ang_target_velocity = speed
        motor.rigid_body_constraint.keyframe_insert("motor_ang_target_velocity", frame=frame)
    motor.rigid_body_constraint.keyframe_insert("breaking_threshold", frame=1)
    motor.rigid_body_constraint.breaking_threshold = 5.0
    motor.rigid_body_constraint.keyframe_insert("breaking_threshold", frame=9)
    theirs, ours, _ = both(scene, ob, 40)
    read = read_constraints(scene, list(scene.objects), bpy.context.evaluated_depsgraph_get())
    scene.frame_set(30)
    assert read_constraints(scene, list(scene.objects), bpy.context.evaluated_depsgraph_get()) == read
    assert moved(ours, "ang", "x") == pytest.approx((40 - 19) / 24, abs=0.03)
    assert moved(theirs, "ang", "x") == pytest.approx(moved(ours, "ang", "x"), abs=0.03)
    _, entries = take_over(scene)
    entry = next(entry for entry in entries if entry.name == motor.name)
    assert entry.left_out == ["keys of breaking_threshold: one value holds throughout"]


@pytest.mark.parametrize(("substeps", "threshold", "breaks"), [(10, 0.03, True), (10, 0.05, False), (40, 0.02, False)])
def test_breaking_is_an_impulse_a_substep(scene, substeps, threshold, breaks):
    """1 kg hung: m g / (24 x 10) = .041 N s a substep, and a quarter of that with 40."""
    ob = built(scene, "FIXED", (0, 0, -1), (0, 0, -9.81), use_breaking=True, breaking_threshold=threshold)
    scene.rigidbody_world.substeps_per_frame = substeps
    theirs, ours, run = both(scene, ob, 13)
    assert export_scene(scene).scene.joints[0].breaking == pytest.approx(threshold * 24 * substeps, rel=1e-6)
    assert (ours[2, 3] < -1.5) == breaks
    assert (theirs[2, 3] < -1.5) == breaks


@pytest.mark.parametrize("kind", ["GENERIC", "GENERIC_SPRING", "MOTOR"])
def test_one_as_it_is_added_holds_nothing(scene, kind, tmp_path):
    moving = built(scene, kind, (0, 0, -1), (0, 0, -9.81))
    scene.frame_end, scene.stiction.cache = 13, str(tmp_path)
    take_over(scene)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    scene.frame_set(13)
    assert moving.matrix_world.translation.z == pytest.approx(-1 - 0.5 * 9.81 * 0.25, abs=1e-3)
