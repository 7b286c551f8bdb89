"""Jamming tubes of the 2008 paper: what is squeezed stays where friction bears its weight, what falls jams."""

import numpy as np
import pytest

from stiction.solver.model import compile_scene
from stiction.solver.scenes.deformable.jamming import LEAN, NARROW, jamming_tubes, plug, plug_limit
from stiction.solver.validation.deformable.elastic import stepped
from stiction.solver.validation.deformable.jamming import jamming, moving


def test_walls_narrow_downwards():
    """No ball touches a wall at the start, and the lower end is as wide as is said."""
    scene = jamming_tubes((0.5,))
    walls = scene.bodies[:4]
    corners = [np.asarray(wall.position) for wall in walls]
    assert np.abs(np.sum(corners, axis=0)[:2]).max() < 1e-12
    assert NARROW < 0.05 < NARROW + 0.5 * np.tan(LEAN)
    _, _, reports = stepped(scene, 0.01)
    assert reports[0].contact_count == 0 and len(moving(scene)) == 3


def test_a_plug_presses_its_walls_as_the_whole_mesh_does():
    """Dents begin as the start has them: 4 p s L with p = E e / (1 - nu), within what friction shears."""
    model, state = compile_scene(plug(plug_limit()))
    assert np.ptp(state.nodes.position[:, 0]) == pytest.approx(0.0995)
    _, states, _ = stepped(plug(1.1 * plug_limit(), cells=2), 0.04, 0.005)
    assert states[-1].impulses[:, 0].sum() / 0.005 == pytest.approx(28.57, rel=0.03)


@pytest.mark.slow
def test_plugs_and_balls_jam():
    assert [line for line in jamming() if not line.passed and not line.demanded] == []
