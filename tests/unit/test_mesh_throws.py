"""Fast bodies against a thin plate: none passes through it, none is stopped by what it passes beside."""

import numpy as np
import pytest
from mesh_poses import Gallery
from mesh_reference import random_quaternion
from mesh_throw import Throw

from stiction.solver.shapes import generators

GALLERY = {
    "plate": generators.plate((4, 4, 0.003)),
    "box": generators.plate((0.3, 0.3, 0.3)),
    "jack": generators.jack(0.5, 0.1),
    "chalice": generators.chalice(0.5, 12),
}


@pytest.fixture(scope="module")
def gallery():
    return Gallery(GALLERY)


def thrown(gallery, name, speed, spin, h, rng):
    i = gallery.index(name)
    size = np.linalg.norm(gallery.meshes[i][0], axis=1).max()
    throw = Throw(gallery.pool, 0, i, gallery.inertia[i], h, 0.01 * size)
    turn = random_quaternion(rng)[1:]
    turn *= spin / np.linalg.norm(turn)
    return throw, size, random_quaternion(rng), turn


def through(gallery, name, speed, spin, h, rng):
    """True if the body ever gets below the plate while over it."""
    throw, size, q, turn = thrown(gallery, name, speed, spin, h, rng)
    x = np.array([*rng.uniform(-0.5, 0.5, 2), size + 0.1 + rng.uniform(0.0, speed * h)])
    u = np.array([*rng.uniform(-0.3, 0.3, 2) * speed, -speed, *turn])
    for _ in range(int(0.3 / h)):
        x, q, u = throw.step(x, q, u)
        if np.abs(x[:2]).max() > 1.5:
            break
        corners = gallery.placed(name, x, q)
        if x[2] < 0.0 or corners[:, 2].min() < -0.02:
            return True
    return False


def ghosts(gallery, name, speed, spin, h, rng):
    """How often the body is hit while it falls past the plate's edge, two centimetres away."""
    throw, size, q, turn = thrown(gallery, name, speed, spin, h, rng)
    x = np.array([2.0 + size + 0.02, rng.uniform(-1, 1), 0.5 + rng.uniform(0.0, speed * h)])
    u = np.array([0.0, 0.0, -speed, *turn])
    while x[2] > -0.5:
        x, q, u = throw.step(x, q, u)
    return throw.hits


CASES = [
    ("box", 20.0, 10.0, 0.01),
    ("jack", 20.0, 10.0, 0.01),
    ("jack", 50.0, 10.0, 0.01),
    ("chalice", 20.0, 10.0, 0.0025),
]


@pytest.mark.parametrize(("name", "speed", "spin", "h"), CASES)
def test_nothing_tunnels_or_is_hit_by_ghosts(gallery, name, speed, spin, h):
    for seed in range(4):
        assert not through(gallery, name, speed, spin, h, np.random.default_rng(seed))
        assert ghosts(gallery, name, speed, spin, h, np.random.default_rng(100 + seed)) == 0


@pytest.mark.slow(hours=True)
@pytest.mark.parametrize(("name", "speed", "spin", "h"), CASES)
def test_many_throws(gallery, name, speed, spin, h):
    """Substeps and repeated search are the stepper's; bare detection loses few of a hundred."""
    lost = sum(through(gallery, name, speed, spin, h, np.random.default_rng(seed)) for seed in range(100))
    assert lost <= 3
    assert sum(ghosts(gallery, name, speed, spin, h, np.random.default_rng(seed)) > 0 for seed in range(100)) == 0
