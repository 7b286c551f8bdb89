"""Surfaces that are nearly flat: what rises little over them is touched as what rises much."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial.transform import Rotation

from stiction.solver.collision.pipeline import find_contacts, prepare
from stiction.solver.shapes import Capsule, ConvexHull, Mesh
from stiction.solver.shapes.generators import plate

TENTH = np.radians(0.1)
REST, STILL = np.array([[1.0, 0.0, 0.0, 0.0]] * 2), np.zeros((2, 6))


def hull(points):
    """The convex hull of points (P,3) as a mesh."""
    return Mesh(*ConvexHull(points).surface())


def roof(rise, axis):
    """A block about the origin, 2 m wide and thick, with a ridge along an axis (0 or 1) of its top, at z = 0; to its
    sides the top falls by `rise` [m]."""
    corners = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-2.0, -rise)])
    ends = np.zeros((2, 3))
    ends[:, axis] = -1.0, 1.0
    return hull(np.concatenate((corners, ends)))


def lowest(shapes, shift, turn):
    """The least gap of two bodies at rest, the second shifted and turned over about x."""
    model = prepare(shapes, np.zeros((2, 3)), np.array([False, True]))
    turned = np.roll(Rotation.from_rotvec([np.pi, 0.0, 0.0]).as_quat(), 1) if turn else REST[0]
    found = find_contacts(model, np.array([np.zeros(3), shift]), np.array([REST[0], turned]), STILL, 0.01)
    return found.gap.min(initial=np.inf)


@pytest.mark.parametrize("gap", [1e-4, 0.0, -1e-4])
@pytest.mark.parametrize("bend", [0.02, 0.2, 1.0])
def test_a_ridge_touches_a_ridge_however_gently_they_are_bent(bend, gap):
    rise = np.radians(0.5 * bend)
    assert lowest([roof(rise, 0), roof(rise, 1)], (0.1, 0.1, gap), True) == pytest.approx(gap, abs=1e-9)


@pytest.mark.parametrize("gap", [1e-4, 0.0, -1e-4])
@pytest.mark.parametrize("bend", [0.02, 0.2, 1.0])
def test_the_tip_of_a_flat_pyramid_touches(bend, gap):
    """Its faces are within PATCH_ANGLE of each other where they are bent by 0.02 degrees."""
    base = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-2.0, -np.radians(0.5 * bend))])
    pyramid = hull(np.concatenate((base, np.zeros((1, 3)))))
    floor = Mesh(*plate((4.0, 4.0, 1.0)))
    model_gap = lowest([floor, pyramid], (0.1, 0.1, 0.5 + gap), True)
    assert model_gap == pytest.approx(gap, abs=1e-9)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_capsule_lies_across_the_gentle_ridge_of_a_sheet_on_either_side(side):
    """The sheet is bent by a tenth of a degree; on the side of the ridge it is met there, on the other beside it."""
    fall = -side * 0.5 * TENTH
    points = np.array([(-1.0, -1.0, fall), (1.0, -1.0, fall), (-1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (-1.0, 1.0, fall),
                       (1.0, 1.0, fall)])  # fmt: skip
    sheet = Mesh(points, np.array([(0, 1, 3), (0, 3, 2), (2, 3, 5), (2, 5, 4)]))
    model = prepare([sheet, Capsule(0.1, 1.0)], np.zeros((2, 3)), np.array([False, True]))
    lying = np.roll(Rotation.from_rotvec([0.5 * np.pi, 0.0, 0.0]).as_quat(), 1)
    place = np.array([(0.0, 0.0, 0.0), (0.1, 0.0, side * 0.101)])
    found = find_contacts(model, place, np.array([REST[0], lying]), STILL, 0.01)
    assert found.gap.min() == pytest.approx(1e-3, rel=1e-5)
    assert side * found.normal[found.gap.argmin(), 2] > 0.999


def test_the_tip_of_a_flat_pyramid_of_many_corners_is_no_contact_too_many():
    """A body with a tip 0.3 mm out of its underside stands on a corner, tilted, and is let down as flat as the contacts
    let it that were found before: on its tip."""
    random, floor = np.random.default_rng(1), Mesh(*plate((4.0, 4.0, 1.0)))
    angle = np.radians(45.0) * np.arange(8)
    rim = np.column_stack((np.cos(angle), np.sin(angle), np.zeros(8)))
    body = hull(np.concatenate((rim, rim + [0.0, 0.0, 0.5], [[0.2, 0.1, -3e-4]])))
    model = prepare([floor, body], np.zeros((2, 3)), np.array([False, True]))
    position = np.array([(0.0, 0.0, 0.0), (0.0, 0.0, 0.5)])

    def contacts_at(position, turn):
        return find_contacts(model, position, np.array([REST[0], np.roll(turn.as_quat(), 1)]), STILL, 0.01)

    for _ in range(20):
        turn = Rotation.from_rotvec(np.append(random.normal(size=2) * 2e-3, 0.0))
        position[1, 2] = 0.51
        position[1, 2] -= contacts_at(position, turn).gap.min()
        found = contacts_at(position, turn)
        arm = found.position - position[1]
        # By z, x, y.
        opens = np.column_stack((np.ones(len(arm)), arm[:, 1], -arm[:, 0]))
        down = linprog([1.0, 0.0, 0.0], A_ub=-opens, b_ub=found.gap, bounds=[(None, None)] * 3).x
        position[1, 2] += down[0]
        assert contacts_at(position, Rotation.from_rotvec(np.append(down[1:], 0.0)) * turn).gap.min() > -1e-5
