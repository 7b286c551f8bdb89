"""Connected pieces of anything that pairs join, by scipy: Blender's own process loads no compiled code of ours."""

import numpy as np

from .late import late

sparse, csgraph = late("scipy.sparse"), late("scipy.sparse.csgraph")


def connected(a, b, count):
    """Which piece (count,) each of `count` things is of, by pairs a, b (P,) of them that are joined; counted from 0 in
    the order of their first members."""
    graph = sparse.coo_matrix((np.ones(len(a), dtype=np.int8), (a, b)), shape=(count, count))
    return csgraph.connected_components(graph, directed=False)[1]
