"""What a factorisation needs to know of the pattern: order, supernodes, their rows, and where each block goes.

The order is geometric nested dissection: nodes are halved along the longest side, and those of one half with a
neighbour in the other separate the two. Supernodes are the separators and the last halves, in post-order.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...base.records import record

# Nodes that are not halved any further.
LEAF = 16


class Tree(NamedTuple):
    """What kernels take of a Symbolic, see there."""

    start: np.ndarray
    first: np.ndarray
    row_start: np.ndarray
    rows: np.ndarray
    panel_start: np.ndarray
    child_start: np.ndarray
    child: np.ndarray


class Places(NamedTuple):
    """Where the blocks of a matrix go, see Symbolic."""

    position: np.ndarray
    stride: np.ndarray
    pair_row: np.ndarray
    pair_column: np.ndarray


@record
class Symbolic:
    """Pattern of L for n nodes in S supernodes, whose nodes stand in `order` (n,) one after another.

    place (n,): of each node in the order. start (S+1,): first place of each supernode; parent (S,), -1 for roots;
    first (S,): first supernode below it. row_start (S+1,), rows: places below the supernode where L is not zero.
    panel_start (S+1,): where its panel begins, m columns of m + k numbers (m own components, k below), one column after
    another. child_start, child: supernodes below it. pair_row, pair_column (s,): the nodes of each stored block, the
    row later in the order; position, stride (s,): where its numbers go, column by column.
    """

    order: np.ndarray
    place: np.ndarray
    start: np.ndarray
    parent: np.ndarray
    first: np.ndarray
    row_start: np.ndarray
    rows: np.ndarray
    panel_start: np.ndarray
    child_start: np.ndarray
    child: np.ndarray
    pair_row: np.ndarray
    pair_column: np.ndarray
    position: np.ndarray
    stride: np.ndarray

    @property
    def count(self):
        """Number of supernodes."""
        return len(self.parent)

    @cached_property
    def owner(self):
        """Supernode (n,) of each place."""
        return np.repeat(np.arange(self.count), np.diff(self.start))

    @cached_property
    def tree(self):
        """Its Tree."""
        return Tree(*(getattr(self, name) for name in Tree._fields))

    @cached_property
    def places(self):
        """Its Places."""
        return Places(*(getattr(self, name) for name in Places._fields))


def _touching(marked, nodes, neighbour_start, neighbour):
    """Which of the nodes have a marked neighbour."""
    counts = neighbour_start[nodes + 1] - neighbour_start[nodes]
    at = np.arange(counts.sum()) + np.repeat(neighbour_start[nodes] - (np.cumsum(counts) - counts), counts)
    touch = np.zeros(len(nodes), dtype=bool)
    np.logical_or.at(touch, np.repeat(np.arange(len(nodes)), counts), marked[neighbour[at]])
    return touch


def dissect(points, neighbour_start, neighbour, leaf=LEAF):
    """Supernodes as a list of arrays of nodes, in the order of elimination."""
    marked = np.zeros(len(points), dtype=bool)
    groups, todo = [], [(np.arange(len(points)), False)]
    while todo:
        nodes, is_separator = todo.pop()
        if is_separator or len(nodes) <= leaf:
            if len(nodes):
                groups.append(nodes)
            continue
        at = points[nodes]
        axis = int(np.argmax(np.ptp(at, axis=0)))
        ranked = nodes[np.argsort(at[:, axis], kind="stable")]
        low, high = ranked[: len(nodes) // 2], ranked[len(nodes) // 2 :]
        touch = []
        for here, there in ((low, high), (high, low)):
            marked[there] = True
            touch.append(_touching(marked, here, neighbour_start, neighbour))
            marked[there] = False
        if touch[0].sum() < touch[1].sum():
            separator, low = low[touch[0]], low[~touch[0]]
        else:
            separator, high = high[touch[1]], high[~touch[1]]
        # Last in, first out: low, high, then what separates them.
        todo += [(separator, True), (high, False), (low, False)]
    return groups


def neighbours(count, elements):
    """(start (n+1,), neighbour): for each node all that share an element with it, itself too, ascending."""
    a = elements.shape[1]
    key = np.unique(np.repeat(elements, a, axis=1).ravel() * np.int64(count) + np.tile(elements, (1, a)).ravel())
    own = np.arange(count) * np.int64(count) + np.arange(count)
    key = np.union1d(key, own)
    return np.searchsorted(key, np.arange(count + 1) * np.int64(count)), key % count


def analyse(points, elements, leaf=LEAF):
    """Return the Symbolic of a matrix with a 3x3 block for every two of n points (n,3) that share an element (T,a)."""
    count = len(points)
    neighbour_start, neighbour = neighbours(count, np.asarray(elements, dtype=np.int64))
    groups = dissect(np.asarray(points, dtype=float), neighbour_start, neighbour, leaf)
    order = np.concatenate(groups)
    place = np.empty(count, dtype=np.int64)
    place[order] = np.arange(count)
    start = np.concatenate(([0], np.cumsum([len(group) for group in groups]))).astype(np.int64)
    owner = np.repeat(np.arange(len(groups)), np.diff(start))
    rows, parent, children = [], np.full(len(groups), -1, dtype=np.int64), [[] for _ in groups]
    first = np.arange(len(groups))
    for s, group in enumerate(groups):
        met = [place[neighbour[neighbour_start[i] : neighbour_start[i + 1]]] for i in group]
        below = np.unique(np.concatenate(met + [rows[c] for c in children[s]]))
        below = below[below >= start[s + 1]]
        rows.append(below)
        if children[s]:
            first[s] = min(first[c] for c in children[s])
        if len(below):
            parent[s] = owner[below[0]]
            children[parent[s]].append(s)
    row_start = np.concatenate(([0], np.cumsum([len(r) for r in rows]))).astype(np.int64)
    m, k = 3 * np.diff(start), 3 * np.diff(row_start)
    panel_start = np.concatenate(([0], np.cumsum((m + k) * m))).astype(np.int64)
    all_rows = np.concatenate([*rows, np.zeros(0, np.int64)]).astype(np.int64)
    child_start = np.concatenate(([0], np.cumsum([len(c) for c in children]))).astype(np.int64)
    child = np.array([c for group in children for c in group], dtype=np.int64)
    # Blocks of the lower triangle.
    r = np.repeat(np.arange(count), np.diff(neighbour_start))
    lower = place[r] >= place[neighbour]
    r, c = r[lower], neighbour[lower]
    at, column = place[r], place[c]
    s = owner[column]
    local = np.where(owner[at] == s, at - start[s], 0)
    outside = np.flatnonzero(owner[at] != s)
    key = np.repeat(np.arange(len(groups)), np.diff(row_start)) * np.int64(count + 1) + all_rows
    found = np.searchsorted(key, s[outside] * np.int64(count + 1) + at[outside]) - row_start[s[outside]]
    local[outside] = found + start[s[outside] + 1] - start[s[outside]]
    height = m[s] + k[s]
    position = panel_start[s] + 3 * (column - start[s]) * height + 3 * local
    return Symbolic(
        order, place, start, parent, first.astype(np.int64), row_start, all_rows, panel_start, child_start, child,
        r.astype(np.int64), c.astype(np.int64), position.astype(np.int64), height.astype(np.int64),
    )  # fmt: skip


def pair_slots(symbolic, elements):
    """Slots (T, a(a+1)/2) of the blocks of each element's pairs of nodes (i <= j, row by row).

    It is -1 - slot where the first node is the earlier one in the order, so that its block is to be transposed.
    """
    count, place = len(symbolic.place), symbolic.place
    key = symbolic.pair_row * np.int64(count) + symbolic.pair_column
    by_key = np.argsort(key)
    columns = []
    for i in range(elements.shape[1]):
        for j in range(i, elements.shape[1]):
            a, b = elements[:, i], elements[:, j]
            turned = place[a] < place[b]
            row, column = np.where(turned, b, a), np.where(turned, a, b)
            slot = by_key[np.searchsorted(key[by_key], row * np.int64(count) + column)]
            columns.append(np.where(turned, -1 - slot, slot))
    return np.ascontiguousarray(np.stack(columns, axis=1))
