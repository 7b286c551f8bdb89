"""Kernels of the accelerated sweeps: NNCG island by island on a Compact problem."""

from math import sqrt
from typing import NamedTuple

import numpy as np

from ..jit import kernel
from .compact_kernels import grade, sweep


class Work(NamedTuple):
    """The changing arrays of a solve (R rows, B blocks, n nodes and one for none).

    lam (R,) scaled impulses and w (n+1,6) = J~^T lam; best (R,) the iterate with the least residual; p (R,) and
    pw = J~^T p the search direction; step (R,) and w_before: what the last sweep changed, and w before it; v (R,), y
    (16,) scratch; rest (B,) sweeps for which a block is left alone.
    """

    lam: np.ndarray
    w: np.ndarray
    best: np.ndarray
    p: np.ndarray
    pw: np.ndarray
    step: np.ndarray
    w_before: np.ndarray
    v: np.ndarray
    y: np.ndarray
    rest: np.ndarray


# Columns of the state of an island.
DONE, SWEEPS, BEST, SQUARE, SINCE, PLAIN, PENDING, FIRST = range(8)


@kernel
def copy_nodes(source, target, first, last):
    """target[first:last] = source[first:last] for velocities of nodes (n,6)."""
    for i in range(first, last):
        for j in range(6):
            target[i, j] = source[i, j]


@kernel
def take_if_better(residual, state, lam, best, first, last):
    """Keep lam[first:last] as the best iterate if its residual is the least; note progress."""
    if residual < state[BEST]:
        if residual < 0.9 * state[BEST]:
            state[SINCE] = 0.0
        state[BEST] = residual
        for i in range(first, last):
            best[i] = lam[i]


@kernel
def extrapolate(state, row0, row1, node0, node1, step, lam, p, w, w_before, pw):
    """Fletcher-Reeves step of NNCG (Silcowitz-Hansen et al. 2010, Algorithm 3), carried along in body space.

    step is minus the non-smooth gradient; p and pw = J~^T p are the search direction.
    """
    previous, square = state[SQUARE], state[PENDING]
    state[SQUARE] = square
    if previous <= 0.0 or square > previous or state[PLAIN] > 0.0:
        keep = 0.0 if previous > 0.0 else 1.0
        for i in range(row0, row1):
            p[i] = keep * step[i]
        for i in range(node0, node1):
            for j in range(6):
                pw[i, j] = keep * (w[i, j] - w_before[i, j])
        return
    beta = square / previous
    for i in range(row0, row1):
        jump = beta * p[i]
        p[i] = jump + step[i]
        lam[i] += jump
    for i in range(node0, node1):
        for j in range(6):
            jump = beta * pw[i, j]
            pw[i, j] = jump + (w[i, j] - w_before[i, j])
            w[i, j] += jump


@kernel
def restore_best(c, k0, k1, n0, n1, best, lam, w):
    """Go back to the best iterate of an island, impulses and velocities both."""
    for i in range(c.row[k0], c.row[k1]):
        lam[i] = best[i]
    for i in range(n0, n1):
        for j in range(6):
            w[i, j] = 0.0
    for q in range(k0, k1):
        a, o = c.node[q, 0], c.node[q, 1]
        for i in range(c.row[q], c.row[q + 1]):
            for j in range(6):
                w[a, j] += c.J[i, j] * lam[i]
                w[o, j] += c.J[i, 6 + j] * lam[i]


@kernel
def advance_island(c, k0, k1, n0, n1, count, tolerance, check_every, freeze, state, work, merit):
    """Run up to `count` sweeps on one island; sets state[DONE] when the residual is at most `tolerance` [m/s].

    merit (count,) keeps the largest change of each sweep over all islands [m/s].
    """
    lam, w, v, y = work.lam, work.w, work.v, work.y
    row0, row1 = c.row[k0], c.row[k1]
    if state[SWEEPS] == 0.0:
        state[BEST] = 1e300
        take_if_better(grade(c, k0, k1, lam, w, v, y), state, lam, work.best, row0, row1)
        if state[BEST] <= tolerance:
            state[DONE] = 1.0
            return
    for i in range(count):
        if state[PENDING] > 0.0:
            extrapolate(state, row0, row1, n0, n1, work.step, lam, work.p, w, work.w_before, work.pw)
        copy_nodes(w, work.w_before, n0, n1)
        moved, state[PENDING] = sweep(c, k0, k1, freeze * tolerance, work.rest, lam, w, work.step)
        merit[i] = max(merit[i], moved)
        state[SWEEPS] += 1.0
        state[SINCE] += 1.0
        if moved <= tolerance or state[SWEEPS] % check_every == 0.0:
            take_if_better(grade(c, k0, k1, lam, w, v, y), state, lam, work.best, row0, row1)
            if state[BEST] <= tolerance:
                state[DONE] = 1.0
                return
            if moved <= tolerance:
                for q in range(k0, k1):
                    work.rest[q] = 0
        if state[SINCE] >= 50.0:
            # Stagnation: 50 plain sweeps from the best iterate, then momentum again.
            state[SINCE] = 0.0
            state[PLAIN] = 1.0 - state[PLAIN]
            state[SQUARE] = 0.0
            if state[PLAIN] > 0.0:
                restore_best(c, k0, k1, n0, n1, work.best, lam, w)
                state[PENDING] = 0.0
                for q in range(k0, k1):
                    work.rest[q] = 0


@kernel
def restart_island(c, block_start, node_start, i, state, work):
    """Go back to the best iterate of island i and forget the search direction."""
    restore_best(c, block_start[i], block_start[i + 1], node_start[i], node_start[i + 1], work.best, work.lam, work.w)
    state[SQUARE] = state[PENDING] = state[SINCE] = state[PLAIN] = 0.0
    for q in range(block_start[i], block_start[i + 1]):
        work.rest[q] = 0


@kernel
def advance(c, block_start, node_start, count, tolerance, check_every, freeze, state, work, merit):
    """Run up to `count` sweeps on every island that is not done; returns the number of islands still open."""
    left = 0
    for i in range(block_start.size - 1):
        if state[i, DONE] > 0.0:
            continue
        advance_island(c, block_start[i], block_start[i + 1], node_start[i], node_start[i + 1], count, tolerance,
                       check_every, freeze, state[i], work, merit)  # fmt: skip
        if state[i, DONE] == 0.0:
            left += 1
    return left


@kernel
def siconos_measure(c, mu, b_norm, lam, w, v, y):
    """Siconos' relative error of isotropic contacts with three rows, see residuals.siconos_error; mu (B,)."""
    grade(c, 0, c.kind.size, lam, w, v, y)
    error, r_square, u_square = 0.0, 0.0, 0.0
    for q in range(c.kind.size):
        i, m = c.row[q], mu[q]
        back = 1.0 / m if m > 0.0 else 0.0
        r0, r1, r2 = lam[i], m * lam[i + 1], m * lam[i + 2]
        u0, u1, u2 = v[i], back * v[i + 1], back * v[i + 2]
        r_square += r0 * r0 + r1 * r1 + r2 * r2
        u_square += u0 * u0 + u1 * u1 + u2 * u2
        z0 = r0 - u0 - m * sqrt(u1 * u1 + u2 * u2)
        z1, z2 = r1 - u1, r2 - u2
        t = sqrt(z1 * z1 + z2 * z2)
        if m * t <= -z0:
            z0 = z1 = z2 = 0.0
        elif t > m * z0:
            z0 = (m * t + z0) / (1.0 + m * m)
            scale = m * z0 / t
            z1 *= scale
            z2 *= scale
        error += (r0 - z0) ** 2 + (r1 - z1) ** 2 + (r2 - z2) ** 2
    largest = max(b_norm * b_norm, r_square, u_square)
    return sqrt(error / largest) if largest > 5e-32 else sqrt(error)


@kernel
def advance_relative(c, block_start, node_start, rounds, count, target, mu, b_norm, state, work, merit):
    """Rounds of `count` sweeps until Siconos' relative error is at most `target`; returns the least error.

    work.best gets the iterate with the least error; merit (rounds * count,). state[0, DONE] is set at the target.
    """
    least = siconos_measure(c, mu, b_norm, work.lam, work.w, work.v, work.y)
    anchor = least
    for k in range(rounds):
        if least <= target:
            break
        for i in range(block_start.size - 1):
            state[i, BEST] = -1.0
        advance(c, block_start, node_start, count, -1.0, 1 << 60, 0.0, state, work, merit[k * count :])
        error = siconos_measure(c, mu, b_norm, work.lam, work.w, work.v, work.y)
        if error < least:
            least = error
            work.best[:] = work.lam
        if least < 0.9 * anchor:
            anchor = least
            for i in range(block_start.size - 1):
                state[i, SINCE] = 0.0
    return least
