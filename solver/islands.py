"""Islands: groups of bodies that no block connects with one another, so that each can be solved alone.

A body that cannot move (inverse mass zero) connects nothing.
"""

from typing import NamedTuple

import numpy as np

from . import island_kernels as kernels


class Islands(NamedTuple):
    """Order of n nodes and B blocks, island by island, from the ground up.

    nodes (n,): nodes in their new order; blocks (B',): blocks in their new order, those without a movable node left
    out; node_start, block_start (I+1,): first node and block of each island; node_of_block (B',2): new node
    numbers, n for none.
    """

    nodes: np.ndarray
    blocks: np.ndarray
    node_start: np.ndarray
    block_start: np.ndarray
    node_of_block: np.ndarray

    @property
    def count(self):
        return len(self.node_start) - 1


def split(node, count):
    """Return the Islands of `count` movable nodes joined by blocks node (B,2), where a value >= count means none.

    Within an island nodes are in breadth-first order from the anchored ones, and blocks are sorted by their
    lower node and then by their pair, so that the points of one manifold stand together and sweeps run from the
    ground up.
    """
    node = np.ascontiguousarray(np.minimum(node, count), dtype=np.int64)
    root = np.empty(count, dtype=np.int64)
    kernels.join_islands(node, count, root)
    indptr, indices = np.empty(count + 1, dtype=np.int64), np.empty(2 * len(node), dtype=np.int64)
    kernels.neighbours(node, count, indptr, indices)
    breadth = np.empty(count, dtype=np.int64)
    kernels.breadth_first(node, count, indptr, indices, breadth, np.zeros(count, dtype=np.int8))
    nodes = breadth[np.argsort(root[breadth], kind="stable")]
    new = np.empty(count + 1, dtype=np.int64)
    new[nodes] = np.arange(count)
    new[count] = count
    pair = new[node]
    low, high = pair.min(axis=1, initial=count), pair.max(axis=1, initial=0)
    # A block with one node only comes before the blocks that join this node to a higher one.
    key = low * (count + 1) + np.where(high == count, 0, high)
    blocks = np.argsort(key, kind="stable")
    blocks = blocks[low[blocks] < count]
    roots = root[nodes]
    node_start = np.concatenate((np.flatnonzero(np.diff(roots, prepend=-1)), [count])).astype(np.int64)
    block_start = np.searchsorted(low[blocks], node_start).astype(np.int64)
    return Islands(nodes, blocks, node_start, block_start, pair[blocks])
