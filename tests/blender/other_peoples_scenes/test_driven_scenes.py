"""Throws, pushers, conveyors, hinges, cars, wrecking balls: what is moved by keys, and what hangs together."""

from math import pi

import numpy as np
import pytest
from tutorial import Film, add, ground, join, key_places, key_setting


def test_a_ball_is_thrown_at_a_stack(scene, tmp_path):
    ground()
    places = [(4, y, 0.25 + 0.5 * z) for y in (-0.5, 0, 0.5) for z in range(3)]
    boxes = [add("cube", at=place, size=0.5, body={"collision_shape": "BOX"}) for place in places]
    ball = add("uv_sphere", radius=0.3, at=(0, 0, 1), body={"collision_shape": "SPHERE", "mass": 5})
    key_places(ball, (1, (-2, 0, 1)), (8, (0, 0, 1.2)), interpolation="LINEAR")
    key_setting(ball.rigid_body, "kinematic", (1, True), (8, True), (9, False))
    film = Film(scene, tmp_path, 60)
    assert film.place(ball, 14)[0] > 1.0, "it flies on"
    assert sum(np.linalg.norm(film.place(box) - film.place(box, 1)) > 0.3 for box in boxes) >= 3
    assert min(film.lowest(box) for box in boxes) > -2e-3


def test_a_pusher_moves_a_crate(scene, tmp_path):
    ground()
    crate = add("cube", at=(0, 0, 0.5), size=1)
    pusher = add("cube", "PASSIVE", at=(-2, 0, 0.5), size=1, body={"kinematic": True})
    key_places(pusher, (10, (-2, 0, 0.5)), (50, (2, 0, 0.5)))
    film = Film(scene, tmp_path, 60)
    assert film.place(crate)[0] > 2.99
    assert abs(film.place(crate)[2] - 0.5) < 5e-3


@pytest.mark.parametrize("kind", ["PASSIVE", "ACTIVE"])
def test_a_conveyor_is_an_animated_plane(scene, tmp_path, kind):
    belt = add("plane", kind, size=8, body={"kinematic": True, "friction": 1.0})
    crate = add("cube", at=(-1, 0, 0.25), size=0.5, body={"friction": 1.0})
    key_places(belt, (1, (0, 0, 0)), (60, (3, 0, 0)))
    film = Film(scene, tmp_path, 60)
    assert film.place(crate)[0] == pytest.approx(2, abs=0.1)
    assert film.place(crate)[2] == pytest.approx(0.25, abs=2e-3)


def test_a_lift_carries_and_a_table_tips(scene, tmp_path):
    """A plane that is turned by keys: what lies on it slides off."""
    table = add("plane", "PASSIVE", at=(0, 0, 2), size=4, body={"kinematic": True, "friction": 0.3})
    crate = add("cube", at=(0, 0, 2.25), size=0.5, body={"friction": 0.3})
    for frame, angle in ((1, 0.0), (20, 0.0), (50, 0.7)):
        table.rotation_euler.y = angle
        table.keyframe_insert("rotation_euler", frame=frame)
    ground()
    film = Film(scene, tmp_path, 110)
    assert film.place(crate, 20)[2] == pytest.approx(2.25, abs=2e-3)
    assert -2e-3 < film.lowest(crate) < 0.5
    assert film.place(crate)[0] > 1


@pytest.mark.parametrize("limits", [(0, 2 * pi), (-pi, pi), None])
def test_a_car_rolls_down_a_ramp(scene, tmp_path, limits):
    """A chassis and four wheels on hinges, whose limits are those of a whole turn or none."""
    add("plane", "PASSIVE", size=40, rotation=(0, 0.2, 0), body={"friction": 1.0})
    down = np.array([np.cos(0.2), 0, -np.sin(0.2)])
    up = np.array([np.sin(0.2), 0, np.cos(0.2)])
    chassis = add("cube", at=0.7 * up, rotation=(0, 0.2, 0), size=1, body={"collision_shape": "BOX", "mass": 4})
    chassis.scale = (2, 0.8, 0.3)
    wheels = []
    for along in (-0.8, 0.8):
        for y in (-0.6, 0.6):
            at = along * down + 0.41 * up + (0, y, 0)
            wheel = add("cylinder", at=at, rotation=(pi / 2, 0, 0), radius=0.4, depth=0.2, vertices=64,
                        body={"friction": 1.0})  # fmt: skip
            hinge = join("HINGE", chassis, wheel, at, (pi / 2, 0, 0)).rigid_body_constraint
            if limits is not None:
                hinge.use_limit_ang_z, (hinge.limit_ang_z_lower, hinge.limit_ang_z_upper) = True, limits
            wheels.append(wheel)
    film = Film(scene, tmp_path, 50)
    assert film.place(chassis)[0] > 2.0
    arms = [[np.linalg.norm(film.place(wheel, frame) - film.place(chassis, frame)) for frame in (1, 50)]
            for wheel in wheels]  # fmt: skip
    assert np.ptp(arms, axis=1).max() < 1e-3


def test_a_wrecking_ball(scene, tmp_path):
    """A chain of links on point constraints with a heavy ball, which swings into a wall."""
    ground()
    hook = add("cube", "PASSIVE", at=(0, 0, 6), size=0.2)
    links, before = [], hook
    for k in range(5):
        link = add("cube", at=(-0.8 * k - 0.5, 0, 6), size=0.2, body={"collision_shape": "BOX"})
        link.scale.x = 3
        join("POINT", before, link, (-0.8 * k - 0.1, 0, 6))
        links, before = [*links, link], link
    ball = add("uv_sphere", at=(-4.6, 0, 6), radius=0.6, body={"mass": 50, "collision_shape": "SPHERE"})
    join("POINT", before, ball, (-4.1, 0, 6))
    places = [(1.2, -1 + k, 0.4 + 0.8 * z) for k in range(3) for z in range(3)]
    bricks = [add("cube", at=place, size=0.79, body={"collision_shape": "BOX"}) for place in places]
    film = Film(scene, tmp_path, 60)
    far = [np.linalg.norm(film.place(ball, frame) - (0, 0, 6)) for frame in range(1, 61, 6)]
    assert max(far) < 4.9, "the chain holds"
    assert sum(np.linalg.norm(film.place(brick) - film.place(brick, 1)) > 0.3 for brick in bricks) >= 2
    assert min(film.lowest(brick) for brick in bricks) > -2e-3


def test_a_pendulum_is_let_go_by_its_constraint(scene, tmp_path):
    """The constraint's Enabled is keyed off at the lowest point."""
    ground(60)
    hook = add("cube", "PASSIVE", at=(0, 0, 5), size=0.2)
    ball = add("uv_sphere", at=(-3, 0, 5), radius=0.3, body={"collision_shape": "SPHERE"})
    string = join("POINT", hook, ball, (0, 0, 5))
    key_setting(string.rigid_body_constraint, "enabled", (1, True), (24, False))
    film = Film(scene, tmp_path, 60)
    apart = [np.linalg.norm(film.place(ball, frame) - (0, 0, 5)) for frame in (1, 10, 23)]
    assert apart == pytest.approx([3, 3, 3], abs=1e-3)
    assert np.linalg.norm(film.place(ball) - (0, 0, 5)) > 4
    assert film.lowest(ball) > -2e-3


def test_a_seesaw_throws_up_a_cube(scene, tmp_path):
    ground()
    foot = add("cube", "PASSIVE", at=(0, 0, 0.25), size=0.4, body={"collision_shape": "BOX"})
    board = add("cube", at=(0, 0, 0.6), size=1, body={"collision_shape": "BOX", "mass": 2})
    board.scale = (4, 0.6, 0.1)
    join("HINGE", foot, board, (0, 0, 0.6), (pi / 2, 0, 0))
    light = add("cube", at=(1.6, 0, 0.8), size=0.3, body={"mass": 0.5})
    heavy = add("cube", at=(-1.6, 0, 4), size=0.5, body={"mass": 10})
    film = Film(scene, tmp_path, 60)
    assert max(film.place(light, frame)[2] for frame in range(1, 60)) > 1.8
    assert film.lowest(heavy) > -2e-3


def test_a_door_stops_at_its_limits(scene, tmp_path):
    ground()
    frame = add("cube", "PASSIVE", at=(0, 0, 1), size=0.2, body={"collision_shape": "BOX"})
    door = add("cube", at=(0.7, 0, 1.1), size=1, body={"collision_shape": "BOX", "mass": 3})
    door.scale = (1.0, 0.1, 2)
    join("HINGE", frame, door, (0.15, 0, 1), use_limit_ang_z=True, limit_ang_z_lower=-pi / 3, limit_ang_z_upper=pi / 3)
    ball = add("uv_sphere", radius=0.3, at=(1, -2, 1), body={"mass": 4, "collision_shape": "SPHERE"})
    key_places(ball, (1, (1, -3, 1)), (8, (1, -1.6, 1)))
    key_setting(ball.rigid_body, "kinematic", (1, True), (8, True), (9, False))
    film = Film(scene, tmp_path, 50)
    angles = [film.matrix(door, number).to_euler().z for number in range(1, 51, 2)]
    assert 0.3 < max(np.abs(angles)) < pi / 3 + 0.01


def test_two_posts_are_joined_and_do_not_stop_the_bake(scene, tmp_path):
    """A generator of fences joins every post to the next, Passive ones too."""
    ground()
    posts = [add("cube", "PASSIVE" if k < 3 else "ACTIVE", at=(1.5 * k, 0, 0.5), size=1) for k in range(5)]
    for first, second in zip(posts, posts[1:], strict=False):
        join("FIXED", first, second, (first.location + second.location) / 2)
    film = Film(scene, tmp_path, 30)
    assert max(np.abs(film.place(post) - film.place(post, 1)).max() for post in posts) < 1e-3
