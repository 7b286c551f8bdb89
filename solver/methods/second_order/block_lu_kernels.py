"""Kernels of the sparse LU factorisation with 6x6 blocks: ordering, fill, factors, solution.

The pattern of blocks is symmetric, the numbers need not be. Blocks are eliminated on the diagonal without
exchanging block rows; within a diagonal block rows are exchanged. That is enough for the matrices of the
Newton methods here, identity plus J^T K J.
"""

from typing import NamedTuple

import numpy as np

from ...jit import kernel
from .block_lanes import subtract_product

_ONE = np.uint64(1)
_M1 = np.uint64(0x5555555555555555)
_M2 = np.uint64(0x3333333333333333)
_M4 = np.uint64(0x0F0F0F0F0F0F0F0F)
_H01 = np.uint64(0x0101010101010101)


class Pattern(NamedTuple):
    """Fill pattern of n nodes: place (n,) of each node in the elimination order; indptr (n+1,) and rows (f,) of the
    blocks below the diagonal; slot (m,) of each pair given to `analyse`."""

    place: np.ndarray
    indptr: np.ndarray
    rows: np.ndarray
    slot: np.ndarray


class Factors(NamedTuple):
    """Numbers of a factorisation: D (n,36), L and U (f,36), and the row exchanges swap (n,6)."""

    D: np.ndarray
    L: np.ndarray
    U: np.ndarray
    swap: np.ndarray


@kernel
def set_bits(x):
    """Number of bits set in a word (the parallel count of Hacker's Delight, 5-1)."""
    x = x - ((x >> _ONE) & _M1)
    x = (x & _M2) + ((x >> np.uint64(2)) & _M2)
    x = (x + (x >> np.uint64(4))) & _M4
    return np.int64((x * _H01) >> np.uint64(56))


@kernel
def adjacency(pair, count, bits, degree):
    """Fill the bit rows (n, words) and degrees (n,) of the graph with edges pair (m,2)."""
    for e in range(pair.shape[0]):
        a, b = pair[e, 0], pair[e, 1]
        if a >= count or b >= count or a == b:
            continue
        bits[a, b >> 6] |= _ONE << np.uint64(b & 63)
        bits[b, a >> 6] |= _ONE << np.uint64(a & 63)
    for i in range(count):
        degree[i] = 0
        for k in range(bits.shape[1]):
            degree[i] += set_bits(bits[i, k])


@kernel
def eliminate(bits, degree, order, indptr, nodes, state):
    """Minimum-degree elimination: fills order (n,), indptr (n+1,) and nodes, those each column meets.

    bits and degree are consumed. Returns False when `nodes` is too short for the next column: call again with more
    room, state (2,) keeps the columns done and the nodes used.
    """
    count, words = bits.shape
    used = state[1]
    indptr[0] = 0
    for k in range(state[0], count):
        best = -1
        for i in range(count):
            if degree[i] >= 0 and (best < 0 or degree[i] < degree[best]):
                best = i
        order[k] = best
        if used + degree[best] > nodes.size:
            return False
        first = used
        for word in range(words):
            x = bits[best, word]
            base = word << 6
            while x != np.uint64(0):
                if x & _ONE:
                    nodes[used] = base
                    used += 1
                x >>= _ONE
                base += 1
        for s in range(first, used):
            i = nodes[s]
            total = 0
            for word in range(words):
                x = bits[i, word] | bits[best, word]
                if word == i >> 6:
                    x &= ~(_ONE << np.uint64(i & 63))
                if word == best >> 6:
                    x &= ~(_ONE << np.uint64(best & 63))
                bits[i, word] = x
                total += set_bits(x)
            degree[i] = total
        degree[best] = -1
        indptr[k + 1] = used
        state[0], state[1] = k + 1, used
    return True


@kernel
def sort_columns(indptr, nodes, place):
    """Replace nodes by their place in the elimination order and sort each column."""
    for k in range(indptr.size - 1):
        for s in range(indptr[k], indptr[k + 1]):
            nodes[s] = place[nodes[s]]
        for s in range(indptr[k] + 1, indptr[k + 1]):
            x, t = nodes[s], s
            while t > indptr[k] and nodes[t - 1] > x:
                nodes[t] = nodes[t - 1]
                t -= 1
            nodes[t] = x


@kernel
def find_slots(pair, place, count, indptr, rows, slot):
    """slot (m,): where the off-diagonal block of each pair of nodes is stored, -1 for pairs with one node."""
    for e in range(pair.shape[0]):
        slot[e] = -1
        if pair[e, 0] >= count or pair[e, 1] >= count:
            continue
        a, b = place[pair[e, 0]], place[pair[e, 1]]
        low, high = min(a, b), max(a, b)
        first, last = indptr[low], indptr[low + 1]
        while first < last:
            middle = (first + last) >> 1
            if rows[middle] < high:
                first = middle + 1
            else:
                last = middle
        slot[e] = first


@kernel
def analyse(pair, count, limit):
    """(whether it holds no more than `limit` blocks, the Pattern) of `count` nodes coupled by pair (m,2).

    Nodes are ordered by minimum degree on bit rows, exact and short; that suits the graphs of touching bodies up to
    several thousand of them.
    """
    bits, degree = np.zeros((count, (count + 63) // 64), np.uint64), np.zeros(count, np.int64)
    adjacency(pair, count, bits, degree)
    order, indptr, place = np.empty(count, np.int64), np.empty(count + 1, np.int64), np.empty(count, np.int64)
    rows, state, slot = np.empty(max(16, 4 * count), np.int64), np.zeros(2, np.int64), np.empty(pair.shape[0], np.int64)
    while not eliminate(bits, degree, order, indptr, rows, state):
        if rows.size >= limit:
            return False, Pattern(place, indptr, rows, slot)
        rows = np.concatenate((rows, np.empty(rows.size, np.int64)))
    rows = rows[: state[1]].copy()
    for k in range(count):
        place[order[k]] = k
    sort_columns(indptr, rows, place)
    find_slots(pair, place, count, indptr, rows, slot)
    return rows.size <= limit, Pattern(place, indptr, rows, slot)


@kernel
def room(pattern):
    """Room for a factorisation of `pattern`."""
    count, fill = pattern.place.size, pattern.rows.size
    return Factors(np.empty((count, 36)), np.empty((fill, 36)), np.empty((fill, 36)), np.zeros((count, 6), np.int64))


@kernel
def factor_work(indptr):
    """Block products of one factorisation."""
    total = 0
    for k in range(indptr.size - 1):
        m = indptr[k + 1] - indptr[k]
        total += m * m + m + 1
    return total


@kernel
def factor_block(D, k, swap):
    """LU factors of the 6x6 block D[k] in place, rows exchanged as swap[k] says; False where it is singular."""
    for c in range(6):
        pivot = c
        for i in range(c + 1, 6):
            if abs(D[k, 6 * i + c]) > abs(D[k, 6 * pivot + c]):
                pivot = i
        swap[k, c] = pivot
        if not abs(D[k, 6 * pivot + c]) > 1e-300:
            return False
        if pivot != c:
            for j in range(6):
                D[k, 6 * c + j], D[k, 6 * pivot + j] = D[k, 6 * pivot + j], D[k, 6 * c + j]
        scale = 1.0 / D[k, 7 * c]
        for i in range(c + 1, 6):
            factor = D[k, 6 * i + c] * scale
            D[k, 6 * i + c] = factor
            for j in range(c + 1, 6):
                D[k, 6 * i + j] -= factor * D[k, 6 * c + j]
    return True


@kernel
def scale_panels(D, k, swap, L, U, s):
    """L[s] <- L[s] U_k^-1 and U[s] <- L_k^-1 P_k U[s], by triangular solves.

    A product with the inverse of D[k] would cost as much and lose half the digits near the end of an
    interior-point path.
    """
    for c in range(6):
        pivot = swap[k, c]
        if pivot != c:
            for j in range(6):
                U[s, 6 * c + j], U[s, 6 * pivot + j] = U[s, 6 * pivot + j], U[s, 6 * c + j]
    for c in range(6):
        for i in range(c + 1, 6):
            factor = D[k, 6 * i + c]
            for j in range(6):
                U[s, 6 * i + j] -= factor * U[s, 6 * c + j]
    for c in range(6):
        scale = 1.0 / D[k, 7 * c]
        for i in range(6):
            x = L[s, 6 * i + c] * scale
            L[s, 6 * i + c] = x
            for j in range(c + 1, 6):
                L[s, 6 * i + j] -= x * D[k, 6 * c + j]


@kernel
def factorise(indptr, rows, D, L, U, swap):
    """Block LU in place: D (n,36) becomes the factored pivots, L (f,36) the blocks below, U (f,36) those to the right.

    Block s of column k is row rows[s] of L and column rows[s] of U. Returns False where a pivot is singular.
    """
    for k in range(indptr.size - 1):
        if not factor_block(D, k, swap):
            return False
        last = indptr[k + 1]
        for s in range(indptr[k], last):
            scale_panels(D, k, swap, L, U, s)
        for s in range(indptr[k], last):
            row = rows[s]
            subtract_product(D, row, L, s, U, s)
            t = indptr[row]
            for q in range(s + 1, last):
                while rows[t] != rows[q]:
                    t += 1
                subtract_product(U, t, L, s, U, q)
                subtract_product(L, t, L, q, U, s)
    return True


@kernel
def solve(indptr, rows, D, L, U, swap, x):
    """Solve with the factors; x (n,6) in elimination order holds the right-hand side and gets the solution."""
    count = indptr.size - 1
    for k in range(count):
        for c in range(6):
            pivot = swap[k, c]
            if pivot != c:
                x[k, c], x[k, pivot] = x[k, pivot], x[k, c]
        for c in range(6):
            for i in range(c + 1, 6):
                x[k, i] -= D[k, 6 * i + c] * x[k, c]
        for s in range(indptr[k], indptr[k + 1]):
            row = rows[s]
            for i in range(6):
                total = 0.0
                for j in range(6):
                    total += L[s, 6 * i + j] * x[k, j]
                x[row, i] -= total
    for k in range(count - 1, -1, -1):
        for s in range(indptr[k], indptr[k + 1]):
            row = rows[s]
            for i in range(6):
                total = 0.0
                for j in range(6):
                    total += U[s, 6 * i + j] * x[row, j]
                x[k, i] -= total
        for c in range(5, -1, -1):
            x[k, c] /= D[k, 7 * c]
            for i in range(c):
                x[k, i] -= D[k, 6 * i + c] * x[k, c]
