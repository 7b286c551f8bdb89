"""Kernels that divide a large island into parts which several threads can sweep concurrently.

A part holds nodes that are near each other by the blocks between them; blocks between parts are few and come last.
"""

from typing import NamedTuple

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


@inner
def most_parts(count, blocks):
    """How many parts there may be of `count` nodes and that many blocks."""
    return count + (MOST_PARTS + 1) * (blocks // LARGE)


class Graph(NamedTuple):
    """Nodes of an island (m,); their neighbours indices[indptr[i]:indptr[i + 1]], one for each block between them; the
    part (n,) of each node; visited (n,), numbers of the last search that came to it; order (m,): memory."""

    nodes: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    part: np.ndarray
    visited: np.ndarray
    order: np.ndarray


@inner
def reach(g, first, wanted, mark, head):
    """Append to g.order[head:] the nodes of part `wanted` that can be reached from `first`, breadth first; returns
    where they end. g.visited is set to `mark` for them."""
    g.visited[first], g.order[head] = mark, first
    tail = head + 1
    while head < tail:
        i = g.order[head]
        head += 1
        for s in range(g.indptr[i], g.indptr[i + 1]):
            j = g.indices[s]
            if g.visited[j] != mark and g.part[j] == wanted:
                g.visited[j], g.order[tail] = mark, j
                tail += 1
    return tail


@inner
def halve(g, wanted, new, mark):
    """Give the far half of the nodes in part `wanted` the number `new`; halves have about as many blocks. mark: this
    and the next are larger than all in g.visited."""
    total, tail = 0, 0
    for i in g.nodes:
        if g.part[i] == wanted:
            total += g.indptr[i + 1] - g.indptr[i]
    for i in g.nodes:
        if g.part[i] == wanted and g.visited[i] < mark:
            # From the end that is furthest away the front that runs through the bodies is small.
            end = reach(g, i, wanted, mark, tail)
            tail = reach(g, g.order[end - 1], wanted, mark + 1, tail)
    near = 0
    for k in range(tail):
        i = g.order[k]
        if 2 * near >= total:
            g.part[i] = new
        near += g.indptr[i + 1] - g.indptr[i]


@inner
def partition(nodes, count, indptr, indices, part, visited):
    """Number the parts 0 to count - 1 of an island of these nodes (m,): part (n,), zeros there on entry; visited (n,)
    likewise."""
    g, parts, mark = Graph(nodes, indptr, indices, part, visited, np.empty(nodes.size, np.int64)), 1, 1
    while parts < count:
        for k in range(parts - 1, -1, -1):
            # From the last one on, so that numbers are free: k becomes 2 k and 2 k + 1.
            for i in nodes:
                if part[i] == k:
                    part[i] = 2 * k
            halve(g, 2 * k, 2 * k + 1, mark)
            mark += 2
        parts *= 2
