"""Connected components of anything that pairs join, and points that may be near one another."""

import numpy as np


def connected(a, b, count):
    """Which component (count,) each of `count` things is of, by pairs a, b (P,) of them that are joined, numbered from
    0 in the order of their first members."""
    # On first use: Blender's panels and the command line read files that import this one, and load no kernels.
    from .label_kernels import label_islands

    root = np.empty(count, dtype=np.int64)
    a, b = (np.ascontiguousarray(one, dtype=np.int64) for one in (a, b))
    label_islands(np.ones(count), a, b, root)
    return (np.cumsum(root == np.arange(count)) - 1)[root]


def crowded(vertices, distance):
    """Which of the vertices (V,3) [m], as (k,), may have another one within a distance [m]: ordered by x, those between
    two gaps that are wider by y, and those by z."""
    group, used = np.zeros(len(vertices), dtype=np.int64), np.arange(len(vertices))
    for values in vertices.T:
        order = np.lexsort((values[used], group[used]))
        used = used[order]
        apart = (np.diff(values[used]) > distance) | (np.diff(group[used]) != 0)
        group[used] = np.concatenate(([0], np.cumsum(apart)))
        used = used[np.bincount(group[used])[group[used]] > 1]
    return np.sort(used)
