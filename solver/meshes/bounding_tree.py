"""The tree of boxes over the triangles of a mesh."""

import numpy as np


def bounding_tree(low, high):
    """Tree of boxes over n boxes low, high (n,3): see `build_tree`. Returns box, child, order and leaf.

    The tables are numpy's: a kernel's own large ones come in small pages, which cost more to get than to fill.
    """
    from .mesh_build_kernels import build_tree

    n = len(low)
    box, centers = np.empty((2 * n - 1, 6)), np.empty((3, n))
    child, leaf = np.empty(2 * n - 1, dtype=np.int32), np.empty(2 * n - 1, dtype=np.int32)
    order = np.empty(n, dtype=np.int64)
    build_tree(low, high, box, child, order, leaf, centers)
    return box, child, order, leaf
