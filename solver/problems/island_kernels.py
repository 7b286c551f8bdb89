"""Kernels that split bodies into islands and put them in order from the ground up."""

from typing import NamedTuple

import numpy as np

from ..base.sort_kernels import stable_order
from ..jit import inner, kernel
from .part_kernels import most_parts, part_count, partition


class Islands(NamedTuple):
    """Order of n nodes and B blocks, island by island, from the ground up.

    nodes (n,): nodes in their new order; blocks (B',): blocks in their new order, those without a movable node left
    out; node_start, block_start (I+1,): first node and block of each island; node_of_block (B',2): new node
    numbers, n for none. A large island is divided into parts: part_start (I+1,) is the first of each island, part_node,
    part_block (P+1,) first node and block of each; the last part of one that is divided has no nodes, and the blocks
    between the others.
    """

    nodes: np.ndarray
    blocks: np.ndarray
    node_start: np.ndarray
    block_start: np.ndarray
    node_of_block: np.ndarray
    part_start: np.ndarray
    part_node: np.ndarray
    part_block: np.ndarray


@kernel
def find_root(parent, i):
    """Root of i, with path halving."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@inner
def join(parent, a, b):
    """Make one group of those of a and b; returns its root, the smaller: the order of joining changes nothing."""
    a, b = find_root(parent, a), find_root(parent, b)
    root = min(a, b)
    parent[max(a, b)] = root
    return root


@kernel
def join_islands(node, count, parent):
    """Union of nodes that share a block.

    node (B,2): the nodes of each block, `count` or more for none; parent (count,) is filled with the root of each node.
    """
    for i in range(count):
        parent[i] = i
    for k in range(node.shape[0]):
        a, b = node[k, 0], node[k, 1]
        if a < count and b < count:
            join(parent, a, b)
    for i in range(count):
        parent[i] = find_root(parent, i)


@kernel
def label_blocks(p, label, moves):
    """label (B,): a velocity component that stands for the island of each block, -1 for none; moves (S,), False at
    first: segments of G that are not zero. A body that cannot move joins nothing."""
    G = p.G
    top = 0
    for s in range(G.start.size):
        top = max(top, G.start[s] + 1)
    parent = np.arange(top)
    for k in range(p.kind.size):
        m, root = p.row_start[k + 1] - p.row_start[k], -1
        for s in range(G.indptr[k], G.indptr[k + 1]):
            for i in range(G.offset[s], G.offset[s] + m * G.size[s]):
                if G.data[i] != 0.0:
                    moves[s] = True
                    break
            if moves[s]:
                root = join(parent, G.start[s], root if root >= 0 else G.start[s])
        label[k] = root
    for k in range(p.kind.size):
        if label[k] >= 0:
            label[k] = find_root(parent, label[k])


@kernel
def islands_of_blocks(p, dof_count):
    """Number (B,) of the island of each block, by the bodies that it moves with others; a deformable one is one. A
    block that moves none is one, too."""
    label, number, found = np.empty(p.kind.size, np.int64), np.full(dof_count, -1), 0
    label_blocks(p, label, np.zeros(p.G.start.size, np.bool_))
    for k in range(label.size):
        root = label[k]
        if root < 0 or number[root] < 0:
            if root >= 0:
                number[root] = found
            label[k] = found
            found += 1
        else:
            label[k] = number[root]
    return label


@kernel
def neighbours(node, count, indptr, indices):
    """Adjacency of nodes in CSR form; indptr (count+1,), indices (2B,)."""
    for i in range(count + 1):
        indptr[i] = 0
    for k in range(node.shape[0]):
        if node[k, 0] < count and node[k, 1] < count:
            indptr[node[k, 0] + 1] += 1
            indptr[node[k, 1] + 1] += 1
    for i in range(count):
        indptr[i + 1] += indptr[i]
    for k in range(node.shape[0]):
        a, b = node[k, 0], node[k, 1]
        if a < count and b < count:
            indices[indptr[a]] = b
            indptr[a] += 1
            indices[indptr[b]] = a
            indptr[b] += 1
    for i in range(count, 0, -1):
        indptr[i] = indptr[i - 1]
    indptr[0] = 0


@kernel
def breadth_first(node, count, indptr, indices, order, visited):
    """Fill order (count,) with all nodes, breadth first from those that touch a block with one node only.

    visited (count,) zeros on entry. Islands without such a block start at their first node.
    """
    tail = 0
    for k in range(node.shape[0]):
        a, b = node[k, 0], node[k, 1]
        if (a < count) != (b < count):
            i = a if a < count else b
            if visited[i] == 0:
                visited[i] = 1
                order[tail] = i
                tail += 1
    head, candidate = 0, 0
    while tail < count or head < tail:
        if head == tail:
            while visited[candidate] != 0:
                candidate += 1
            visited[candidate] = 1
            order[tail] = candidate
            tail += 1
        i = order[head]
        head += 1
        for s in range(indptr[i], indptr[i + 1]):
            j = indices[s]
            if visited[j] == 0:
                visited[j] = 1
                order[tail] = j
                tail += 1


@inner
def sort_by_label(nodes, label, most):
    """Sort nodes (m,) by their label (n,) in [0, most), those with the same one in their order."""
    old, labels, order = nodes.copy(), np.empty(nodes.size, np.int64), np.empty(nodes.size, np.int64)
    for k in range(nodes.size):
        labels[k] = label[nodes[k]]
    stable_order(labels, most, order)
    for k in range(nodes.size):
        nodes[k] = old[order[k]]


@inner
def order_nodes(node, count, nodes, part_start, part_of):
    """Nodes island by island, there part by part, and in each breadth first; returns the number of islands.

    part_start (I+1,): first part of each island; one that is divided has a last part without nodes for the blocks
    between the others. part_of (count,): the part of each node.
    """
    root, breadth, order = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.int64)
    indptr, indices = np.empty(count + 1, np.int64), np.empty(2 * node.shape[0], np.int64)
    join_islands(node, count, root)
    neighbours(node, count, indptr, indices)
    breadth_first(node, count, indptr, indices, breadth, np.zeros(count, np.int8))
    stable_order(root[breadth], count, order)
    part_start[0] = 0
    islands, first, visited = 0, 0, np.zeros(count, np.int64)
    for i in range(count):
        nodes[i] = breadth[order[i]]
    while first < count:
        last = first
        while last < count and root[nodes[last]] == root[nodes[first]]:
            part_of[nodes[last]] = 0
            last += 1
        own = nodes[first:last]
        parts = part_count(blocks_between(own, indptr))
        if parts > 1:
            partition(own, parts, indptr, indices, part_of, visited)
            sort_by_label(own, part_of, parts)
        for i in own:
            part_of[i] += part_start[islands]
        islands += 1
        part_start[islands] = part_start[islands - 1] + (parts + 1 if parts > 1 else 1)
        first = last
    return islands


@inner
def blocks_between(nodes, indptr):
    """How many blocks join two of these nodes, all of an island."""
    ends = 0
    for i in nodes:
        ends += indptr[i + 1] - indptr[i]
    return ends // 2


@inner
def order_parts(nodes, islands, part_start, part_of, blocks, pair, part_node, part_block):
    """Put the blocks between the parts of an island behind those of its parts, and tell where each part begins.

    blocks (B',) and their new nodes, pair (B',2), are in order but for that; part_of (n,) by old nodes.
    """
    count, parts = nodes.size, part_start[islands]
    border, label = np.empty(parts, np.int64), np.empty(blocks.size, np.int64)
    for island in range(islands):
        for k in range(part_start[island], part_start[island + 1]):
            border[k] = part_start[island + 1] - 1
    for k in range(parts + 1):
        part_node[k] = part_block[k] = 0
    for i in range(count):
        part_node[part_of[nodes[i]] + 1] += 1
    for q in range(blocks.size):
        a, b = min(pair[q, 0], pair[q, 1]), max(pair[q, 0], pair[q, 1])
        label[q] = part_of[nodes[a]]
        if b < count and part_of[nodes[b]] != label[q]:
            label[q] = border[label[q]]
        part_block[label[q] + 1] += 1
    for k in range(parts):
        part_node[k + 1] += part_node[k]
        part_block[k + 1] += part_block[k]
    if parts > islands:
        order, old, ends = np.empty(blocks.size, np.int64), blocks.copy(), pair.copy()
        stable_order(label, parts, order)
        for q in range(blocks.size):
            blocks[q], pair[q, 0], pair[q, 1] = old[order[q]], ends[order[q], 0], ends[order[q], 1]


@kernel
def split(node, count):
    """The Islands of `count` movable nodes joined by blocks node (B,2), where a value >= count means none.

    Within an island nodes are in breadth-first order from the anchored ones, and blocks are sorted by their
    lower node and then by their pair, so that the points of one manifold stand together and sweeps run from the
    ground up. So they are in the parts of a large island.
    """
    size, most, part_of = node.shape[0], most_parts(count, node.shape[0]), np.empty(count, np.int64)
    nodes, blocks, pair = np.empty(count, np.int64), np.empty(size, np.int64), np.empty((size, 2), np.int64)
    part_start, part_node, part_block = np.empty((3, most + 1), np.int64)
    islands = order_nodes(node, count, nodes, part_start, part_of)
    new = np.empty(count + 1, np.int64)
    new[count] = count
    for i in range(count):
        new[nodes[i]] = i
    low, high, by_high = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    order, sorted_low = np.empty(size, np.int64), np.empty(size, np.int64)
    for k in range(size):
        a, b = new[min(node[k, 0], count)], new[min(node[k, 1], count)]
        low[k], high[k] = min(a, b), max(a, b)
        # A block with one node only comes before the blocks that join this node to a higher one.
        if high[k] == count:
            high[k] = 0
    stable_order(high, count, by_high)
    for k in range(size):
        sorted_low[k] = low[by_high[k]]
    stable_order(sorted_low, count, order)
    used = 0
    for q in range(size):
        k = by_high[order[q]]
        if low[k] == count:
            break
        blocks[used] = k
        for side in range(2):
            pair[used, side] = new[min(node[k, side], count)]
        used += 1
    blocks, pair, part_start = blocks[:used], pair[:used], part_start[: islands + 1]
    order_parts(nodes, islands, part_start, part_of, blocks, pair, part_node, part_block)
    parts = part_start[islands] + 1
    return Islands(nodes, blocks, part_node[part_start], part_block[part_start], pair, part_start, part_node[:parts],
                   part_block[:parts])  # fmt: skip
