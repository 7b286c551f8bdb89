"""A box pushed through a sheet without thickness: all corners that are through it are contacts, from either side."""

import numpy as np
import pytest
from narrow_reference import UNTURNED

from stiction.solver.collision import find_contacts, prepare
from stiction.solver.shapes import Box, Mesh

SHEET = Mesh(2.0 * np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]), [(0, 1, 2), (0, 2, 3)])


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("depth", [0.005, 0.009, 0.02, 0.05])
def test_all_corners_of_a_box_that_are_through_a_sheet(side, depth):
    """The margin is 0.00866: the faces below the sheet are further from it than that."""
    model = prepare((SHEET, Box((1.0, 1.0, 1.0))), np.zeros((2, 3)), np.array([False, True]))
    position = np.array([(0.0, 0.0, 0.0), (0.05, 0.08, side * (0.5 - depth))])
    found = find_contacts(model, position, np.array([UNTURNED] * 2, dtype=float), np.zeros((2, 6)), 0.01)
    assert found.count == 4
    assert found.gap == pytest.approx(-depth, abs=1e-12)
    assert found.normal[:, 2] == pytest.approx(side)
    corners = np.array(sorted(map(tuple, np.round(found.position[:, :2], 9))))
    assert np.allclose(corners, [(-0.45, -0.42), (-0.45, 0.58), (0.55, -0.42), (0.55, 0.58)], atol=1e-9)
