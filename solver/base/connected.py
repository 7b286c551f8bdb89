"""Connected pieces of anything that pairs join, in plain numpy: Blender's own process loads no compiled code of ours,
and a run that needs nothing else of scipy starts without it."""

import numpy as np


def connected(a, b, count):
    """Which piece (count,) each of `count` things is of, by pairs a, b (P,) of them that are joined; counted from 0 in
    the order of their first members.

    Each piece found so far goes by its least member. In each round one of two that a pair joins takes the name of the
    other, and so do at least half of those that are not whole yet (Shiloach and Vishkin 1982)."""
    label = np.arange(count)
    while len(a):
        a, b = label[a], label[b]
        apart = a != b
        a, b = a[apart], b[apart]
        np.minimum.at(label, np.maximum(a, b), np.minimum(a, b))
        while not np.array_equal(label, label[label]):
            label = label[label]
    return np.unique(label, return_inverse=True)[1]
