"""Kernels of the accelerated sweeps: NNCG island by island on a Compact problem."""

from math import sqrt
from typing import NamedTuple

import numpy as np

from ..jit import kernel
from .compact_kernels import grade_plain, sweep_plain
from .mixed_kernels import grade_mixed, sweep_mixed


class Work(NamedTuple):
    """The changing arrays of a solve (R rows, B blocks, n nodes and one for none).

    lam (R,) scaled impulses and w (n+1,6) = J~^T lam; best (R,) the iterate with the least residual; p (R,) and
    pw = J~^T p the search direction; step (R,) and w_before: what the last sweep changed, and w before it; v (R,)
    velocities; rest (B,) sweeps for which a block is left alone.
    """

    lam: np.ndarray
    w: np.ndarray
    best: np.ndarray
    p: np.ndarray
    pw: np.ndarray
    step: np.ndarray
    w_before: np.ndarray
    v: np.ndarray
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
def note(residual, tolerance, moved, state, work, row0, row1, k0, k1):
    """Keep the iterate as the best one if its residual is the least; note progress and the end; wake resting blocks."""
    if residual < state[BEST]:
        if residual < 0.9 * state[BEST]:
            state[SINCE] = 0.0
        state[BEST] = residual
        for i in range(row0, row1):
            work.best[i] = work.lam[i]
    if state[BEST] <= tolerance:
        state[DONE] = 1.0
    elif moved <= tolerance or state[SINCE] >= 50.0:
        for q in range(k0, k1):
            work.rest[q] = 0


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
def restart_island(c, block_start, node_start, i, state, work):
    """Go back to the best iterate of island i and forget the search direction."""
    restore_best(c, block_start[i], block_start[i + 1], node_start[i], node_start[i + 1], work.best, work.lam, work.w)
    state[SQUARE] = state[PENDING] = state[SINCE] = state[PLAIN] = 0.0
    for q in range(block_start[i], block_start[i + 1]):
        work.rest[q] = 0


@kernel
def grade(c, first, last, lam, w, v, scratch):
    """The judge's natural map of blocks first:last, the largest [m/s]; v (R,) gets all row velocities."""
    if scratch is None:
        return grade_plain(c.J, c.pack, c.node, c.row, first, last, lam, w, v)
    else:
        return grade_mixed(c, first, last, lam, w, v, scratch[4])


@kernel
def advance(c, block_start, node_start, count, tolerance, check_every, freeze, state, work, merit, scratch):
    """Run up to `count` sweeps on every island that is not done; returns the number of islands still open.

    state (I,8) is kept from call to call; an island is DONE when its residual is at most `tolerance` [m/s].
    merit (count,) keeps the largest change of each sweep over all islands [m/s]. scratch: None where all contacts are
    plain, see make_scratch otherwise.
    """
    left = 0
    lam, w = work.lam, work.w
    for island in range(block_start.size - 1):
        s = state[island]
        k0, k1, n0, n1 = block_start[island], block_start[island + 1], node_start[island], node_start[island + 1]
        row0, row1 = c.row[k0], c.row[k1]
        # The first pass grades the start, every other one sweeps before that.
        i, start = 0, s[SWEEPS] == 0.0
        if start:
            s[BEST] = 1e300
        while s[DONE] == 0.0:
            moved = 0.0
            if not start:
                if i == count:
                    break
                if s[PENDING] > 0.0:
                    extrapolate(s, row0, row1, n0, n1, work.step, lam, work.p, w, work.w_before, work.pw)
                copy_nodes(w, work.w_before, n0, n1)
                if scratch is None:
                    moved, s[PENDING] = sweep_plain(c.J, c.pack, c.node, c.row, k0, k1, freeze * tolerance, work.rest,
                                                    lam, w, work.step)  # fmt: skip
                else:
                    moved, s[PENDING] = sweep_mixed(
                        c, k0, k1, freeze * tolerance, work.rest, lam, w, work.step, scratch
                    )
                merit[i] = max(merit[i], moved)
                i += 1
                s[SWEEPS] += 1.0
                s[SINCE] += 1.0
                if moved > tolerance and s[SWEEPS] % check_every != 0.0 and s[SINCE] < 50.0:
                    continue
            if scratch is None:
                residual = grade_plain(c.J, c.pack, c.node, c.row, k0, k1, lam, w, work.v)
            else:
                residual = grade_mixed(c, k0, k1, lam, w, work.v, scratch[4])
            if start:
                s[FIRST] = residual
            start = False
            note(residual, tolerance, moved, s, work, row0, row1, k0, k1)
            if s[SINCE] >= 50.0:
                # Stagnation: 50 plain sweeps from the best iterate, then momentum again.
                s[SINCE] = s[SQUARE] = 0.0
                s[PLAIN] = 1.0 - s[PLAIN]
                if s[PLAIN] > 0.0:
                    restore_best(c, k0, k1, n0, n1, work.best, lam, w)
                    s[PENDING] = 0.0
        if s[DONE] == 0.0:
            left += 1
    return left


@kernel
def siconos_measure(c, mu, b_norm, lam, w, v, scratch):
    """Siconos' relative error of isotropic contacts with three rows, see residuals.siconos_error; mu (B,)."""
    grade(c, 0, c.kind.size, lam, w, v, scratch)
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
def advance_relative(c, block_start, node_start, rounds, count, least, target, mu, b_norm, state, work, merit, scratch):
    """Rounds of `count` sweeps until Siconos' relative error is at most `target`; returns the least error.

    least: the error of work.best, inf at the start; work.best gets the iterate with the least error;
    merit (rounds * count,).
    """
    if least == np.inf:
        least = siconos_measure(c, mu, b_norm, work.lam, work.w, work.v, scratch)
    anchor = least
    for k in range(rounds):
        if least <= target:
            break
        for i in range(block_start.size - 1):
            # Islands are not graded one by one here: none is better than this, and none is done.
            state[i, BEST] = 0.0
        advance(c, block_start, node_start, count, -1.0, 1 << 60, 0.0, state, work, merit[k * count :], scratch)
        error = siconos_measure(c, mu, b_norm, work.lam, work.w, work.v, scratch)
        if error < least:
            least = error
            for i in range(work.lam.size):
                work.best[i] = work.lam[i]
        if least < 0.9 * anchor:
            anchor = least
            for i in range(block_start.size - 1):
                state[i, SINCE] = 0.0
    return least
