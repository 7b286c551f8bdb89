"""Islands of bodies: those that are coupled with one another, each of which can be solved alone.

A body that cannot move (inverse mass zero) connects nothing.
"""

import numpy as np

from .label_kernels import label_islands


def body_islands(inverse_mass, a, b):
    """Label (R,) of the island of each body: bodies that move and are coupled, directly or through others; a, b (P,):
    bodies of every coupling."""
    root = np.empty(len(inverse_mass), dtype=np.int64)
    label_islands(inverse_mass, np.ascontiguousarray(a), np.ascontiguousarray(b), root)
    return root
