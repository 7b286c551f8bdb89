"""A body that begins deeper in another than contacts reach falls on through it: its result is poor, and says so."""

import numpy as np
import pytest

from stiction.solver.results.verdict import POOR, judge
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.scenes.base import floor
from stiction.solver.shapes import Mesh, Sphere
from stiction.solver.shapes.generators import beaker, cells, head, torus, tumbler
from stiction.solver.simulation import options_for, simulate

SHAPES = {"head": Mesh(*head(0.2, 16, 9)), "ring": Mesh(*torus(0.2, 0.07, 16, 8)), "cup": Mesh(*tumbler())}
GROUNDS = {
    "box": floor(4.0),
    "mesh": Body("floor", Mesh(*cells((-2, 0, 2), (-2, 0, 2), (-1, 0), np.ones((2, 2, 1)))), motion=Motion.STATIC),
}


def run(*bodies):
    scene = Scene(bodies)
    return simulate(scene, options_for(scene, time=0.1))


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize(("shape", "height"), [("head", 0.0), ("cup", 0.1), ("ring", -0.3), ("head", -0.4)])
def test_what_begins_half_in_the_ground_or_wholly_is_poor(shape, height, ground):
    done = run(GROUNDS[ground], Body("body", SHAPES[shape], position=(0.1, 0.2, height)))
    assert done.positions[-1, 1, 2] < height - 0.02, "it falls as if there were no ground"
    assert done.header["sunk"] == [["floor", "body"]]
    verdict = judge(done)
    assert verdict.word == POOR
    assert verdict.reasons[0].startswith("'floor' and 'body' begin too deep in each other to push apart: ")


def pipe(radius, length, sides=16):
    """An open pipe about z."""
    angle = 2 * np.pi * np.arange(sides) / sides
    ring = radius * np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    here, there = np.arange(sides), np.roll(np.arange(sides), -1)
    faces = [np.column_stack([here, there, there + sides]), np.column_stack([here, there + sides, here + sides])]
    return np.concatenate([ring - (0, 0, length / 2), ring + (0, 0, length / 2)]), np.concatenate(faces)


def test_what_lies_in_a_pot_a_ring_a_hollow_or_a_pipe_is_not():
    hollow = np.ones((3, 3, 3))
    hollow[1, 1, 1] = 0
    case = Mesh(*cells(*3 * [(-0.6, -0.5, 0.5, 0.6)], hollow))
    bodies = (
        Body("pot", Mesh(*beaker(0.5, 1.0, 0.1)), motion=Motion.STATIC),
        Body("ball", Sphere(0.2), position=(0.0, 0.0, 0.5)),
        Body("case", case, motion=Motion.STATIC, position=(3.0, 0.0, 0.0)),
        Body("kept", SHAPES["ring"], position=(3.0, 0.0, 0.0)),
        Body("round it", Mesh(*torus(1.5, 0.1)), position=(3.0, 0.0, 0.0)),
        Body("pipe", Mesh(*pipe(0.25, 6.0)), motion=Motion.STATIC, position=(-3.0, 0.0, 0.0)),
        Body("marble", Sphere(0.18), position=(-3.0, 0.0, 1.0)),
    )
    assert run(*bodies).header["sunk"] == []


def test_what_does_not_collide_is_not():
    done = run(GROUNDS["box"], Body("body", SHAPES["head"], position=(0.0, 0.0, -0.4), layers=(2,), collides_with=(2,)))
    assert done.header["sunk"] == []
