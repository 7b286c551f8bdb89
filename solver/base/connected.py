"""Connected pieces of anything that pairs join, in plain numpy: Blender's own process loads no compiled code of ours, and
a run that asks for nothing else of scipy starts without it."""

import numpy as np


def connected(a, b, count):
    """Which piece (count,) each of `count` things is of, by pairs a, b (P,) of them that are joined; counted from 0 in
    the order of their first members.

    Each piece found so far goes by its least member; of two that a pair joins the one takes the name of the other, until
    none does (hooking and pointer jumping, Shiloach and Vishkin 1982): at least half of those to be joined each time."""
    label = np.arange(count)
    while len(a):
        a, b = label[a], label[b]
        apart = a != b
        a, b = a[apart], b[apart]
        np.minimum.at(label, np.maximum(a, b), np.minimum(a, b))
        while not np.array_equal(label, label[label]):
            label = label[label]
    return np.unique(label, return_inverse=True)[1]
