"""What hangs together, and what is of edges, letters, parts or soft."""

from math import cos, pi, sin

import bpy
import numpy as np
from gallery_base import BALL, BOX, above, both, moved, scaled, scene_of
from tutorial import add, ground, join, key_places, key_setting


@scene_of(50)
def door():
    """A hinge with limits, struck by a thrown ball."""
    ground()
    post = add("cube", "PASSIVE", at=(0, 0, 1), size=0.2, body=BOX)
    leaf = scaled(add("cube", at=(0.7, 0, 1.1), size=1, body={"mass": 3, **BOX}), 1, 0.1, 2)
    join("HINGE", post, leaf, (0.15, 0, 1), use_limit_ang_z=True, limit_ang_z_lower=-1.0, limit_ang_z_upper=1.0)
    ball = add("uv_sphere", radius=0.3, at=(1, -3, 1), body={"mass": 4, **BALL})
    key_places(ball, (1, (1, -3, 1)), (8, (1, -1.6, 1)))
    key_setting(ball.rigid_body, "kinematic", (1, True), (8, True), (9, False))
    return lambda film: 0.3 < max(abs(film.matrix(leaf, k).to_euler().z) for k in range(1, 51, 3)) < 1.01


@scene_of(60)
def car():
    """A chassis and four wheels on hinges roll down a slope."""
    add("plane", "PASSIVE", size=40, rotation=(0, 0.2, 0), body={"friction": 1.0})
    down, up = np.array([cos(0.2), 0, -sin(0.2)]), np.array([sin(0.2), 0, cos(0.2)])
    chassis = add("cube", at=0.7 * up, rotation=(0, 0.2, 0), size=1, body={"mass": 4, **BOX})
    scaled(chassis, 2, 0.8, 0.3)
    for along in (-0.8, 0.8):
        for y in (-0.6, 0.6):
            at = along * down + 0.41 * up + (0, y, 0)
            wheel = add("cylinder", at=at, rotation=(pi / 2, 0, 0), radius=0.4, depth=0.2, body={"friction": 1.0})
            join("HINGE", chassis, wheel, at, (pi / 2, 0, 0), use_limit_ang_z=True, limit_ang_z_lower=0,
                 limit_ang_z_upper=2 * pi)  # fmt: skip
    return moved(chassis, 0, 2.0)


@scene_of(60)
def motor_car():
    """Motor constraints drive two of the wheels."""
    ground(60)
    chassis = scaled(add("cube", at=(0, 0, 0.7), size=1, body={"mass": 4, **BOX}), 2, 0.8, 0.3)
    for x in (-0.8, 0.8):
        for y in (-0.6, 0.6):
            wheel = add("cylinder", at=(x, y, 0.405), rotation=(pi / 2, 0, 0), radius=0.4, depth=0.2,
                        body={"friction": 1.0})  # fmt: skip
            join("HINGE", chassis, wheel, (x, y, 0.405), (pi / 2, 0, 0))
            if x < 0:
                join("MOTOR", chassis, wheel, (x, y, 0.405), (0, 0, pi / 2), use_motor_ang=True,
                     motor_ang_target_velocity=5.0, motor_ang_max_impulse=5.0)  # fmt: skip
    return lambda film: abs(film.place(chassis)[0]) > 1.0


def chain(start, count, step, kind="POINT"):
    """Links of a chain from a hook at `start` on, each `step` further; (hook, links)."""
    start, step = np.array(start, dtype=float), np.array(step, dtype=float)
    hook, links = add("cube", "PASSIVE", at=start, size=0.2), []
    for k in range(count):
        at, before = start + (k + 0.625) * step, links[-1] if links else hook
        link = add("cube", at=at, size=0.2, body=BOX)
        link.scale = 1 + (4 * np.linalg.norm(step) - 1) * np.abs(step) / np.linalg.norm(step)
        join(kind, before, link, at - 0.5 * step)
        links.append(link)
    return hook, links


@scene_of(60)
def wrecking_ball():
    """A chain with a heavy ball swings into a wall."""
    ground(60)
    _, links = chain((0, 0, 6), 5, (-0.8, 0, 0))
    ball = add("uv_sphere", at=(-5.0, 0, 6), radius=0.6, body={"mass": 50, **BALL})
    join("POINT", links[-1], ball, (-4.2, 0, 6))
    wall = [add("cube", at=(1.2, -1 + k, 0.4 + 0.8 * z), size=0.79, body=BOX) for k in range(3) for z in range(3)]
    hit = lambda film: sum(np.linalg.norm(film.place(ob) - film.place(ob, 1)) > 0.2 for ob in wall) >= 1  # noqa: E731
    return both(above(*wall), hit, lambda film: np.linalg.norm(film.place(ball) - (0, 0, 6)) < 5.2)


@scene_of(60, count=10)
@scene_of(60, count=25)
def rope(count):
    """A rope of links swings from a hook."""
    hook, links = chain((0, 0, 8), count, (0.3, 0, 0))
    far = lambda film: np.linalg.norm(film.place(links[-1]) - film.place(hook))  # noqa: E731
    return lambda film: far(film) < 0.3 * (count + 0.7) and film.place(links[-1])[2] < 7


@scene_of(60)
def rope_bridge():
    """Planks between two posts, a crate falls on them."""
    left, planks = chain((0, 0, 4), 8, (0.5, 0, 0), "HINGE")
    right = add("cube", "PASSIVE", at=(4.6, 0, 4), size=0.2)
    join("POINT", planks[-1], right, (4.3, 0, 4))
    for plank in planks:
        plank.scale.y, plank.scale.z = 6, 0.5
    crate = add("cube", at=(2.1, 0, 5), size=0.4, body=BOX)
    del left
    return lambda film: film.place(crate)[2] > 1.5


@scene_of(60)
def newtons_cradle():
    """Five balls on points, the first lifted."""
    balls = []
    for k in range(5):
        hook = add("cube", "PASSIVE", at=(0.601 * k, 0, 4), size=0.1)
        at = (0.601 * k, 0, 2) if k else (-2 * sin(0.8), 0, 4 - 2 * cos(0.8))
        ball = add("uv_sphere", radius=0.3, at=at, body={"restitution": 1.0, "friction": 0.0, **BALL})
        join("POINT", hook, ball, (0.601 * k, 0, 4))
        balls.append(ball)
    swing = lambda film: max(film.place(balls[-1], k)[0] for k in range(1, 60, 3))  # noqa: E731
    return lambda film: swing(film) > 2.404 + 0.5


@scene_of(50)
def seesaw():
    """A heavy cube throws up a light one."""
    ground()
    foot = add("cube", "PASSIVE", at=(0, 0, 0.25), size=0.4, body=BOX)
    board = scaled(add("cube", at=(0, 0, 0.6), size=1, body={"mass": 2, **BOX}), 4, 0.6, 0.1)
    join("HINGE", foot, board, (0, 0, 0.6), (pi / 2, 0, 0))
    light = add("cube", at=(1.6, 0, 0.8), size=0.3, body={"mass": 0.5})
    add("cube", at=(-1.6, 0, 4), size=0.5, body={"mass": 10})
    return lambda film: max(film.place(light, frame)[2] for frame in range(1, 50, 2)) > 1.5


@scene_of(60)
def fracture_held_by_fixed():
    """Cells of a block joined to each other, as Connect does, fall as one."""
    ground()
    cells = {(x, z): add("cube", at=(x, 0, 1.5 + z), size=0.98, body=BOX) for x in range(3) for z in range(3)}
    for (x, z), cell in cells.items():
        for other in ((x + 1, z), (x, z + 1)):
            if other in cells:
                join("FIXED", cell, cells[other], (cell.location + cells[other].location) / 2)
    return lambda film: all(abs(film.place(cells[x, z])[2] - 0.5 - z) < 0.05 for x, z in cells)


@scene_of(60)
def breakable_wall():
    """Fixed constraints with Breakable, a thrown ball."""
    ground(60)
    bricks = {(x, z): add("cube", at=(3, x, 0.5 + z), size=0.98, body=BOX) for x in range(3) for z in range(3)}
    for (x, z), brick in bricks.items():
        for other in ((x + 1, z), (x, z + 1)):
            if other in bricks:
                join("FIXED", brick, bricks[other], (brick.location + bricks[other].location) / 2, use_breaking=True,
                     breaking_threshold=2.0)  # fmt: skip
    ball = add("uv_sphere", radius=0.5, at=(0, 1, 1.5), body={"mass": 20, **BALL})
    key_places(ball, (1, (-4, 1, 1.5)), (8, (0, 1, 1.5)), interpolation="LINEAR")
    key_setting(ball.rigid_body, "kinematic", (1, True), (8, True), (9, False))
    apart = lambda film: np.linalg.norm(film.place(bricks[1, 1]) - film.place(bricks[0, 0])) > 1.7  # noqa: E731
    return both(above(*bricks.values(), deep=0.02), apart)


@scene_of(60)
def spring_plate():
    """A plate on a generic spring takes a falling cube."""
    foot = add("cube", "PASSIVE", at=(0, 0, 0), size=0.2, body=BOX)
    plate = scaled(add("cube", at=(0, 0, 1), size=1, body=BOX), 1, 1, 0.1)
    join("GENERIC_SPRING", foot, plate, (0, 0, 1), use_limit_ang_x=True, use_limit_ang_y=True, use_limit_ang_z=True,
         use_limit_lin_x=True, use_limit_lin_y=True, limit_lin_x_lower=0, limit_lin_x_upper=0, limit_lin_y_lower=0,
         limit_lin_y_upper=0, limit_ang_x_lower=0, limit_ang_x_upper=0, limit_ang_y_lower=0, limit_ang_y_upper=0,
         limit_ang_z_lower=0, limit_ang_z_upper=0, use_spring_z=True, spring_stiffness_z=200.0,
         spring_damping_z=5.0)  # fmt: skip
    cube = add("cube", at=(0, 0, 2), size=0.4, body=BOX)
    return lambda film: 0.5 < film.place(plate)[2] < 1.2 and film.place(cube)[2] > film.place(plate)[2]


@scene_of(70)
def letters():
    """Text made a mesh falls over."""
    ground()
    bpy.ops.object.text_add(location=(0, 0, 0.02), rotation=(pi / 2, 0, 0))
    text = bpy.context.object
    text.data.body, text.data.extrude = "AB", 0.15
    bpy.ops.object.convert(target="MESH")
    bpy.ops.rigidbody.object_add()
    ball = add("uv_sphere", radius=0.3, at=(0.5, 2, 0.5), body={"mass": 3, **BALL})
    key_places(ball, (1, (0.5, 2, 0.5)), (8, (0.5, 0.6, 0.5)), interpolation="LINEAR")
    key_setting(ball.rigid_body, "kinematic", (1, True), (8, True), (9, False))
    return above(text, ball)


@scene_of(60)
def compound_table():
    """A compound of a top and legs falls and stands."""
    ground()
    bpy.ops.object.empty_add()
    bpy.data.objects.remove(bpy.context.object)
    top = add("cube", at=(0, 0, 1.3), size=1, body={"collision_shape": "COMPOUND"})
    parts = [((0, 0, 0.5), (2, 1, 0.1)), *(((x, y, 0.0), (0.1, 0.1, 1)) for x in (-0.9, 0.9) for y in (-0.4, 0.4))]
    for place, scale in parts:
        part = scaled(add("cube", at=place, size=1, body=BOX), *scale)
        part.parent = top
    return lambda film: film.up(top) > 0.99 and film.place(top)[2] < 1.0


@scene_of(60)
def balls_on_a_wire():
    """A net of edges without faces, Passive, catches a ball."""
    lines = [((k, -2, 2), (k, 2, 2)) for k in np.arange(-2, 2.1, 0.5)]
    lines += [((-2, k, 2), (2, k, 2)) for k in np.arange(-2, 2.1, 0.5)]
    mesh = bpy.data.meshes.new("net")
    mesh.from_pydata([end for line in lines for end in line], [(2 * k, 2 * k + 1) for k in range(len(lines))], [])
    net = bpy.data.objects.new("net", mesh)
    bpy.context.collection.objects.link(net)
    bpy.context.view_layer.objects.active = net
    bpy.ops.rigidbody.object_add(type="PASSIVE")
    net.rigid_body.collision_shape = "MESH"
    ball = add("uv_sphere", radius=0.5, at=(0.2, 0.1, 3), body=BALL)
    return lambda film: film.place(ball)[2] > 2.0


@scene_of(40)
def soft_ball():
    """A ball with Soft Body on an object with Collision."""
    plane = add("cube", "PASSIVE", at=(0, 0, -0.5), size=1)
    bpy.ops.rigidbody.object_remove()
    scaled(plane, 6, 6, 1).modifiers.new("Collision", "COLLISION")
    bpy.ops.mesh.primitive_ico_sphere_add(radius=0.5, subdivisions=2, location=(0, 0, 1))
    ball = bpy.context.object
    settings = ball.modifiers.new("Softbody", "SOFT_BODY").settings
    settings.use_goal, settings.pull, settings.push, settings.mass = False, 0.9, 0.9, 0.05
    ball.stiction.elastic.element_size = 0.25
    return lambda film: film.place_of_surface(ball)[2] > -0.02


@scene_of(40)
def soft_goal():
    """A cube with Soft Body goals is carried by keys."""
    bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, 1))
    cube = bpy.context.object
    settings = cube.modifiers.new("Softbody", "SOFT_BODY").settings
    settings.goal_default, settings.goal_friction, settings.pull = 0.9, 20.0, 0.9
    cube.stiction.elastic.element_size = 0.25
    key_places(cube, (1, (0, 0, 1)), (8, (2, 0, 1)))
    return lambda film: 0.4 < film.place_of_surface(cube)[2] < 0.6
