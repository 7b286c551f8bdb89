"""Islands: groups of bodies that no block connects with one another, so that each can be solved alone.

A body that cannot move (inverse mass zero) connects nothing.
"""

from typing import NamedTuple

import numpy as np

from . import island_kernels as kernels
from .label_kernels import label_islands
from .part_kernels import most_parts


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

    @property
    def count(self):
        """Number of islands I."""
        return len(self.node_start) - 1


def split(node, count):
    """Return the Islands of `count` movable nodes joined by blocks node (B,2), where a value >= count means none.

    Within an island nodes are in breadth-first order from the anchored ones, and blocks are sorted by their
    lower node and then by their pair, so that the points of one manifold stand together and sweeps run from the
    ground up. So they are in the parts of a large island.
    """
    node = np.ascontiguousarray(node, dtype=np.int64)
    integer, size = np.int64, len(node)
    most = most_parts(count, size)
    nodes, (start, part_node, part_block) = np.empty(count, integer), np.empty((3, most + 1), integer)
    blocks, pair = np.empty(size, integer), np.empty((size, 2), integer)
    found, used = kernels.order_islands(node, count, nodes, blocks, pair, start, part_node, part_block)
    start = start[: found + 1]
    parts = start[-1] + 1
    return Islands(nodes, blocks[:used], part_node[start], part_block[start], pair[:used], start, part_node[:parts],
                   part_block[:parts])  # fmt: skip


def body_islands(inverse_mass, a, b):
    """Label (R,) of the island of each body: bodies that move and are coupled, directly or through others; a, b (P,):
    bodies of every coupling."""
    root = np.empty(len(inverse_mass), dtype=np.int64)
    label_islands(inverse_mass, np.ascontiguousarray(a), np.ascontiguousarray(b), root)
    return root
