"""Joints of our own: added, connected, read with units, keyed, baked and cleared, drawn, told of."""

import bpy
import numpy as np
import pytest
from panel_layout import draw_all

from stiction.blender_addon.baking.signature import out_of_date, signature
from stiction.blender_addon.checks import runner
from stiction.blender_addon.exporting.export import export_scene
from stiction.blender_addon.inside import contact_mesh, plot_data
from stiction.blender_addon.inside.contacts import record_of
from stiction.blender_addon.joints.adding import add_joint
from stiction.blender_addon.joints.settings import coordinates_of
from stiction.blender_addon.overlay import OVERLAYS
from stiction.blender_addon.overlay.view import View
from stiction.solver.base.refusal import SceneError
from stiction.solver.dynamics.joints import JOINTS
from stiction.solver.model import compile_scene
from stiction.solver.scene import Bearing, Keyed, Servo, Spring


@pytest.fixture
def pair(scene, add, tmp_path):
    """A Passive and an Active cube, a metre apart along x."""
    scene.stiction.cache = str(tmp_path)
    post = add("post", kind="PASSIVE", scale=(0.2, 0.2, 0.2))
    arm = add("arm", scale=(0.4, 0.2, 0.1), location=(1, 0, 0))
    bpy.context.view_layer.update()
    return scene, post, arm


def joint(scene, kind, *ends, place=(0.5, 0, 0), axis="Z"):
    made = add_joint(scene, kind, ends, place, axis)
    bpy.context.view_layer.update()
    return made


def select(*objects):
    for ob in bpy.context.scene.objects:
        ob.select_set(ob in objects)
    bpy.context.view_layer.objects.active = objects[-1]


@pytest.mark.parametrize("kind", list(JOINTS))
def test_every_type_can_be_added_drawn_and_simulated(pair, kind):
    scene, post, arm = pair
    ends = (post, arm)
    if not JOINTS[kind].bodies:
        wheel = bpy.data.objects.new("wheel", arm.data)
        wheel.location, wheel.scale = (0, 1, 0), (0.2, 0.2, 0.2)
        scene.collection.objects.link(wheel)
        wheel.stiction.type = "ACTIVE"
        second = "slider" if kind == "rack" else "hinge"
        ends = (joint(scene, "hinge", post, arm), joint(scene, second, post, wheel, place=(0, 1, 0)))
    made = joint(scene, kind, *ends)
    made.stiction_joint.free[0] = True
    found = export_scene(scene).scene
    assert found.joints[-1].type == kind
    model, _ = compile_scene(found)
    assert model.joints.names[-1] == made.name
    select(made)
    layout = draw_all(bpy.context)
    assert "type" in layout.fields and made.name in layout.labels
    assert OVERLAYS["joints"].strokes(View(scene, 1))


def test_what_is_set_is_what_is_simulated(pair):
    """In a scene whose unit is a centimetre: lengths by 0.01, torques by its square."""
    scene, post, arm = pair
    scene.unit_settings.system, scene.unit_settings.scale_length = "METRIC", 0.01
    made = joint(scene, "cylindrical", post, arm, axis="X")
    own = made.stiction_joint
    own.z.use_low, own.z.low, own.z.drive, own.z.stiffness, own.z.target = True, -2.0, "SPRING", 50.0, 3.0
    own.rz.use_high, own.rz.high, own.rz.drive, own.rz.strength, own.rz.stiffness = True, 0.5, "SERVO", 4e4, 1e6
    own.rz.friction, own.use_breaking, own.breaking, own.collide = 2e4, True, 700.0, True
    found = export_scene(scene).scene.joints[0]
    assert found.axis == pytest.approx((1, 0, 0), abs=1e-7)
    assert found.position == pytest.approx((0.005, 0, 0))
    assert found.limits == {"z": (-0.02, None), "rz": (None, 0.5)}
    assert found.spring == {"z": Spring(50.0, 1.0, 0.03)}
    assert found.servo == {"rz": Servo(0.0, 100.0, pytest.approx(1e-4), 4.0)}
    assert found.friction == {"rz": 2.0}
    assert found.breaking == pytest.approx(7.0)
    assert found.collide


def test_bearing_friction_is_simulated(pair):
    """A coefficient and, where something turns, a radius in the scene's unit; none set, none exported."""
    scene, post, arm = pair
    scene.unit_settings.system, scene.unit_settings.scale_length = "METRIC", 0.01
    made = joint(scene, "screw", post, arm)
    own = made.stiction_joint
    assert export_scene(scene).scene.joints[0].bearing is None
    own.bearing, own.bearing_radius = 0.15, 2.0
    assert export_scene(scene).scene.joints[0].bearing == Bearing(0.15, 0.02)
    select(made)
    assert {"bearing", "bearing_radius"} <= set(draw_all(bpy.context).fields)
    own.type = "SLIDER"
    assert export_scene(scene).scene.joints[0].bearing == Bearing(0.15)


def test_connect_selected_knows_both_patterns(scene, add):
    cubes = [add(f"c{i}", kind="ACTIVE", location=(x, 0, 0)) for i, x in enumerate((0, 6, 2, 4))]
    bpy.context.view_layer.update()
    select(*cubes[1:], cubes[0])
    assert bpy.ops.stiction.connect(type="BALL", pattern="CHAIN_DISTANCE") == {"FINISHED"}
    made = [ob.stiction_joint for ob in bpy.context.selected_objects]
    assert {(own.object1.name, own.object2.name) for own in made} == {("c0", "c2"), ("c2", "c3"), ("c3", "c1")}
    assert sorted(ob.location.x for ob in bpy.context.selected_objects) == [1, 3, 5]
    select(*cubes[1:], cubes[0])
    bpy.ops.stiction.connect(type="HINGE", pattern="SELECTED_TO_ACTIVE", pivot="ACTIVE", axis="LINE")
    made = list(bpy.context.selected_objects)
    assert {ob.stiction_joint.object2.name for ob in made} == {"c0"}
    assert {ob.stiction_joint.object1.name for ob in made} == {"c1", "c2", "c3"}
    assert all(ob.location.length == 0 and abs(ob.matrix_basis.col[2].x) > 0.999 for ob in made)


def test_add_joint_makes_bodies_and_joins_to_the_ground(scene, add):
    cube = add("cube", kind="NONE")
    select(cube)
    scene.cursor.location = (0, 0, 2)
    assert bpy.ops.stiction.add_joint(type="HINGE") == {"FINISHED"}
    own = bpy.context.object.stiction_joint
    assert (own.object1, own.object2, cube.stiction.type) == (None, cube, "ACTIVE")
    assert tuple(bpy.context.object.location) == (0, 0, 2)
    assert export_scene(scene).scene.joints[0].bodies == ("world", "cube")


@pytest.fixture
def wheel(pair):
    """The cube on a motor whose speed is keyed from 0 to 6 rad/s in 20 frames, without gravity."""
    scene, post, arm = pair
    scene.use_gravity = False
    made = joint(scene, "hinge", post, arm)
    turn = made.stiction_joint.rz
    turn.drive = "MOTOR"
    for frame, speed in ((1, 0.0), (20, 6.0)):
        turn.speed = speed
        made.keyframe_insert("stiction_joint.rz.speed", frame=frame)
    return scene, arm, made


def test_bake_change_bake_again_and_clear_are_exact(wheel):
    scene, arm, made = wheel
    action, keys = made.animation_data.action, signature(scene)
    before = np.array(arm.matrix_world), np.array(made.matrix_world)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    record = record_of(scene)
    curve = export_scene(scene).scene.joints[0].motor["rz"].velocity
    assert isinstance(curve, Keyed)
    rates, times = record.frames.joints[:, 0, 1], record.frames.times
    assert rates == pytest.approx(np.interp(times, curve.times, curve.values), abs=1e-6)
    assert record.frames.joints[:, 0, 2:4].max() < 1e-8
    assert "worst joint" in scene.stiction.summary and made.name in scene.stiction.summary
    scene.frame_set(20)
    first = np.array(arm.matrix_world)
    assert not np.allclose(first, before[0], atol=0.1)
    assert not out_of_date(scene)
    made.stiction_joint.rz.use_high, made.stiction_joint.rz.high = True, 0.3
    assert out_of_date(scene)
    assert bpy.ops.stiction.bake() == {"FINISHED"}
    scene.frame_set(20)
    angle = np.arctan2(arm.matrix_world[1][0], arm.matrix_world[0][0])
    assert angle == pytest.approx(0.3, abs=1e-5)
    assert bpy.ops.stiction.clear() == {"FINISHED"}
    scene.frame_set(1)
    assert np.array_equal(np.array(arm.matrix_world), before[0])
    assert np.array_equal(np.array(made.matrix_world), before[1])
    assert made.animation_data.action == action
    made.stiction_joint.rz.use_high = False
    assert signature(scene) == keys


def test_the_run_shows_joints_and_plots_and_attributes(wheel):
    scene, _, made = wheel
    bpy.ops.stiction.bake()
    record = record_of(scene)
    titles = [panel.title for panel in plot_data.joint_panels(record.frames)]
    assert titles == ["widest joint", "joint force [N]", "joint torque [N m]", "power of motors and servos [W]"]
    panels = {panel.title: panel.series for panel in plot_data.joint_panels(record.frames)}
    # Power is torque times rate: the moment of inertia about the pin times acceleration times rate.
    mass = 0.4 * 0.2 * 0.1 * 1000
    inertia = mass * ((0.4**2 + 0.2**2) / 12 + 0.5**2)
    power = panels["power of motors and servos [W]"][made.name]
    rate, h = record.frames.joints[:, 0, 1], record.time_step
    speeds = np.interp(record.frames.times[10] - np.array([0, h]), record.frames.times, rate)
    assert power[10] == pytest.approx(inertia * (speeds[0] - speeds[1]) / h * rate[10], rel=0.02)
    contact_mesh.build(scene, record)
    mesh = scene.objects[contact_mesh.JOINTS].data
    power_now = np.empty(len(mesh.vertices), dtype=np.float32)
    mesh.attributes["power"].data.foreach_get("value", power_now)
    assert power_now[20] == pytest.approx(power[10], rel=1e-5)
    assert {"force", "force_vector", "torque", "gap", "angle", "value", "rate"} <= set(mesh.attributes.keys())
    scene.frame_set(1)
    still = OVERLAYS["joints"].strokes(View(scene, 1))
    later = OVERLAYS["joints"].strokes(View(scene, 15))
    hand = [strokes[-1].segments[-1] for strokes in (still, later)]
    turned = record.frames.joints[14, 0, 0]
    way = [segment[1] - segment[0] for segment in hand]
    assert np.arctan2(way[1][1], way[1][0]) - np.arctan2(way[0][1], way[0][0]) == pytest.approx(turned, abs=1e-5)


def test_joints_and_their_overlay_follow_a_moving_first_body(pair):
    scene, post, arm = pair
    post.stiction.type = "ACTIVE"
    made = joint(scene, "hinge", post, arm)
    bpy.ops.stiction.bake()
    fallen = record_of(scene).frames
    drawn = OVERLAYS["joints"].strokes(View(scene, 20))[0].segments.mean(axis=(0, 1))
    body = fallen.names.index("post")
    assert drawn[2] == pytest.approx(made.location.z + fallen.positions[-1, body, 2], abs=1e-4)


def test_signature_sees_what_counts_and_nothing_else(pair):
    scene, post, arm = pair
    made = joint(scene, "hinge", post, arm)
    own, start = made.stiction_joint, signature(scene)
    own.rz.high, own.rz.speed, own.x.high, made.empty_display_size = 0.1, 3.0, 4.0, 9.0
    made.name = "another"
    assert signature(scene) == start, "none of these is used"
    for change in ("own.rz.use_high = True", "own.rz.drive = 'MOTOR'", "own.collide = True", "own.object1 = None",
                   "made.location.x = 0.6", "own.type = 'FIXED'"):  # fmt: skip
        before = signature(scene)
        exec(change, {"own": own, "made": made})
        bpy.context.view_layer.update()
        assert signature(scene) != before, change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda own: setattr(own, "object1", own.object2), ["to itself"]),
        (lambda own: (setattr(own, "object1", None), setattr(own, "object2", None)), ["joins nothing"]),
        (lambda own: setattr(own.object1.stiction, "type", "NONE"), ["'post'", "no body"]),
        (lambda own: setattr(own, "type", "GEAR"), ["Drives names no joint"]),
    ],
)
def test_faults_are_found_before_the_bake_and_refused(pair, change, words):
    scene, post, arm = pair
    made = joint(scene, "hinge", post, arm)
    change(made.stiction_joint)
    with pytest.raises(SceneError) as told:
        export_scene(scene)
    found, _ = runner.check_now(scene)
    assert signature(scene)
    for word in [*words]:
        assert word in str(told.value)
        assert word in found["joints"][0].text
    assert made.name in str(told.value)
    assert runner.repair(scene, "joints")
    assert not runner.check_now(scene)[0]["joints"]


def test_other_keys_and_drives_that_a_type_lacks_are_refused(pair):
    scene, post, arm = pair
    made = joint(scene, "hinge", post, arm)
    made.stiction_joint.rz.keyframe_insert("friction", frame=1)
    with pytest.raises(SceneError, match="rz.friction is keyed"):
        export_scene(scene)
    made.animation_data_clear()
    made.stiction_joint.type = "BALL"
    made.stiction_joint.swing.drive = "SPRING"
    with pytest.raises(SceneError, match="takes no spring"):
        export_scene(scene)
    made.stiction_joint.type, made.stiction_joint.d.drive = "ROPE", "MOTOR"
    with pytest.raises(SceneError, match="no motor or servo"):
        export_scene(scene)


def test_coordinates_are_those_of_the_types():
    """A new type's coordinates have settings in the panel."""
    from stiction.blender_addon.joints.settings import TRAVELS, TURNS

    for kind in JOINTS.values():
        assert set(kind.coordinates) <= {*TRAVELS, *TURNS}
    assert coordinates_of is not None


def test_half_the_speed_gives_a_keyed_motor_half_the_time(wheel):
    scene, _, _ = wheel
    before = export_scene(scene).scene.joints[0].motor["rz"].velocity.times
    scene.stiction.time_scale = 0.5
    assert export_scene(scene).scene.joints[0].motor["rz"].velocity.times == pytest.approx(np.array(before) / 2)
