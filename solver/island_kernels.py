"""Kernels that split bodies into islands and put them in order from the ground up."""

import numpy as np

from .jit import inner, kernel


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
def breadth_first(node, count, indptr, indices, order, seen):
    """Fill order (count,) with all nodes, breadth first from those that touch a block with one node only.

    seen (count,) zeros on entry. Islands without such a block start at their first node.
    """
    tail = 0
    for k in range(node.shape[0]):
        a, b = node[k, 0], node[k, 1]
        if (a < count) != (b < count):
            i = a if a < count else b
            if seen[i] == 0:
                seen[i] = 1
                order[tail] = i
                tail += 1
    head, candidate = 0, 0
    while tail < count or head < tail:
        if head == tail:
            while seen[candidate] != 0:
                candidate += 1
            seen[candidate] = 1
            order[tail] = candidate
            tail += 1
        i = order[head]
        head += 1
        for s in range(indptr[i], indptr[i + 1]):
            j = indices[s]
            if seen[j] == 0:
                seen[j] = 1
                order[tail] = j
                tail += 1


@inner
def stable_order(key, most, order):
    """Indices that sort integers key (n,) in [0, most], equal ones in their order; order (n,) is the result."""
    start = np.zeros(most + 2, np.int64)
    for i in range(key.size):
        start[key[i] + 1] += 1
    for k in range(most):
        start[k + 1] += start[k]
    for i in range(key.size):
        order[start[key[i]]] = i
        start[key[i]] += 1


@inner
def order_nodes(node, count, nodes, node_start):
    """Nodes island by island, in each breadth first, and where each island begins; returns the number of islands."""
    root, breadth, order = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.int64)
    indptr, indices = np.empty(count + 1, np.int64), np.empty(2 * node.shape[0], np.int64)
    join_islands(node, count, root)
    neighbours(node, count, indptr, indices)
    breadth_first(node, count, indptr, indices, breadth, np.zeros(count, np.int8))
    stable_order(root[breadth], count, order)
    islands, previous = 0, -1
    for i in range(count):
        nodes[i] = breadth[order[i]]
        if root[nodes[i]] != previous:
            previous = root[nodes[i]]
            node_start[islands] = i
            islands += 1
    node_start[islands] = count
    return islands


@kernel
def order_islands(node, count, nodes, node_start, blocks, pair, block_start):
    """See islands.split: fills its arrays; returns how many islands there are and how many blocks have a node."""
    islands = order_nodes(node, count, nodes, node_start)
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
    used, island = 0, 0
    for q in range(size):
        k = by_high[order[q]]
        if low[k] == count:
            break
        while island < islands and node_start[island] <= low[k]:
            block_start[island] = used
            island += 1
        blocks[used] = k
        for side in range(2):
            pair[used, side] = new[min(node[k, side], count)]
        used += 1
    for i in range(island, islands + 1):
        block_start[i] = used
    return islands, used
