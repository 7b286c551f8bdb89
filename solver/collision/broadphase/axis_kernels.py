"""Sweep along one axis over axis-aligned boxes: for some thousand boxes that is quicker than the grid."""

import numpy as np

from ...base.sort_kernels import stable_order
from ...jit import inner

# Most boxes that are swept, and most pairs a box that may overlap along the axis: beyond that the grid takes less time.
MOST_BOXES, MOST_BESIDE = 4096, 800


@inner
def longest_axis(low, high, number):
    """The axis along which the low corners of the boxes `number` (m,) are furthest apart, in lengths of all."""
    best, longest = 0, -1.0
    for k in range(3):
        least, most, total = np.inf, -np.inf, 0.0
        for i in number:
            least, most = min(least, low[i, k]), max(most, low[i, k])
            total += high[i, k] - low[i, k]
        if most - least > longest * total:
            best, longest = k, (most - least) / total if total > 0.0 else np.inf
    return best


@inner
def sorted_along(low, number, axis):
    """The boxes `number` (m,) by their low corners along an axis, as (m,) int32."""
    count, least, most = len(number), np.inf, -np.inf
    for i in number:
        least, most = min(least, low[i, axis]), max(most, low[i, axis])
    # As many slots as boxes bring each next to its place; the rest is done one by one.
    slot, order, found = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.int32)
    scale = (count - 1) / (most - least) if most > least else 0.0
    for k in range(count):
        # Held inside: of corners that are too far apart for numbers the product is none.
        slot[k] = min(max(int(scale * (low[number[k], axis] - least)), 0), count - 1)
    stable_order(slot, count, order)
    for k in range(count):
        i, p = number[order[k]], k - 1
        while p >= 0 and low[found[p], axis] > low[i, axis]:
            found[p + 1] = found[p]
            p -= 1
        found[p + 1] = i
    return found


@inner
def boxes_along(low, high, number, axis):
    """The boxes `number` (m,) by their low corners along an axis: their numbers (m,), low and high (m,) along the axis,
    and (4,m) low and high along the two others."""
    number = sorted_along(low, number, axis)
    count, one, other = len(number), (axis + 1) % 3, (axis + 2) % 3
    first, last, across = np.empty(count), np.empty(count), np.empty((4, count))
    for k in range(count):
        i = number[k]
        first[k], last[k] = low[i, axis], high[i, axis]
        across[0, k], across[1, k] = low[i, one], high[i, one]
        across[2, k], across[3, k] = low[i, other], high[i, other]
    return number, first, last, across


@inner
def ends_along(first, last):
    """For each box the number of the first one behind it that begins beyond its end (m,), and how many are before."""
    ends, total = np.empty(len(first), np.int64), 0
    for i in range(len(first)):
        before, end = i, len(first)
        while end - before > 1:
            middle = (before + end) // 2
            if first[middle] <= last[i]:
                before = middle
            else:
                end = middle
        ends[i] = end
        total += end - i - 1
    return ends, total


@inner
def axis_pass(number, ends, across):
    """Overlapping pairs of numbers (room, rows of it that are used), of boxes that overlap along the axis."""
    found, used = np.empty((4 * len(number) + 64, 2), np.int32), 0
    low1, high1, low2, high2 = across[0], across[1], across[2], across[3]
    for i in range(len(number)):
        if used + ends[i] - i > len(found):
            longer = np.empty((2 * len(found) + len(number), 2), np.int32)
            longer[:used] = found[:used]
            found = longer
        a, b, c, d = low1[i], high1[i], low2[i], high2[i]
        for j in range(i + 1, ends[i]):
            found[used, 0], found[used, 1] = number[i], number[j]
            used += np.int64((low1[j] <= b) & (a <= high1[j]) & (low2[j] <= d) & (c <= high2[j]))
    return found, used
