"""A box sunk into a solid floor keeps the contacts of all four corners, however deep it lies against the margin."""

import numpy as np
import pytest

from stiction.solver.collision.pipeline import find_contacts, prepare
from stiction.solver.shapes import Box, Mesh


@pytest.mark.parametrize("overlap", [0.0, 1e-3, 1e-2, 0.03, 0.1, 0.3])
def test_sunk_box_keeps_its_corners(overlap):
    slab = Mesh(*Box((10.0, 8.0, 2.0)).surface())
    model = prepare((slab, Box((1.0, 1.0, 1.0))), np.zeros((2, 3)), np.array([False, True]))
    position = np.array([[0.0, 0.0, -1.0], [0.3, 0.2, 0.5 - overlap]])
    contacts = find_contacts(model, position, np.tile([1.0, 0, 0, 0], (2, 1)), np.zeros((2, 6)), 0.01)
    corners = {(round(x, 6), round(y, 6)) for x, y in contacts.position[:, :2]}
    assert corners >= {(-0.2, -0.3), (-0.2, 0.7), (0.8, -0.3), (0.8, 0.7)}
    assert contacts.gap == pytest.approx(-overlap, abs=1e-12)
    assert contacts.normal == pytest.approx(np.tile([0.0, 0.0, 1.0], (contacts.count, 1)))
