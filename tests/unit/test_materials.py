"""Coefficients of pairs, and which body carries the axes of friction."""

import numpy as np
import pytest

from stiction.solver.base.refusal import SceneError
from stiction.solver.materials import COMBINE_RULES, Material, MaterialPair, MaterialTable
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.shapes import Box, Sphere
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
    assert restitution[0, 1, 0] == 0.7 and restitution[0, 0, 0] == 0.0


def test_tangential_restitution_is_combined_and_checked():
    table = MaterialTable(
        (Material("a", tangential_restitution=0.2), Material("b", tangential_restitution=0.8)),
        (MaterialPair(("a", "a"), tangential_restitution=0.9),),
    )
    restitution = table.tables()[1]
    assert restitution[0, 1, 1] == restitution[1, 0, 1] == pytest.approx(0.4)
    assert restitution[0, 0, 1] == 0.9 and restitution[1, 1, 1] == pytest.approx(0.8)
    with pytest.raises(SceneError, match="tangential_restitution is 1.5; set a value from 0 to 1"):
        Material("c", tangential_restitution=1.5).check()


@pytest.mark.parametrize("seed", range(4))
def test_a_tangential_restitution_below_one_makes_no_energy(seed):
    """Spheres thrown at the floor and at each other with any spin: the energy after is at most the energy before."""
    rng = np.random.default_rng(seed)
    table = MaterialTable((Material("rubber", friction=rng.uniform(0.1, 2), restitution=rng.uniform(0.1, 1),
                                    tangential_restitution=rng.uniform(0, 1)),))  # fmt: skip
    floor = Body("floor", Box((40.0, 40.0, 1.0)), "rubber", Motion.STATIC, (0.0, 0.0, -0.5))
    balls = [
        Body(f"ball{i}", Sphere(0.1), "rubber", position=(0.5 * i, 0.0, 0.2),
             velocity=tuple(rng.normal(size=3) * 2 - [0, 0, 4]), angular_velocity=tuple(rng.normal(size=3) * 30))
        for i in range(4)
    ]  # fmt: skip
    run = simulate(Scene((floor, *balls), table), SimulationOptions(time=0.5))
    energy = run.steps["kinetic"] + run.steps["potential"]
    assert np.diff(energy).max() < 1e-9 * energy[0]
    assert energy[-1] < energy[0] or table.materials[0].restitution == 1


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
