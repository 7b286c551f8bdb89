"""Two rings that hang corner in corner of their inner rims: each of four pairs of edges bounds the lower one."""

import numpy as np
import pytest

from stiction.solver.collision.pipeline import find_contacts, prepare
from stiction.solver.shapes import Mesh
from stiction.solver.shapes.generators import torus

FACETS, REACH = 12, 0.16
HALF = np.sqrt(0.5)
SLOPE = np.tan(np.pi / FACETS)
RING = Mesh(*torus(0.1, 0.02, FACETS, 6))
# Corners of both inner rims, 0.08 m from the middles, meet where these are REACH apart.
UPPER, LOWER = np.array([HALF, HALF, 0.0, 0.0]), np.array([0.5, 0.5, 0.5, 0.5])


def contacts(x, y, z, fall=0.0, turn=LOWER):
    """Contacts of the upper ring with the lower one, (x, y, z) [m] above where the corners meet, falling at `fall`."""
    model = prepare((RING, RING), np.zeros((2, 3)), np.array([False, True]))
    twist = np.zeros((2, 6))
    twist[1, 2] = -fall
    place = np.array([[0.0, 0.0, 0.0], [x, y, z - REACH]])
    return find_contacts(model, place, np.array([UPPER, turn / np.linalg.norm(turn)]), twist, 0.01)


def edge_pairs(found):
    """Rows of the contacts of rim with rim: their normals lean both ways."""
    return np.flatnonzero(np.abs(np.abs(found.normal[:, :2]) / found.normal[:, 2:] - SLOPE).max(axis=1) < 1e-3)


@pytest.mark.parametrize("z", (1e-3, 1e-6, 0.0, -1e-9, -1e-5, -1e-3, -8e-3, -0.015))
@pytest.mark.parametrize(("x", "y"), ((0.0, 0.0), (1e-9, -2e-9), (1e-4, 3e-5), (-4e-4, 2e-4)))
def test_all_four_pairs_are_contacts_with_their_gaps(x, y, z):
    found = contacts(x, y, z)
    rows = edge_pairs(found)
    assert len(rows) == 4
    lean = found.normal[rows, :2] / found.normal[rows, 2:]
    assert {tuple(np.sign(row)) for row in lean} == {(-1, -1), (-1, 1), (1, -1), (1, 1)}
    np.testing.assert_allclose(found.gap[rows], found.normal[rows] @ (x, y, z), atol=1e-12)


@pytest.mark.parametrize("size", (1e-12, 1e-9, 1e-7))
def test_round_off_takes_none_of_them_away(size):
    rng = np.random.default_rng(1)
    for _ in range(50):
        x, y, z = size * rng.uniform(-1, 1, 3)
        assert len(edge_pairs(contacts(x, y, z, turn=LOWER + size * rng.uniform(-1, 1, 4)))) == 4


@pytest.mark.parametrize("fall", (0.1, 0.5, 10.0))
def test_all_that_fall_together_meet_together(fall):
    """The lower ring falls away from the upper one's corner until it hangs: its pairs close alike but for round-off."""
    rng = np.random.default_rng(2)
    gap = 0.01 * fall * (1.0 if fall < 1.0 else 0.04)
    for _ in range(20):
        x, y, z = 1e-9 * rng.uniform(-1, 1, 3)
        assert len(edge_pairs(contacts(x, y, z + gap, fall))) >= 4
