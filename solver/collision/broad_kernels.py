"""Hashed grid over axis-aligned boxes."""

import math

import numpy as np

from ..jit import inner, kernel

# A box this many times larger than the median goes to the list that is tested by brute force; so do all of a few.
BIG = 8.0
FEW = 32
# Least size of a cell [m].
SMALLEST = np.finfo(float).tiny * 1e8


@inner
def cell_ranges(low, high, size, big, cells):
    """Fill cells (n,6) with the first and last cell of each box along x, y, z; return the number of entries."""
    entries = 0
    for i in range(len(low)):
        product = 1
        for k in range(3):
            cells[i, k] = int(math.floor(low[i, k] / size))
            cells[i, 3 + k] = int(math.floor(high[i, k] / size))
            product *= cells[i, 3 + k] - cells[i, k] + 1
        if not big[i]:
            entries += product
    return entries


@inner
def bucket(x, y, z, mask):
    """Hash of a cell, in [0, mask]."""
    return ((x * 73856093) ^ (y * 19349663) ^ (z * 83492791)) & mask


@inner
def sort_into_buckets(cells, big, mask, entries):
    """Counting sort of the boxes into hash buckets. Returns starts (mask + 2,) and box numbers (entries,)."""
    start = np.zeros(mask + 3, np.int64)
    content = np.empty(entries, np.int32)
    for fill in range(2):
        for i in range(len(cells)):
            if big[i]:
                continue
            for x in range(cells[i, 0], cells[i, 3] + 1):
                for y in range(cells[i, 1], cells[i, 4] + 1):
                    for z in range(cells[i, 2], cells[i, 5] + 1):
                        c = bucket(x, y, z, mask)
                        if fill == 0:
                            start[c + 2] += 1
                        else:
                            content[start[c + 1]] = i
                            start[c + 1] += 1
        if fill == 0:
            for c in range(mask + 2):
                start[c + 1] += start[c]
    return start, content


@inner
def may_collide(i, j, body, allowed):
    """False for two boxes of one body, and for those of two bodies that the PairFilter keeps apart."""
    a, b = min(body[i], body[j]), max(body[i], body[j])
    if a == b or not (allowed.movable[a] or allowed.movable[b]):
        return False
    if allowed.belongs[a] & allowed.collides[b] == 0 or allowed.belongs[b] & allowed.collides[a] == 0:
        return False
    k, last = allowed.excluded_start[a], allowed.excluded_start[a + 1]
    while k < last and allowed.excluded[k] < b:
        k += 1
    return k == last or allowed.excluded[k] != b


@inner
def boxes_overlap(low, high, i, j):
    """True if the closed boxes i and j have a point in common."""
    if low[i, 0] > high[j, 0] or low[j, 0] > high[i, 0]:
        return False
    if low[i, 1] > high[j, 1] or low[j, 1] > high[i, 1]:
        return False
    return low[i, 2] <= high[j, 2] and low[j, 2] <= high[i, 2]


@inner
def owns_overlap(cells, i, j, x, y, z):
    """True if cell (x,y,z) holds the low corner of the overlap of boxes i and j: each pair has one such cell."""
    if max(cells[i, 0], cells[j, 0]) != x or max(cells[i, 1], cells[j, 1]) != y:
        return False
    return max(cells[i, 2], cells[j, 2]) == z


@inner
def grid_pass(low, high, cells, big, mask, start, content, body, allowed, count, pairs):
    """Overlapping pairs of the boxes that are in the grid. An empty `pairs` only counts them in count[i + 1];
    otherwise count[i] is the next free row of i."""
    fill = len(pairs) > 0
    for i in range(len(low)):
        if big[i]:
            continue
        for x in range(cells[i, 0], cells[i, 3] + 1):
            for y in range(cells[i, 1], cells[i, 4] + 1):
                for z in range(cells[i, 2], cells[i, 5] + 1):
                    c = bucket(x, y, z, mask)
                    previous = -1
                    for q in range(start[c], start[c + 1]):
                        j = content[q]
                        # Two cells of one box may share a bucket; its entries then follow each other.
                        if j == previous:
                            continue
                        previous = j
                        if j <= i or not boxes_overlap(low, high, i, j):
                            continue
                        if not owns_overlap(cells, i, j, x, y, z):
                            continue
                        if not may_collide(i, j, body, allowed):
                            continue
                        if fill:
                            pairs[count[i], 0] = i
                            pairs[count[i], 1] = j
                            count[i] += 1
                        else:
                            count[i + 1] += 1


@inner
def big_pass(low, high, big, big_index, body, allowed, count, pairs):
    """Pairs with the boxes that are too big for the grid, by brute force; same protocol as grid_pass."""
    fill = len(pairs) > 0
    for i in range(len(low)):
        for q in range(len(big_index)):
            j = big_index[q]
            if j == i or (big[i] and j < i):
                continue
            if not boxes_overlap(low, high, i, j) or not may_collide(i, j, body, allowed):
                continue
            first, second = min(i, j), max(i, j)
            if fill:
                pairs[count[first], 0] = first
                pairs[count[first], 1] = second
                count[first] += 1
            else:
                count[first + 1] += 1


@inner
def sort_rows(pairs):
    """Insertion sort of the second column inside each run of equal first numbers."""
    for p in range(1, len(pairs)):
        first, second = pairs[p, 0], pairs[p, 1]
        q = p - 1
        while q >= 0 and pairs[q, 0] == first and pairs[q, 1] > second:
            pairs[q + 1, 1] = pairs[q, 1]
            q -= 1
        pairs[q + 1, 1] = second


@inner
def nth_smallest(values, n):
    """The n-th smallest of `values`, counted from 0; reorders them (Hoare's selection)."""
    first, last = 0, len(values) - 1
    while first < last:
        pivot = values[(first + last) // 2]
        i, j = first, last
        while i <= j:
            while values[i] < pivot:
                i += 1
            while pivot < values[j]:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if n <= j:
            last = j
        elif n >= i:
            first = i
        else:
            break
    return values[n]


@inner
def cell_size(extent, big):
    """Marks the boxes that are too big for the grid and returns the size of its cells."""
    count, kept = len(extent), 0
    ordered = extent.copy()
    limit = BIG * nth_smallest(ordered, count // 2) if count > FEW else -1.0
    for i in range(count):
        big[i] = extent[i] > limit
        if not big[i]:
            ordered[kept] = extent[i]
            kept += 1
    return max(nth_smallest(ordered[:kept], (9 * kept) // 10), SMALLEST) if kept > 0 else 1.0


@inner
def numbers_of(marked):
    """Indices of the true entries."""
    count = 0
    for i in range(len(marked)):
        count += marked[i]
    index, used = np.empty(count, np.int64), 0
    for i in range(len(marked)):
        if marked[i]:
            index[used] = i
            used += 1
    return index


@kernel
def grid_pairs(low, high, body, allowed):
    """All pairs (P,2) int32 of overlapping boxes that may collide, i < j, in lexicographic order; and -1, or the
    number of a box that is not finite."""
    n = len(low)
    extent, big = np.empty(n), np.empty(n, np.bool_)
    for i in range(n):
        extent[i] = max(high[i, 0] - low[i, 0], high[i, 1] - low[i, 1], high[i, 2] - low[i, 2])
        for k in range(3):
            if not math.isfinite(high[i, k] - low[i, k]):
                return np.empty((0, 2), np.int32), i
    size = cell_size(extent, big)
    big_index = numbers_of(big)
    mask = 1
    while mask < 2 * n:
        mask *= 2
    mask -= 1
    cells = np.empty((n, 6), np.int64)
    start, content = np.empty(0, np.int64), np.empty(0, np.int32)
    if len(big_index) < n:
        start, content = sort_into_buckets(cells, big, mask, cell_ranges(low, high, size, big, cells))
    count = np.zeros(n + 1, np.int64)
    nothing = np.empty((0, 2), np.int32)
    grid_pass(low, high, cells, big, mask, start, content, body, allowed, count, nothing)
    big_pass(low, high, big, big_index, body, allowed, count, nothing)
    for i in range(n):
        count[i + 1] += count[i]
    pairs = np.empty((count[n], 2), np.int32)
    if count[n] > 0:
        grid_pass(low, high, cells, big, mask, start, content, body, allowed, count, pairs)
        big_pass(low, high, big, big_index, body, allowed, count, pairs)
    sort_rows(pairs)
    return pairs, -1


@inner
def _part_pass(body_pairs, first, low, high, pairs):
    """Count the pairs of part_pairs and, if there is room, write them."""
    count = 0
    for p in range(len(body_pairs)):
        a, b = body_pairs[p, 0], body_pairs[p, 1]
        for i in range(first[a], first[a + 1]):
            for j in range(first[b], first[b + 1]):
                if boxes_overlap(low, high, i, j):
                    if count < len(pairs):
                        pairs[count, 0] = i
                        pairs[count, 1] = j
                    count += 1
    return count


@kernel
def part_pairs(body_pairs, first, low, high):
    """Pairs (P,2) int32 of overlapping boxes of the parts of pairs of bodies, in the order of these.

    first (R+1,): where the boxes of each body begin.
    """
    nothing = np.empty((0, 2), np.int32)
    pairs = np.empty((_part_pass(body_pairs, first, low, high, nothing), 2), np.int32)
    if len(pairs) > 0:
        _part_pass(body_pairs, first, low, high, pairs)
    return pairs
