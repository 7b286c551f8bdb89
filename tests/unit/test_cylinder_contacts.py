"""Cylinders on faces, rolling and leaning, and with balls: closed forms. Fast pairs: hits and near misses."""

import math

import numpy as np
import pytest
from narrow_reference import UNTURNED, contacts_of, random_quaternion, rotation, turned

from stiction.solver.materials import Material, MaterialTable
from stiction.solver.runs.simulation_options import SimulationOptions
from stiction.solver.scene import Body, Joint, Motor, Scene
from stiction.solver.shapes import Box, Capsule, ConvexHull, Cylinder, Sphere
from stiction.solver.simulation import simulate

FLOOR = Box((4.0, 4.0, 1.0))
WHEEL = Cylinder(0.3, 0.8)


def multiply(p, q):
    p, q = np.asarray(p), np.asarray(q)
    w, v = p[0] * q[0] - p[1:] @ q[1:], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])
    return np.concatenate([[w], v])


@pytest.mark.parametrize("shift", [0.0, 1e-3, -1e-3])
def test_rolling_cylinder_always_has_the_same_two_contacts(shift):
    keys = set()
    for angle in np.linspace(0.0, 2.0, 23):
        turn = multiply(turned((1, 0, 0), 0.5 * math.pi), turned((0, 0, 1), angle))
        found = contacts_of([FLOOR, WHEEL], [(0, 0, 0), (0.1, 0.2, 0.8 + shift)], [UNTURNED, turn])
        assert found.count == 2
        assert found.gap == pytest.approx(shift, abs=1e-13)
        assert found.normal == pytest.approx(np.tile([0, 0, 1.0], (2, 1)), abs=1e-13)
        assert sorted(found.position[:, 1]) == pytest.approx([-0.2, 0.6])
        assert found.position[:, 0] == pytest.approx(0.1)
        keys.add(tuple(found.key))
    assert len(keys) == 1


@pytest.mark.parametrize("order", [1, -1])
def test_leaning_cylinder_touches_with_its_lowest_rim_point(order):
    rng = np.random.default_rng(2)
    for _ in range(40):
        turn = random_quaternion(rng)
        axis = rotation(turn)[:, 2]
        reach = 0.4 * abs(axis[2]) + 0.3 * math.hypot(axis[0], axis[1])
        poses = [(0, 0, 0), (0, 0, 0.5 + reach - 1e-3)]
        found = contacts_of([FLOOR, WHEEL][::order], poses[::order], [UNTURNED, turn][::order])
        deepest = np.argmin(found.gap)
        assert found.gap[deepest] == pytest.approx(-1e-3, abs=1e-12)
        assert found.normal[deepest] == pytest.approx([0, 0, order], abs=1e-12)


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("other", [FLOOR, Cylinder(2.0, 1.0), ConvexHull([(x, y, z) for x in (-2, 2) for y in (-2, 2)
                                                                      for z in (-0.5, 0.5)])])  # fmt: skip
@pytest.mark.parametrize("lean", [0.0, 2e-3])
def test_no_contact_of_a_cap_is_beyond_its_rim(other, order, lean):
    """It was by half a percent where the cap is not wholly over a face: there the contacts are those of a prism."""
    turn = turned((0, 1, 0), lean)
    poses = [(0, 0, 0), (1.9, 0.0, 0.5 + 0.4 * math.cos(lean) + 0.3 * math.sin(lean))]
    found = contacts_of([other, WHEEL][::order], poses[::order], [UNTURNED, turn][::order])
    assert found.count >= 3
    below = found.position + np.outer(0.5 * found.gap, found.normal[0] * order) - poses[1]
    x = below @ rotation(turn)
    assert np.hypot(x[:, 0], x[:, 1]).max() <= 0.3 + 1e-12
    assert x[:, 2] == pytest.approx(-0.4, abs=1e-12)
    assert x[:, 0].min() == pytest.approx(-0.3, abs=2e-3)


def test_standing_cylinder_has_eight_rim_points_and_four_half_way_and_over_an_edge_less_of_its_cap():
    found = contacts_of([FLOOR, WHEEL], [(0, 0, 0), (0, 0, 0.9)])
    assert found.count == 12
    assert np.linalg.norm(found.position[:, :2], axis=1) == pytest.approx([*[0.3] * 8, *[0.15] * 4])
    assert np.abs(found.position[:, :2].sum(axis=0)).max() < 1e-12
    found = contacts_of([FLOOR, WHEEL], [(0, 0, 0), (2.0, 0, 0.9)])
    assert 3 <= found.count <= 12
    assert found.gap == pytest.approx(0.0, abs=1e-12)
    assert found.position[:, 0].max() == pytest.approx(2.0, abs=1e-3)
    assert found.position[:, 0].min() == pytest.approx(1.7, abs=0.01)


def test_ball_and_cylinder():
    ball = Sphere(0.2)
    for place, gap, normal in (
        ((0.5, 0, 0.1), 0.0, (1, 0, 0)),
        ((0.1, 0.1, 0.61), 0.01, (0, 0, 1)),
        ((0.3 + 0.12, 0, 0.4 + 0.16), 0.0, (0.6, 0, 0.8)),
        ((0.0, 0.25, 0.0), -0.25, (0, 1, 0)),
        ((0.0, 0.05, 0.35), -0.25, (0, 0, 1)),
    ):
        found = contacts_of([WHEEL, ball], [(0, 0, 0), place], margin=0.02)
        assert found.count == 1
        assert found.gap[0] == pytest.approx(gap, abs=1e-12)
        assert found.normal[0] == pytest.approx(normal, abs=1e-12)


def test_cylinders_side_by_side_touch_to_half_a_percent_of_the_radius():
    for angle in np.linspace(0.0, 0.4, 9):
        turns = [turned((0, 0, 1), 0.7 * angle), turned((0, 0, 1), angle)]
        found = contacts_of([WHEEL, WHEEL], [(0, 0, 0), (0.6, 0, 0)], turns)
        assert found.count >= 1
        assert abs(found.gap.min()) < 2 * 0.005 * 0.3
        assert found.normal[:, 0].min() > math.cos(math.pi / 32) - 1e-9


def fast(shape, start, velocity, turn=UNTURNED, spin=(0, 0, 0)):
    """Contacts of a body that flies at a plate 3 mm thick; the plate's upper face is z = 0."""
    twists = np.zeros((2, 6))
    twists[1] = [*velocity, *spin]
    plate = Box((2.0, 2.0, 0.003))
    return contacts_of([plate, shape], [(0, 0, -0.0015), start], [UNTURNED, turn], twists)


def predicted(found, velocity, h=0.01):
    return found.gap + h * found.normal @ np.asarray(velocity)


@pytest.mark.parametrize(
    "shape", [Box((0.2, 0.1, 0.1)), Sphere(0.05), Capsule(0.03, 0.1), Cylinder(0.05, 0.1)], ids=lambda shape: shape.type
)
def test_fast_bodies_hit_the_plate_they_fly_into_and_not_the_one_they_pass(shape):
    rng = np.random.default_rng(6)
    for _ in range(60):
        velocity = np.array([*rng.uniform(-15, 15, 2), rng.uniform(-50, -20)])
        target = np.array([*rng.uniform(-1.6, 1.6, 2), 0.0])
        back = rng.uniform(0.3, 0.9)
        start, turn = target - 0.01 * back * velocity, random_quaternion(rng)
        outside = np.abs(target[:2]).max()
        if abs(outside - 1.0) < 0.15 or start[2] < 0.15:
            continue
        found = fast(shape, start, velocity, turn)
        if outside < 1.0:
            assert found.count > 0
            assert found.normal == pytest.approx(np.tile([0, 0, 1.0], (found.count, 1)), abs=1e-6)
            # Stopping at v_n = -gap / h leaves the body on the upper face.
            assert predicted(found, velocity).min() < 0.0
        else:
            assert (predicted(found, velocity) > -1e-3).all()


def test_bodies_that_pass_close_to_each_other_do_not_touch():
    stone = ConvexHull([(0.2, 0, 0), (-0.2, 0, 0), (0, 0.2, 0), (0, -0.2, 0), (0, 0, 0.2), (0, 0, -0.2)])
    for shape, clear in ((Sphere(0.2), 0.41), (stone, 0.41), (Box((0.4, 0.4, 0.4)), 0.41)):
        twists = np.array([[0, 0, 0, 0, 0, 0], [-80.0, 0, 0, 0, 0, 0]])
        found = contacts_of([shape, shape], [(0, 0, 0), (0.7, clear, 0)], twists=twists)
        assert (predicted(found, (-80.0, 0, 0)) > -1e-3).all()
        found = contacts_of([shape, shape], [(0, 0, 0), (0.7, 0.5 * clear, 0)], twists=twists)
        assert predicted(found, (-80.0, 0, 0)).min() < -0.1


@pytest.mark.parametrize("gap", [0.0, 1e-5])
def test_a_wheel_that_turns_beside_another_is_not_held(gap):
    """Wheels have no corners that come round: without friction one turns as if the other were not there."""
    wheels = (Body("small", Cylinder(0.1, 0.05)), Body("large", Cylinder(0.2, 0.05), position=(0.3 + gap, 0.0, 0.0)))
    axles = (Joint("a", "hinge", ("world", "small"), motor=Motor(6.0, 0.1)),
             Joint("b", "hinge", ("world", "large"), position=(0.3 + gap, 0.0, 0.0)))  # fmt: skip
    smooth = MaterialTable((Material("default", friction=0.0),))
    done = simulate(Scene(wheels, smooth, (0.0, 0.0, 0.0), axles), SimulationOptions(time=1.0, time_step=1 / 60))
    free = simulate(Scene(wheels[:1], smooth, (0.0, 0.0, 0.0), axles[:1]),
                    SimulationOptions(time=1.0, time_step=1 / 60))  # fmt: skip
    assert free.joints[-1, 0, 0] > 2.0
    assert done.joints[:, 0, 0] == pytest.approx(free.joints[:, 0, 0], abs=1e-9)
    assert abs(done.joints[-1, 1, 0]) < 1e-9


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("lean", [0.0, 0.02, 0.7, 0.5 * math.pi])
def test_a_capsule_lies_on_the_round_side_of_a_drum(lean, order):
    """Not on the prism around it, which is half a per cent wider and has edges."""
    for around in np.linspace(0.0, 0.4, 9):
        drum = turned((0, 0, 1), around)
        outward = np.array([math.cos(0.1), math.sin(0.1), 0.0])
        lying = turned(tuple(outward), lean)
        poses = [(0, 0, 0), tuple((0.5 + 0.1 + 1e-3) * outward)]
        found = contacts_of([Cylinder(0.5, 2.0), Capsule(0.1, 0.6)][::order], poses[::order], [drum, lying][::order])
        assert found.count == (2 if lean < 0.05 else 1)
        # Where it leans a little, at both ends of what lies beside the drum.
        aside = 0.3 * math.sin(lean) * (found.count == 2)
        assert found.gap == pytest.approx(math.hypot(0.601, aside) - 0.6, abs=1e-7)
        assert order * found.normal @ outward == pytest.approx(0.601 / math.hypot(0.601, aside), abs=1e-6)


@pytest.mark.parametrize("depth", [1e-3, -1e-3, -0.05])
def test_a_capsule_on_the_cap_of_a_drum_is_not_at_its_side(depth):
    """Standing near the rim, and lying across the cap."""
    for place, turn in (((0.45, 0.0, 1.0 + 0.1 + 0.3 + depth), UNTURNED),
                        ((0.1, 0.0, 1.0 + 0.1 + depth), turned((0, 1, 0), 0.5 * math.pi))):  # fmt: skip
        found = contacts_of([Cylinder(0.5, 2.0), Capsule(0.1, 0.6)], [(0, 0, 0), place], [UNTURNED, turn])
        assert found.gap.min() == pytest.approx(depth, abs=1e-9)
        assert found.normal[np.argmin(found.gap)] == pytest.approx([0.0, 0.0, 1.0], abs=1e-9)
