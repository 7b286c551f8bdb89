"""Concave bodies pushed into each other by up to three hundredths of their size come apart again, on every trial.

A random pose in which the two touch is pushed in along the way they approached; five times the least translation that
opens all gaps is applied. The judge looks for edges that pierce triangles and knows nothing of contacts.
"""

import numpy as np
import pytest
from mesh_poses import ORIGIN
from mesh_reference import meshes_intersect
from test_static_poses import gallery_with_surfaces, near_pose

from stiction.solver.shapes import generators

NAMES = ("gear", "chalice", "torus", "jack")
PUSHES = (0.005, 0.01, 0.03)
ROUNDS = 5
TOUCHING = 1e-4


@pytest.fixture(scope="module")
def coarse():
    return gallery_with_surfaces(
        {
            "gear": generators.gear(6),
            "chalice": generators.chalice(1.0, 12),
            "torus": generators.torus(0.4, 0.12, 16, 8),
            "jack": generators.jack(),
        }
    )


@pytest.fixture(scope="module")
def fine():
    return gallery_with_surfaces(
        {
            "gear": generators.gear(),
            "chalice": generators.chalice(),
            "torus": generators.torus(),
            "jack": generators.jack(),
        }
    )


def least_translation(normal, gap, clear=1e-6):
    """The shortest translation of b after which no gap, taken as linear, is less than `clear` [m]."""
    move, force = np.zeros(3), np.zeros(len(gap))
    for _ in range(500):
        before = move
        for i in range(len(gap)):
            new = max(0.0, force[i] + clear - gap[i] - normal[i] @ move)
            move = move + (new - force[i]) * normal[i]
            force[i] = new
        if np.abs(move - before).max() < 1e-12:
            break
    return move


def repair(gallery, name, push, rng):
    """(resolved, length of the repair over the push, contacts found first) of one trial."""
    qa, x, qb, way = near_pose(gallery, name, name, rng, TOUCHING)
    x = pushed = x - push * way
    triangles = gallery.meshes[gallery.index(name)][1]
    first = None
    for _ in range(ROUNDS):
        found = gallery.contacts(name, ORIGIN, qa, name, x, qb)
        first = len(found) if first is None else first
        if len(found) == 0 or found.gap.min() >= 0.0:
            break
        x = x + least_translation(found.normal, found.gap)
    crossed = meshes_intersect(gallery.placed(name, 0.0, qa), triangles, gallery.placed(name, x, qb), triangles)
    return not crossed, np.linalg.norm(x - pushed) / push, first


def trials(gallery, name, push, count, seed):
    """(resolved, median and ninth decile of the repair over the push, median of the contacts) of `count` trials."""
    rng = np.random.default_rng(seed)
    resolved, way, contacts = np.array([repair(gallery, name, push, rng) for _ in range(count)], dtype=float).T
    return int(resolved.sum()), np.median(way), np.quantile(way, 0.9), np.median(contacts)


@pytest.mark.parametrize("push", PUSHES)
@pytest.mark.parametrize("name", NAMES)
def test_pushed_in_bodies_come_apart(coarse, name, push):
    resolved, middle, _, _ = trials(coarse, name, push, 6, 1)
    assert resolved == 6
    assert middle < 2.0


@pytest.mark.parametrize(
    "name, push, seed, number",
    [("gear", 0.01, 2, 23), ("gear", 0.03, 2, 75), ("torus", 0.03, 2, 67), ("chalice", 0.03, 3, 93)],
)
def test_what_no_shallow_feature_tells_of(fine, name, push, seed, number):
    """All features near the surface are inside neither cone: deeper ones tell, or the curves in which surfaces meet."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        near_pose(fine, name, name, rng, TOUCHING)
    resolved, way, _ = repair(fine, name, push, rng)
    assert resolved
    assert way < 2.0


@pytest.mark.slow(hours=True)
@pytest.mark.parametrize("push", PUSHES)
@pytest.mark.parametrize("name", NAMES)
def test_a_hundred_pushed_in_bodies_come_apart(fine, name, push):
    resolved, middle, _, _ = trials(fine, name, push, 100, 2)
    assert resolved == 100
    assert middle < 2.0
