"""Sheets without thickness: what is pushed through one is met with all corners that are through it, from either side;
two that lie beside each other do not overlap."""

import numpy as np
import pytest
from mesh_poses import ORIGIN, UPRIGHT, Gallery
from narrow_reference import UNTURNED

from stiction.solver.collision.pipeline import find_contacts, prepare
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


SQUARE = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], dtype=float)
# A tent without a base over a tile: its tip is the highest point, as if all else had come through the tile.
TENT = (
    np.vstack((0.05 * SQUARE, (0.007, 0.004, 0.006))),
    np.array([(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)]),
)


@pytest.fixture(scope="module")
def sheets():
    return Gallery({"tile": (0.03 * SQUARE, SHEET.triangles), "tent": TENT})


@pytest.mark.parametrize("height", [0.002, -0.002])
def test_sheets_beside_each_other_do_not_overlap(sheets, height):
    found = sheets.contacts("tile", ORIGIN, UPRIGHT, "tent", (0.0, 0.0, height), UPRIGHT)
    assert len(found) == 4
    assert found.gap.min() > 0.0


def test_sheets_through_each_other_overlap(sheets):
    """The corners of the tile are through the tent, each through one side, its tip through the tile."""
    found = sheets.contacts("tile", ORIGIN, UPRIGHT, "tent", (0.0, 0.0, -0.0047), UPRIGHT)
    up = found.normal[:, 2] > 0.9
    assert found.gap[up] == pytest.approx(-0.0023, abs=3e-4)
    assert found.gap[~up] == pytest.approx(-0.0013)
    corners = sorted(map(tuple, found.position[up, :2].round(3) + 0.0))
    assert corners == [(-0.03, -0.03), (-0.03, 0.03), (0.03, -0.03), (0.03, 0.03)]
    assert np.count_nonzero(~up) == 1
