"""Scenes whose end a formula knows: springs, motors, slopes, bounces, rates, units, what is held and let go."""

from math import cos, pi, sin

import bpy
import numpy as np
from gallery_base import BALL, BOX, scene_of
from mathutils import Matrix
from tutorial import add, ground, join, key_places, key_setting

G = 9.81
FREE = {"linear_damping": 0.0, "angular_damping": 0.0}


def held(*but, kind="lin"):
    """Limits of a generic constraint that hold all axes of a kind but those named."""
    return {name: value for axis in "xyz" if axis not in but for name, value in (
        (f"use_limit_{kind}_{axis}", True), (f"limit_{kind}_{axis}_lower", 0.0), (f"limit_{kind}_{axis}_upper", 0.0))}


def hook(at=(0, 0, 4)):
    """What others hang from."""
    return add("cube", "PASSIVE", at=at, size=0.2, body=BOX)


def fallen(height, frames, rate=24.0, gravity=G):
    """Height after a free fall of so many frames."""
    return height - 0.5 * gravity * (frames / rate) ** 2


@scene_of(49, kind="SPRING1")
@scene_of(49, kind="SPRING2")
def weight_on_a_spring(kind):
    """2 kg on 50 N/m, undamped; springs of type 1 are, whatever their damping."""
    weight, damping = add("cube", at=(0, 0, 3), size=0.5, body=BOX | FREE | {"mass": 2.0}), 0.5 * (kind == "SPRING1")
    join("GENERIC_SPRING", hook(), weight, (0, 0, 3.5), use_spring_z=True, spring_stiffness_z=50.0, spring_type=kind,
         spring_damping_z=damping, **held("z"), **held(kind="ang"))  # fmt: skip
    sag = 2 * G / 50
    wanted = 3 - sag * (1 - np.cos(5.0 * np.arange(49) / 24))
    return lambda film: np.allclose([film.place(weight, k)[2] for k in range(1, 50)], wanted, atol=2e-3)


@scene_of(49)
def wheel_on_a_motor():
    """A motor turns a wheel on a hinge by 3 rad/s."""
    post, wheel = hook(), add("cylinder", at=(0, 0, 4), radius=0.5, depth=0.2, body={"collision_shape": "CYLINDER"})
    join("HINGE", post, wheel, (0, 0, 4))
    join("MOTOR", post, wheel, (0, 0, 4), (0, -pi / 2, 0), use_motor_ang=True, motor_ang_target_velocity=3.0,
         motor_ang_max_impulse=5.0)  # fmt: skip
    turned = lambda film: np.unwrap([film.matrix(wheel, k).to_euler().z for k in range(25, 50)])  # noqa: E731
    return lambda film: abs(abs(np.ptp(turned(film))) - 3.0) < 0.02


@scene_of(49)
def rolling_down():
    """A ball, a cylinder and a box without friction on one slope: 5/7, 2/3 and all of g sin."""
    lean = 0.3
    add("plane", "PASSIVE", size=40, rotation=(0, lean, 0), body={"friction": 1.0})
    up, down = np.array((sin(lean), 0, cos(lean))), np.array((cos(lean), 0, -sin(lean)))
    start, gripping = 0.5 * up - 2 * down, FREE | {"friction": 1.0}
    bodies = (add("uv_sphere", at=start - (0, 3, 0), radius=0.5, body=BALL | gripping),
              add("cylinder", at=start + (0, 3, 0), radius=0.5, depth=1, rotation=(pi / 2, 0, 0),
                  body={"collision_shape": "CYLINDER"} | gripping),
              add("cube", at=start, size=1, rotation=(0, lean, 0), body=BOX | FREE | {"friction": 0.0}))  # fmt: skip
    wanted = 0.5 * G * sin(lean) * 4 * np.array((5 / 7, 2 / 3, 1))
    return lambda film: np.allclose([(film.place(ob) - film.place(ob, 1)) @ down for ob in bodies], wanted, rtol=0.01)


@scene_of(60)
def bounce_of_two_materials():
    """Bounciness 0.5 on 0.8 comes back to 0.16 of the height."""
    add("plane", "PASSIVE", size=10, body={"restitution": 0.8})
    ball = add("uv_sphere", at=(0, 0, 2.2), radius=0.2, body=BALL | FREE | {"restitution": 0.5})
    return lambda film: abs(max(film.place(ball, k)[2] for k in range(20, 40)) - 0.2 - 0.32) < 0.01


@scene_of(72)
def film_at_23976():
    """24 frames in 1.001 s."""
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 24, 1.001
    cube = add("cube", at=(0, 0, 50), size=1, body=BOX | FREE)
    return lambda film: abs(film.place(cube)[2] - fallen(50, 71, 24 / 1.001)) < 1e-3


@scene_of(41)
def every_second_frame():
    """Rendered in steps of two frames, it falls as in steps of one."""
    bpy.context.scene.frame_step = 2
    cube = add("cube", at=(0, 0, 50), size=1, body=BOX | FREE)
    return lambda film: np.allclose([film.place(cube, k)[2] for k in (20, 41)], [fallen(50, k) for k in (19, 40)],
                                    atol=1e-3)  # fmt: skip


@scene_of(60)
def in_centimetres():
    """A unit of .01 m and the gravity that belongs to it."""
    scene = bpy.context.scene
    scene.unit_settings.scale_length, scene.gravity = 0.01, (0, 0, -981)
    ground(200)
    cube = add("cube", at=(0, 0, 105), size=10, body=BOX | FREE)
    return lambda film: abs(film.place(cube, 10)[2] - fallen(105, 9, gravity=981)) < 0.05 and (
        abs(film.place(cube)[2] - 5) < 0.05)  # fmt: skip


@scene_of(60)
def sliding_to_a_stop():
    """Thrown at 6 units a second, it is slowed by 0.4 times 0.5 of its weight."""
    ground(40)
    block = add("cube", at=(-3, 0, 0.5), size=1, body=BOX | FREE | {"friction": 0.4})
    key_places(block, (1, (-4, 0, 0.5)), (5, (-3, 0, 0.5)), interpolation="LINEAR")
    key_setting(block.rigid_body, "kinematic", (1, True), (5, True), (6, False))
    time = 55 / 24
    return lambda film: abs(film.place(block)[0] - (-3 + 6 * time - 0.5 * 0.2 * G * time**2)) < 0.02


@scene_of(40)
def stopped_in_the_air():
    """Dynamic keyed on, off and on again: it stands where it is in between."""
    ball = add("uv_sphere", at=(0, 0, 9), radius=0.3, body=BALL | FREE)
    key_setting(ball.rigid_body, "enabled", (1, False), (6, True), (16, False), (26, True))
    wanted = fallen(9, 10)
    return lambda film: np.allclose([film.place(ball, k)[2] for k in (5, 15, 25, 40)],
                                    (9, wanted, wanted, fallen(wanted, 15)), atol=1e-3)  # fmt: skip


@scene_of(60)
def taken_by_child_of():
    """A Child Of whose influence is keyed takes a block from the ground and lets it go in flight."""
    ground()
    block = add("cube", at=(0, 0, 0.25), size=0.5, body=BOX | FREE)
    bpy.ops.object.empty_add(location=(0, 0, 1))
    hand = bpy.context.object
    key_places(hand, (1, (0, 0, 1)), (10, (0, 0, 1)), (30, (4, 0, 3)), interpolation="LINEAR")
    hold = block.constraints.new("CHILD_OF")
    hold.target, hold.inverse_matrix = hand, Matrix.Translation((0, 0, 1)).inverted()
    key_setting(hold, "influence", (1, 0.0), (9, 0.0), (10, 1.0), (25, 1.0), (26, 0.0))
    key_setting(block.rigid_body, "kinematic", (1, False), (9, False), (10, True), (26, False))
    at = np.array((3, 0, 1.75))
    return lambda film: np.allclose(film.place(block, 25), at, atol=1e-3) and np.allclose(
        film.place(block, 30), at + (4.8 * 5 / 24, 0, 2.4 * 5 / 24 - 0.5 * G * (5 / 24) ** 2), atol=5e-3)  # fmt: skip


@scene_of(60)
def turned_to_look():
    """A Track To says how an Active cube begins, and no more: it falls as it stood, on an edge."""
    bpy.ops.object.empty_add(location=(3, 3, 3))
    aim, cube = bpy.context.object, add("cube", at=(0, 0, 30), size=1, body=BOX | FREE)
    cube.constraints.new("TRACK_TO").target = aim
    at_start = lambda film: np.array(film.matrix(cube, 1).to_3x3())  # noqa: E731
    return lambda film: abs(film.place(cube)[2] - fallen(30, 59)) < 1e-3 and (
        abs(at_start(film)[0, 0]) < 0.9 and np.allclose(film.matrix(cube).to_3x3(), at_start(film), atol=1e-4)
    )


@scene_of(40)
def under_what_moves():
    """Active bodies under an Empty on keys, and under each other: they fall in the world."""
    bpy.ops.object.empty_add(location=(0, 0, 0))
    carrier, first = bpy.context.object, add("cube", at=(0, 0, 30), size=1, body=BOX | FREE)
    key_places(carrier, (1, (0, 0, 0)), (40, (5, 0, 5)))
    first.parent = carrier
    second = add("cube", at=(3, 0, 32), size=1, body=BOX | FREE)
    second.parent, second.matrix_parent_inverse = first, Matrix.Translation((0, 0, 30)).inverted()
    return lambda film: all(np.allclose(film.place(ob), (x, 0, fallen(z, 39)), atol=1e-3)
                            for ob, x, z in ((first, 0, 30), (second, 3, 32)))  # fmt: skip


@scene_of(60)
def arm_with_stops():
    """An arm on a hinge about a tilted axis, bodies in either order, comes to rest at its stop."""
    arms = []
    for k, order in enumerate((1, -1)):
        post, arm = hook((0, 3 * k, 4)), add("cube", at=(1, 3 * k, 4), size=0.5, body=BOX | {"angular_damping": 0.9})
        join("HINGE", *(post, arm)[::order], (0, 3 * k, 4), (pi / 2, 0, 0), use_limit_ang_z=True,
             limit_ang_z_lower=-0.7, limit_ang_z_upper=0.7)  # fmt: skip
        arms.append(arm)
    return lambda film: np.allclose([film.place(arm)[2] for arm in arms], 4 - sin(0.7), atol=0.01)


@scene_of(60)
def box_in_a_cage():
    """Limits of a generic constraint let a box fall by .3."""
    box = add("cube", at=(0.3, 0, 4), size=0.4, body=BOX)
    limits = {f"use_limit_lin_{axis}": True for axis in "xyz"}
    limits |= {f"limit_lin_{axis}_{side}": value for axis in "xyz" for side, value in (("lower", -0.3), ("upper", 0.4))}
    join("GENERIC", hook(), box, (0.3, 0, 4), **limits, **held(kind="ang"))
    return lambda film: np.allclose(film.place(box), (0.3, 0, 3.7), atol=1e-3)
