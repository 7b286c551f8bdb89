"""Bodies that drives hold fast where nothing else pulls: what a drive gives counts like gravity does."""

import numpy as np
import pytest
from joint_scenes import run

from stiction.solver.materials import Material, MaterialTable
from stiction.solver.scene import Body, Joint, Motor, Scene
from stiction.solver.shapes import Box


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
