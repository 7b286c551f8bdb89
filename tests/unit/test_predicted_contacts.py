"""Turning bodies: what will touch at the end of the step is known at its beginning, and rolling is not braked."""

import math

import numpy as np
from narrow_reference import UNTURNED, contacts_of, random_quaternion, rotation, turned

from stiction.solver.shapes import Box, Capsule, Cylinder

STEP = 0.01


def multiply(p, q):
    p, q = np.asarray(p), np.asarray(q)
    w, v = p[0] * q[0] - p[1:] @ q[1:], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])
    return np.concatenate([[w], v])


def after_step(position, orientation, twist):
    spin = np.linalg.norm(twist[3:])
    turn = turned(twist[3:], spin * STEP) if spin > 0 else np.array(UNTURNED)
    return position + STEP * twist[:3], multiply(turn, orientation)


def linear_gaps(found, positions, twists):
    """Gaps at the end of the step as the constraints see them."""
    a, b = found.body_a, found.body_b
    va = twists[a, :3] + np.cross(twists[a, 3:], found.position - positions[a])
    vb = twists[b, :3] + np.cross(twists[b, 3:], found.position - positions[b])
    return found.gap + STEP * np.einsum("ij,ij->i", vb - va, found.normal)


def turning_bars(count, seed):
    """Pairs of bars that nearly touch and turn: shapes, positions, orientations, twists."""
    rng = np.random.default_rng(seed)
    bar = Box((1.0, 0.1, 0.1))
    positions, turns = [], []
    for k in range(count):
        qa, qb = random_quaternion(rng), random_quaternion(rng)
        across = np.cross(rotation(qa)[:, 0], rotation(qb)[:, 0])
        across /= np.linalg.norm(across)
        half = [0.05 * np.abs(rotation(q).T @ across)[1:].sum() for q in (qa, qb)]
        start = np.array([5.0 * k, 0.0, 0.0])
        positions += [start, start + (sum(half) + rng.uniform(0.0, 0.01)) * across]
        turns += [qa, qb]
    spin = rng.normal(size=(2 * count, 3))
    spin *= 12.0 / np.linalg.norm(spin, axis=1)[:, None]
    return [bar] * (2 * count), np.array(positions), np.array(turns), np.hstack([np.zeros((2 * count, 3)), spin])


def test_overlap_after_a_turn_is_foreseen():
    shapes, positions, turns, twists = turning_bars(400, 5)
    now = contacts_of(shapes, positions, turns, twists)
    moved = [after_step(*row) for row in zip(positions, turns, twists, strict=True)]
    then = contacts_of(shapes, [p for p, _ in moved], [q for _, q in moved])
    predicted = linear_gaps(now, positions, twists)
    worst, overlapping = [], 0
    for pair in range(400):
        gaps = then.gap[then.body_a == 2 * pair]
        if len(gaps) and -0.02 < gaps.min() < -1e-3:
            overlapping += 1
            foreseen = predicted[now.body_a == 2 * pair]
            worst.append((foreseen.min() if len(foreseen) else math.inf) - gaps.min())
    assert overlapping > 50
    # Without looking ahead some of these pairs have no contact at all, and a third is off by more than 1 mm.
    assert max(worst) < 0.005
    assert np.mean(np.array(worst) < 1e-3) > 0.85


def test_rolling_cylinders_and_capsules_are_not_braked():
    lying = turned((1, 0, 0), 0.5 * math.pi)
    for shape in (Cylinder(0.3, 0.8), Capsule(0.3, 0.8)):
        for angle in np.linspace(0.0, 1.0, 7):
            turn = multiply(lying, turned((0, 0, 1), angle))
            twists = np.array([[0.0] * 6, [0.3 * 8.0, 0, 0, 0, 8.0, 0]])
            positions = np.array([[0, 0, 0], [0.1, 0.2, 0.8]])
            found = contacts_of([Box((6.0, 4.0, 1.0)), shape], positions, [UNTURNED, turn], twists)
            assert found.count >= 2
            assert linear_gaps(found, positions, twists).min() > -1e-12


def test_bodies_at_rest_have_no_foreseen_contacts():
    box = Box((1.0, 1.0, 1.0))
    twists = np.zeros((2, 6))
    twists[1] = [0, 0, -0.1, 1e-3, 1e-3, 1e-3]
    assert contacts_of([box, box], [(0, 0, 0), (0.1, 0, 1.0)], twists=twists).count == 4
