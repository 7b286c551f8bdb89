"""Woven composites of the 2008 paper: how they begin, and that friction and stiffness decide what holds."""

import numpy as np
import pytest

from stiction.solver.model import compile_scene
from stiction.solver.scenes import build
from stiction.solver.scenes.deformable.composites import STIFF, STRANDS, alone
from stiction.solver.validation.deformable.composites import composites, composites_thrown, hung
from stiction.solver.validation.deformable.elastic import stepped


def test_strands_go_over_and_under_in_turn():
    """At every crossing one strand is above, as a chessboard has it, and neither is in the other."""
    model, state = compile_scene(alone(0.5, STIFF))
    x = [state.nodes.position[model.span(k)] for k in range(2 * STRANDS)]
    level, middle = {}, {}
    for k in range(2 * STRANDS):
        middle[k] = x[k].mean(axis=0)
    for a in range(STRANDS):
        for b in range(STRANDS):
            across, along = x[a], x[STRANDS + b]
            spot = np.array([middle[STRANDS + b][0], middle[a][2]])
            near = [np.abs(one[:, [0, 2]] - spot).max(axis=1) < 0.011 for one in (across, along)]
            high = across[near[0], 1].mean() - along[near[1], 1].mean()
            level[a, b] = high
    signs = np.sign([[level[a, b] for b in range(STRANDS)] for a in range(STRANDS)])
    assert np.array_equal(signs, signs[0, 0] * (-1.0) ** np.add.outer(range(STRANDS), range(STRANDS)))
    assert min(map(abs, level.values())) > 0.004
    _, _, reports = stepped(alone(0.5, STIFF), 0.01)
    assert reports[0].overlap < 1e-4


def test_the_scene_has_six_of_them():
    names = {body.name.split("_")[0] for body in build("composites").bodies} - {"floor"}
    assert names == {f"{row}{mu}" for row in ("upper", "lower") for mu in ("0.5", "0.3", "0.1")}


@pytest.mark.slow
def test_little_friction_lets_go_at_once():
    ways, deepest, _ = hung(0.1, STIFF, 0.01, 0.5)
    assert ways[-1] > 0.05 and deepest < 1e-4


@pytest.mark.slow
def test_thrown_ones_hold_where_they_are_struck_flat():
    assert [line for line in composites_thrown() if not line.passed] == []


@pytest.mark.slow
def test_six_outcomes_at_two_steps():
    assert [line for line in composites() if not line.passed] == []
