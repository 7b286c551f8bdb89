"""The factorisation by fronts against scipy's, on bodies of any size, with pins, and where it must refuse."""

import numpy as np
import pytest
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg

from stiction.solver.dynamics.cholesky import Factor, analyse
from stiction.solver.dynamics.cholesky.factor import NotPositive
from stiction.solver.dynamics.elastic.deformable import deformable
from stiction.solver.meshes.tet_grids import ball_grid, box_grid

MESHES = {"box": box_grid((5, 4, 3), (1, 1, 1)), "ball": ball_grid(1.0, 4), "beam": box_grid((12, 1, 1), (12, 1, 1)),
          "one": (np.eye(4)[:, :3], np.array([[0, 1, 2, 3]]))}  # fmt: skip


def matrix(name, element):
    vertices, tets = MESHES[name]
    body = deformable(vertices, tets, 1e5, 0.4, 1000.0, element=element)
    blocks = np.zeros((len(body.symbolic.pair_row), 3, 3))
    body.forces(body.rest * [1.1, 0.95, 1.0], blocks)
    return body, blocks


def reference(body, blocks, scale, weight, fixed):
    s, n = body.symbolic, body.node_count
    blocks = scale * blocks * ~(fixed[s.pair_row] | fixed[s.pair_column])[:, None, None]
    rows, columns = (3 * pair[:, None, None] for pair in (s.pair_row, s.pair_column))
    rows, columns = np.broadcast_arrays(rows + np.arange(3)[:, None], columns + np.arange(3))
    lower = sparse.coo_matrix((blocks.ravel(), (rows.ravel(), columns.ravel())), shape=(3 * n, 3 * n)).tocsc()
    whole = (lower + lower.T).tolil()
    own = np.flatnonzero(s.pair_row == s.pair_column)
    for i in own:
        r = 3 * s.pair_row[i]
        whole[r : r + 3, r : r + 3] -= blocks[i]
    return (whole + sparse.diags(np.repeat(weight, 3))).tocsc()


@pytest.mark.parametrize("element", ["t4", "t10"])
@pytest.mark.parametrize("name", MESHES)
def test_solves_and_condenses_as_superlu_does(name, element):
    body, blocks = matrix(name, element)
    rng = np.random.default_rng(0)
    fixed = rng.random(body.node_count) < 0.1
    factor = Factor(body.symbolic)
    factor.refactor(blocks, 1e-2, body.mass, fixed)
    lu = linalg.splu(reference(body, blocks, 1e-2, body.mass, fixed))
    right = rng.standard_normal((body.node_count, 3))
    wanted = lu.solve(right.ravel()).reshape(-1, 3)
    assert np.abs(factor.solve(right) - wanted).max() < 1e-10 * np.abs(wanted).max()
    chosen = np.flatnonzero(rng.random(body.node_count) < 0.4)
    W, nodes = factor.condensed(chosen)
    assert sorted(nodes) == sorted(chosen)
    unit = np.zeros((3 * body.node_count, 3 * len(nodes)))
    unit[(3 * nodes[:, None] + np.arange(3)).ravel(), np.arange(3 * len(nodes))] = 1.0
    inverse = unit.T @ lu.solve(unit)
    assert np.abs(W - inverse).max() < 1e-10 * np.abs(inverse).max()


def test_refuses_a_matrix_that_is_not_positive_definite():
    body, blocks = matrix("box", "t4")
    with pytest.raises(NotPositive):
        Factor(body.symbolic).refactor(blocks, -1e-2, body.mass, np.zeros(body.node_count, dtype=bool))


def test_same_bits_each_time():
    body, blocks = matrix("ball", "t10")
    none, answers = np.zeros(body.node_count, dtype=bool), []
    for _ in range(2):
        factor = Factor(body.symbolic)
        factor.refactor(blocks, 1e-2, body.mass, none)
        answers.append((factor.solve(body.rest), factor.condensed(np.arange(9))[0]))
    assert all(np.array_equal(one, two) for one, two in zip(*answers, strict=True))


def test_the_order_keeps_the_factor_sparse():
    # A band in the order given would take ten times as much.
    vertices, tets = box_grid((10, 10, 10), (1, 1, 1))
    found = analyse(vertices, tets)
    m, k = 3.0 * np.diff(found.start), 3.0 * np.diff(found.row_start)
    assert (m**3 / 3 + k * m**2 + k**2 * m).sum() < 0.3e9
