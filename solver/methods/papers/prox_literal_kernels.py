"""Kernels of Algorithms 1 and 2 of Erleben 2017, with the r-factor strategies of section 4.2."""

from typing import NamedTuple

import numpy as np

from ...jit import inner, kernel
from ...problems.problem_kernels import apply_change, block_velocity
from ...problems.residual_kernels import friction_step
from ..sweep_kernels import solve_dense
from .ellipsoid_kernels import closest_friction

# Strategies.
GLOBAL, LOCAL, BLOCKED, SCALAR = range(4)
# Entries of `state`: factor on all r-values, last accepted merit, count of roll-backs, 1 once a stop has fired.
SCALE, LAST, ROLL_BACKS, STOPPED = range(4)


@kernel
def invert_rows(diagonal, offset, m, first, R):
    """Write the inverse of rows and columns first..m of a diagonal block into R."""
    n = m - first
    A, x = np.zeros((n, n)), np.zeros(n)
    for c in range(n):
        for i in range(n):
            for j in range(n):
                A[i, j] = diagonal[offset + (first + i) * m + first + j]
            x[i] = 1.0 if i == c else 0.0
        solve_dense(A, x, n)
        for i in range(n):
            R[offset + (first + i) * m + first + c] = x[i]


@kernel
def r_factors(p, offset, diagonal, strategy, r_global, R):
    """Fill R, laid out like the diagonal blocks: Global r I, Local (39), Blocked (40), or one scalar a friction block.

    Rows without a friction set (joints, elements) take the inverse of their block with Blocked and scalar.
    """
    ones = np.ones(3)
    for k in range(p.kind.size):
        m = p.row_start[k + 1] - p.row_start[k]
        o = offset[k]
        for i in range(m):
            a = diagonal[o + i * m + i]
            R[o + i * m + i] = r_global if strategy == GLOBAL else (1.0 / a if a > 0.0 else 0.0)
        if strategy < BLOCKED or m == 1:
            continue
        if p.kind[k] != 0:
            invert_rows(diagonal, o, m, 0, R)
        elif strategy == BLOCKED:
            invert_rows(diagonal, o, m, 1, R)
        else:
            eigenvalue = friction_step(o, diagonal, m, ones)
            for i in range(1, m):
                R[o + i * m + i] = 1.0 / eigenvalue if eigenvalue > 0.0 else 0.0


class Factors(NamedTuple):
    """r-factors R, laid out like the diagonal blocks, from offset (B+1,); jacobi: whether a pass is Algorithm 1."""

    offset: np.ndarray
    R: np.ndarray
    jacobi: bool


class Rules(NamedTuple):
    """nu: what all r-values are multiplied by where the merit grows, and with `repeats` also where it only repeats;
    1 never looks. absolute, relative: the paper's stopping thresholds, 0 for none."""

    nu: float
    repeats: bool
    absolute: float
    relative: float


@inner
def proximal_point(p, k, factors, scale, impulse, v, new):
    """new[:m] = prox(lambda - scale R v) of block k; the friction set takes the new normal impulse, or the old one."""
    first, R, offset = p.row_start[k], factors.R, factors.offset[k]
    m = p.row_start[k + 1] - first
    for i in range(m):
        total = 0.0
        for j in range(m):
            total += R[offset + i * m + j] * v[j]
        new[i] = impulse[first + i] - scale * total
    kind = p.kind[k]
    if kind == 0:
        new[0] = max(0.0, new[0])
        normal = max(0.0, impulse[first]) if factors.jacobi else new[0]
        closest_friction(p.law[k], p.sides, p.mu[k], normal, new[1:], m - 1)
    elif kind == 2:
        new[0] = max(0.0, new[0])
    elif kind == 3:
        new[0] = min(max(new[0], p.bounds[k, 0]), p.bounds[k, 1])


@inner
def proximal_sweep(p, factors, scale, old, old_w, impulse, w):
    """One pass over the blocks, lines 4 to 10; Algorithm 1 looks at old, old_w only. Returns |change|_inf [N s]."""
    v, new, change = np.zeros(16), np.zeros(16), np.zeros(16)
    largest = 0.0
    for k in range(p.kind.size):
        first = p.row_start[k]
        m = p.row_start[k + 1] - first
        block_velocity(p, k, old, old_w if factors.jacobi else w, v)
        proximal_point(p, k, factors, scale, old, v, new)
        for i in range(m):
            change[i] = new[i] - old[first + i]
            impulse[first + i] = new[i]
            largest = max(largest, abs(change[i]))
        apply_change(p, k, change, w)
    return largest


@kernel
def adaptive_iterations(p, factors, rules, impulse, w, state, merit):
    """Up to merit.size iterations with back-tracking r-factors; merit[i] = |lambda^{k+1} - lambda^k|_inf [N s].

    Where the Rules say so, impulse and w go back to what they were, together. On entry and exit w = W J^T impulse.
    Returns the iterations done.
    """
    old, old_w = np.empty_like(impulse), np.empty_like(w)
    for i in range(merit.size):
        old[:], old_w[:] = impulse, w
        largest = proximal_sweep(p, factors, state[SCALE], old, old_w, impulse, w)
        merit[i] = largest
        last = state[LAST]
        # The paper writes >; but a merit that repeats is a cycle with too large an r, and would never end.
        grown = largest > last or (rules.repeats and largest > 0.0 and largest >= last)
        if rules.nu < 1.0 and (grown or not np.isfinite(largest)):
            impulse[:], w[:] = old, old_w
            state[SCALE] *= rules.nu
            state[ROLL_BACKS] += 1.0
            continue
        state[LAST] = largest
        changed = rules.relative > 0.0 and np.isfinite(last) and abs(largest - last) < rules.relative * last
        if largest < rules.absolute or changed:
            state[STOPPED] = 1.0
            return i + 1
    return merit.size
