"""Rates between two parts of a discharge."""

import numpy as np


def count_rates(exits, first, last):
    """Bodies a second (N,) between the parts `first` and `last` (0 to 1) of the exits of N runs, times [s] in order."""
    rates = []
    for times in exits:
        begin, end = int(first * len(times)), int(last * len(times)) - 1
        rates.append((end - begin) / (times[end] - times[begin]))
    return np.array(rates)
