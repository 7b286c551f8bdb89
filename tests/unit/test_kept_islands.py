"""A step counts as accepted only if all of its islands are, also those that a later search does not solve again."""

import pytest

from stiction.solver.materials import Material, MaterialTable
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.shapes import Box, Sphere
from stiction.solver.simulation import options_for, simulate

TABLE = MaterialTable((Material("default", density=1000.0, friction=0.5),))


def tower(count):
    """Cubes that double in weight upwards: sweeps get nowhere near in a few."""
    floor = Body("floor", Box((9.0, 9.0, 1.0)), motion=Motion.STATIC, position=(0.0, 0.0, -0.5))
    cubes = [Body(f"c{k}", Box((0.1, 0.1, 0.1)), position=(0.0, 0.0, 0.05 + 0.1 * k), mass=2.0**k)
             for k in range(count)]  # fmt: skip
    return [floor, *cubes]


def rod(x=3.0, height=2.0):
    """A ball hits one end of a rod, whose other end turns into a block that it was not moving towards."""
    block = Body("block", Box((0.1, 0.1, 0.1)), motion=Motion.STATIC, position=(x - 0.95, -0.08, height))
    beam = Body("beam", Box((2.0, 0.05, 0.05)), position=(x, 0.0, height))
    ball = Body("ball", Sphere(0.05), position=(x + 0.95, -0.08, height), velocity=(0.0, 5.0, 0.0))
    return [block, beam, ball]


def converged(bodies, **options):
    scene = Scene(tuple(bodies), TABLE)
    run = simulate(scene, options_for(scene, time=0.01, time_step=0.01, substeps=1, **options))
    return bool(run.steps["converged"][0]), run


@pytest.mark.parametrize("hit", [False, True])
def test_an_island_that_was_left_unsolved_is_not_accepted_because_another_is_solved_again(hit):
    few = {"method_options": {"max_iterations": 60, "newton": False, "even_loads": 0}}
    accepted, _ = converged(rod(), **few)
    assert accepted
    accepted, run = converged([*tower(14), *(rod() if hit else [])], **few)
    assert not accepted
    assert run.names[int(run.steps["worst_body"][0])].startswith("c")
