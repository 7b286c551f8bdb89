"""Keys that survive small motions, and answers that do not depend on the number of threads."""

import numpy as np
import pytest
from narrow_reference import random_quaternion, turned

from stiction.solver.collision.pipeline import find_contacts, prepare
from stiction.solver.shapes import Box, Capsule, Compound, ConvexHull, Cylinder, Part, Sphere


def pairs_of(contacts):
    return set(zip(contacts.body_a.tolist(), contacts.body_b.tolist(), contacts.key.tolist(), strict=True))


def multiply(p, q):
    w, v = p[0] * q[0] - p[1:] @ q[1:], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])
    return np.concatenate([[w], v])


def pile(seed, shapes, space):
    """Positions and orientations of shapes in a slightly disturbed lattice, layers aligned like stacked boxes."""
    rng = np.random.default_rng(seed)
    side = int(np.ceil(len(shapes) ** (1 / 3)))
    lattice = np.array([(i, j, k) for k in range(side) for j in range(side) for i in range(side)])[: len(shapes)]
    positions = lattice * np.array([1.2, 1.2, 1.0]) * space + 1e-4 * rng.normal(size=(len(shapes), 3))
    return positions, rng


def small_motion(positions, turns, rng, size):
    moved = positions + size * rng.normal(size=positions.shape)
    return moved, np.array([multiply(turned(rng.normal(size=3), size * rng.normal()), q) for q in turns])


def survival(shapes, positions, turns, rng, size):
    """Share of the contacts whose key is still there after a small motion of all bodies."""
    count = len(shapes)
    model = prepare(tuple(shapes), np.zeros((count, 3)), np.ones(count, bool))
    twist = np.zeros((count, 6))
    before = pairs_of(find_contacts(model, positions, turns, twist, 0.01))
    moved, turned_on = small_motion(positions, turns, rng, size)
    after = pairs_of(find_contacts(model, moved, turned_on, twist, 0.01))
    assert len(before) > count
    return len(before & after) / len(before)


def test_keys_of_stacked_boxes_survive():
    boxes = [Box((1.0, 1.0, 1.0))] * 64
    positions, rng = pile(1, boxes, 1.0)
    turns = np.array([turned(rng.normal(size=3), 1e-4 * rng.normal()) for _ in boxes])
    # Aligned corners lie within 1e-4 of the other box's edges, the motion is 1e-6 of the size.
    assert survival(boxes, positions, turns, rng, 1e-6) > 0.99


def test_keys_of_boxes_turned_about_the_upright_survive():
    boxes = [Box((1.0, 1.0, 1.0))] * 64
    positions, rng = pile(2, boxes, 1.0)
    turns = np.array([turned((0, 0, 1), rng.uniform(0, 3)) for _ in boxes])
    assert survival(boxes, positions, turns, rng, 1e-4) > 0.95


def test_keys_of_a_pile_of_hulls_survive():
    rng = np.random.default_rng(3)
    stones = [ConvexHull(p / np.linalg.norm(p, axis=1)[:, None] * 0.5) for p in rng.normal(size=(64, 14, 3))]
    stones = [stone for stone in stones if stone.mass_properties().volume > 0.2]
    positions, rng = pile(3, stones, 0.72)
    turns = np.array([random_quaternion(rng) for _ in stones])
    assert survival(stones, positions, turns, rng, 1e-4) > 0.95


def test_key_of_a_face_contact_does_not_depend_on_which_face_is_the_reference():
    a, b = Box((1.0, 1.0, 1.0)), Box((1.2, 0.9, 1.0))
    model = prepare((a, b), np.zeros((2, 3)), np.ones(2, bool))
    positions, twist = np.array([[0, 0, 0], [0.3, 0.2, 1.0]]), np.zeros((2, 6))
    seen = []
    for angle in (2e-4, -2e-4):
        turns = np.array([turned((1, 0.2, 0), angle), turned((0, 0, 1), 0.3)])
        seen.append(pairs_of(find_contacts(model, positions, turns, twist, 0.01)))
    assert len(seen[0]) >= 4
    assert seen[0] == seen[1]


def mixed_scene(count):
    rng = np.random.default_rng(9)
    stone = ConvexHull(rng.normal(size=(12, 3)) * 0.3)
    jack = Compound((Part(Capsule(0.1, 0.6)), Part(Box((0.8, 0.2, 0.2))), Part(Box((0.2, 0.8, 0.2)))))
    kinds = (Sphere(0.4), Box((0.7, 0.6, 0.5)), Capsule(0.2, 0.5), Cylinder(0.3, 0.6), stone, jack)
    shapes = [kinds[k % 6] for k in range(count)]
    side = 0.62 * count ** (1 / 3)
    positions = rng.uniform(-0.5 * side, 0.5 * side, (count, 3))
    turns = np.array([random_quaternion(rng) for _ in shapes])
    return shapes, positions, turns, rng.normal(size=(count, 6))


@pytest.mark.parametrize("workers", [2, 4])
def test_same_bits_for_any_number_of_threads(workers):
    shapes, positions, turns, twist = mixed_scene(400)
    model = prepare(tuple(shapes), np.zeros((400, 3)), np.ones(400, bool))
    one = find_contacts(model, positions, turns, twist, 0.01)
    many = find_contacts(model, positions, turns, twist, 0.01, workers=workers)
    assert one.count > 1000
    for name in ("body_a", "body_b", "position", "normal", "gap", "key"):
        assert getattr(one, name).tobytes() == getattr(many, name).tobytes()


def test_order_and_the_number_of_contacts_of_a_pair():
    shapes, positions, turns, twist = mixed_scene(400)
    model = prepare(tuple(shapes), np.zeros((400, 3)), np.ones(400, bool))
    found = find_contacts(model, positions, turns, twist, 0.01)
    assert (found.body_a < found.body_b).all()
    order = np.lexsort((found.key, found.body_b, found.body_a))
    assert np.array_equal(order, np.arange(found.count))
    assert np.linalg.norm(found.normal, axis=1) == pytest.approx(1.0, abs=1e-12)
    _, counts = np.unique(found.body_a * 400 + found.body_b, return_counts=True)
    assert counts.max() <= 27
    rows = np.stack([found.body_a, found.body_b, found.key], axis=1)
    assert len(np.unique(rows, axis=0)) == found.count


def test_static_bodies_and_excluded_pairs_are_left_out():
    box = Box((1.0, 1.0, 1.0))
    positions = np.array([[0, 0, 0], [0, 0, 1], [0, 0, 2.0], [0, 0, 3.0]])
    turns, twist = np.tile([1.0, 0, 0, 0], (4, 1)), np.zeros((4, 6))
    model = prepare((box,) * 4, np.zeros((4, 3)), np.array([False, False, True, True]), excluded=[(2, 3)])
    found = find_contacts(model, positions, turns, twist, 0.01)
    assert set(zip(found.body_a.tolist(), found.body_b.tolist(), strict=True)) == {(1, 2)}


def test_no_bodies():
    model = prepare((), np.zeros((0, 3)), np.zeros(0, bool))
    assert find_contacts(model, np.zeros((0, 3)), np.zeros((0, 4)), np.zeros((0, 6)), 0.01).count == 0
