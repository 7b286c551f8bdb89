"""Kernels: A = J W J^T + C of coupled blocks in a profile (skyline), its Cholesky factor, and proximal passes with it.

Row i of the profile holds the columns first[i]..i at offset[i]. Blocks are ordered by breadth first through the bodies
they share, from an end of the longest way: a chain has the profile of its neighbours alone, a tree little more.
"""

from math import sqrt

import numpy as np

from ...jit import inner, kernel


@kernel
def block_graph(J, blocks):
    """Bodies of the blocks (n,): (at (n+1,), body (s,) number of each segment's body, start (m+1,) and member (s,): the
    blocks of each body)."""
    count = blocks.size
    at = np.zeros(count + 1, np.int64)
    for x in range(count):
        at[x + 1] = at[x] + J.indptr[blocks[x] + 1] - J.indptr[blocks[x]]
    found = np.empty(at[count], np.int64)
    for x in range(count):
        for s in range(at[x + 1] - at[x]):
            found[at[x] + s] = J.start[J.indptr[blocks[x]] + s]
    names = np.unique(found)
    body = np.searchsorted(names, found)
    start = np.zeros(names.size + 1, np.int64)
    for s in range(body.size):
        start[body[s] + 1] += 1
    for m in range(names.size):
        start[m + 1] += start[m]
    member, fill = np.empty(body.size, np.int64), start[:-1].copy()
    for x in range(count):
        for s in range(at[x], at[x + 1]):
            member[fill[body[s]]] = x
            fill[body[s]] += 1
    return at, body, start, member


@inner
def breadth_first(graph, root, mark, visited, order, begin):
    """Blocks that root reaches, into order from `begin`; visited (n,) is set to `mark`. Returns where they end."""
    at, body, start, member = graph
    order[begin], end, now = root, begin + 1, begin
    visited[root] = mark
    while now < end:
        x = order[now]
        now += 1
        for s in range(at[x], at[x + 1]):
            for t in range(start[body[s]], start[body[s] + 1]):
                y = member[t]
                if visited[y] != mark:
                    visited[y] = mark
                    order[end] = y
                    end += 1
    return end


@kernel
def ordered(graph):
    """Order (n,) of the blocks in which those of one body stand near each other."""
    count = graph[0].size - 1
    order, visited, begin, mark = np.empty(count, np.int64), np.zeros(count, np.int64), 0, 0
    done = np.zeros(count, np.bool_)
    for x in range(count):
        if done[x]:
            continue
        root = x
        # The last block reached is far from the first: from one end to the other the profile is thin.
        for _ in range(3):
            mark += 1
            end = breadth_first(graph, root, mark, visited, order, begin)
            root = order[end - 1]
        for k in range(begin, end):
            done[order[k]] = True
        begin = end
    return order[::-1].copy()


@kernel
def profile(graph, place, first, offset):
    """First columns (k,) and offsets (k+1,) of the rows of blocks that begin at place (n+1,)."""
    at, body, start, member = graph
    offset[0] = 0
    for x in range(place.size - 1):
        low = x
        for s in range(at[x], at[x + 1]):
            for t in range(start[body[s]], start[body[s] + 1]):
                low = min(low, member[t])
        for i in range(place[x], place[x + 1]):
            first[i] = place[low]
            offset[i + 1] = offset[i] + i - first[i] + 1


@kernel
def fill_profile(J, G, compliance_offset, compliance, blocks, graph, place, first, offset, A):
    """A (offset[k],) of the blocks (n,), whose segments of J and G are on the same bodies."""
    at, body, start, member = graph
    A[:] = 0.0
    for x in range(blocks.size):
        m = place[x + 1] - place[x]
        for s in range(at[x], at[x + 1]):
            js = J.indptr[blocks[x]] + s - at[x]
            size = J.size[js]
            for t in range(start[body[s]], start[body[s] + 1]):
                y = member[t]
                if y > x:
                    continue
                gs = G.indptr[blocks[y]]
                while G.start[gs] != J.start[js]:
                    gs += 1
                for i in range(m):
                    row = offset[place[x] + i] - first[place[x] + i]
                    for j in range(min(place[y + 1] - place[y], place[x] + i - place[y] + 1)):
                        total = 0.0
                        for e in range(size):
                            total += J.data[J.offset[js] + i * size + e] * G.data[G.offset[gs] + j * size + e]
                        A[row + place[y] + j] += total
        own = compliance_offset[blocks[x]]
        if own >= 0:
            for i in range(m):
                row = offset[place[x] + i] - first[place[x] + i]
                for j in range(i + 1):
                    A[row + place[x] + j] += compliance[own + i * m + j]


@kernel
def factored(first, offset, A, soft, L):
    """L of A + diag(soft) in the profile; a pivot that round-off has eaten is what the compliance alone makes it."""
    for i in range(first.size):
        row = offset[i] - first[i]
        for j in range(first[i], i):
            other = offset[j] - first[j]
            total = A[row + j]
            for k in range(max(first[i], first[j]), j):
                total -= L[row + k] * L[other + k]
            L[row + j] = total / L[other + j]
        pivot = A[row + i] + soft[i]
        for k in range(first[i], i):
            pivot -= L[row + k] * L[row + k]
        L[row + i] = sqrt(max(pivot, 0.01 * soft[i]))


@inner
def substituted(first, offset, L, x):
    """x := (L L^T)^-1 x."""
    for i in range(first.size):
        row = offset[i] - first[i]
        total = x[i]
        for k in range(first[i], i):
            total -= L[row + k] * x[k]
        x[i] = total / L[row + i]
    for i in range(first.size - 1, -1, -1):
        row = offset[i] - first[i]
        x[i] /= L[row + i]
        for k in range(first[i], i):
            x[k] -= L[row + k] * x[i]


@kernel
def product(first, offset, A, x, out):
    """out := A x, A symmetric in the profile."""
    out[:] = 0.0
    for i in range(first.size):
        row = offset[i] - first[i]
        total = A[row + i] * x[i]
        for k in range(first[i], i):
            total += A[row + k] * x[k]
            out[k] += A[row + k] * x[i]
        out[i] += total


@kernel
def passes(first, offset, A, soft, L, rhs, most, settled, answer, off):
    """Proximal passes (A + S) x' = rhs + S x from x = 0 for columns rhs (c, k), at most `most`; answer (c, k).

    off (c,): what is left of rhs - A x, 0 where it is nothing but round-off.

    The last is where what it changes is `settled` of the answer, or the compliance matters to no velocity beyond
    round-off.
    """
    left = np.empty(first.size)
    for c in range(rhs.shape[0]):
        answer[c], off[c] = 0.0, 0.0
        x = np.zeros(first.size)
        for _ in range(most):
            change, largest = 0.0, 0.0
            for i in range(first.size):
                x[i] = rhs[c, i] + soft[i] * answer[c, i]
            substituted(first, offset, L, x)
            for i in range(first.size):
                change, largest = max(change, abs(x[i] - answer[c, i])), max(largest, abs(x[i]))
                answer[c, i] = x[i]
            product(first, offset, A, x, left)
            size, held = 0.0, 0.0
            off[c] = 0.0
            for i in range(first.size):
                off[c], size = max(off[c], abs(left[i] - rhs[c, i])), max(size, abs(rhs[c, i]))
                held = max(held, abs(soft[i] * x[i]))
            if off[c] <= 1e-13 * (size + 1e3 * held):
                off[c] = 0.0
                break
            if not change > settled * largest:
                break


@kernel
def solved(first, offset, A, factors, rhs, how, answer):
    """answer (c, k): lambda with A lambda = rhs (c, k), see direct_rows.Profile.solve.

    factors: (diagonal (k,), L (2, a), made (2,)) with much and with little compliance, filled where not made yet;
    how: (compliances (2,), passes (2,), part left that makes the second worth it, SETTLED).
    """
    epsilon, most, worth, settled = how
    diagonal, L, made = factors
    count = rhs.shape[0]
    off, less, finer = np.empty(count), np.empty(count), np.empty_like(rhs)
    for turn in range(2):
        soft = epsilon[turn] * diagonal
        if not made[turn]:
            factored(first, offset, A, soft, L[turn])
            made[turn] = True
        if turn == 0:
            passes(first, offset, A, soft, L[0], rhs, most[0], settled, answer, off)
            if not off.any():
                return
            continue
        passes(first, offset, A, soft, L[1], rhs, most[1], settled, finer, less)
        for c in range(count):
            if less[c] < worth * off[c]:
                answer[c] = finer[c]
