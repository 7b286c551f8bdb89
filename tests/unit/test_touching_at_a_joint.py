"""Bodies that touch where a joint holds them: a lid on its board, that collide, end at rest and without a fault."""

import numpy as np
import pytest
from marks import few

from stiction.solver import mechanisms
from stiction.solver.scene import Body, Joint, Scene
from stiction.solver.shapes import Box
from stiction.solver.simulation import SimulationOptions, simulate


def lid_on_board(height, spin, turn, gap, kind="hinge"):
    """A board and a lid side by side above a floor, on a hinge along the edges that touch. spin, turn: of the lid about
    the hinge, of both about the vertical [rad/s]."""
    def box(name, size, at, w=(0, 0, 0), motion="dynamic"):
        return Body(name, shape=Box(size), position=at, angular_velocity=w, motion=motion)

    bodies = (
        box("floor", (20, 20, 1), (0, 0, -0.5), motion="static"),
        box("board", (2, 1, 0.2), (-1.5 - gap, 0, 0.1 + height), (0, 0, turn)),
        box("lid", (1, 1, 0.2), (0, 0, 0.1 + height), (0, spin, turn)),
    )
    axis = {"axis": (0, 1, 0)} if kind == "hinge" else {}
    joint = Joint("pin", kind, ("board", "lid"), position=(-0.5, 0, 0.2 + height), collide=True, **axis)
    return Scene(name="lid", bodies=bodies, joints=(joint,))


@pytest.mark.parametrize(("height", "spin", "turn", "gap", "kind"), few([
    (0.0, 0.0, 0.0, -1e-4, "hinge"), (0.0, 5.0, 2.0, 0.0, "hinge"), (0.3, -1.0, 0.0, 0.0, "hinge"),
    (0.3, 1.0, 0.0, -1e-4, "hinge"), (0.3, 1.0, 0.0, 0.0, "ball"),
], (0.0, 5.0, 2.0, 0.0, "hinge"), (0.3, 1.0, 0.0, -1e-4, "hinge"), (0.3, 1.0, 0.0, 0.0, "ball")))  # fmt: skip
def test_a_lid_that_touches_its_board_at_the_joint_comes_to_rest(monkeypatch, height, spin, turn, gap, kind):
    scene, ends = lid_on_board(height, spin, turn, gap, kind), []
    for off in ((), ("quiet_steps",)):
        monkeypatch.setattr(mechanisms, "OFF", mechanisms.checked(off))
        run = simulate(scene, SimulationOptions(time=1.0))
        assert run.fault == "" and run.state.time == pytest.approx(1.0)
        energy = run.steps["kinetic"] + run.steps["potential"]
        assert energy.max() <= energy[0] + 1e-3 * abs(energy[0]) + 1e-6
        assert np.abs(run.state.twist).max() < 1e-2
        ends.append(run.state)
    np.testing.assert_array_equal(ends[0].position, ends[1].position)
    np.testing.assert_array_equal(ends[0].twist, ends[1].twist)
