"""Kernels: A = J W J^T + C of coupled blocks in a profile (skyline), its Cholesky factor, and proximal passes with it.

Blocks are ordered by breadth first through the bodies they share, from an end of the longest way: a chain has the
profile of its neighbours alone, a tree little more.

A is singular where rows say the same twice (a door on two hinges, overconstrained loops). With a small compliance eps
times the diagonal D it is not, and the passes (A + eps D) lambda' = rhs + eps D lambda take that compliance away again:
no rank is decided. From lambda = 0 that is the D-least-norm answer: redundant rows share what they carry by the masses
behind them. `share` goes on from there to the least norm, which is what equal compliances would share.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from ...jit import inner, kernel
from ...problems.problem_kernels import rows_of_blocks

# Compliances added, as parts of the diagonal, and passes at most that take each away: much and quick at first; the
# smaller one is worth it where it leaves less than this part.
EPSILON, PASSES, WORTH = (1e-6, 1e-10), (5, 12), 0.1
# A pass is the last when what it changes is this part of the answer.
SETTLED = 1e-14
# What rows share is left alone where it is off by less than this part, and taken up in at most so many directions. A
# share may add no more than the part HARMLESS of what it moves to the velocities along the rows.
SHARED, DIRECTIONS, HARMLESS = 1e-9, 60, 1e-10
# Rows up to which a dense factorisation is faster than a sparse one, and numbers a row up to which the profile is.
DENSE, WIDE = 240, 120


class Profile(NamedTuple):
    """Rows of blocks (n,) in their profile: blocks in the order that they have there, place (n+1,) where their rows
    begin, rows (k,) by their numbers in the problem; row i has the columns first[i]..i of A from offset[i]; its
    diagonal (k,), ones where it is none; L (2,a), factors with much and with little compliance, and which are made
(2,)."""
    blocks: np.ndarray
    place: np.ndarray
    rows: np.ndarray
    first: np.ndarray
    offset: np.ndarray
    A: np.ndarray
    diagonal: np.ndarray
    L: np.ndarray
    made: np.ndarray


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
def profile_of(row_start, J, G, compliance, blocks, any_width):
    """The Profile of blocks (n,) whose segments of J and G are on the same bodies; not factorised yet, and with an
    empty A where it is too wide to be worth it. compliance: (offset (B,), numbers)."""
    order, sorted_blocks = ordered(block_graph(J, blocks)), np.empty_like(blocks)
    for x in range(blocks.size):
        sorted_blocks[x] = blocks[order[x]]
    place, rows = rows_of_blocks(row_start, sorted_blocks)
    graph = block_graph(J, sorted_blocks)
    at, body, start, member = graph
    first, offset = np.empty(rows.size, np.int64), np.empty(rows.size + 1, np.int64)
    offset[0] = 0
    for x in range(blocks.size):
        low = x
        for s in range(at[x], at[x + 1]):
            for t in range(start[body[s]], start[body[s] + 1]):
                low = min(low, member[t])
        for i in range(place[x], place[x + 1]):
            first[i] = place[low]
            offset[i + 1] = offset[i] + i - first[i] + 1
    thin = any_width or offset[rows.size] <= WIDE * rows.size or rows.size <= DENSE
    size = offset[rows.size] if thin else 0
    found = Profile(sorted_blocks, place, rows, first, offset, np.zeros(size), np.ones(rows.size), np.empty((2, size)),
                    np.zeros(2, np.bool_))  # fmt: skip
    if thin:
        fill(found, J, G, compliance, graph)
    return found


@inner
def fill(c, J, G, compliance, graph):
    """Add to the zeros of Profile c's A, and to its diagonal; graph: of its blocks in their order."""
    at, body, start, member = graph
    for x in range(c.blocks.size):
        m = c.place[x + 1] - c.place[x]
        for s in range(at[x], at[x + 1]):
            js = J.indptr[c.blocks[x]] + s - at[x]
            size = J.size[js]
            for t in range(start[body[s]], start[body[s] + 1]):
                y = member[t]
                if y > x:
                    continue
                gs = G.indptr[c.blocks[y]]
                while G.start[gs] != J.start[js]:
                    gs += 1
                for i in range(m):
                    row = c.offset[c.place[x] + i] - c.first[c.place[x] + i]
                    for j in range(min(c.place[y + 1] - c.place[y], c.place[x] + i - c.place[y] + 1)):
                        total = 0.0
                        for e in range(size):
                            total += J.data[J.offset[js] + i * size + e] * G.data[G.offset[gs] + j * size + e]
                        c.A[row + c.place[y] + j] += total
        own = compliance[0][c.blocks[x]]
        if own >= 0:
            for i in range(m):
                row = c.offset[c.place[x] + i] - c.first[c.place[x] + i]
                for j in range(i + 1):
                    c.A[row + c.place[x] + j] += compliance[1][own + i * m + j]
    for k in range(c.rows.size):
        if c.A[c.offset[k + 1] - 1] > 0.0:
            c.diagonal[k] = c.A[c.offset[k + 1] - 1]


@inner
def factorise(c, level):
    """c.L[level] of A + EPSILON[level] D in the profile; a pivot that round-off has eaten is what the compliance alone
    makes it."""
    first, offset, A, L = c.first, c.offset, c.A, c.L[level]
    for i in range(first.size):
        row, soft = offset[i] - first[i], EPSILON[level] * c.diagonal[i]
        for j in range(first[i], i):
            other = offset[j] - first[j]
            total = A[row + j]
            for k in range(max(first[i], first[j]), j):
                total -= L[row + k] * L[other + k]
            L[row + j] = total / L[other + j]
        pivot = A[row + i] + soft
        for k in range(first[i], i):
            pivot -= L[row + k] * L[row + k]
        L[row + i] = sqrt(max(pivot, 0.01 * soft))
    c.made[level] = True


@inner
def substitute(c, L, begin, end, x):
    """x := (L L^T)^-1 x on the rows begin:end, which no other row is coupled with."""
    first, offset = c.first, c.offset
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
def multiply(c, begin, end, x, out):
    """out := A x on the rows begin:end, which no other row is coupled with; A symmetric in the profile."""
    first, offset, A = c.first, c.offset, c.A
    out[begin:end] = 0.0
    for i in range(begin, end):
        row = offset[i] - first[i]
        total = A[row + i] * x[i]
        for k in range(first[i], i):
            total += A[row + k] * x[k]
            out[k] += A[row + k] * x[i]
        out[i] += total


@kernel
def product(c, x):
    """A x (k,) of a Profile."""
    out = np.empty_like(x)
    multiply(c, 0, c.first.size, x, out)
    return out


@inner
def passes(c, level, begin, end, rhs, answer, memory):
    """Proximal passes (A + S) y' = rhs + S y from y = 0 on the rows begin:end, S = EPSILON[level] D; answer (k,).

    Returns what is left of rhs - A answer, 0 where it is nothing but round-off. The last pass is where what it changes
    is SETTLED of the answer, or the compliance matters to no velocity beyond round-off.
    """
    if not c.made[level]:
        factorise(c, level)
    epsilon, L, x, left = EPSILON[level], c.L[level], memory[1], memory[2]
    answer[begin:end], off = 0.0, 0.0
    for _ in range(PASSES[level]):
        change, largest = 0.0, 0.0
        for i in range(begin, end):
            x[i] = rhs[i] + epsilon * c.diagonal[i] * answer[i]
        substitute(c, L, begin, end, x)
        for i in range(begin, end):
            change, largest = max(change, abs(x[i] - answer[i])), max(largest, abs(x[i]))
            answer[i] = x[i]
        multiply(c, begin, end, x, left)
        off, size, held = 0.0, 0.0, 0.0
        for i in range(begin, end):
            off, size = max(off, abs(left[i] - rhs[i])), max(size, abs(rhs[i]))
            held = max(held, abs(epsilon * c.diagonal[i] * x[i]))
        if off <= 1e-13 * (size + 1e3 * held):
            return 0.0
        if not change > SETTLED * largest:
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
def solve_set(c, begin, end, rhs, answer, memory):
    """`solve` for one right side rhs (k,) on a set of coupled rows begin:end; memory (3,k)."""
    off = passes(c, 0, begin, end, rhs, answer, memory)
    if off > 0.0 and passes(c, 1, begin, end, rhs, memory[0], memory) < WORTH * off:
        answer[begin:end] = memory[0, begin:end]


@kernel
def solve(c, rhs):
    """lambda (n,k) with A lambda = rhs (n,k) of a Profile.

    With much compliance first: rows that contradict each other by a trace, as those of an overconstrained loop do in
    the middle of a step, are not to be answered with forces without bound. With little where that leaves something
    which a smaller compliance takes away: long chains of hinges are that soft across. Rows that nothing couples are
    solved each for themselves: how often one set is improved decides nothing about another.
    """
    answer, memory = np.empty_like(rhs), np.empty((3, c.first.size))
    low, begin = reach_back(c.first), 0
    while begin < c.first.size:
        end = end_of_set(low, begin)
        for n in range(rhs.shape[0]):
            solve_set(c, begin, end, rhs[n], answer[n], memory)
        begin = end
    return answer


@inner
def without_effect(c, begin, end, x, out, memory):
    """out (k,) := the part of x that gives no velocities, x - A^-1 A x, on a set of coupled rows; memory (5,k)."""
    multiply(c, begin, end, x, memory[3])
    solve_set(c, begin, end, memory[3], memory[4], memory)
    for i in range(begin, end):
        out[i] = x[i] - memory[4, i]


@inner
def moves(c, begin, end, x, out):
    """Whether x (k,) on a set of coupled rows makes velocities along them, by more than a part HARMLESS of what its
    largest would; out (k,) is overwritten."""
    largest, found = 0.0, False
    multiply(c, begin, end, x, out)
    for i in range(begin, end):
        largest = max(largest, abs(x[i]))
    for i in range(begin, end):
        found = found or not abs(out[i]) <= HARMLESS * c.diagonal[i] * largest
    return found


@inner
def share_set(c, begin, end, impulse, memory):
    """`share` on a set of coupled rows; memory (9,k)."""
    D, answer, way, left, x = c.diagonal, memory[5], memory[6], memory[7], memory[8]
    least, size = 0.0, 0.0
    for i in range(begin, end):
        answer[i], x[i] = impulse[i], impulse[i] / D[i]
        least += SHARED * SHARED * impulse[i] * x[i]
    without_effect(c, begin, end, x, left, memory)
    for i in range(begin, end):
        left[i] = -left[i]
        way[i] = left[i]
        size += left[i] * D[i] * left[i]
    if size <= least:
        return
    for _ in range(DIRECTIONS):
        if size <= least:
            break
        square, before = 0.0, size
        for i in range(begin, end):
            square += way[i] * way[i]
            x[i] = way[i] / D[i]
        step = size / square
        without_effect(c, begin, end, x, memory[3], memory)
        size = 0.0
        for i in range(begin, end):
            answer[i] += step * way[i]
            left[i] -= step * memory[3, i]
            size += left[i] * D[i] * left[i]
        # What is a millionth and does not get smaller is what round-off left of a solve.
        if before * 0.9 < size <= 1e-6 * 1e-6 / (SHARED * SHARED) * least:
            break
        for i in range(begin, end):
            way[i] = left[i] + size / before * way[i]
    for i in range(begin, end):
        x[i] = answer[i] - impulse[i]
    if not moves(c, begin, end, x, memory[3]):
        for i in range(begin, end):
            impulse[i] = answer[i]


@kernel
def share(c, impulse):
    """Make impulses (k,) of a Profile those of least norm that give the same velocities, in place: a vector z without
    effect, A z = 0, is added; rows that nothing couples each for themselves.

    Such vectors are x - solve(A x), which projects orthogonally in the scalar product of D: conjugate gradients in
    there end after as many directions as there are different masses behind redundant rows, none without such rows.
    """
    memory, low, begin = np.empty((9, c.first.size)), reach_back(c.first), 0
    while begin < c.first.size:
        end = end_of_set(low, begin)
        share_set(c, begin, end, impulse, memory)
        begin = end
