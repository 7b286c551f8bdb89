"""Coinciding bodies, other scales, far from the origin, and what the reduction keeps."""

import math

import numpy as np
import pytest
from narrow_reference import UNTURNED, contacts_of, random_quaternion, turned

from stiction.solver.collision.pipeline import find_contacts, prepare
from stiction.solver.shapes import Box, Capsule, Compound, ConvexHull, Cylinder, Part, Sphere

STONE = [(0.3, 0, 0), (-0.3, 0.1, 0), (0, 0.4, 0), (0, -0.3, 0), (0, 0, 0.5), (0.1, 0, -0.3)]
KINDS = {
    "sphere": lambda s: Sphere(0.4 * s),
    "box": lambda s: Box((0.7 * s, 0.6 * s, 0.5 * s)),
    "capsule": lambda s: Capsule(0.2 * s, 0.5 * s),
    "cylinder": lambda s: Cylinder(0.3 * s, 0.6 * s),
    "hull": lambda s: ConvexHull(s * np.array(STONE)),
    "compound": lambda s: Compound((Part(Box((0.5 * s, 0.2 * s, 0.2 * s))), Part(Sphere(0.2 * s), (0.3 * s, 0, 0)))),
}


@pytest.mark.parametrize("first", KINDS)
@pytest.mark.parametrize("second", KINDS)
def test_coinciding_bodies_give_finite_contacts(first, second):
    pair = [KINDS[first](1.0), KINDS[second](1.0)]
    for turn in (UNTURNED, turned((1, 2, 3), 0.7)):
        found = contacts_of(pair, np.zeros((2, 3)), [UNTURNED, turn])
        assert found.count > 0
        assert np.isfinite(found.position).all()
        assert np.isfinite(found.gap).all()
        assert np.linalg.norm(found.normal, axis=1) == pytest.approx(1.0, abs=1e-9)
        assert found.gap.min() < -0.05


# Powers of two: the same digits, so that any length that is not relative to the bodies shows.
@pytest.mark.parametrize("scale", [2.0**-13, 2.0**13])
def test_contacts_scale_with_the_bodies(scale):
    rng = np.random.default_rng(8)
    positions = rng.uniform(-1.2, 1.2, (60, 3))
    turns = [random_quaternion(rng) for _ in range(60)]
    names = list(KINDS)
    sets = []
    for s in (1.0, scale):
        shapes = [KINDS[names[k % len(names)]](s) for k in range(60)]
        sets.append(contacts_of(shapes, s * positions, turns))
    assert sets[0].count > 200
    assert np.array_equal(sets[0].key, sets[1].key)
    assert sets[1].gap / scale == pytest.approx(sets[0].gap, abs=1e-9)
    assert sets[1].normal == pytest.approx(sets[0].normal, abs=1e-7)


def test_stack_a_kilometre_away():
    box, away = Box((1.0, 1.0, 1.0)), np.array([1000.0, -700.0, 300.0])
    found = contacts_of([box, box], [away, away + [0.1, 0.2, 1.0]])
    assert found.count == 4
    assert found.gap == pytest.approx(0.0, abs=1e-12)
    assert found.normal == pytest.approx(np.tile([0, 0, 1.0], (4, 1)))


def test_small_box_on_a_huge_floor_and_a_thin_card():
    found = contacts_of([Box((1000.0, 1000.0, 1.0)), Box((0.01, 0.01, 0.01))], [(0, 0, 0), (3.0, 7.0, 0.505)])
    assert found.count == 4
    assert found.gap == pytest.approx(0.0, abs=1e-12)
    card = Box((0.088, 0.063, 0.0003))
    found = contacts_of([Box((4.0, 4.0, 1.0)), card, card], [(0, 0, 0), (0, 0, 0.50015), (0.01, 0, 0.50045)])
    of_pair = found.body_b * 10 + found.body_a
    assert np.count_nonzero(of_pair == 10) == 4
    assert np.count_nonzero(of_pair == 21) == 4
    assert np.abs(found.normal[:, 2]) == pytest.approx(1.0)


@pytest.mark.parametrize("lean", [1e-9, 1e-8, 1e-7])
def test_a_box_that_leans_by_nothing_does_not_touch_the_far_corner_of_its_floor(lean):
    """Which lies under the plane of the box's face: it was pushed there, metres away."""
    shapes = [Box((0.08, 0.05, 0.03)), Box((4.0, 4.0, 1.0))]
    for axis in ((1, 0.3, 0), (0.2, -1, 0)):
        place = [(-0.2, 0.05, 0.015 + 0.05 * lean), (0, 0, -0.5)]
        found = contacts_of(shapes, place, [turned(axis, lean), UNTURNED])
        assert found.count == 4
        assert np.abs(found.position - [-0.2, 0.05, 0.0]).max() < 0.05


def test_reduction_keeps_the_outer_extent_of_a_flat_patch():
    angle = np.arange(40) * (2 * math.pi / 40)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    disk = ConvexHull(np.vstack([np.c_[ring, np.full(40, z)] for z in (-0.1, 0.1)]))
    found = contacts_of([Box((4.0, 4.0, 1.0)), disk], [(0, 0, 0), (0.2, 0.1, 0.6)])
    assert found.count == 12  # eight corners and the inner ring of four
    points = found.position[:, :2] - [0.2, 0.1]
    # The keys of the inner ring are the last.
    assert np.linalg.norm(points, axis=1) == pytest.approx([*[1.0] * 8, *[0.5] * 4])
    for direction in ring:
        # Eight directions: the furthest contact is at most 22.5 + 4.5 degrees off.
        assert (points @ direction).max() > math.cos(math.radians(27.0))


def test_a_body_lost_in_space_is_refused():
    model = prepare((Sphere(1.0), Sphere(1.0)), np.zeros((2, 3)), np.ones(2, bool))
    turns, twist = np.tile(UNTURNED, (2, 1)), np.zeros((2, 6))
    with pytest.raises(ValueError, match="box 1 is not finite"):
        find_contacts(model, np.array([[0, 0, 0], [0, math.nan, 0]]), turns, twist, 0.01)


def test_given_margin_bounds_the_gaps():
    ball = Sphere(0.5)
    positions = [(1.02 * k, 0, 0) for k in range(5)]
    assert contacts_of([ball] * 5, positions).count == 0
    assert contacts_of([ball] * 5, positions, margin=0.019).count == 0
    assert contacts_of([ball] * 5, positions, margin=0.021).count == 4
    assert contacts_of([ball] * 5, [(0.99 * k, 0, 0) for k in range(5)], margin=0.0).count == 4
