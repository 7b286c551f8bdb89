"""Kernels that split bodies into islands and put them in order from the ground up."""

from .jit import kernel


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
