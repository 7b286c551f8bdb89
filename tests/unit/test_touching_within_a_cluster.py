"""Pieces that fixed joints hold together, and that touch others of the same cluster, with which they share no joint."""

import numpy as np
import pytest

from stiction.solver import mechanisms
from stiction.solver.scene import Body, Joint, Scene
from stiction.solver.shapes import Box, ConvexHull
from stiction.solver.simulation import SimulationOptions, simulate


def glued_wall(rows, columns, post):
    """Slanted cells that fill a wall and begin face to face, glued in one line from the first to the last, row after
    row, and to a post beside them that does not move, if wanted; joined cells do not collide."""
    rng = np.random.default_rng(4)
    corners = np.stack(np.meshgrid(np.arange(columns + 1.0), np.arange(rows + 1.0), indexing="ij"), axis=-1)
    corners[1:-1, 1:-1] += rng.uniform(-0.25, 0.25, (columns - 1, rows - 1, 2))
    blocks, places = [], []
    for z in range(rows):
        for x in range(columns) if z % 2 == 0 else reversed(range(columns)):
            four = corners[x : x + 2, z : z + 2].reshape(4, 2)
            middle = four.mean(axis=0)
            flat = np.float32(four - middle).astype(float)
            points = [(a, y, c) for a, c in flat for y in (-0.1, 0.1)]
            places.append(np.array((middle[0], 0.0, middle[1])))
            shape = ConvexHull(np.array(points))
            blocks.append(Body(f"cell{len(blocks)}", shape=shape, position=tuple(places[-1]), mass=1.0))
    glue = [
        Joint(f"glue{k}", "fixed", (f"cell{k}", f"cell{k + 1}"), breaking=1e4,
              position=tuple(0.5 * (places[k] + places[k + 1])), collide=False)
        for k in range(len(blocks) - 1)
    ]  # fmt: skip
    still = [Body("floor", shape=Box((20, 20, 1)), position=(0, 0, -0.5), motion="static")]
    if post:
        still.append(Body("post", shape=Box((1, 1, 1)), position=(-0.6, 0, 0.5), motion="static"))
        glue.append(Joint("hook", "fixed", ("post", "cell0"), position=(0, 0, 0.5), breaking=1e4, collide=False))
    return Scene(name="wall", bodies=(*still, *blocks), joints=tuple(glue))


@pytest.mark.parametrize("post", [False, True])
@pytest.mark.parametrize("without", [(), ("quiet_steps",)])
def test_a_wall_glued_in_one_line_stands(monkeypatch, post, without):
    monkeypatch.setattr(mechanisms, "OFF", mechanisms.checked(without))
    run = simulate(glued_wall(5, 6, post), SimulationOptions(time=0.1))
    assert run.fault == ""
    assert run.steps["kinetic"].max() < 1e-6
    assert run.steps["overlap"].max() < 1e-6
    assert not run.state.joints.broken.any()
