"""Contacts of convex shapes against closed forms and against the Minkowski difference."""

import math

import numpy as np
import pytest
from narrow_reference import UNTURNED, contacts_of, random_quaternion, rotation, signed_distance, turned
from scipy.optimize import brentq
from scipy.spatial import ConvexHull as QuickHull

from stiction.solver.dynamics.contact_step import carried_impulses
from stiction.solver.shapes import Box, Capsule, Compound, ConvexHull, Cylinder, Part, Sphere

ON_SIDE = turned((1, 0, 0), 0.5 * math.pi)
UNIT = Box((1.0, 1.0, 1.0))


def random_shape(kind, rng):
    if kind == "box":
        return Box(tuple(rng.uniform(0.3, 1.5, 3)))
    return ConvexHull(rng.normal(size=(rng.integers(4, 20), 3)) * rng.uniform(0.3, 1.0, 3))


def world_vertices(shape, orientation):
    return (shape.surface()[0] - shape.mass_properties().center) @ rotation(orientation).T


def posed_pairs(kind, count, low, high, seed):
    """Random pairs whose signed distance is drawn from [low, high]: shapes, positions, orientations, reference."""
    rng = np.random.default_rng(seed)
    shapes, positions, turns, reference = [], [], [], []
    for k in range(count):
        a, b = random_shape(kind, rng), random_shape(kind, rng)
        qa, qb = random_quaternion(rng), random_quaternion(rng)
        va, vb = world_vertices(a, qa), world_vertices(b, qb)
        direction = rng.normal(size=3)
        direction /= np.linalg.norm(direction)
        target, far = rng.uniform(low, high), (va @ direction).max() - (vb @ direction).min() + 1.0

        def excess(s, va=va, vb=vb, direction=direction, target=target):
            return signed_distance(va, vb + s * direction)[0] - target

        s = brentq(excess, 0.0, far)
        offset = np.array([20.0 * k, 0.0, 0.0])
        shapes += [a, b]
        positions += [offset, offset + s * direction]
        turns += [qa, qb]
        reference.append(signed_distance(va, vb + s * direction))
    return shapes, positions, turns, reference


@pytest.mark.parametrize("kind", ["box", "hull"])
def test_random_poses_have_the_exact_gap_and_normal(kind):
    count = 120
    shapes, positions, turns, reference = posed_pairs(kind, count, -0.02, 0.004, 3)
    found = contacts_of(shapes, positions, turns, margin=0.008)
    for k, (distance, direction) in enumerate(reference):
        mine = np.flatnonzero(found.body_a == 2 * k)
        assert len(mine) > 0
        deepest = mine[np.argmin(found.gap[mine])]
        # An edge axis may give way to a face within 0.3 degrees, or to one 0.5 % (+ 1e-5 of the size) deeper.
        slack = 3e-6 + 0.005 * max(0.0, -distance) + 2e-5
        assert abs(found.gap[deepest] - distance) < slack
        if abs(found.gap[deepest] - distance) < 1e-6:
            assert found.normal[deepest] @ direction > math.cos(math.radians(1.0))
        assert np.allclose(found.normal[mine], found.normal[deepest])


@pytest.mark.parametrize("kind", ["box", "hull"])
def test_separated_pairs_have_the_distance_and_its_direction(kind):
    count = 80
    shapes, positions, turns, reference = posed_pairs(kind, count, 0.05, 0.3, 5)
    found = contacts_of(shapes, positions, turns, margin=0.35)
    for k, (distance, direction) in enumerate(reference):
        mine = np.flatnonzero(found.body_a == 2 * k)
        deepest = mine[np.argmin(found.gap[mine])]
        # 0.3 degrees off a face normal costs 1.4e-5 of the distance.
        assert found.gap[deepest] == pytest.approx(distance, rel=2e-5, abs=1e-6)
        assert found.normal[deepest] @ direction > math.cos(math.radians(0.5))


@pytest.mark.parametrize("kind", ["box", "hull"])
def test_contact_points_lie_on_both_surfaces(kind):
    shapes, positions, turns, _ = posed_pairs(kind, 60, -0.01, 0.002, 7)
    found = contacts_of(shapes, positions, turns, margin=0.004)
    for c in range(found.count):
        for body, sign in ((found.body_a[c], 0.5), (found.body_b[c], -0.5)):
            point = found.position[c] - sign * found.gap[c] * found.normal[c] - positions[body]
            planes = QuickHull(world_vertices(shapes[body], turns[body])).equations
            # Sides of a reference face are moved out by 5e-4 of the half size (at most 0.75 here).
            assert abs((planes[:, :3] @ point + planes[:, 3]).max()) < 4e-4


@pytest.mark.parametrize("gap", [0.0, 1e-3, -1e-3])
@pytest.mark.parametrize("yaw", [0.0, 1e-9, 0.3])
def test_box_on_box_has_four_or_eight_exact_contacts(gap, yaw):
    found = contacts_of([UNIT, UNIT], [(0, 0, 0), (0.2, 0.1, 1.0 + gap)], [UNTURNED, turned((0, 0, 1), yaw)])
    assert 4 <= found.count <= (4 if yaw < 0.1 else 8)
    assert found.normal == pytest.approx(np.tile([0, 0, 1.0], (found.count, 1)), abs=1e-15)
    assert found.gap == pytest.approx(gap, abs=1e-15)
    assert found.position[:, 2] == pytest.approx(0.5 + 0.5 * gap, abs=1e-15)
    if yaw == 0.0:
        assert found.position[:, 0].min() == pytest.approx(-0.3)
        # The side of the reference face is moved out by 5e-4 of the half size.
        assert found.position[:, 0].max() == pytest.approx(0.5, abs=2.6e-4)


def test_tower_of_touching_boxes_has_four_contacts_a_level_under_round_off():
    rng = np.random.default_rng(4)
    count = 30
    positions = np.array([[0.0, 0.0, 0.1 * k] for k in range(count)]) + 1e-13 * rng.normal(size=(count, 3))
    turns = [turned(rng.normal(size=3), 1e-12) for _ in range(count)]
    found = contacts_of([Box((0.1, 0.1, 0.1))] * count, positions, turns)
    assert np.array_equal(found.body_b, np.repeat(np.arange(1, count), 4))
    assert np.array_equal(found.body_a, found.body_b - 1)
    assert found.normal == pytest.approx(np.tile([0, 0, 1.0], (found.count, 1)), abs=1e-11)


def test_wall_of_bricks_side_by_side():
    brick = Box((0.2, 0.1, 0.1))
    for space in (0.0, 1e-3):
        positions = [(i * (0.2 + space) + 0.1 * (level % 2), 0, 0.1 * level) for level in range(4) for i in range(4)]
        found = contacts_of([brick] * 16, positions)
        level_a, level_b = found.body_a // 4, found.body_b // 4
        upright = level_a != level_b
        # 4 bricks on 4, shifted by half: 7 pairs between levels; 3 neighbours in a level; no others.
        assert upright.sum() == 3 * 7 * 4
        assert (~upright).sum() == 4 * 3 * 4
        assert np.abs(found.normal[upright, 2]) == pytest.approx(1.0)
        assert np.abs(found.normal[~upright, 0]) == pytest.approx(1.0)
        assert found.gap[~upright] == pytest.approx(space, abs=1e-15)


def test_boxes_that_share_only_an_edge_do_not_touch():
    assert contacts_of([UNIT, UNIT], [(0, 0, 0), (1, 0, 1)]).count == 0


def test_crossed_edges():
    lower = turned((1, 0, 0), 0.25 * math.pi)
    upper = turned((0, 1, 0), 0.25 * math.pi)
    for gap in (-1e-3, 1e-3):
        found = contacts_of([UNIT, UNIT], [(0, 0, 0), (0, 0, math.sqrt(2.0) + gap)], [lower, upper])
        assert found.count == 1
        assert found.normal[0] == pytest.approx([0, 0, 1.0])
        assert found.gap[0] == pytest.approx(gap, abs=1e-12)
        assert found.position[0] == pytest.approx([0, 0, math.sqrt(0.5) + 0.5 * gap], abs=1e-12)


def test_vertex_on_face_and_two_vertices_apart():
    tip = ConvexHull([(0, 0, 0), (1, 0, 1), (-0.5, 0.8, 1), (-0.5, -0.8, 1)])
    center = tip.mass_properties().center
    found = contacts_of([UNIT, tip], [(0, 0, 0), center + (0.1, 0.2, 0.5 + 1e-3)])
    assert found.count == 1
    assert found.position[0] == pytest.approx([0.1, 0.2, 0.5005], abs=1e-12)
    corner = np.array([1, 1, 1]) * (1.0 + 0.01 / math.sqrt(3.0))
    found = contacts_of([UNIT, UNIT], [(0, 0, 0), corner], margin=0.02)
    assert found.count == 1
    assert found.gap[0] == pytest.approx(0.01, abs=1e-12)
    assert found.normal[0] == pytest.approx(np.full(3, math.sqrt(1 / 3)), abs=1e-9)


def test_gap_is_continuous_through_zero():
    heights = np.linspace(-2e-3, 2e-3, 41)
    turns = [UNTURNED, turned((1, 0.3, 0), 0.4)]
    lowest = -world_vertices(UNIT, turns[1])[:, 2].min()
    for height in heights:
        found = contacts_of([Box((4, 4, 1.0)), UNIT], [(0, 0, 0), (0.1, 0.2, 0.5 + lowest + height)], turns)
        assert found.gap.min() == pytest.approx(height, abs=1e-12)
        assert found.normal[0] == pytest.approx([0, 0, 1.0], abs=1e-12)


@pytest.mark.parametrize("shift", [0.0, 1e-3, -1e-3])
def test_spheres_and_capsules_in_closed_form(shift):
    ball, rod = Sphere(0.5), Capsule(0.2, 1.0)
    found = contacts_of([ball, ball], [(0, 0, 0), (0.6, 0, 0.8 + shift)])
    distance = math.hypot(0.6, 0.8 + shift)
    assert found.gap[0] == pytest.approx(distance - 1.0, abs=1e-14)
    assert found.normal[0] == pytest.approx(np.array([0.6, 0, 0.8 + shift]) / distance)
    found = contacts_of([ball, rod], [(0, 0, 0), (0.7 + shift, 0, 0.3)])
    assert found.gap[0] == pytest.approx(shift, abs=1e-14)
    assert found.position[0] == pytest.approx([0.5 + 0.5 * shift, 0, 0])
    found = contacts_of([rod, ball], [(0, 0, 0), (0, 0, 1.2 + shift)])
    assert found.normal[0] == pytest.approx([0, 0, 1.0])
    assert found.gap[0] == pytest.approx(shift, abs=1e-14)
    found = contacts_of([rod, rod], [(0, 0, 0), (0.4 + shift, 0, 0.5)])
    assert found.count == 2
    assert found.gap == pytest.approx(shift, abs=1e-14)
    assert sorted(found.position[:, 2]) == pytest.approx([0.0, 0.5])
    found = contacts_of([rod, rod], [(0, 0, 0), (0.4 + shift, 0, 0)], [UNTURNED, ON_SIDE])
    assert found.count == 1
    assert found.gap[0] == pytest.approx(shift, abs=1e-14)


@pytest.mark.parametrize("shift", [0.0, 1e-3, -1e-3])
def test_sphere_and_capsule_on_a_box(shift):
    for order in (1, -1):
        pair = [Box((2, 2, 1.0)), Sphere(0.5)][::order]
        found = contacts_of(pair, [(0, 0, 0), (0.3, 0.2, 1.0 + shift)][::order])
        assert found.count == 1
        assert found.gap[0] == pytest.approx(shift, abs=1e-12)
        assert found.normal[0] == pytest.approx([0, 0, order], abs=1e-12)
        pair = [Box((2, 2, 1.0)), Capsule(0.2, 1.0)][::order]
        found = contacts_of(pair, [(0, 0, 0), (0.3, 0.2, 0.7 + shift)][::order], [UNTURNED, ON_SIDE][::order])
        assert found.count == 2
        assert found.gap == pytest.approx(shift, abs=1e-12)
        assert sorted(found.position[:, 1]) == pytest.approx([-0.3, 0.7])


def test_sphere_at_an_edge_a_corner_and_inside():
    side = 0.5 + 0.3 / math.sqrt(2.0)
    found = contacts_of([UNIT, Sphere(0.3)], [(0, 0, 0), (side, 0.1, side)])
    assert found.gap[0] == pytest.approx(0.0, abs=1e-12)
    assert found.normal[0] == pytest.approx([math.sqrt(0.5), 0, math.sqrt(0.5)])
    found = contacts_of([UNIT, Sphere(0.3)], [(0, 0, 0), np.full(3, 0.5 + 0.29 / math.sqrt(3.0))])
    assert found.gap[0] == pytest.approx(-0.01, abs=1e-12)
    found = contacts_of([UNIT, Sphere(0.3)], [(0, 0, 0), (0.1, 0, 0.45)])
    assert found.gap[0] == pytest.approx(-0.35, abs=1e-12)
    assert found.normal[0] == pytest.approx([0, 0, 1.0])


def test_capsule_axis_inside_a_box_leaves_by_the_nearest_face_or_edge():
    found = contacts_of([Box((2, 2, 1.0)), Capsule(0.2, 1.0)], [(0, 0, 0), (0, 0, 0.45)], [UNTURNED, ON_SIDE])
    assert found.gap == pytest.approx(-0.25)
    assert found.normal[:, 2] == pytest.approx(1.0)
    tilted = turned((0, 1, 0), 0.25 * math.pi)
    found = contacts_of([UNIT, Capsule(0.1, 3.0)], [(0, 0, 0), (0, 0, math.sqrt(0.5) - 0.01)], [tilted, ON_SIDE])
    assert found.gap[0] == pytest.approx(-0.1 - 0.01 * math.sqrt(0.5))
    across = turned((0, 1, 0), 0.5 * math.pi)
    found = contacts_of([UNIT, Capsule(0.1, 3.0)], [(0, 0, 0), (0, 0, math.sqrt(0.5) - 0.01)], [tilted, across])
    assert found.count == 1
    assert found.gap[0] == pytest.approx(-0.11)
    assert found.normal[0] == pytest.approx([0, 0, 1.0])


def test_compound_parts_touch_like_bodies_and_never_each_other():
    shape = Compound((Part(UNIT, (-1, 0, 0)), Part(UNIT, (1, 0, 0)), Part(Sphere(0.5), (0, 0, 0))))
    found = contacts_of([Box((8, 8, 1.0)), shape, shape], [(0, 0, 0), (0, 0, 1), (0, 0, 2)])
    assert set(zip(found.body_a.tolist(), found.body_b.tolist(), strict=True)) == {(0, 1), (1, 2)}
    assert (found.body_a == 0).sum() == 9
    assert len(np.unique(found.key[found.body_a == 0])) == 9
    order = np.lexsort((found.key, found.body_b, found.body_a))
    assert np.array_equal(order, np.arange(found.count))


@pytest.mark.parametrize("angle", np.linspace(0.1, 3.1, 7))
def test_contacts_of_a_round_patch_are_in_order_and_carry_what_they_did(angle):
    """The inner ring of a patch with eight corners was in the order of its directions, and lost its loads each step."""
    found = contacts_of([UNIT, UNIT], [(0, 0, 0), (0, 0, 1.0)], [UNTURNED, turned((0, 0, 1), angle)])
    assert found.count == 12
    assert np.array_equal(np.lexsort((found.key, found.body_b, found.body_a)), np.arange(12))
    loads = np.arange(1.0, 61.0).reshape(12, 5)
    assert np.array_equal(carried_impulses(found, loads, found, np.full(2, 0.9)), loads)


def test_fast_bodies_are_seen_before_they_touch():
    twists = np.zeros((2, 6))
    twists[1, 2] = -50.0
    for shape, reach in ((UNIT, 0.5), (Sphere(0.5), 0.5), (Capsule(0.2, 0.6), 0.5), (Cylinder(0.3, 1.0), 0.5)):
        high = [(0, 0, 0), (0, 0, 0.5 + reach + 0.4)]
        floor = Box((3, 3, 1.0))
        assert contacts_of([floor, shape], high, twists=twists).count > 0
        assert contacts_of([floor, shape], high).count == 0
        assert contacts_of([floor, shape], high, twists=-twists).count == 0
