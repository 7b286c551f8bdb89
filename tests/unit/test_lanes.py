"""Products side by side have the bits of plain code, which also runs where nothing is compiled."""

import numba
import numpy as np
import pytest

from stiction.solver.kernels.compiling import COMPILED, KERNEL
from stiction.solver.methods.compact import lanes
from stiction.solver.methods.second_order import block_lanes

ROWS, NODES = 5, 4


@numba.njit(**KERNEL)
def velocities(count, J, i, w, a, o, b, k):
    if count == 3:
        v0, v1, v2 = lanes.velocities_of_three(J, i, w, a, o, b, k)
        return np.array([v0, v1, v2])
    v0, v1, v2, v3 = lanes.velocities_of_four(J, i, w, a, o, b, k)
    return np.array([v0, v1, v2, v3])


@numba.njit(**KERNEL)
def change(count, J, i, side, d, w, node):
    if count == 1:
        lanes.add_one(J, i, side, (d[0],), w, node)
    elif count == 3:
        lanes.add_three(J, i, side, (d[0], d[1], d[2]), w, node)
    else:
        lanes.add_four(J, i, side, (d[0], d[1], d[2], d[3]), w, node)


@numba.njit(**KERNEL)
def change_in_turn(J, i, side, d, w, node):
    lanes.add_four_in_turn(J, i, side, (d[0], d[1], d[2], d[3]), w, node)


@numba.njit(**KERNEL)
def row_products(J, i, w, a, o):
    return lanes.products_of_three(J, i, w, a, o), lanes.products_of_four(J, i, w, a, o)


@numba.njit(**KERNEL)
def products_of_blocks(C, A, B, J, K, T, t, s, q):
    block_lanes.subtract_product(C, t, A, s, B, q)
    block_lanes.weighted_three(K, 36 * q, J, s, T, 0)
    block_lanes.add_congruence_of_three(C, t, J, s, 6, T, 0)
    block_lanes.weighted_four(K, 36 * s, J, q, T, 0)
    block_lanes.add_congruence_of_four(C, t, J, q, 0, T, 6)


@pytest.fixture
def numbers():
    """J, w and b whose sums differ in their last bits with the order of the terms."""
    rng = np.random.default_rng(4)
    return [rng.normal(size=shape) * 10.0 ** rng.integers(-3, 4, shape) for shape in ((ROWS, 12), (NODES, 6), (2, 12))]


@pytest.mark.parametrize("count", [3, 4])
@pytest.mark.parametrize(("a", "o"), [(0, 2), (3, 1)])
def test_velocities_have_the_bits_of_plain_code(numbers, count, a, o):
    J, w, b = numbers
    plain = lanes._plain_velocities(count, count == 3)
    for i in range(ROWS - count + 1):
        found = velocities(count, J, i, w, a, o, b, 12 + 2 * i)
        assert np.array_equal(found, plain(J, i, w, a, o, b, 12 + 2 * i))
        rows = J[i : i + count]
        exact = b.ravel()[12 + 2 * i :][:count] + rows[:, :6] @ w[a] + rows[:, 6:] @ w[o]
        size = np.abs(rows[:, :6]) @ np.abs(w[a]) + np.abs(rows[:, 6:]) @ np.abs(w[o])
        assert np.all(np.abs(found - exact) <= 1e-14 * (size + np.abs(exact)))


@pytest.mark.parametrize("count", [1, 3, 4])
@pytest.mark.parametrize("side", [0, 6])
def test_changes_have_the_bits_of_plain_code_and_touch_one_node(numbers, count, side):
    J, w, b = numbers
    d = b[0, :count]
    for i in range(ROWS - count + 1):
        for node in range(NODES):
            found, expected = w.copy(), w.copy()
            change(count, J, i, side, d, found, node)
            lanes._plain_change(J, i, side, tuple(d), expected, node)
            assert np.array_equal(found, expected)
            assert np.allclose(found[node] - w[node], d @ J[i : i + count, side : side + 6], rtol=1e-9)
            assert np.array_equal(np.delete(found, node, 0), np.delete(w, node, 0))


def test_other_sums_have_the_bits_of_plain_code(numbers):
    J, w, b = numbers
    found, expected, d = w.copy(), w.copy(), b[0, :4]
    change_in_turn(J, 1, 6, d, found, 2)
    lanes._plain_change_in_turn(J, 1, 6, tuple(d), expected, 2)
    assert np.array_equal(found, expected)
    three, four = row_products(J, 0, w, 3, 0)
    assert three == lanes._plain_row_products(3)(J, 0, w, 3, 0)
    assert four == lanes._plain_row_products(4)(J, 0, w, 3, 0)
    assert np.allclose(four, J[:4, :6] @ w[3] + J[:4, 6:] @ w[0], rtol=1e-9)


def test_products_of_blocks_have_the_bits_of_plain_code():
    rng = np.random.default_rng(5)
    C, A, B, K = (rng.normal(size=(3, 36)) * 10.0 ** rng.integers(-3, 4, (3, 36)) for _ in range(4))
    J, T = rng.normal(size=(6, 12)), np.zeros((6, 12))
    found, expected = C.copy(), C.copy()
    products_of_blocks(found, A, B, J, K, T, 1, 0, 2)
    weighted = np.zeros((6, 12))
    block_lanes._plain_subtract_product(expected, 1, A, 0, B, 2)
    block_lanes._plain_weighted(3)(K, 72, J, 0, weighted, 0)
    assert np.allclose(weighted[:3], K[2, :9].reshape(3, 3) @ J[:3], rtol=1e-9)
    block_lanes._plain_add_congruence(3)(expected, 1, J, 0, 6, weighted, 0)
    block_lanes._plain_weighted(4)(K, 0, J, 2, weighted, 0)
    block_lanes._plain_add_congruence(4)(expected, 1, J, 2, 0, weighted, 6)
    assert np.array_equal(found, expected) and np.array_equal(T[:4], weighted[:4])
    exact = C[1].reshape(6, 6) - A[0].reshape(6, 6) @ B[2].reshape(6, 6)
    exact += J[:3, 6:].T @ K[2, :9].reshape(3, 3) @ J[:3, :6] + J[2:, :6].T @ K[0, :16].reshape(4, 4) @ J[2:, 6:]
    assert np.allclose(found[1].reshape(6, 6), exact, rtol=1e-9, atol=1e-9)


@pytest.mark.skipif(not COMPILED, reason="types are looked at when kernels are compiled")
def test_arrays_that_are_not_contiguous_are_refused(numbers):
    J, w, b = numbers
    with pytest.raises(numba.core.errors.TypingError, match="contiguous"):
        velocities(3, np.asfortranarray(J), 0, w, 0, 1, b, 0)
