"""Kernels that lay out A = J W J^T + C of coupled blocks in a profile (skyline), and fill it.

Blocks are ordered by breadth first through the bodies they share, from an end of the longest way: a chain has the
profile of its neighbours alone, a tree little more.
"""

from typing import NamedTuple

import numpy as np

from ...jit import inner, kernel
from ...problems.problem_kernels import BlockRows, rows_of_blocks

# Rows up to which a dense factorisation is faster than a sparse one, and numbers a row up to which the profile is.
DENSE, WIDE = 240, 120


class Profile(NamedTuple):
    """Rows of blocks (n,) in their profile: blocks in the order that they have there, place (n+1,) where their rows
    begin, rows (k,) by their numbers in the problem; row i has the columns first[i]..i of A from offset[i]; its
    diagonal (k,), ones where it is none; L (3,a), factors without, with much and with little compliance, and which are
    made (3,k) of the sets of coupled rows, where those begin: 1, 2 for one far from singular, -1 where it has none; J:
    of the whole problem."""

    blocks: np.ndarray
    place: np.ndarray
    rows: np.ndarray
    first: np.ndarray
    offset: np.ndarray
    A: np.ndarray
    diagonal: np.ndarray
    L: np.ndarray
    made: np.ndarray
    J: BlockRows


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
    graph, sorted_blocks, in_order = block_graph(J, blocks), np.empty_like(blocks), True
    order = ordered(graph)
    for x in range(blocks.size):
        sorted_blocks[x] = blocks[order[x]]
        in_order = in_order and order[x] == x
    place, rows = rows_of_blocks(row_start, sorted_blocks)
    if not in_order:
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
    found = Profile(sorted_blocks, place, rows, first, offset, np.zeros(size), np.ones(rows.size), np.empty((3, size)),
                    np.zeros((3, rows.size), np.int64), J)  # fmt: skip
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
