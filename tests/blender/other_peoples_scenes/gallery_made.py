"""What people build to show off: machines, games, walls that are struck, chains and nets."""

from math import cos, pi, sin

import numpy as np
from gallery_base import BALL, BOX, MESH, above, both, scaled, scene_of
from gallery_joined import chain
from tutorial import add, ground, join, key_places, key_setting


@scene_of(90)
def cradle_on_hinges():
    """Newton's cradle with rods: each ball is held by a hinge of a Passive beam."""
    beam = scaled(add("cube", "PASSIVE", at=(1.2, 0, 4), size=0.2, body=BOX), 16, 1, 1)
    balls = []
    for k in range(4):
        at = (0.61 * k, 0, 2) if k else (-2 * sin(0.7), 0, 4 - 2 * cos(0.7))
        ball = add("uv_sphere", radius=0.3, at=at, body={"restitution": 0.95, "friction": 0.0, **BALL})
        join("HINGE", beam, ball, (0.61 * k, 0, 4), (pi / 2, 0, 0))
        balls.append(ball)
    swing = lambda film: max(film.place(balls[-1], k)[0] for k in range(1, 90, 3))  # noqa: E731
    return lambda film: swing(film) > 1.83 + 0.4


@scene_of(100)
def marble_run():
    """Tilted boards, one under the other."""
    for k in range(4):
        side = 1 if k % 2 else -1
        board = add("cube", "PASSIVE", at=(0.5 * side, 0, 4 - k), rotation=(0, -0.2 * side, 0), size=1, body=BOX)
        scaled(board, 3, 1, 0.1)
    ground()
    marble = add("uv_sphere", radius=0.15, at=(-1.6, 0, 5), body=BALL)
    return both(above(marble), lambda film: film.lowest(marble) < 2.0)


@scene_of(70)
def bowling():
    """A keyed throw, six pins of cylinders."""
    ground(40)
    pins = [add("cylinder", at=(6 + 0.5 * row, 0.6 * (k - row / 2), 0.5), radius=0.15, depth=1.0)
            for row in range(3) for k in range(row + 1)]  # fmt: skip
    ball = add("uv_sphere", radius=0.4, at=(-3, 0, 0.41), body={"mass": 7, **BALL})
    key_places(ball, (1, (-3, 0, 0.41)), (10, (0, 0, 0.41)), interpolation="LINEAR")
    key_setting(ball.rigid_body, "kinematic", (1, True), (10, True), (11, False))
    return both(above(ball, *pins), lambda film: sum(film.up(pin) < 0.5 for pin in pins) >= 3)


@scene_of(80)
def jenga():
    """An Animated stick pushes one block out of a tower."""
    ground()
    tower = []
    for level in range(6):
        for k in (-1, 0, 1):
            turn, place = (level % 2) * pi / 2, (0, 0.26 * k) if level % 2 == 0 else (0.26 * k, 0)
            block = add("cube", at=(*place, 0.08 + 0.16 * level), rotation=(0, 0, turn), size=1, body=BOX)
            tower.append(scaled(block, 0.77, 0.25, 0.16))
    stick = scaled(add("cube", "PASSIVE", at=(-1.2, 0, 0.4), size=1, body={"kinematic": True, **BOX}), 1, 0.1, 0.08)
    key_places(stick, (1, (-1.2, 0, 0.4)), (70, (0.2, 0, 0.4)))
    pushed = tower[7]
    return both(above(*tower), lambda film: film.place(pushed)[0] > 0.5 and film.place(tower[-1])[2] > 0.7)


@scene_of(60)
def catapult():
    """An arm on a hinge with a motor throws a ball out of its cup."""
    ground(60)
    base = add("cube", "PASSIVE", at=(0, 0, 0.5), size=0.4, body=BOX)
    arm = scaled(add("cube", at=(-1, 0, 1), size=1, body={"mass": 2, **BOX}), 2, 0.3, 0.1)
    join("HINGE", base, arm, (0, 0, 1), (pi / 2, 0, 0))
    join("MOTOR", base, arm, (0, 0, 1), (0, 0, pi / 2), use_motor_ang=True, motor_ang_target_velocity=-6.0,
         motor_ang_max_impulse=30.0)  # fmt: skip
    ball = add("uv_sphere", radius=0.15, at=(-1.8, 0, 1.2), body={"mass": 0.3, **BALL})
    return both(above(ball), lambda film: max(film.place(ball, k)[2] for k in range(1, 60, 2)) > 1.6)


@scene_of(60)
def sheet_of_cards():
    """Cloth of small plates on points, held at two corners."""
    plates = {(i, j): scaled(add("cube", at=(0.3 * i, 0.3 * j, 3), size=1, body=BOX), 0.28, 0.28, 0.02)
              for i in range(4) for j in range(4)}  # fmt: skip
    for (i, j), plate in plates.items():
        for di, dj in ((1, 0), (0, 1)):
            if (i + di, j + dj) in plates:
                join("POINT", plate, plates[i + di, j + dj], (0.3 * i + 0.15 * di, 0.3 * j + 0.15 * dj, 3))
    for i in (0, 3):
        hook = add("cube", "PASSIVE", at=(0.3 * i, -0.3, 3), size=0.1)
        join("POINT", hook, plates[i, 0], (0.3 * i, -0.15, 3))
    return lambda film: film.place(plates[1, 3])[2] < 2.6 and film.place(plates[1, 3])[2] > 1.5


@scene_of(60)
def gears():
    """Two wheels of convex teeth, Compound, one of them driven by a motor."""
    wheels = []
    for k, at in enumerate((0.0, 2.05)):
        wheel = add("cylinder", at=(at, 0, 2), rotation=(pi / 2, 0, 0), radius=0.8, depth=0.3,
                    body={"collision_shape": "COMPOUND", "friction": 0.1, "mass": 1})  # fmt: skip
        hub = add("cylinder", at=(at, 0, 2), rotation=(pi / 2, 0, 0), radius=0.8, depth=0.3)
        teeth = [hub]
        for tooth in range(8):
            angle = (tooth + 0.5 * k) * pi / 4
            place = (at + 1.0 * cos(angle), 0, 2 + 1.0 * sin(angle))
            teeth.append(scaled(add("cube", at=place, rotation=(0, -angle, 0), size=1, body=BOX), 0.4, 0.3, 0.25))
        for part in teeth:
            part.parent, part.matrix_parent_inverse = wheel, wheel.matrix_basis.inverted()
        post = add("cube", "PASSIVE", at=(at, 1, 2), size=0.2, body=BOX)
        join("HINGE", post, wheel, (at, 0, 2), (pi / 2, 0, 0))
        if k == 0:
            join("MOTOR", post, wheel, (at, 0, 2), (0, 0, pi / 2), use_motor_ang=True, motor_ang_target_velocity=2.0,
                 motor_ang_max_impulse=20.0)  # fmt: skip
        wheels.append(wheel)
    turned = lambda film, wheel: abs(film.matrix(wheel, 20).to_quaternion().rotation_difference(  # noqa: E731
        film.matrix(wheel, 1).to_quaternion()).angle)  # fmt: skip
    return lambda film: turned(film, wheels[0]) > 0.5 and turned(film, wheels[1]) > 0.3


@scene_of(80)
def coin_drop():
    """Coins fall through a field of pegs."""
    wall = [scaled(add("cube", "PASSIVE", at=(0, y, 2), size=1, body=BOX), 6, 0.1, 6) for y in (-0.2, 0.2)]
    for row in range(4):
        for k in range(6):
            add("cylinder", "PASSIVE", at=(0.8 * k - 2 + 0.4 * (row % 2), 0, 3.4 - 0.7 * row), rotation=(pi / 2, 0, 0),
                radius=0.08, depth=0.3)  # fmt: skip
    ground()
    coins = [add("cylinder", at=(0.35 * k - 0.9, 0, 4.4 + 0.1 * k), rotation=(pi / 2, 0, 0), radius=0.15, depth=0.08)
             for k in range(6)]  # fmt: skip
    del wall
    return both(above(*coins), lambda film: max(film.place(coin)[2] for coin in coins) < 3.6)


@scene_of(60)
def curtain_of_chains():
    """Four chains side by side, a thrown ball goes through."""
    links = [chain((0, 0.3 * k, 3), 6, (0, 0, -0.35))[1] for k in range(4)]
    ball = add("uv_sphere", radius=0.3, at=(-3, 0.45, 2), body={"mass": 5, **BALL})
    key_places(ball, (1, (-3, 0.45, 2)), (8, (-1.2, 0.45, 2.1)), interpolation="LINEAR")
    key_setting(ball.rigid_body, "kinematic", (1, True), (8, True), (9, False))
    pushed = lambda film: max(film.place(links[1][-1], k)[0] for k in range(1, 60, 3))  # noqa: E731
    return lambda film: pushed(film) > 0.3


@scene_of(50)
def wall_and_keyed_ball():
    """A ball on keys, not simulated, swings through a wall of bricks."""
    ground()
    wall = [scaled(add("cube", at=(0, k + 0.5 * (level % 2) - 2, 0.2 + 0.4 * level), size=1, body=BOX), 0.5, 0.98, 0.4)
            for level in range(5) for k in range(5)]  # fmt: skip
    ball = add("uv_sphere", "PASSIVE", radius=0.6, at=(-3, 0, 1.2), body={"kinematic": True, **BALL})
    key_places(ball, (1, (-3, 0, 1.6)), (20, (0, 0, 1.0)), (40, (3, 0, 1.6)))
    return both(above(*wall), lambda film: sum(film.place(ob)[0] > 0.5 for ob in wall) >= 3)


@scene_of(60)
def egg_box():
    """Eggs, Convex Hull, fall on a Mesh with dents."""
    import bmesh

    box = add("grid", "PASSIVE", x_subdivisions=24, y_subdivisions=24, size=4, body=MESH)
    mesh = bmesh.new()
    mesh.from_mesh(box.data)
    for vertex in mesh.verts:
        vertex.co.z = 0.3 * cos(pi * vertex.co.x) * cos(pi * vertex.co.y)
    mesh.to_mesh(box.data)
    mesh.free()
    eggs = [scaled(add("uv_sphere", radius=0.3, segments=16, ring_count=8, at=(x, y, 1 + 0.2 * x)), 1, 1, 1.3)
            for x in (-1, 0, 1) for y in (-1, 0, 1)]  # fmt: skip
    return lambda film: min(film.place(egg)[2] for egg in eggs) > -0.2 and np.isfinite(film.place(eggs[0])).all()
