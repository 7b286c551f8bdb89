"""Connected pieces are those of scipy, which counts them from 0 in the order of their first members."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csgraph

from stiction.solver.base.connected import connected


def by_scipy(a, b, count):
    graph = sparse.coo_matrix((np.ones(len(a), dtype=np.int8), (a, b)), shape=(count, count))
    return csgraph.connected_components(graph, directed=False)[1]


@pytest.mark.parametrize("pairs", [0, 5, 50, 200])
def test_pieces_of_random_pairs(pairs):
    rng = np.random.default_rng(pairs)
    for _ in range(20):
        a, b = rng.integers(0, 100, (2, pairs))
        assert np.array_equal(connected(a, b, 100), by_scipy(a, b, 100))


def test_a_row_in_any_order_is_one_piece():
    row = np.random.default_rng(0).permutation(5000)
    assert not connected(row[:-1], row[1:], len(row)).any()
    assert connected(np.array([], dtype=int), np.array([], dtype=int), 3).tolist() == [0, 1, 2]
