"""Row-by-row projected Gauss-Seidel, equation (17) of Silcowitz-Hansen et al. 2010 with B = D / omega + L."""

import numpy as np

from ...jit import kernel
from ...problems.problem_kernels import apply_change, block_velocity


@kernel
def row_bounds(p, k, i, normal):
    """Lower and upper bound of the impulse of row i of block k, after equation (7): the box model."""
    kind = p.kind[k]
    if kind == 0:
        if i == 0:
            return 0.0, np.inf
        limit = p.mu[k, i - 1] * max(0.0, normal)
        return -limit, limit
    if kind == 2:
        return 0.0, np.inf
    if kind == 3:
        return p.bounds[k, 0], p.bounds[k, 1]
    return -np.inf, np.inf


@kernel
def relax_rows(p, k, offset, diagonal, relaxation, last, impulse, v, change):
    """Relax the rows of block k one after the other; v is kept up to date inside the block; fills change[:m]."""
    first = p.row_start[k]
    m = p.row_start[k + 1] - first
    normal = impulse[first]
    for i in range(m):
        a = diagonal[offset[k] + i * m + i]
        lower, upper = row_bounds(p, k, i, normal)
        step = relaxation * v[i] / a if a > 0.0 else 0.0
        new = min(max(impulse[first + i] - step, lower), upper)
        change[i] = new - impulse[first + i]
        if i == 0 and not last:
            normal = new
        for j in range(i + 1, m):
            v[j] += diagonal[offset[k] + j * m + i] * change[i]


@kernel
def row_sweep(p, offset, diagonal, relaxation, last, impulse, w):
    """Relax every row once, in order; `last`: normal impulses of before bound friction.

    impulse (K,) and w (N,) are updated in place, w = W J^T impulse holds.

    Returns the largest change of an impulse [N s].
    """
    v, change = np.zeros(16), np.zeros(16)
    largest = 0.0
    for k in range(p.kind.size):
        first = p.row_start[k]
        block_velocity(p, k, impulse, w, v)
        relax_rows(p, k, offset, diagonal, relaxation, last, impulse, v, change)
        for i in range(p.row_start[k + 1] - first):
            impulse[first + i] += change[i]
            largest = max(largest, abs(change[i]))
        apply_change(p, k, change, w)
    return largest


@kernel
def row_sweeps(p, offset, diagonal, relaxation, last, count, impulse, w, merit):
    """Run `count` sweeps; merit[i] is the squared length of the change of sweep i, |PGS(x) - x|^2 [N^2 s^2].

    Returns the largest change of an impulse in the last sweep [N s].
    """
    before = np.empty_like(impulse)
    largest = 0.0
    for i in range(count):
        before[:] = impulse
        largest = row_sweep(p, offset, diagonal, relaxation, last, impulse, w)
        total = 0.0
        for j in range(impulse.size):
            total += (impulse[j] - before[j]) ** 2
        merit[i] = total
    return largest
