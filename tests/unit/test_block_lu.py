"""Sparse LU with 6x6 blocks against dense solves."""

from types import SimpleNamespace

import numpy as np
import pytest

from stiction.solver.methods.second_order import block_lu_kernels, proximal_kernels
from stiction.solver.methods.second_order.block_lu_kernels import analyse, room


def random_graph(rng, count, edges):
    """Distinct pairs of a connected graph, and some with one node only."""
    chain = np.column_stack([np.arange(count - 1), np.arange(1, count)])
    more = rng.integers(0, count, size=(edges, 2))
    pairs = np.unique(np.sort(np.vstack([chain, more[more[:, 0] != more[:, 1]]]), axis=1), axis=0)
    return np.vstack([pairs, [[0, count], [count - 1, count]]])


def fill_blocks(rng, pattern, pair, count):
    """Random diagonally heavy blocks in the factors' room, and the same matrix dense."""
    factors = room(pattern)
    for part in (factors.D, factors.L, factors.U):
        part[:] = 0.0
    dense = np.zeros((6 * count, 6 * count))
    place = pattern.place
    for i in range(count):
        block = rng.normal(size=(6, 6)) + 30 * np.eye(6)[rng.permutation(6)]
        factors.D[place[i]] = block.ravel()
        dense[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = block
    for (a, b), slot in zip(pair, pattern.slot, strict=True):
        if b >= count:
            assert slot == -1
            continue
        low, high = (a, b) if place[a] < place[b] else (b, a)
        right, below = rng.normal(size=(2, 6, 6))
        factors.U[slot], factors.L[slot] = right.ravel(), below.ravel()
        dense[6 * low : 6 * low + 6, 6 * high : 6 * high + 6] = right
        dense[6 * high : 6 * high + 6, 6 * low : 6 * low + 6] = below
    return factors, dense


@pytest.mark.parametrize(("count", "edges"), [(1, 0), (2, 0), (9, 6), (70, 90), (130, 60)])
def test_solves_unsymmetric_block_systems(count, edges):
    rng = np.random.default_rng(count)
    pair = random_graph(rng, count, edges) if count > 1 else np.array([[0, 1]])
    _, pattern = analyse(pair, count, 10**6)
    factors, dense = fill_blocks(rng, pattern, pair, count)
    right = rng.normal(size=(count, 6))
    assert block_lu_kernels.factorise(pattern.indptr, pattern.rows, *factors)
    x = np.empty((count, 6))
    x[pattern.place] = right
    block_lu_kernels.solve(pattern.indptr, pattern.rows, *factors, x)
    expected = np.linalg.solve(dense, right.ravel())
    scale = np.linalg.cond(dense) * np.abs(expected).max()
    assert np.abs(x[pattern.place].ravel() - expected).max() < 1e-13 * scale


def test_pattern_holds_every_coupling_once():
    pair = random_graph(np.random.default_rng(3), 40, 30)
    _, pattern = analyse(pair, 40, 10**6)
    assert sorted(pattern.place) == list(range(40))
    joined = pair[:, 1] < 40
    assert len(set(pattern.slot[joined])) == joined.sum()
    for k in range(40):
        column = pattern.rows[pattern.indptr[k] : pattern.indptr[k + 1]]
        assert np.all(np.diff(column) > 0)
        assert np.all(column > k)


def test_too_much_fill_is_refused_and_a_singular_pivot_reported():
    pair = np.array([[i, j] for i in range(30) for j in range(i)])
    assert not analyse(pair, 30, 100)[0] and not analyse(pair, 30, 434)[0]
    fits, pattern = analyse(pair, 30, 435)
    assert fits and len(pattern.rows) == 30 * 29 // 2
    _, pattern = analyse(np.array([[0, 1]]), 2, 100)
    factors = room(pattern)
    for part in (factors.D, factors.L, factors.U):
        part[:] = 0.0
    assert not block_lu_kernels.factorise(pattern.indptr, pattern.rows, *factors)


def test_a_chain_of_bodies_has_no_fill():
    count = 200
    _, pattern = analyse(np.column_stack([np.arange(count - 1), np.arange(1, count)]), count, 10**6)
    assert len(pattern.rows) == count - 1


def test_row_products_see_small_numbers_beside_large_b():
    # A difference (J w + b) - b would lose a product of 1e-12 beside b = 1e4.
    kernel = proximal_kernels.row_product
    J = np.zeros((1, 12))
    J[0, :6] = 1.0
    rows = SimpleNamespace(node=np.array([[0, 1]]), row=np.array([0, 1]), J=J, b=np.array([1e4]))
    product = getattr(kernel, "py_func", kernel)(rows, 0, 0, np.full((2, 6), 1e-12))
    assert product == pytest.approx(6e-12, rel=1e-12)
