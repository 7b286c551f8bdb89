"""Kernels: A = J W J^T + C of coupled blocks in a profile (skyline), its Cholesky factor, and proximal passes with it.

Row i of the profile holds the columns first[i]..i at offset[i]. Blocks are ordered by breadth first through the bodies
they share, from an end of the longest way: a chain has the profile of its neighbours alone, a tree little more.
"""

from math import sqrt

import numpy as np

from ...jit import inner, kernel


@inner
def numbered(found):
    """(number (s,) of each name among the names found (s,), ascending from 0; how many there are)."""
    top = 0
    for name in found:
        top = max(top, name + 1)
    number, used = np.full(top, -1), 0
    for name in found:
        number[name] = 0
    for name in range(top):
        if number[name] == 0:
            number[name] = used
            used += 1
    body = np.empty(found.size, np.int64)
    for s in range(found.size):
        body[s] = number[found[s]]
    return body, used


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
    body, names = numbered(found)
    start = np.zeros(names + 1, np.int64)
    for s in range(body.size):
        start[body[s] + 1] += 1
    for m in range(names):
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
def substituted(first, offset, L, begin, end, x):
    """x := (L L^T)^-1 x on the rows begin:end, which no other row is coupled with."""
    for i in range(begin, end):
        row = offset[i] - first[i]
        total = x[i]
        for k in range(first[i], i):
            total -= L[row + k] * x[k]
        x[i] = total / L[row + i]
    for i in range(end - 1, begin - 1, -1):
        row = offset[i] - first[i]
        x[i] /= L[row + i]
        for k in range(first[i], i):
            x[k] -= L[row + k] * x[i]


@inner
def product_of(first, offset, A, begin, end, x, out):
    """out := A x on the rows begin:end, which no other row is coupled with; A symmetric in the profile."""
    out[begin:end] = 0.0
    for i in range(begin, end):
        row = offset[i] - first[i]
        total = A[row + i] * x[i]
        for k in range(first[i], i):
            total += A[row + k] * x[k]
            out[k] += A[row + k] * x[i]
        out[i] += total


@kernel
def product(first, offset, A, x, out):
    """out := A x, A symmetric in the profile."""
    product_of(first, offset, A, 0, first.size, x, out)


@inner
def passes(first, offset, A, soft, L, begin, end, rhs, most, settled, answer, x, left):
    """Proximal passes (A + S) y' = rhs + S y from y = 0 on the rows begin:end, at most `most`; answer (k,).

    x, left (k,): memory. Returns what is left of rhs - A answer, 0 where it is nothing but round-off. The last pass is
    where what it changes is `settled` of the answer, or the compliance matters to no velocity beyond round-off.
    """
    answer[begin:end], off = 0.0, 0.0
    for _ in range(most):
        change, largest = 0.0, 0.0
        for i in range(begin, end):
            x[i] = rhs[i] + soft[i] * answer[i]
        substituted(first, offset, L, begin, end, x)
        for i in range(begin, end):
            change, largest = max(change, abs(x[i] - answer[i])), max(largest, abs(x[i]))
            answer[i] = x[i]
        product_of(first, offset, A, begin, end, x, left)
        off, size, held = 0.0, 0.0, 0.0
        for i in range(begin, end):
            off, size = max(off, abs(left[i] - rhs[i])), max(size, abs(rhs[i]))
            held = max(held, abs(soft[i] * x[i]))
        if off <= 1e-13 * (size + 1e3 * held):
            return 0.0
        if not change > settled * largest:
            break
    return off


@inner
def reach_back(first):
    """Lowest column (k+1,) of each row and all behind it: where that is not below the row, a set of coupled rows begins
    there."""
    low = np.empty(first.size + 1, np.int64)
    low[first.size] = first.size
    for i in range(first.size - 1, -1, -1):
        low[i] = min(low[i + 1], first[i])
    return low


@inner
def end_of_set(low, begin):
    """Where the set of coupled rows that begins there ends; low: see reach_back."""
    end = begin + 1
    while low[end] < end:
        end += 1
    return end


@inner
def solved_set(first, offset, A, factors, begin, end, rhs, how, answer, memory):
    """`solved` for one right side rhs (k,) on a set of coupled rows begin:end; memory (3,k)."""
    epsilon, most, worth, settled = how
    diagonal, L, made = factors
    finer, x, left = memory[0], memory[1], memory[2]
    if not made[0]:
        factored(first, offset, A, epsilon[0] * diagonal, L[0])
        made[0] = True
    soft = epsilon[0] * diagonal
    off = passes(first, offset, A, soft, L[0], begin, end, rhs, most[0], settled, answer, x, left)
    if off == 0.0:
        return
    softer = epsilon[1] * diagonal
    if not made[1]:
        factored(first, offset, A, softer, L[1])
        made[1] = True
    less = passes(first, offset, A, softer, L[1], begin, end, rhs, most[1], settled, finer, x, left)
    if less < worth * off:
        answer[begin:end] = finer[begin:end]


@kernel
def solved(first, offset, A, factors, rhs, how, answer):
    """answer (c, k): lambda with A lambda = rhs (c, k), see direct_rows.Profile.solve.

    factors: (diagonal (k,), L (2, a), made (2,)) with much and with little compliance, filled where not made yet;
    how: (compliances (2,), passes (2,), part left that makes the second worth it, SETTLED). Rows that nothing couples
    are solved each for themselves: how often one set is improved decides nothing about another.
    """
    memory = np.empty((3, first.size))
    low, begin = reach_back(first), 0
    while begin < first.size:
        end = end_of_set(low, begin)
        for c in range(rhs.shape[0]):
            solved_set(first, offset, A, factors, begin, end, rhs[c], how, answer[c], memory)
        begin = end


@inner
def without_effect(first, offset, A, factors, begin, end, x, how, out, memory):
    """out (k,) := the part of x that gives no velocities, x - A^-1 A x, on a set of coupled rows; memory (5,k)."""
    product_of(first, offset, A, begin, end, x, memory[3])
    solved_set(first, offset, A, factors, begin, end, memory[3], how, memory[4], memory)
    for i in range(begin, end):
        out[i] = x[i] - memory[4, i]


@inner
def moves(first, offset, A, D, begin, end, x, harmless, out):
    """Whether x (k,) on a set of coupled rows makes velocities along them, by more than a part of what its largest
    would; out (k,) is overwritten."""
    largest, found = 0.0, False
    product_of(first, offset, A, begin, end, x, out)
    for i in range(begin, end):
        largest = max(largest, abs(x[i]))
    for i in range(begin, end):
        found = found or not abs(out[i]) <= harmless * D[i] * largest
    return found


@inner
def share_set(first, offset, A, factors, begin, end, impulse, how, limits, memory):
    """`share` on a set of coupled rows; memory (9,k)."""
    shared, most, harmless, noise = limits
    D, answer, way, left, x = factors[0], memory[5], memory[6], memory[7], memory[8]
    least, size = 0.0, 0.0
    for i in range(begin, end):
        answer[i], x[i] = impulse[i], impulse[i] / D[i]
        least += shared * shared * impulse[i] * x[i]
    without_effect(first, offset, A, factors, begin, end, x, how, left, memory)
    for i in range(begin, end):
        left[i] = -left[i]
        way[i] = left[i]
        size += left[i] * D[i] * left[i]
    if size <= least:
        return
    for _ in range(most):
        if size <= least:
            break
        square, before = 0.0, size
        for i in range(begin, end):
            square += way[i] * way[i]
            x[i] = way[i] / D[i]
        step = size / square
        without_effect(first, offset, A, factors, begin, end, x, how, memory[3], memory)
        size = 0.0
        for i in range(begin, end):
            answer[i] += step * way[i]
            left[i] -= step * memory[3, i]
            size += left[i] * D[i] * left[i]
        # What is this small and does not get smaller is what round-off left of a solve.
        if before * 0.9 < size <= noise * noise / (shared * shared) * least:
            break
        for i in range(begin, end):
            way[i] = left[i] + size / before * way[i]
    for i in range(begin, end):
        x[i] = answer[i] - impulse[i]
    if not moves(first, offset, A, D, begin, end, x, harmless, memory[3]):
        for i in range(begin, end):
            impulse[i] = answer[i]


@kernel
def share(first, offset, A, factors, impulse, how, limits):
    """Impulses (k,) of least norm that give the same velocities, in place, see direct_rows.DirectRows.shared; limits:
    part that is left alone, most directions, what is harmless, what may be round-off. Rows that nothing couples each
    for themselves."""
    memory, low, begin = np.empty((9, first.size)), reach_back(first), 0
    while begin < first.size:
        end = end_of_set(low, begin)
        share_set(first, offset, A, factors, begin, end, impulse, how, limits, memory)
        begin = end
