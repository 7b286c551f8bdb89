"""The beasts in the place of the 2008 paper's dinosaurs."""

import numpy as np
import pytest

from stiction.solver.meshes.tet_grids import boundary, tet_volumes
from stiction.solver.model import compile_scene
from stiction.solver.scenes.deformable.beasts import BLOCK, beast_grid, beasts
from stiction.solver.validation.deformable.beasts import beasts as case


def test_a_beast_is_one_closed_piece_of_its_blocks():
    vertices, tets = beast_grid()
    assert tet_volumes(vertices, tets).min() > 0.0
    assert tet_volumes(vertices, tets).sum() == pytest.approx(39 * BLOCK**3)
    _, uses = np.unique(np.sort(boundary(tets)[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)), axis=0, return_counts=True)
    assert np.all(uses % 2 == 0)


def test_they_begin_apart_and_move_in_twenty_vectors():
    model, state = compile_scene(beasts())
    assert [len(body.reduced.damping) for body in model.elastic[1:]] == [20] * 4
    low, high = (np.array([end(state.nodes.position[model.span(k)], axis=0) for k in range(1, 5)])
                 for end in (np.min, np.max))  # fmt: skip
    for a in range(4):
        for b in range(a):
            assert np.any((low[a] > high[b]) | (low[b] > high[a]))


@pytest.mark.slow
def test_they_end_in_a_pile_at_rest():
    assert [line for line in case() if not line.passed] == []
