"""A direct step on the rows that the laws of an island leave free, in turn with sweeps over it.

Sweeps settle soon which contacts are open, stick and slip, and creep from there where rows nearly say the same twice:
four feet on a plate, two edges of a wheel. After Silcowitz, Niebe and Erleben 2010, subspace minimization.
"""

import numpy as np

from ...jit import inner
from ..sweep_kernels import solve_dense


@inner
def inside(p, k, lam, m):
    """(whether the first row of block k is free, whether its friction is, too): a contact that sticks."""
    if p.kind[k] == 0:
        square = 0.0
        for i in range(m - 1):
            if p.mu[k, i] > 0.0:
                square += (lam[i + 1] / p.mu[k, i]) ** 2
        return lam[0] > 0.0, square < (lam[0] * (1.0 - 1e-9)) ** 2
    lower, upper = (0.0, np.inf) if p.kind[k] == 2 else (p.bounds[k, 0], p.bounds[k, 1])
    return lower < lam[0] < upper, False


@inner
def free_rows(p, blocks, place, span, x):
    """(rows (a,) that are free in the blocks of a span, rows (a,) behind each that go along with it: of friction that
    slips, in proportion to the normal impulse); place: first row of each block; x: impulses by rows."""
    most, count = place[span[1]] - place[span[0]], 0
    row, along = np.empty(most, np.int64), np.zeros(most, np.int64)
    for f in range(span[0], span[1]):
        k, first, m = blocks[f], place[f], place[f + 1] - place[f]
        free, sticks = inside(p, k, x[first:], m)
        if not free:
            continue
        row[count], along[count] = first, 0 if sticks else m - 1
        count += 1
        for i in range(1, m if sticks else 1):
            if p.mu[k, i - 1] > 0.0:
                row[count] = first + i
                count += 1
    return row[:count], along[:count]


@inner
def step_on_free_rows(p, s, span, x, v):
    """Change impulses x so that the velocities v of the free rows of the Jointed `s` in a span of its blocks vanish.

    What rows nearly say twice is left as it is: their own 1e-10 is added to what they resist with.
    """
    row, along = free_rows(p, s.free, s.place, span, x)
    count = row.size
    A, change = np.empty((count, count)), np.empty(count)
    for j in range(count):
        for i in range(count):
            A[i, j] = s.A[row[i], row[j]]
            for q in range(1, along[j] + 1):
                A[i, j] += s.A[row[i], row[j] + q] * x[row[j] + q] / x[row[j]]
        A[j, j] += 1e-10 * s.A[row[j], row[j]]
        change[j] = -v[row[j]]
    solve_dense(A, change, count)
    for j in range(count):
        grown = (x[row[j]] + change[j]) / x[row[j]] if along[j] > 0 else 1.0
        x[row[j]] += change[j]
        for q in range(1, along[j] + 1):
            x[row[j] + q] *= grown
