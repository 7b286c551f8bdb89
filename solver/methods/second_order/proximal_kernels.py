"""Kernels of the second-order methods on Compact problems: laws and their derivatives, the Newton matrix.

For impulses r of the iteration before and step lengths rho, a proximal step solves in body space

    F(w) = w - J~^T P(r - rho (J~ w + b)) = 0

with P the proximal map of the laws: normal impulse first, then the friction set of that normal impulse, so
that the Coulomb coupling between the two is differentiated as well. Its Jacobian is I + J~^T K J~ with a small
matrix K = -dP/dv for each block: a sparse matrix of 6x6 blocks with the pattern of touching bodies.

Its unknowns are the changes dw from w = J~^T r, F = dw - J~^T (P(r - rho (v + J~ dw)) - r) with v = J~ w + b of that
start. Near the solution they are small, and so is their round-off, which rho enlarges.
"""

from math import sqrt

import numpy as np

from ...jit import inner, kernel
from ..compact.lanes import add_three, products_of_four, products_of_three, velocities_of_three
from .block_lanes import add_congruence_of_four, add_congruence_of_three, weighted_four, weighted_three


@kernel
def subtract_product(dual, lam, w):
    """w -= A lam for blocks without bodies, see local_body.Dual; w (n,6) holds the row velocities."""
    for k in range(dual.indptr.size - 1):
        for s in range(dual.indptr[k], dual.indptr[k + 1]):
            first = dual.first_row[dual.indices[s]]
            for j in range(dual.first_row[dual.indices[s] + 1] - first):
                x = lam[first + j]
                for i in range(6):
                    w[k, i] -= dual.A[s, 6 * i + j] * x


@kernel
def start_velocities(c, span, w, start):
    """start (R+1,): row velocities of a span at the body velocities w, without compliance [m/s]."""
    for q in range(span[0], span[1]):
        i = c.row[q]
        for e in range(c.row[q + 1] - i):
            start[i + e] = c.b[i + e] + row_product(c, q, e, w)


@kernel
def evaluate_plain(c, span, strength, work, dual):
    """work.F = dw - J~^T (lam - r) with lam the proximal impulses of plain contacts, r = work.base and dw = work.trial;
    work.lam and K.

    Returns (|F|^2, largest |lam - r| as a velocity [m/s]). With `dual` there are no bodies, see local_body.Dual, and
    F = dw - A (lam - r).
    """
    k0, k1, n0, n1 = span
    w, F = work.trial, work.F
    for i in range(n0, n1):
        for j in range(6):
            F[i, j] = w[i, j]
    mismatch = evaluate_three(c, k0, k1, strength, work, dual)
    return summed(F, work.change, n0, n1, dual), mismatch / strength


@inner
def evaluate_three(c, first, last, strength, work, dual):
    """What evaluate_plain does, for plain contacts first:last; returns the largest |lam - r| as a velocity, times the
    strength [m/s]."""
    base, w, lam, K, F, v, change = work.base, work.trial, work.lam, work.K, work.F, work.v, work.change
    mismatch = 0.0
    J, pack, node = c.J, c.pack, c.node
    for q in range(first, last):
        i = c.row[q]
        v0, v1, v2 = velocities_of_three(J, i, w, node[q, 0], node[q, 1], work.start, i)
        v[i], v[i + 1], v[i + 2] = v0, v1, v2
        rho_n, rho_y = strength * pack[q, 3], strength * pack[q, 4]
        normal = base[i] - rho_n * v0
        for j in range(9):
            K[q, j] = 0.0
        y1, y2 = 0.0, 0.0
        if normal > 0.0:
            K[q, 0] = rho_n
            y1, y2 = base[i + 1] - rho_y * v1, base[i + 2] - rho_y * v2
            length = sqrt(y1 * y1 + y2 * y2)
            if length <= normal:
                K[q, 4], K[q, 8] = rho_y, rho_y
            else:
                d1, d2 = y1 / length, y2 / length
                y1, y2 = normal * d1, normal * d2
                shrink = rho_y * normal / length
                K[q, 3], K[q, 6] = rho_n * d1, rho_n * d2
                K[q, 4], K[q, 8] = shrink * d2 * d2, shrink * d1 * d1
                K[q, 5] = K[q, 7] = -shrink * d1 * d2
        else:
            normal = 0.0
        lam[i], lam[i + 1], lam[i + 2] = normal, y1, y2
        d0, d1, d2 = normal - base[i], y1 - base[i + 1], y2 - base[i + 2]
        mismatch = max(mismatch, abs(d0) * pack[q, 7], sqrt(d1 * d1 + d2 * d2) * pack[q, 8])
        if dual is not None:
            change[i], change[i + 1], change[i + 2] = d0, d1, d2
            continue
        a, o = node[q, 0], node[q, 1]
        add_three(J, i, 0, (-d0, -d1, -d2), F, a)
        add_three(J, i, 6, (-d0, -d1, -d2), F, o)
    return mismatch


@inner
def summed(F, change, n0, n1, dual):
    """|F|^2 of nodes n0:n1, once A change is taken off where there are no bodies."""
    if dual is not None:
        subtract_product(dual, change, F)
    square = 0.0
    for i in range(n0, n1):
        for j in range(6):
            square += F[i, j] * F[i, j]
    return square


@kernel
def row_product(c, q, i, w):
    """(J~ w) of row i of block q [m/s]."""
    J, node, v = c.J[c.row[q] + i], c.node, 0.0
    for side in range(0, node.shape[1], 2):
        wa, wb = w[node[q, side]], w[node[q, side + 1]]
        for j in range(6):
            v += J[6 * side + j] * wa[j] + J[6 * side + 6 + j] * wb[j]
    return v


@inner
def add_row(c, q, i, change, w):
    """w += J~^T change of row i of block q."""
    J, node = c.J[c.row[q] + i], c.node
    for side in range(node.shape[1]):
        for j in range(6):
            w[node[q, side], j] += J[6 * side + j] * change


@kernel
def largest_velocity(c, span, F):
    """Largest |J~ F|, the velocity by which impulses and body velocities disagree [m/s]."""
    largest, J, row, node = 0.0, c.J, c.row, c.node
    for q in range(span[0], span[1]):
        i, m = row[q], row[q + 1] - row[q] if node.shape[1] == 2 else 0
        if m == 3:
            v0, v1, v2 = products_of_three(J, i, F, node[q, 0], node[q, 1])
            largest = max(largest, abs(v0), abs(v1), abs(v2))
        elif m == 4:
            v0, v1, v2, v3 = products_of_four(J, i, F, node[q, 0], node[q, 1])
            largest = max(largest, abs(v0), abs(v1), abs(v2), abs(v3))
        else:
            for e in range(row[q + 1] - i):
                largest = max(largest, abs(row_product(c, q, e, F)))
    return largest


@inner
def begin_with_unit(count, D, L, U):
    """The unit matrix of `count` nodes."""
    for i in range(L.shape[0]):
        for j in range(36):
            L[i, j] = U[i, j] = 0.0
    for i in range(count):
        for j in range(36):
            D[i, j] = 0.0
        for j in range(6):
            D[i, 7 * j] = 1.0


@kernel
def assemble(c, span, place, slot, K, D, L, U):
    """Blocks of I + J~^T K J~ in elimination order."""
    k0, k1, n0, n1 = span
    begin_with_unit(n1 - n0, D, L, U)
    T, J, width, sides = np.empty((6, c.J.shape[1])), c.J, K.shape[1], c.node.shape[1]
    for q in range(k0, k1):
        row, m = c.row[q], c.row[q + 1] - c.row[q]
        largest = 0.0
        for i in range(m * m):
            largest = max(largest, abs(K[q, i]))
        if largest == 0.0:
            continue
        if m == 3:
            for left in range(0, 6 * sides, 12):
                weighted_three(K, q * width, J, row, T, left)
        elif m == 4:
            for left in range(0, 6 * sides, 12):
                weighted_four(K, q * width, J, row, T, left)
        else:
            weigh(K[q], J, row, m, T)
        pairs = (q - k0) * (sides * (sides - 1) // 2)
        # The 6x6 parts of each pair of nodes, in the order of np.triu_indices.
        for x in range(sides):
            if c.node[q, x] >= n1:
                continue
            for y in range(sides):
                if c.node[q, y] >= n1:
                    continue
                first, second = place[c.node[q, x] - n0], place[c.node[q, y] - n0]
                target, index, low, high = D, first, min(x, y), max(x, y)
                if x != y:
                    index = slot[pairs + low * (2 * sides - low - 1) // 2 + high - low - 1]
                    target = U if first < second else L
                if m == 3:
                    add_congruence_of_three(target, index, J, row, 6 * x, T, 6 * y)
                elif m == 4:
                    add_congruence_of_four(target, index, J, row, 6 * x, T, 6 * y)
                else:
                    add_congruence(target[index], J, row, 6 * x, T, 6 * y, m)


@inner
def weigh(K, J, row, m, T):
    """T[:m] = K J[row:row + m] of a block of m rows."""
    for i in range(m):
        for j in range(T.shape[1]):
            total = 0.0
            for e in range(m):
                total += K[i * m + e] * J[row + e, j]
            T[i, j] = total


@inner
def add_congruence(C, J, row, left, T, right, m):
    """C (36,) += J[row:row + m, left:left + 6]^T T[:m, right:right + 6]."""
    for e in range(m):
        for i in range(6):
            x = J[row + e, left + i]
            for j in range(6):
                C[6 * i + j] += x * T[e, right + j]


@kernel
def assemble_dual(c, dual, place, K, D, L, U):
    """Blocks of I + A K in elimination order, for blocks without bodies."""
    begin_with_unit(D.shape[0], D, L, U)
    for k in range(dual.indptr.size - 1):
        for s in range(dual.indptr[k], dual.indptr[k + 1]):
            other = dual.indices[s]
            first, second = place[k], place[other]
            target, index = D, first
            if first < second:
                target, index = U, dual.slot[s]
            elif first > second:
                target, index = L, dual.slot[s]
            for q in range(dual.first_block[other], dual.first_block[other + 1]):
                offset, m = c.row[q] - dual.first_row[other], c.row[q + 1] - c.row[q]
                for i in range(6):
                    for j in range(m):
                        total = 0.0
                        for e in range(m):
                            total += dual.A[s, 6 * i + offset + e] * K[q, m * e + j]
                        target[index, 6 * i + offset + j] += total


@kernel
def body_velocity(c, span, lam, w, dual):
    """w = J~^T lam on the nodes of the span, or A lam for blocks without bodies."""
    k0, k1, n0, n1 = span
    for i in range(n0, n1):
        for j in range(6):
            w[i, j] = 0.0
    if dual is not None:
        subtract_product(dual, lam, w)
        for i in range(n0, n1):
            for j in range(6):
                w[i, j] = -w[i, j]
        return
    for q in range(k0, k1):
        for i in range(c.row[q + 1] - c.row[q]):
            add_row(c, q, i, lam[c.row[q] + i], w)
