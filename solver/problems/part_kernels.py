"""Kernels that divide a large island into parts which several threads can sweep concurrently.

A part holds nodes that are near each other by the blocks between them; blocks between parts are few and come last.
"""

import numpy as np

from ..jit import inner

# Blocks of an island from which it is divided into two parts, four from four times as many, and so on,
LARGE = 4000
# and the most parts. Their number depends on nothing else, so that any number of threads gives the same answer.
MOST_PARTS = 8


@inner
def part_count(blocks):
    """Number of parts of an island of that many blocks: a power of two."""
    parts, large = 1, LARGE
    while blocks >= large and parts < MOST_PARTS:
        parts, large = 2 * parts, 4 * large
    return parts


def most_parts(count, blocks):
    """How many parts there may be of `count` nodes and that many blocks."""
    return count + (MOST_PARTS + 1) * (blocks // LARGE)


@inner
def spread(first, part, wanted, indptr, indices, visited, mark, order, head):
    """Append to order[head:] the nodes of part `wanted` that can be reached from `first`, breadth first; returns where
    they end. visited (n,) is set to `mark` for them."""
    visited[first], order[head] = mark, first
    tail = head + 1
    while head < tail:
        i = order[head]
        head += 1
        for s in range(indptr[i], indptr[i + 1]):
            j = indices[s]
            if visited[j] != mark and part[j] == wanted:
                visited[j], order[tail] = mark, j
                tail += 1
    return tail


@inner
def halve(nodes, part, wanted, new, indptr, indices, visited, marks, order):
    """Give the far half of the nodes in part `wanted` the number `new`.

    nodes (m,): those of the island; part (n,): the number of each; halves have about as many blocks. marks: two values
    larger than all in `visited` (n,).
    """
    total, tail = 0, 0
    for k in range(nodes.size):
        i = nodes[k]
        if part[i] == wanted:
            total += indptr[i + 1] - indptr[i]
    for k in range(nodes.size):
        i = nodes[k]
        if part[i] == wanted and visited[i] < marks[0]:
            # From the end that is furthest away the front that runs through the bodies is small.
            end = spread(i, part, wanted, indptr, indices, visited, marks[0], order, tail)
            tail = spread(order[end - 1], part, wanted, indptr, indices, visited, marks[1], order, tail)
    near = 0
    for k in range(tail):
        i = order[k]
        if 2 * near >= total:
            part[i] = new
        near += indptr[i + 1] - indptr[i]


@inner
def partition(nodes, count, indptr, indices, part, visited):
    """Number the parts 0 to count - 1 of an island of these nodes (m,): part (n,), zeros there on entry; visited (n,)
    likewise."""
    order, parts, mark = np.empty(nodes.size, np.int64), 1, 0
    while parts < count:
        for k in range(parts - 1, -1, -1):
            # From the last one on, so that numbers are free: k becomes 2 k and 2 k + 1.
            for i in nodes:
                if part[i] == k:
                    part[i] = 2 * k
            halve(nodes, part, 2 * k, 2 * k + 1, indptr, indices, visited, (mark + 1, mark + 2), order)
            mark += 2
        parts *= 2
