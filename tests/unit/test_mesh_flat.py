"""Toothed bodies flat on each other: only the flat faces touch, whatever flanks lie near."""

import numpy as np
import pytest

from stiction.solver.collision.pipeline import find_contacts
from stiction.solver.model import compile_scene
from stiction.solver.scene import Body, Scene
from stiction.solver.scenes import build
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


@pytest.fixture(scope="module")
def colosseum():
    return build("prox_colosseum")


@pytest.mark.parametrize(
    ("low", "up"),
    [("pier4_2_2", "right_2_2"), ("pier4_2_2", "left_2_2"), ("right_2_2", "east_2_2"), ("left_2_2", "west_2_2")],
)
def test_stones_with_flush_sides_push_each_other_up_only(colosseum, low, up):
    """The outer sides of the arches bulge by a degree: nearly flat edges in them end at corners of the stones below and
    above, and must not push sideways, whatever way round-off moves the stones."""
    stones = {body.name: body for body in colosseum.bodies}
    model, state = compile_scene(Scene((stones[low], stones[up]), colosseum.materials))
    rng = np.random.default_rng(1)
    for size in np.geomspace(1e-10, 1e-6, 40):
        shift = np.array([np.zeros(3), size * rng.normal(size=3)])
        found = find_contacts(model.collision, state.position + shift, state.orientation, state.twist, 0.01)
        near = found.gap < 1e-3
        assert np.count_nonzero(near) >= 3
        assert np.abs(found.normal[near, 2]).min() > 0.99
