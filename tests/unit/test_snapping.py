"""Joints that a blow breaks pass on no more than they bear."""

import numpy as np
import pytest
import verified_scenes

from stiction.solver import mechanisms
from stiction.solver.runs.simulation_options import SimulationOptions
from stiction.solver.scene import Body, Joint, Scene
from stiction.solver.shapes import Box
from stiction.solver.simulation import simulate
from stiction.solver.verify import verify

SIZE, SPEED = 0.1, 20.0


def row(breaking, count=4):
    """A row of `count` cubes, glued face to face, of which another one strikes the first across the row."""

    def cube(name, place, **more):
        return Body(name, Box((SIZE,) * 3), position=place, mass=1.0, **more)

    cubes = [cube(f"c{k}", (k * SIZE, 0, 0)) for k in range(count)]
    blow = cube("blow", (-0.02, -1.5 * SIZE, 0), velocity=(0, SPEED, 0))
    glue = [Joint(f"j{k}", "fixed", (f"c{k}", f"c{k + 1}"), ((k + 0.5) * SIZE, 0, 0), breaking=breaking)
            for k in range(count - 1)]  # fmt: skip
    return Scene((*cubes, blow), gravity=(0.0, 0.0, 0.0), joints=tuple(glue))


def struck(breaking):
    """How far (5,) the cubes of such a row and what strikes it go."""
    run = simulate(row(breaking), SimulationOptions(time=0.05, time_step=0.01))
    return np.linalg.norm(run.positions[-1] - run.positions[0], axis=1)


@pytest.mark.parametrize("quiet", [True, False])
def test_a_stone_that_is_struck_out_of_a_row_leaves_the_others_behind(monkeypatch, quiet):
    """All flew off with it, each joint having passed on tens of times what it bears."""
    if not quiet:
        monkeypatch.setattr(mechanisms, "OFF", frozenset({"quiet_steps"}))
    way = struck(1.0)
    assert way[0] > 0.1, "the first is struck out"
    assert way[1:4].max() < 1e-3, "which others did not feel"


def test_it_is_a_mechanism_that_is_counted_and_can_be_left_out(monkeypatch):
    """The rule was written twice, and stood in no table."""
    options = SimulationOptions(time=0.05, time_step=0.01)
    assert simulate(row(1.0), options).events["snapped_joints"].sum() > 0
    assert simulate(row(1e6), options).events["snapped_joints"].sum() == 0
    monkeypatch.setattr(mechanisms, "OFF", frozenset({"snapped_joints"}))
    assert simulate(row(1.0), options).events["snapped_joints"].sum() == 0
    assert struck(1.0)[1:4].min() > 1e-2, "all fly off with what is struck"


def test_what_bears_the_blow_takes_all_with_it():
    way = struck(1e6)
    assert way[1:4].min() > 1e-2


def test_a_run_in_which_joints_let_go_in_a_blow_is_verified(tmp_path):
    verified_scenes.recorded(row(1.0), tmp_path / "run", time=0.05)
    assert [check["name"] for check in verify(tmp_path / "run")["checks"] if not check["passed"]] == []
