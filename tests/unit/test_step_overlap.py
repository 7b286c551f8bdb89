"""The overlap a step reports is the one its bodies have at its end, not one predicted on the way there."""

import numpy as np
import pytest

from stiction.solver.collision.depths import pair_depths
from stiction.solver.scene import Body, Motion, Scene
from stiction.solver.scenes.base import one_material, quadruple
from stiction.solver.shapes import Box, ConvexHull
from stiction.solver.simulation import compiled, options_for, simulate

FLOOR = Body("floor", Box((10.0, 10.0, 1.0)), motion=Motion.STATIC, position=(0, 0, -0.5))


def run(*boxes, steps=4, time_step=0.01, **changes):
    scene = Scene((FLOOR, *boxes), name="boxes")
    return simulate(scene, options_for(scene, time=steps * time_step, time_step=time_step, **changes))


@pytest.mark.parametrize("stepper", ["moreau", "semi_implicit"])
@pytest.mark.parametrize("turn", [(1.0, 0.0, 0.0, 0.0), (0.98, 0.199, 0.0, 0.0)])
def test_fast_box_is_never_reported_deep(stepper, turn):
    box = Body("box", Box((1.0, 1.0, 1.0)), position=(0, 0, 0.9), orientation=turn, velocity=(0, 0, -8.0))
    trajectory = run(box, steps=12, stepper=stepper)
    assert trajectory.steps["contact_count"].max() > 0, "it has landed"
    # Predicted without impulses it would be 40 mm deep in the middle of a step.
    assert trajectory.steps["overlap"].max() < 2e-3


def test_true_overlap_is_reported():
    deep = 5e-3
    sunk = Body("box", Box((1.0, 1.0, 1.0)), position=(0, 0, 0.5 - deep))
    steps = run(sunk, steps=3).steps
    assert deep / 4 < steps["overlap"][0] <= deep
    assert steps["overlap"][2] < steps["overlap"][0], "it is being taken away"


def test_corners_and_edges_of_few_bodies_sink_in_by_three_ten_thousandths_at_most():
    """Eight tetrahedra fall in a heap: 4.5e-4 of their size where a step was made again for 1e-3 only."""
    rng, bodies = np.random.default_rng(5), [FLOOR]
    corners = 0.2 * np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1.0)])
    for k in range(8):
        turn = rng.normal(size=4)
        bodies.append(Body(f"tetrahedron{k}", ConvexHull(corners), orientation=quadruple(turn / np.linalg.norm(turn)),
                           position=(0.1 * (k % 2), 0.1 * (k // 2 % 2), 0.5 + 0.75 * k)))  # fmt: skip
    scene = Scene(tuple(bodies), one_material(0.3, 2700.0))
    options = options_for(scene, time=1.0, time_step=0.01)
    model, _ = compiled(scene, options)
    moves, deepest = model.inverse_mass > 0, 0.0

    def look(_, state, *__):
        nonlocal deepest
        found = pair_depths(model.collision, state.position, state.orientation, moves)
        deepest = max(deepest, found.depth.max(initial=0.0))

    simulate(scene, options, watch=look)
    assert deepest < 3e-4 * model.size[moves].min()
