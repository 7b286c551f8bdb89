"""Hashed grid over axis-aligned boxes."""

import math

import numpy as np

from ...jit import inner, kernel
from .axis_kernels import MOST_BESIDE, MOST_BOXES, axis_pass, boxes_along, ends_along, longest_axis
from .placement_kernels import placed_boxes

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
    """Hash of a cell, in [0, mask]: cells that follow each other along z are neighbours in memory."""
    return (((x * 73856093) ^ (y * 19349663)) + z) & mask


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
    # Among boxes that are near half overlap: branches that nobody can guess cost more than all six comparisons.
    return (
        (low[i, 0] <= high[j, 0]) & (low[j, 0] <= high[i, 0])
        & (low[i, 1] <= high[j, 1]) & (low[j, 1] <= high[i, 1])
        & (low[i, 2] <= high[j, 2]) & (low[j, 2] <= high[i, 2])
    )  # fmt: skip


@inner
def packed_overlap(box, i, j):
    """boxes_overlap of packed boxes (n,6): low corner, high corner."""
    if box[i, 0] > box[j, 3] or box[j, 0] > box[i, 3]:
        return False
    if box[i, 1] > box[j, 4] or box[j, 1] > box[i, 4]:
        return False
    return box[i, 2] <= box[j, 5] and box[j, 2] <= box[i, 5]


@inner
def owner(cells, i, j, mask):
    """Bucket of the cell that holds the low corner of the overlap of boxes i and j: each pair has one such cell."""
    x, y = max(cells[i, 0], cells[j, 0]), max(cells[i, 1], cells[j, 1])
    return bucket(x, y, max(cells[i, 2], cells[j, 2]), mask)


@inner
def noted(found, used, i, j):
    """Write the pair i, j into row `used` of found (N,2); returns found, twice as long if there was no room."""
    if used == len(found):
        longer = np.empty((2 * used + 64, 2), np.int32)
        longer[:used] = found
        found = longer
    found[used, 0], found[used, 1] = i, j
    return found


@inner
def grid_pass(box, cells, mask, start, content, body, allowed):
    """Overlapping pairs i < j of the boxes that are in the grid, bucket by bucket: (room, rows of it that are used)."""
    found, used = np.empty((4 * len(box) + 64, 2), np.int32), 0
    for c in range(mask + 1):
        first, last = start[c], start[c + 1]
        for p in range(first, last):
            i = content[p]
            # Two cells of one box may share a bucket; its entries then follow each other.
            if p > first and content[p - 1] == i:
                continue
            for q in range(p + 1, last):
                j = content[q]
                if content[q - 1] == j or not packed_overlap(box, i, j):
                    continue
                if owner(cells, i, j, mask) == c and may_collide(i, j, body, allowed):
                    found = noted(found, used, i, j)
                    used += 1
    return found, used


@inner
def big_pass(low, high, big, big_index, body, allowed):
    """Pairs i < j with the boxes that are too big for the grid, by brute force: (room, rows of it that are used)."""
    found, used = np.empty((64, 2), np.int32), 0
    for i in range(len(low)):
        for q in range(len(big_index)):
            j = big_index[q]
            if j == i or (big[i] and j < i):
                continue
            if boxes_overlap(low, high, i, j) and may_collide(i, j, body, allowed):
                found = noted(found, used, min(i, j), max(i, j))
                used += 1
    return found, used


@inner
def in_order(n, first, first_count, second, second_count):
    """The rows of two lists of pairs in lexicographic order; numbers are below n."""
    start = np.zeros(n + 1, np.int64)
    for p in range(first_count):
        start[first[p, 0] + 1] += 1
    for p in range(second_count):
        start[second[p, 0] + 1] += 1
    for i in range(n):
        start[i + 1] += start[i]
    pairs = np.empty((first_count + second_count, 2), np.int32)
    for p in range(first_count + second_count):
        i, j = first[p] if p < first_count else second[p - first_count]
        pairs[start[i], 0], pairs[start[i], 1] = i, j
        start[i] += 1
    sort_rows(pairs)
    return pairs


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
    # A box this many times larger than the median goes to the list that is tested by brute force; so do all of a few.
    limit = 8.0 * nth_smallest(ordered, count // 2) if count > 32 else -1.0
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


@inner
def swept_pairs(low, high, number, body, allowed):
    """Pairs i < j of the boxes `number` (m,) by a sweep along one axis: (room, rows of it that are used), and False
    where that would take longer than the grid."""
    number, first, last, across = boxes_along(low, high, number, longest_axis(low, high, number))
    ends, tests = ends_along(first, last)
    if tests > MOST_BESIDE * len(number):
        return np.empty((0, 2), np.int32), 0, False
    found, count = axis_pass(number, ends, across)
    kept = 0
    for p in range(count):
        i, j = min(found[p, 0], found[p, 1]), max(found[p, 0], found[p, 1])
        if may_collide(i, j, body, allowed):
            found[kept, 0], found[kept, 1] = i, j
            kept += 1
    return found, kept, True


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
    far, far_count = big_pass(low, high, big, big_index, body, allowed)
    if n - len(big_index) <= MOST_BOXES:
        near, near_count, few = swept_pairs(low, high, numbers_of(~big), body, allowed)
        if few:
            return in_order(n, near, near_count, far, far_count), -1
    mask = 1
    while mask < 2 * n:
        mask *= 2
    mask -= 1
    cells, box = np.empty((n, 6), np.int64), np.empty((n, 6))
    for i in range(n):
        for k in range(3):
            box[i, k], box[i, 3 + k] = low[i, k], high[i, k]
    start, content = np.zeros(mask + 3, np.int64), np.empty(0, np.int32)
    if len(big_index) < n:
        start, content = sort_into_buckets(cells, big, mask, cell_ranges(low, high, size, big, cells))
    near, near_count = grid_pass(box, cells, mask, start, content, body, allowed)
    return in_order(n, near, near_count, far, far_count), -1


@kernel
def few_pairs(geometry, position, orientation, twist, h, inflation, allowed):
    """(Placement, pairs (P,2), -1 or the number of a box that is not finite), see placed_boxes and grid_pairs."""
    place, low, high = placed_boxes(geometry, position, orientation, twist, h, inflation)
    pairs, lost = grid_pairs(low, high, geometry.body, allowed)
    return place, pairs, lost


@kernel
def kept_pairs(low, high, outer_low, outer_high, pairs, body, allowed):
    """Those of `pairs` (P,2) whose boxes overlap and may collide, in their order, and whether every box is inside its
    outer one."""
    for i in range(len(low)):
        for k in range(3):
            if not (outer_low[i, k] <= low[i, k] and high[i, k] <= outer_high[i, k]):
                return pairs[:0], False
    found, used = np.empty_like(pairs), 0
    for p in range(len(pairs)):
        i, j = pairs[p, 0], pairs[p, 1]
        found[used, 0], found[used, 1] = i, j
        used += np.int64(boxes_overlap(low, high, i, j) & (allowed.movable[body[i]] | allowed.movable[body[j]]))
    kept = 0
    for p in range(used):
        i, j = found[p, 0], found[p, 1]
        if may_collide(i, j, body, allowed):
            found[kept, 0], found[kept, 1] = i, j
            kept += 1
    return found[:kept], True


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
