"""What falls, lies, rolls, is thrown, pushed and carried."""

from math import cos, pi, sin

import numpy as np
from gallery_base import BALL, BOX, MESH, above, both, moved, scaled, scene_of
from tutorial import add, ground, key_places, key_setting


@scene_of(60, primitive="cube")
@scene_of(60, primitive="uv_sphere")
@scene_of(60, primitive="cylinder")
@scene_of(60, primitive="cone")
@scene_of(60, primitive="torus")
@scene_of(60, primitive="monkey")
def drop(primitive):
    """One thing of the Add menu on the default plane."""
    ground()
    ob = add(primitive, at=(0, 0, 3), rotation=(0.3, 0.2, 0))
    return both(above(ob), lambda film: film.lowest(ob) < 0.03)


@scene_of(90, count=12)
@scene_of(90, count=30)
def pile(count):
    """Cubes over each other fall in a heap."""
    ground()
    rng = np.random.default_rng(count)
    bodies = [add("cube", at=(*rng.uniform(-1, 1, 2), 1 + 0.9 * k), rotation=rng.uniform(0, 3, 3), size=0.7)
              for k in range(count)]  # fmt: skip
    return above(*bodies)


@scene_of(90)
def pile_of_monkeys():
    """Convex hulls of Suzanne."""
    ground()
    return above(*(add("monkey", at=(0.3 * k % 1, 0.2 * k % 0.7, 1 + 1.6 * k), size=1) for k in range(6)))


@scene_of(80)
def dominoes():
    """The first one leans."""
    ground()
    row = [scaled(add("cube", at=(0.6 * k, 0, 0.5), size=1, body=BOX), 0.15, 0.5, 1) for k in range(15)]
    row[0].rotation_euler.y, row[0].location = 0.35, (-0.02, 0, 0.53)
    return both(above(*row), lambda film: film.up(row[-1]) < 0.8)


@scene_of(80)
def dominoes_pushed():
    """An Animated ball tips the first of a curve of dominoes."""
    ground()
    row = []
    for k in range(12):
        angle = 0.12 * k
        ob = add("cube", at=(4 * sin(angle), 4 - 4 * cos(angle), 0.5), rotation=(0, 0, angle), size=1, body=BOX)
        row.append(scaled(ob, 0.12, 0.45, 1))
    ball = add("uv_sphere", "PASSIVE", at=(-1, 0, 0.85), radius=0.2, body={"kinematic": True, **BALL})
    key_places(ball, (1, (-1, 0, 0.85)), (15, (0.05, 0, 0.85)), (25, (-1, 0, 0.85)))
    return both(above(*row), lambda film: film.up(row[-1]) < 0.9)


@scene_of(50)
def wall_of_bricks():
    """It stands."""
    ground()
    wall = [scaled(add("cube", at=(k + 0.4 * (level % 2), 0, 0.25 + 0.5 * level), size=1, body=BOX), 0.98, 0.4, 0.5)
            for level in range(6) for k in range(5)]  # fmt: skip
    return lambda film: max(np.abs(film.place(ob) - film.place(ob, 1)).max() for ob in wall) < 0.01


@scene_of(60)
def throw_at_a_wall():
    """Keys on two places, Animated off."""
    ground(60)
    wall = [add("cube", at=(4, y, 0.25 + 0.5 * z), size=0.5, body=BOX) for y in (-0.5, 0, 0.5) for z in range(4)]
    ball = add("uv_sphere", radius=0.4, at=(0, 0, 1), body={"mass": 8, **BALL})
    key_places(ball, (1, (-2, 0, 1)), (8, (0, 0, 1.2)), interpolation="LINEAR")
    key_setting(ball.rigid_body, "kinematic", (1, True), (8, True), (9, False))
    hit = lambda film: sum(np.linalg.norm(film.place(ob) - film.place(ob, 1)) > 0.2 for ob in wall) >= 3  # noqa: E731
    return both(above(ball, *wall), hit)


@scene_of(60)
def throw_by_dynamic():
    """Keys on Dynamic."""
    ground()
    ball = add("uv_sphere", radius=0.3, at=(0, 0, 2), body=BALL)
    key_places(ball, (1, (-2, 0, 2)), (10, (0, 0, 2)), interpolation="LINEAR")
    key_setting(ball.rigid_body, "enabled", (1, False), (10, False), (11, True))
    return both(above(ball), moved(ball, 0, 3.0))


@scene_of(50)
def animated_pusher():
    """A block on keys pushes a crate."""
    ground()
    crate = add("cube", at=(0, 0, 0.5), size=1)
    pusher = add("cube", "PASSIVE", at=(-2, 0, 0.5), size=1, body={"kinematic": True, **BOX})
    key_places(pusher, (5, (-2, 0, 0.5)), (45, (2, 0, 0.5)))
    return both(above(crate), moved(crate, 0, 2.5))


@scene_of(60)
def bulldozer():
    """A flat blade pushes a heap."""
    ground()
    heap = [add("cube", at=(0.5 * (k % 3), 0.5 * (k // 3) - 0.5, 0.2), size=0.4, body=BOX) for k in range(9)]
    blade = scaled(add("cube", "PASSIVE", at=(-2, 0, 0.5), size=1, body={"kinematic": True, **BOX}), 0.1, 4, 1)
    key_places(blade, (1, (-2, 0, 0.5)), (50, (2, 0, 0.5)))
    return both(above(*heap), lambda film: min(film.place(ob)[0] for ob in heap) > 2.0)


@scene_of(60)
def conveyor():
    """An Animated plane carries a crate."""
    belt = add("plane", "PASSIVE", size=8, body={"kinematic": True, "friction": 1.0})
    crate = add("cube", at=(-1, 0, 0.25), size=0.5, body={"friction": 1.0})
    key_places(belt, (1, (0, 0, 0)), (60, (3, 0, 0)))
    return both(above(crate), moved(crate, 0, 2.8))


@scene_of(60)
def lift():
    """An Animated plate lifts a stack."""
    plate = scaled(add("cube", "PASSIVE", at=(0, 0, 0), size=1, body={"kinematic": True, **BOX}), 2, 2, 0.1)
    stack = [add("cube", at=(0, 0, 0.3 + 0.5 * k), size=0.5, body=BOX) for k in range(4)]
    key_places(plate, (5, (0, 0, 0)), (50, (0, 0, 2)))
    return lambda film: all(abs(film.place(ob)[2] - film.place(ob, 1)[2] - 2) < 0.01 for ob in stack)


@scene_of(70)
def turntable():
    """A crate rides on an Animated disc."""
    disc = add("cylinder", "PASSIVE", radius=3, depth=0.2, body={"kinematic": True, "friction": 1.0})
    crate = add("cube", at=(1.5, 0, 0.35), size=0.5, body={"friction": 1.0, **BOX})
    for frame, angle in ((1, 0.0), (70, pi)):
        disc.rotation_euler.z = angle
        disc.keyframe_insert("rotation_euler", frame=frame)
    return lambda film: film.place(crate)[0] < -1.0 and abs(film.place(crate)[2] - 0.35) < 0.01


@scene_of(80)
def balls_in_a_bowl():
    """The lower half of a sphere, Mesh."""
    import bmesh

    bowl = add("uv_sphere", "PASSIVE", radius=2, at=(0, 0, 2), body=MESH)
    mesh = bmesh.new()
    mesh.from_mesh(bowl.data)
    upper = [face for face in mesh.faces if face.calc_center_median().z > 0]
    bmesh.ops.delete(mesh, geom=upper, context="FACES")
    mesh.to_mesh(bowl.data)
    mesh.free()
    balls = [add("uv_sphere", radius=0.25, at=(0.6 * cos(k), 0.6 * sin(k), 2 + 0.5 * k), body=BALL) for k in range(8)]
    return lambda film: max(np.linalg.norm(film.place(ball) - (0, 0, 2)) for ball in balls) < 1.8


@scene_of(80)
def marbles_in_a_funnel():
    """An open cone, Mesh."""
    add("cone", "PASSIVE", at=(0, 0, 3), radius1=0.4, radius2=2, depth=2, end_fill_type="NOTHING", vertices=48,
        body={"friction": 0.0, **MESH})  # fmt: skip
    marbles = [add("uv_sphere", radius=0.15, at=(0.5 * cos(k), 0.5 * sin(k), 4.2 + 0.35 * k),
                   body={"friction": 0.0, **BALL}) for k in range(10)]  # fmt: skip
    ground()
    return both(above(*marbles), lambda film: max(film.place(marble)[2] for marble in marbles) < 1.9)


@scene_of(90)
def stairs():
    """A ball comes down."""
    for k in range(6):
        scaled(add("cube", "PASSIVE", at=(k, 0, -0.5 * k), size=1, body=BOX), 1, 3, 1)
    ball = add("uv_sphere", radius=0.3, at=(-0.3, 0, 0.8), body=BALL)
    key_places(ball, (1, (-0.3, 0, 0.8)), (6, (0.2, 0, 0.8)))
    key_setting(ball.rigid_body, "kinematic", (1, True), (6, True), (7, False))
    return lambda film: film.place(ball)[0] > 3 and film.place(ball)[2] < -1


@scene_of(60)
def ramp_with_a_kicker():
    """A ball rolls down a tilted plane and off it."""
    add("plane", "PASSIVE", at=(0, 0, 2), rotation=(0, 0.5, 0), size=4)
    ground()
    ball = add("uv_sphere", radius=0.3, at=(-1.2, 0, 3.1), body=BALL)
    return both(above(ball), moved(ball, 0, 3.0))


@scene_of(80, shape="CONVEX_HULL")
@scene_of(80, shape="MESH")
def cards(shape):
    """Planes, Active."""
    ground()
    pack = [add("plane", at=(0.1 * k, 0, 1 + 0.4 * k), rotation=(0.3, 0.2, k), size=1.2,
                body={"collision_shape": shape}) for k in range(5)]  # fmt: skip
    return both(above(*pack), lambda film: max(film.lowest(card) for card in pack) < 0.3)
