"""Bodies that drives hold fast where nothing else pulls: what a drive gives counts like gravity does."""

import numpy as np
import pytest
from joint_scenes import run

from stiction.solver.materials import Material, MaterialTable
from stiction.solver.scene import Body, Joint, Motor, Scene
from stiction.solver.scenes import build
from stiction.solver.shapes import Box
from stiction.solver.validation.run import run as standing


def vise(push):
    """A cube of a metre between four walls on sliders, each pushed with `push` N, without gravity."""
    bodies, joints = [Body("cube", Box((1.0, 1.0, 1.0)), "m")], []
    for k, (x, y) in enumerate(((1, 0), (-1, 0), (0, 1), (0, -1))):
        size = (0.2 if x else 1.0, 0.2 if y else 1.0, 1.0)
        bodies.append(Body(f"wall {k}", Box(size), "m", position=(0.601 * x, 0.601 * y, 0.0)))
        joints.append(Joint(f"rail {k}", "slider", ("world", f"wall {k}"), (0.601 * x, 0.601 * y, 0.0),
                            axis=(-x, -y, 0.0), motor={"z": Motor(10.0, push)}))  # fmt: skip
    table = MaterialTable((Material("m", density=1000.0, friction=0.5),))
    return Scene(tuple(bodies), table, (0.0, 0.0, 0.0), joints=tuple(joints))


@pytest.mark.parametrize("push", [1e2, 1e6])
def test_a_cube_held_by_four_walls_rests_without_substeps(push):
    ended = run(vise(push), 0.4)
    assert all(report.converged for report in ended.reports)
    # The four walls come to the cube in some of the first steps.
    assert max(report.substeps for report in ended.reports) <= 8
    assert max(report.iterations for report in ended.reports) <= 50
    assert np.abs(ended.state.twist).max() < 10 * 1e-8 * 0.01 * push / 200.0
    assert np.abs(ended.state.position[0]).max() < 1e-7


@pytest.mark.parametrize("name, body, time", [("hand", "cube", 0.4), ("ratchet", "wheel", 0.1)])
def test_what_servos_and_pawls_hold_does_not_move_by_what_solves_may_leave(name, body, time):
    """They may leave 1e-7 m/s, which each step gave the next one as a velocity: cubes in hands crept and jolted."""
    result = standing(build(name), time, 0.01 if name == "hand" else 0.002)
    at = result.index(body)
    assert np.abs(result.twist[-1, at]).max() < 1e-12
    assert np.abs(result.position[-1, at] - result.position[-5, at]).max() < 1e-14
