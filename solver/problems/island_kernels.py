"""Kernels that split bodies into islands and put them in order from the ground up."""

import numpy as np

from ..base.sort_kernels import stable_order
from ..jit import inner, kernel
from .part_kernels import part_count, partition


@kernel
def find_root(parent, i):
    """Root of i, with path halving."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


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
            a, b = find_root(parent, a), find_root(parent, b)
            # The smaller index wins, so that the result does not depend on the order of blocks.
            if a < b:
                parent[b] = a
            elif b < a:
                parent[a] = b
    for i in range(count):
        parent[i] = find_root(parent, i)


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
def order_islands(node, count, nodes, blocks, pair, part_start, part_node, part_block):
    """See islands.split: fills its arrays; returns how many islands there are and how many blocks have a node."""
    part_of = np.empty(count, np.int64)
    islands = order_nodes(node, count, nodes, part_start, part_of)
    new = np.empty(count + 1, np.int64)
    new[count] = count
    for i in range(count):
        new[nodes[i]] = i
    size = node.shape[0]
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
    order_parts(nodes, islands, part_start, part_of, blocks[:used], pair, part_node, part_block)
    return islands, used
