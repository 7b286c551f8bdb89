"""What joints leave of an island, given by its matrix A, as rows on one body: A = L L^T with as many columns as there
are independent rows, which are few. A car on four wheels has 48 rows of contacts and ten ways to move."""

from math import sqrt

import numpy as np

from ...jit import inner
from ..compact.columns import PACKED, Rows
from ..compact.compact_build_kernels import fill_steps, friction_scale, pack_plain
from ..compact.compact_kernels import BOUNDED, OTHER, PLAIN, TORSION
from .block_lu_kernels import Pattern, factor_work, room
from .proximal_newton_kernels import CONTACT_COST, Island, newton_cost


@inner
def factored(A, r0, r1):
    """(L^T (n,n) with L L^T = A[r0:r1, r0:r1], how many of its rows are not zero), the row of A that says most of what
    is left first."""
    n, rank = r1 - r0, 0
    L, left, own = np.zeros((n, n)), np.empty(n), np.empty(n)
    for i in range(n):
        own[i] = left[i] = A[r0 + i, r0 + i]
    while rank < n:
        pivot = -1
        for i in range(n):
            # Below that part of it what is left of a diagonal is round-off: its row says nothing new.
            if left[i] > 1e-13 * own[i] and (pivot < 0 or left[i] * own[pivot] > left[pivot] * own[i]):
                pivot = i
        if pivot < 0:
            break
        scale = 1.0 / sqrt(left[pivot])
        for i in range(n):
            L[rank, i] = A[r0 + pivot, r0 + i]
        for e in range(rank):
            part = L[e, pivot]
            for i in range(n):
                L[rank, i] -= part * L[e, i]
        for i in range(n):
            L[rank, i] *= scale
            left[i] -= L[rank, i] * L[rank, i]
        left[pivot] = 0.0
        rank += 1
    return L, rank


@inner
def form_in(p, k, m, sides):
    """Form of block k with m rows on so many nodes."""
    if sides > 2:
        return OTHER
    if p.kind[k] == 0:
        return OTHER if p.law[k] != 0 or m < 3 else (PLAIN if m == 3 else TORSION)
    return BOUNDED


@inner
def rows_of(p, blocks, place, A, b):
    """(Rows of some blocks (m,) of the Arrays `p`, whose rows of A and b begin at place (m+1,); how many nodes)."""
    count, r0 = blocks.size, place[0]
    L, rank = factored(A, r0, place[count])
    nodes = max(1, (rank + 5) // 6)
    sides = nodes + nodes % 2
    node, square = np.empty((count, sides), np.int64), np.zeros(count + 1, np.int64)
    form, plain = np.empty(count, np.int8), True
    for q in range(count):
        m = place[q + 1] - place[q]
        square[q + 1] = square[q] + m * m
        form[q] = form_in(p, blocks[q], m, sides)
        plain = plain and form[q] == PLAIN
        for i in range(sides):
            node[q, i] = min(i, nodes)
    rows = place[count] - r0
    c = Rows(
        p.kind[blocks], place - r0, square[:count], node, np.zeros((rows, 6 * sides)), np.empty(rows),
        np.zeros((count, 4)), np.empty(square[count]), np.zeros(0), np.zeros(square[count]), np.zeros(count, np.int8),
        form, np.zeros((count, PACKED)), p.law[blocks], p.bounds[blocks], p.sides, plain,
    )  # fmt: skip
    for q in range(count):
        k, m, first = blocks[q], place[q + 1] - place[q], place[q]
        for i in range(m):
            scale = friction_scale(p.kind[k], p.mu[k], i)
            c.b[first - r0 + i] = scale * b[first + i]
            for e in range(rank):
                c.J[first - r0 + i, e] = scale * L[e, first - r0 + i]
            for j in range(m):
                both = scale * friction_scale(p.kind[k], p.mu[k], j)
                c.diagonal[square[q] + i * m + j] = both * A[first + i, first + j]
    fill_steps(p.mu, blocks, c, 0, count)
    pack_plain(c, 0, count)
    return c, nodes


@inner
def island_of(c, nodes):
    """The Island of such Rows: all its nodes meet."""
    count, sides = c.node.shape
    indptr, slot = np.zeros(nodes + 1, np.int64), np.full(count * (sides * (sides - 1) // 2), -1)
    for k in range(nodes):
        indptr[k + 1] = indptr[k] + nodes - 1 - k
    rows, used = np.empty(indptr[nodes], np.int64), 0
    for k in range(nodes):
        for i in range(k + 1, nodes):
            rows[indptr[k] + i - k - 1] = i
    for _ in range(count):
        for x in range(sides):
            for y in range(x + 1, sides):
                if y < nodes:
                    slot[used] = indptr[x] + y - x - 1
                used += 1
    pattern = Pattern(np.arange(nodes), indptr, rows, slot)
    # Beside its factorisation a Newton step adds up what each block says of each pair of nodes.
    cost = newton_cost(factor_work(indptr), count, nodes) + CONTACT_COST * (0.25 * sides * sides - 1.0)
    return Island((0, count, 0, nodes), (0, c.b.size), pattern, room(pattern), 2.0 * cost / sides)
