"""What `bench_links` measures where edges are deep through faces: the shift that takes two bodies out of each other."""

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from test_pierced_edges import link

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from bench_links import way_apart

from stiction.solver.collision.depths import pair_depths
from stiction.solver.collision.pipeline import prepare


@pytest.mark.parametrize(("facets", "sides"), ((4, 4), (8, 8), (16, 8)))
@pytest.mark.parametrize("drop", (1e-6, 1e-4))
def test_links_are_taken_out_of_each_other_by_what_they_were_moved_into_each_other(facets, sides, drop):
    shape, reach = link(facets, sides)
    moves = np.array([0.0, 1.0])
    model = SimpleNamespace(inverse_mass=moves, collision=prepare((shape, shape), np.zeros((2, 3)), moves > 0))
    state = SimpleNamespace(
        position=np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -2 * reach - drop]]), twist=np.zeros((2, 6)),
        orientation=np.array([[np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0], [0.5, 0.5, 0.5, 0.5]]),
    )  # fmt: skip
    depth = pair_depths(model.collision, state.position, state.orientation, moves > 0).depth.max()
    assert depth > 0.9 * drop
    assert way_apart(model, state, 0, 1, depth) == pytest.approx(drop, rel=0.05)
    # Through by more than that: a shift of as much as is asked for does not help, and it says no more.
    assert way_apart(model, state, 0, 1, 0.5 * drop) == 0.5 * drop
