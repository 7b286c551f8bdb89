"""What tutorials show besides: odd worlds, sizes, modifiers, things that turn, hang and rest."""

from math import cos, pi, sin

import bmesh
import bpy
import numpy as np
from gallery_base import BALL, BOX, MESH, above, both, scaled, scene_of
from tutorial import add, ground, join, key_places, key_setting


def thrown(ob, *keys):
    """Keys on two frames, and Animated off from the frame after: how one throws."""
    key_places(ob, *keys, interpolation="LINEAR")
    (begin, _), (end, _) = keys
    key_setting(ob.rigid_body, "kinematic", (begin, True), (end, True), (end + 1, False))
    return ob


@scene_of(60)
def space_billiards():
    """No gravity: a keyed ball meets a row of others."""
    bpy.context.scene.use_gravity = False
    free = {"restitution": 0.9, "linear_damping": 0.0, **BALL}
    row = [add("uv_sphere", radius=0.3, at=(0.7 * k, 0, 2), body=free) for k in range(4)]
    thrown(add("uv_sphere", radius=0.3, at=(-3, 0, 2), body=free), (1, (-3, 0, 2)), (10, (-1.5, 0, 2)))
    return lambda film: film.place(row[-1])[0] > 2.5 and abs(film.place(row[-1])[2] - 2) < 0.05


@scene_of(70)
def drum_by_driver():
    """A tube that the driver #frame turns, with balls in it."""
    drum = add("cylinder", "PASSIVE", at=(0, 0, 2), rotation=(pi / 2, 0, 0), radius=1.5, depth=2,
               end_fill_type="NOTHING", body={"kinematic": True, **MESH})  # fmt: skip
    drum.modifiers.new("Solidify", "SOLIDIFY").thickness = 0.1
    drum.driver_add("rotation_euler", 1).driver.expression = "frame / 10"
    balls = [add("ico_sphere", subdivisions=2, radius=0.2, at=(0.5 * (k - 1), 0.45 * (j - 0.5), 1.6))
             for k in range(3) for j in range(2)]  # fmt: skip
    return lambda film: all(0.4 < film.place(ball)[2] < 3.6 for ball in balls)


@scene_of(60)
def floor_jumps_away():
    """A floor that is somewhere else from one frame to the next, by constant keys."""
    ground(40)
    floor = scaled(add("cube", "PASSIVE", at=(0, 0, 3), size=1, body={"kinematic": True, **BOX}), 4, 4, 0.2)
    key_places(floor, (1, (0, 0, 3)), (25, (20, 0, 3)), interpolation="CONSTANT")
    boxes = [add("cube", at=(0.9 * k - 1, 0, 3.6), size=0.6) for k in range(3)]
    near = lambda film: all(film.place(box)[2] < 1 and abs(film.place(box)[0]) < 3 for box in boxes)  # noqa: E731
    return both(above(*boxes), near)


@scene_of(60)
def slow_motion():
    """60 frames a second, a quarter of the speed, 20 substeps: a second of film is a quarter of a second."""
    scene = bpy.context.scene
    scene.render.fps = 60
    ground()
    cube = add("cube", at=(0, 0, 2), size=1)
    scene.rigidbody_world.time_scale, scene.rigidbody_world.substeps_per_frame = 0.25, 20
    return lambda film: 0.2 < 2 - film.place(cube)[2] < 0.45


@scene_of(160)
def starts_at_100():
    """A film from frame 100 on, 29.97 frames a second."""
    scene = bpy.context.scene
    scene.frame_start, scene.render.fps, scene.render.fps_base = 100, 30, 1.001
    ground()
    cube = add("cube", at=(0, 0, 3), size=1)
    scene.rigidbody_world.point_cache.frame_start = 100
    return lambda film: abs(film.place(cube, 100)[2] - 3) < 0.05 and abs(film.place(cube)[2] - 0.5) < 0.01


@scene_of(80)
def odd_objects():
    """A scale that is not applied, one that mirrors, an origin in a corner."""
    ground()
    long = scaled(add("cube", at=(0, 0, 2), size=1), 0.3, 2.0, 0.5)
    mirrored = scaled(add("monkey", at=(3, 0, 2), size=1), -1, 1, 1)
    corner = add("cube", at=(-3, 0, 2), size=1)
    for vertex in corner.data.vertices:
        vertex.co = [0.5 + x for x in vertex.co]
    bodies = long, mirrored, corner
    return both(above(*bodies), lambda film: all(film.rests(body) < 0.05 for body in bodies))


@scene_of(60)
def sleeping_wall():
    """Bricks that start deactivated, and a thrown ball."""
    ground(60)
    asleep = {"use_deactivation": True, "use_start_deactivated": True, **BOX}
    places = [(0, 1.02 * k - 2 + 0.5 * (row % 2), 0.25 + 0.5 * row) for row in range(4) for k in range(4)]
    wall = [scaled(add("cube", at=place, size=1, body=asleep), 0.5, 1, 0.5) for place in places]
    ball = add("uv_sphere", radius=0.5, at=(-6, 0, 1), body={"mass": 10, **BALL})
    thrown(ball, (1, (-6, 0, 1)), (8, (-3, 0, 1)))
    return both(above(*wall), lambda film: sum(film.place(brick)[0] > 0.5 for brick in wall) >= 2)


@scene_of(80)
def hanging_sign():
    """A plank on two points, hit by a ball."""
    beam = scaled(add("cube", "PASSIVE", at=(0, 0, 4), size=1, body=BOX), 3, 0.1, 0.1)
    sign = scaled(add("cube", at=(0, 0, 3), size=1, body=BOX), 2, 0.1, 1)
    for x in (-0.8, 0.8):
        join("POINT", beam, sign, (x, 0, 3.75))
    ball = add("uv_sphere", radius=0.2, at=(0, -3, 3.2), body={"mass": 2, **BALL})
    thrown(ball, (1, (0, -3, 3.2)), (6, (0, -2, 3.3)))
    swung = lambda film: max(film.place(sign, k)[1] for k in range(1, 80, 3))  # noqa: E731
    return lambda film: swung(film) > 0.1 and film.place(sign)[2] > 2.5


@scene_of(80)
def windmill():
    """Four blades on a motor strike falling balls."""
    post = add("cube", "PASSIVE", at=(0, 1, 2), size=0.3, body=BOX)
    hub = add("cylinder", at=(0, 0, 2), rotation=(pi / 2, 0, 0), radius=0.3, depth=0.3,
              body={"collision_shape": "COMPOUND", "mass": 5})  # fmt: skip
    parts = [add("cylinder", at=(0, 0, 2), rotation=(pi / 2, 0, 0), radius=0.3, depth=0.3)]
    for angle in (0, pi / 2, pi, 1.5 * pi):
        blade = add("cube", at=(0.8 * cos(angle), 0, 2 + 0.8 * sin(angle)), rotation=(0, -angle, 0), size=1, body=BOX)
        parts.append(scaled(blade, 1, 0.6, 0.08))
    for part in parts:
        part.parent, part.matrix_parent_inverse = hub, hub.matrix_basis.inverted()
    join("HINGE", post, hub, (0, 0, 2), (pi / 2, 0, 0))
    join("MOTOR", post, hub, (0, 0, 2), (0, 0, pi / 2), use_motor_ang=True, motor_ang_target_velocity=3.0,
         motor_ang_max_impulse=50.0)  # fmt: skip
    ground()
    balls = [add("uv_sphere", radius=0.15, at=(0.3 * k - 0.4, 0, 4 + 0.5 * k), body=BALL) for k in range(4)]
    return both(above(*balls), lambda film: max(abs(film.place(ball)[0]) for ball in balls) > 0.8)


@scene_of(70)
def pusher_on_a_path():
    """An Animated block that follows a curve runs into a cube."""
    ground()
    bpy.ops.curve.primitive_bezier_circle_add(radius=2)
    path = bpy.context.object
    path.data.use_path, path.data.path_duration = True, 100
    key_setting(path.data, "eval_time", (1, 0), (70, 60))
    block = add("cube", "PASSIVE", at=(0, 0, 0.3), size=0.6, body={"kinematic": True, **BOX})
    follow = block.constraints.new("FOLLOW_PATH")
    follow.target, follow.use_curve_follow = path, True
    cube = add("cube", at=(0, 2, 0.2), size=0.4)
    return both(above(cube), lambda film: np.linalg.norm(film.place(cube) - film.place(cube, 1)) > 0.3)


@scene_of(60)
def drawer_on_a_slider():
    """A ball strikes a drawer on a Slider with limits."""
    case = add("cube", "PASSIVE", at=(0, 0, 3), size=0.4, body=BOX)
    drawer = scaled(add("cube", at=(0, 0, 1), size=1, body=BOX), 1, 1, 0.3)
    join("SLIDER", case, drawer, (0, 0, 1), use_limit_lin_x=True, limit_lin_x_lower=0.0, limit_lin_x_upper=0.8)
    ball = add("uv_sphere", radius=0.3, at=(-3, 0, 1), body={"mass": 3, **BALL})
    thrown(ball, (1, (-3, 0, 1)), (5, (-2, 0, 1.1)))
    farthest = lambda film: max(film.place(drawer, k)[0] for k in range(1, 60, 2))  # noqa: E731
    return lambda film: 0.05 < farthest(film) < 0.85 and abs(film.place(drawer)[2] - 1) < 0.02


@scene_of(90)
def hourglass():
    """A turned glass, balls run through its neck."""
    mesh = bmesh.new()
    line = [mesh.verts.new((0.35 + 0.09 * abs(k - 10), 0, 0.2 * k)) for k in range(21)]
    edges = [mesh.edges.new(pair) for pair in zip(line[:-1], line[1:], strict=True)]
    bmesh.ops.spin(mesh, geom=[*line, *edges], axis=(0, 0, 1), cent=(0, 0, 0), steps=24, angle=2 * pi)
    bmesh.ops.remove_doubles(mesh, verts=mesh.verts, dist=1e-4)
    glass = add("cube", "PASSIVE", body=MESH)
    mesh.to_mesh(glass.data)
    mesh.free()
    ground()
    grains = [add("ico_sphere", subdivisions=1, radius=0.12, body=BALL,
                  at=(0.3 * (i % 3 - 1), 0.3 * (i // 3 % 3 - 1), 3.2 + 0.3 * (i // 9))) for i in range(27)]  # fmt: skip
    through = lambda film: sum(film.place(grain)[2] < 1.8 for grain in grains)  # noqa: E731
    return both(above(*grains), lambda film: through(film) >= 3
                and max(np.linalg.norm(film.place(grain)[:2]) for grain in grains) < 1.3)  # fmt: skip


@scene_of(60)
def dice_thrown_with_spin():
    """Bevelled dice of 16 mm, keyed and turning when they are let go."""
    ground(2)
    dice = []
    for k in range(3):
        die = add("cube", at=(0.03 * k, 0, 0.2), size=0.016)
        bevel = die.modifiers.new("Bevel", "BEVEL")
        bevel.width, bevel.segments = 0.002, 3
        key_setting(die, "rotation_euler", (1, (0, 0, 0)), (4, (1.5, 1.0 * k, 0.5)))
        dice.append(thrown(die, (1, (0.03 * k, -0.1, 0.2)), (4, (0.03 * k, 0, 0.2))))
    return lambda film: all(abs(film.place(die)[2] - 0.008) < 0.002 and film.rests(die) < 0.002 for die in dice)


@scene_of(60)
def held_by_damping():
    """Damping 1 holds a ball in the air."""
    ground()
    held = add("uv_sphere", radius=0.4, at=(0, 0, 3), body={"linear_damping": 1.0, **BALL})
    free = add("uv_sphere", radius=0.4, at=(2, 0, 3), body={"linear_damping": 0.0, **BALL})
    return lambda film: film.place(held)[2] > 2.5 and abs(film.place(free)[2] - 0.4) < 0.05


@scene_of(60, shape="SPHERE")
@scene_of(60, shape="CUBE")
def globe(shape):
    """Balls in a closed mesh whose normals were flipped, as one shows a room from inside."""
    made = add("uv_sphere", "PASSIVE", at=(0, 0, 2), radius=2, body=MESH)
    if shape == "CUBE":
        bpy.ops.mesh.primitive_cube_add(size=4)
        made.data = bpy.context.object.data
        bpy.data.objects.remove(bpy.context.object)
    made.data.flip_normals()
    balls = [add("uv_sphere", at=(0.7 * k - 0.7, 0.1, 2 + 0.3 * k), radius=0.3, body=BALL) for k in range(3)]
    return lambda film: all(0.25 < film.place(ball)[2] < 1.5 for ball in balls)
