"""A thin-walled solid: what lies in its hollow is outside, what comes through its wall is not."""

import numpy as np
import pytest

from stiction.solver.collision.pipeline import find_contacts, prepare
from stiction.solver.shapes import Box, Mesh

WALL = 0.05


def open_box():
    """A cube of side 1, open at the top, with walls WALL thick: (vertices, triangles) of its closed surface."""
    outer, inner = Box((1.0, 1.0, 1.0)).surface(), Box((1.0 - 2 * WALL, 1.0 - 2 * WALL, 1.0 - WALL)).surface()
    inside = inner[0] + [0.0, 0.0, 0.5 * WALL]
    top = [outer[1][(outer[0][outer[1], 2] > 0.49).all(axis=1)], inner[1][(inside[inner[1], 2] > 0.49).all(axis=1)]]
    vertices = np.concatenate([outer[0], inside])
    walls = [o for o in outer[1] if not (outer[0][o, 2] > 0.49).all()]
    walls += [t[::-1] + 8 for t in inner[1] if not (inside[t, 2] > 0.49).all()]
    assert len(top[0]) == len(top[1]) == 2
    corner = {(np.sign(x), np.sign(y), far): k for k, (x, y, z) in enumerate(vertices) if z > 0.49 for far in [k < 8]}
    ring = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    for k in range(4):
        (a, b), (c, d) = ring[k], ring[(k + 1) % 4]
        o0, o1, i0, i1 = corner[a, b, True], corner[c, d, True], corner[a, b, False], corner[c, d, False]
        walls += [[o0, o1, i1], [o0, i1, i0]]
    return vertices, np.array(walls)


def gaps(position, velocity):
    model = prepare((Mesh(*open_box()), Box((0.1, 0.1, 0.1))), np.zeros((2, 3)), np.array([False, True]))
    twist = np.zeros((2, 6))
    twist[1, :3] = velocity
    places = np.array([[0.0, 0.0, 0.0], position])
    return find_contacts(model, places, np.tile([1.0, 0, 0, 0], (2, 1)), twist, 0.01)


@pytest.mark.parametrize("speed", [0.0, 1.0, -1.0])
@pytest.mark.parametrize("away", [0.002, 0.02, 0.04])
def test_a_box_in_the_hollow_is_not_under_the_outer_wall(away, speed):
    """Up to a wall's thickness from the inner face, at rest or moving: nothing overlaps."""
    found = gaps((0.5 - WALL - 0.05 - away, 0.0, 0.0), (speed, 0.0, 0.0))
    assert found.gap.min(initial=1.0) >= -1e-12


def test_a_box_half_in_the_wall_overlaps_by_that():
    found = gaps((0.5 - WALL - 0.05 + 0.01, 0.0, 0.0), (0.0, 0.0, 0.0))
    assert found.gap.min() == pytest.approx(-0.01, abs=1e-9)
