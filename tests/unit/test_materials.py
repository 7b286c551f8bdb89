"""Coefficients of pairs, and which body carries the axes of friction."""

import numpy as np
import pytest

from stiction.solver.materials import COMBINE_RULES, Material, MaterialPair, MaterialTable
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.shapes import Box
from stiction.solver.simulation import SimulationOptions, simulate

RULES = [("geometric", 0.4), ("product", 0.16), ("minimum", 0.2), ("maximum", 0.8), ("average", 0.5)]


@pytest.mark.parametrize(("rule", "value"), RULES)
def test_combine_rules(rule, value):
    assert rule in COMBINE_RULES
    mu, _, _ = MaterialTable((Material("a", friction=0.2), Material("b", friction=0.8)), combine=rule).tables()
    assert mu[0, 1, :2] == pytest.approx([value, value])
    assert np.array_equal(mu, mu.transpose(1, 0, 2))


def test_pair_replaces_the_rule():
    table = MaterialTable((Material("a"), Material("b")), (MaterialPair(("b", "a"), friction=0.1, restitution=0.7),))
    mu, restitution, _ = table.tables()
    assert mu[0, 1, 0] == mu[1, 0, 0] == 0.1
    assert restitution[0, 1] == 0.7 and restitution[0, 0] == 0.0


@pytest.mark.parametrize("turn", [0.0, np.pi / 2])
def test_axes_of_a_pair_belong_to_its_first_material(turn):
    """A block that slides along its own x axis feels friction along s, however it is turned: v^2 / (2 mu g)."""
    table = MaterialTable(
        (Material("ice"), Material("skate")), (MaterialPair(("skate", "ice"), friction=0.1, friction_t=0.6),)
    )
    floor = Body("floor", Box((40.0, 40.0, 1.0)), "ice", Motion.STATIC, (0.0, 0.0, -0.5))
    facing = (np.cos(0.5 * turn), 0, 0, np.sin(0.5 * turn))
    block = Body("block", Box((0.4, 0.4, 0.1)), "skate", position=(0.0, 0.0, 0.05),
                 orientation=facing, velocity=(np.cos(turn), np.sin(turn), 0.0))  # fmt: skip
    run = simulate(Scene((floor, block), table), SimulationOptions(time=1.5))
    assert np.hypot(*run.positions[-1, 1, :2]) == pytest.approx(1.0 / (2 * 0.1 * 9.81), rel=1e-3)
