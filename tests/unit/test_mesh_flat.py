"""Toothed bodies flat on each other: only the flat faces touch, whatever flanks lie near."""

import numpy as np
import pytest

from stiction.solver.collision import find_contacts
from stiction.solver.model import compile_scene
from stiction.solver.scene import Body, Scene
from stiction.solver.scenes.base import axis_angle
from stiction.solver.shapes import Mesh
from stiction.solver.shapes.generators import gear

GEAR = Mesh(*gear(12))


@pytest.mark.parametrize("gap", [1e-3, 0.0, -1e-5, -1e-4])
@pytest.mark.parametrize(("offset", "turn"), [(0.51, 0.1), (0.51, 0.0), (0.3, 0.1), (0.0, 0.05)])
def test_flat_gears_touch_by_their_flat_faces_only(offset, turn, gap):
    """Corners of the upper gear lie on the lower one's face, some of them beside or beyond a flank's upper edge."""
    low = Body("low", GEAR, position=(0.0, 0.0, 0.1))
    up = Body("up", GEAR, position=(offset, 0.0, 0.3 + gap), orientation=tuple(axis_angle((0, 0, 1), turn)))
    model, state = compile_scene(Scene((low, up)))
    found = find_contacts(model.collision, state.position, state.orientation, state.twist, 0.01)
    assert found.gap.min() == pytest.approx(gap, abs=1e-9)
    touching = found.gap < gap + 1e-9
    assert np.count_nonzero(touching) >= 3
    assert np.abs(found.normal[touching, 2]).min() == pytest.approx(1.0, abs=1e-9)
