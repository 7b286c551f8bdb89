"""Sweeps with momentum on contacts that are given by their Delassus matrix only (no bodies).

Velocities are gathered from the impulses of the neighbours: v_k = b_k + sum_j A_kj lambda_j, so no body
velocities are carried along. Friction rows are scaled as everywhere, lambda_F = D y; A need not be symmetric.

The changing arrays are the rows of one array `work` (5,3n), see LAM to V.
"""

from math import sqrt

import numpy as np

from ...jit import inner, kernel
from ...problems.residual_kernels import friction_step, sliding_scale
from ..compact.accelerated_kernels import BEST, FIRST, JUMP, SINCE, SWEEPS, change_over, momentum, note, stagnates
from ..compact.columns import (
    A_NN,
    A_SN,
    A_TN,
    B_N,
    EIGENVALUE,
    JUDGE,
    LARGEST,
    R_N,
    R_Y,
    STEP_FRICTION,
    STEP_JUDGE,
    STEP_NORMAL,
)
from ..compact.compact_kernels import extrapolate_rows
from ..compact.part_sweep_kernels import Work
from ..sweep_kernels import COUPLED_WITH_MOMENTUM, normal_step

# Rows of `work`: scaled impulses, those with the least residual, last jump, last change, velocities.
LAM, BEST_LAM, P, STEP, V = range(5)
# Forms of a problem: no contacts of three rows with the disk law; such with J = identity; such with other rows.
OTHER, OWN_ROWS, CONTACTS = range(3)


@kernel
def gather(d, q, lam):
    """Scaled velocities of contact q [m/s]."""
    v0, v1, v2 = d.pack[q, 0], d.pack[q, 1], d.pack[q, 2]
    for s in range(d.indptr[q], d.indptr[q + 1]):
        i = 3 * d.indices[s]
        x0, x1, x2 = lam[i], lam[i + 1], lam[i + 2]
        v0 += d.A[s, 0] * x0 + d.A[s, 1] * x1 + d.A[s, 2] * x2
        v1 += d.A[s, 3] * x0 + d.A[s, 4] * x1 + d.A[s, 5] * x2
        v2 += d.A[s, 6] * x0 + d.A[s, 7] * x1 + d.A[s, 8] * x2
    return v0, v1, v2


@inner
def proximal(pack, step, lam, v, coupled):
    """Proximal step of a contact with these numbers, impulses lam and velocities v, `step` long in the normal; coupled
    1 lets friction see the new normal impulse."""
    new = max(0.0, lam[0] - step * v[0])
    jump = coupled * (new - lam[0])
    y1 = lam[1] - pack[R_Y] * (v[1] + pack[A_SN] * jump)
    y2 = lam[2] - pack[R_Y] * (v[2] + pack[A_TN] * jump)
    radius = new if coupled > 0.0 else max(0.0, lam[0])
    length = y1 * y1 + y2 * y2
    if length > radius * radius:
        scale = radius / sqrt(length)
        y1 *= scale
        y2 *= scale
    return new, y1, y2


@kernel
def sweep(d, lam, p, step):
    """One Gauss-Seidel sweep; step gets all changes. Returns (largest change [m/s], squared scaled change, its product
    with the last jump p)."""
    largest, square, along = 0.0, 0.0, 0.0
    for q in range(d.indptr.size - 1):
        i, pack = 3 * q, d.pack[q]
        before = lam[i], lam[i + 1], lam[i + 2]
        new, y1, y2 = proximal(pack, pack[R_N], before, gather(d, q, lam), 1.0)
        d0, d1, d2 = new - before[0], y1 - before[1], y2 - before[2]
        lam[i], lam[i + 1], lam[i + 2] = new, y1, y2
        step[i], step[i + 1], step[i + 2] = d0, d1, d2
        slip = d1 * d1 + d2 * d2
        largest = max(largest, abs(d0) * pack[A_NN], sqrt(slip) * pack[JUDGE])
        square += d0 * d0 * pack[A_NN] + slip * pack[LARGEST]
        along += d0 * p[i] * pack[A_NN] + (d1 * p[i + 1] + d2 * p[i + 2]) * pack[LARGEST]
    return largest, square, along


@kernel
def grade(d, lam, v):
    """The judge's natural map, largest over contacts [m/s]; v gets all scaled velocities."""
    worst = 0.0
    for q in range(d.indptr.size - 1):
        i, pack = 3 * q, d.pack[q]
        own, now = gather(d, q, lam), (lam[i], lam[i + 1], lam[i + 2])
        v[i], v[i + 1], v[i + 2] = own
        if pack[A_NN] == 0.0:
            worst = max(worst, -own[0])
            continue
        new, y1, y2 = proximal(pack, 1.0 / pack[A_NN], now, own, 0.0)
        slip = sqrt((y1 - now[1]) ** 2 + (y2 - now[2]) ** 2)
        if not abs(new) + slip < np.inf:
            return np.inf
        worst = max(worst, abs(new - now[0]) * pack[A_NN], slip * pack[JUDGE])
    return worst


@kernel
def rows_of_work(work):
    """The Work of contacts without bodies."""
    none = work[:0]
    return Work(work[LAM], none, work[BEST_LAM], work[P], none, work[STEP], none, work[V])


@kernel
def advance(d, count, tolerance, check_every, state, work, merit):
    """Run up to `count` sweeps until the residual is at most `tolerance` [m/s]; returns (sweeps done, least one)."""
    t = rows_of_work(work)
    lam, size, i, start = t.lam, t.lam.size, 0, state[SWEEPS] == 0.0
    if start:
        state[BEST] = 1e300
    while True:
        if not start:
            if i == count or state[BEST] <= tolerance:
                break
            if state[JUMP] != 0.0:
                extrapolate_rows(state[JUMP], 0, size, t.step, lam, t.p)
            moved, square, along = sweep(d, lam, t.p, t.step)
            state[JUMP] = momentum(state, square, along)
            merit[i] = moved
            i += 1
            state[SWEEPS] += 1.0
            state[SINCE] += 1.0
            if moved > tolerance and not stagnates(state) and state[SWEEPS] % check_every != 0.0:
                continue
        residual = grade(d, lam, t.v)
        if start:
            state[FIRST] = residual
        start = False
        note(residual, state, t, 0, size)
        change_over(state)
    return i, state[BEST]


@kernel
def load(d, impulse, work):
    """Scaled impulses and the best ones of `work` from impulses (3n,)."""
    for k in range(impulse.size):
        work[LAM, k] = work[BEST_LAM, k] = impulse[k] / d.scale[k] if d.scale[k] > 0.0 else 0.0


@kernel
def form(p, dof_count):
    """Which of the forms above the Arrays p are."""
    own = p.J.start.size == p.kind.size and dof_count == 3 * p.kind.size and p.J.data.size == 9 * p.kind.size
    for k in range(p.kind.size):
        contact = p.kind[k] == 0 and p.law[k] == 0 and p.compliance_offset[k] < 0
        if not contact or p.row_start[k + 1] - p.row_start[k] != 3:
            return OTHER
    for k in range(p.kind.size if own else 0):
        own = own and p.J.indptr[k] == k and p.J.start[k] == 3 * k and p.J.size[k] == 3 and p.J.offset[k] == 9 * k
        for i in range(9):
            own = own and p.J.data[9 * k + i] == (1.0 if i % 4 == 0 else 0.0)
    for s in range(p.G.start.size if own else 0):
        own = own and p.G.size[s] == 3 and p.G.start[s] % 3 == 0
    return OWN_ROWS if own else CONTACTS


@kernel
def gather_blocks(G, indptr, indices, A):
    """indptr (n+1,) zeros, indices (s,) and blocks A (s,9) of A by rows, sorted by column, from G = A^T."""
    count = indptr.size - 1
    for s in range(G.start.size):
        indptr[G.start[s] // 3 + 1] += 1
    place = np.empty(count, dtype=np.int64)
    for i in range(count):
        place[i] = indptr[i]
        indptr[i + 1] += indptr[i]
    for k in range(count):
        for s in range(G.indptr[k], G.indptr[k + 1]):
            row = G.start[s] // 3
            t = place[row]
            place[row] += 1
            indices[t] = k
            for i in range(3):
                for j in range(3):
                    A[t, 3 * i + j] = G.data[G.offset[s] + 3 * j + i]


@kernel
def fill(b, mu, indptr, indices, A, pack, scale):
    """Fill scale (3n,), the diagonal of D, and pack (n,PACKED), zeros at first, of DelassusRows; scale the blocks A."""
    one, diagonal = np.ones(3), np.zeros(9)
    for q in range(mu.shape[0]):
        scale[3 * q], scale[3 * q + 1], scale[3 * q + 2] = 1.0, mu[q, 0], mu[q, 1]
    for q in range(mu.shape[0]):
        for i in range(9):
            diagonal[i] = 0.0
        for s in range(indptr[q], indptr[q + 1]):
            k = indices[s]
            for i in range(9):
                A[s, i] *= scale[3 * q + i // 3] * scale[3 * k + i % 3]
            for i in range(9 if k == q else 0):
                diagonal[i] = A[s, i]
        eigenvalue = friction_step(0, diagonal, 3, one)
        for i in range(3):
            pack[q, B_N + i] = scale[3 * q + i] * b[3 * q + i]
        pack[q, R_N] = normal_step(0, diagonal, 3, one, COUPLED_WITH_MOMENTUM)
        pack[q, R_Y] = 1.0 / eigenvalue if eigenvalue > 0.0 else 0.0
        pack[q, A_NN] = diagonal[0]
        pack[q, JUDGE] = eigenvalue / sliding_scale(mu[q])
        pack[q, A_SN], pack[q, A_TN] = diagonal[3], diagonal[6]
        pack[q, LARGEST] = eigenvalue


@kernel
def pair_contacts(d, order, first):
    """Put contacts that meet the same others side by side, two a node: the less fill in a factorisation.

    order (n,) gets the contacts, first (n+1,) the place of the first one of each node. Returns the number of nodes.
    """
    count = d.indptr.size - 1
    degree = np.diff(d.indptr)
    taken, mark = np.zeros(count, dtype=np.int8), np.full(count, -1)
    used, nodes = 0, 0
    for q in np.argsort(degree, kind="mergesort"):
        if taken[q] != 0:
            continue
        taken[q] = 1
        for s in range(d.indptr[q], d.indptr[q + 1]):
            mark[d.indices[s]] = q
        partner, most = -1, 0.0
        for s in range(d.indptr[q], d.indptr[q + 1]):
            other = d.indices[s]
            if taken[other] != 0:
                continue
            common = 0
            for t in range(d.indptr[other], d.indptr[other + 1]):
                common += mark[d.indices[t]] == q
            share = common / (degree[q] + degree[other] - common)
            if share > most:
                partner, most = other, share
        first[nodes] = used
        nodes += 1
        order[used] = q
        used += 1
        if partner >= 0:
            taken[partner] = 1
            order[used] = partner
            used += 1
    first[nodes] = used
    return nodes


@kernel
def reorder(d, order, new):
    """Fill DelassusRows `new` with those of d, contact order[q] at place q."""
    count, used = order.size, 0
    place = np.empty(count, dtype=np.int64)
    for q in range(count):
        place[order[q]] = q
    new.indptr[0] = 0
    for q in range(count):
        k = order[q]
        for s in range(d.indptr[k], d.indptr[k + 1]):
            new.indices[used] = place[d.indices[s]]
            new.A[used] = d.A[s]
            used += 1
        new.indptr[q + 1] = used
        new.pack[q] = d.pack[k]
        for i in range(3):
            new.scale[3 * q + i] = d.scale[3 * k + i]


@kernel
def count_nodes(d, first, node, indptr):
    """node (n,) of each contact, and indptr (m+1,) of the 6x6 block rows; node k has contacts first[k]:first[k+1]."""
    nodes = indptr.size - 1
    for k in range(nodes):
        for q in range(first[k], first[k + 1]):
            node[q] = k
    visited = np.full(nodes, -1)
    indptr[0] = 0
    for k in range(nodes):
        count = 0
        for s in range(d.indptr[first[k]], d.indptr[first[k + 1]]):
            other = node[d.indices[s]]
            if visited[other] != k:
                visited[other] = k
                count += 1
        indptr[k + 1] = indptr[k] + count


@kernel
def fill_nodes(d, first, node, indptr, indices, A):
    """indices (s,) in order of meeting and blocks A (s,36), zeros at first, of the nodes of count_nodes."""
    at = np.full(indptr.size - 1, -1)
    for k in range(indptr.size - 1):
        used = indptr[k]
        for q in range(first[k], first[k + 1]):
            for s in range(d.indptr[q], d.indptr[q + 1]):
                other = node[d.indices[s]]
                if at[other] < indptr[k]:
                    at[other] = used
                    indices[used] = other
                    used += 1
                corner = 18 * (q - first[k]) + 3 * (d.indices[s] - first[other])
                for i in range(9):
                    A[at[other], corner + 6 * (i // 3) + i % 3] = d.A[s, i]


@kernel
def fill_contacts(d, first, node, none, c):
    """Compact rows c of contacts whose velocities are components of w; J and pack are zeros at first."""
    for q in range(node.size):
        c.node[q, 0], c.node[q, 1] = node[q], none
        c.pack[q] = d.pack[q]
        for i in range(3):
            c.J[3 * q + i, 3 * (q - first[node[q]]) + i] = 1.0
            c.b[3 * q + i] = d.pack[q, B_N + i]
        for i in range(9):
            c.diagonal[9 * q + i] = 0.0
        for s in range(d.indptr[q], d.indptr[q + 1]):
            for i in range(9 if d.indices[s] == q else 0):
                c.diagonal[9 * q + i] = d.A[s, i]
        c.r[q, STEP_NORMAL], c.r[q, STEP_FRICTION] = d.pack[q, R_N], d.pack[q, R_Y]
        c.r[q, STEP_JUDGE], c.r[q, EIGENVALUE] = d.pack[q, JUDGE], d.pack[q, LARGEST]
