"""Kernels that sort by whole numbers."""

import numpy as np

from ..jit import inner


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
