"""Sweeps over blocks of one form that are no plain contacts: torsion, joints, single rows between bounds.

Each is `sweep_plain` for its form, with the same meaning of all arguments; without `weight` the jump has been made.
"""

from math import sqrt

import numpy as np

from ...jit import kernel
from .columns import EIGENVALUE, STEP_FRICTION, STEP_JUDGE, STEP_NORMAL
from .compact_kernels import AT_BOUND, within
from .lanes import add_four, velocities_of_four


@kernel
def sweep_torsion(c, first, last, work, weight):
    """Contacts of four rows: the friction of slip and spin in one ball of the scaled impulses."""
    J, b, r, diagonal, place, node, row = c.J, c.b, c.r, c.diagonal, c.square, c.node, c.row
    lam, w, p, step = work.lam, work.w, work.p, work.step
    largest, square, along = 0.0, 0.0, 0.0
    none = w.shape[0] - 1
    for q in range(first, last):
        i = row[q]
        if weight != 0.0:
            for j in range(i, i + 4):
                p[j] = weight * (p[j] + step[j]) if weight > 0.0 else 0.0
                lam[j] += p[j]
        a, o, base = node[q, 0], node[q, 1], place[q]
        v0, v1, v2, v3 = velocities_of_four(J, i, w, a, o, b, i)
        before0, before1, before2, before3 = lam[i], lam[i + 1], lam[i + 2], lam[i + 3]
        new = max(0.0, before0 - r[q, STEP_NORMAL] * v0)
        d0 = new - before0
        r_y = r[q, STEP_FRICTION]
        y1 = before1 - r_y * (v1 + diagonal[base + 4] * d0)
        y2 = before2 - r_y * (v2 + diagonal[base + 8] * d0)
        y3 = before3 - r_y * (v3 + diagonal[base + 12] * d0)
        if r_y == 0.0:
            y1, y2, y3 = 0.0, 0.0, 0.0
        length = y1 * y1 + y2 * y2 + y3 * y3
        # See sweep_plain.
        if before1 * before1 + before2 * before2 + before3 * before3 >= AT_BOUND * (before0 * before0):
            scale = within(length, new)
            y1, y2, y3 = y1 * scale, y2 * scale, y3 * scale
        elif length > new * new:
            scale = new / sqrt(length)
            y1, y2, y3 = y1 * scale, y2 * scale, y3 * scale
        d1, d2, d3 = y1 - before1, y2 - before2, y3 - before3
        if a != none:
            add_four(J, i, 0, (d0, d1, d2, d3), w, a)
        if o != none:
            add_four(J, i, 6, (d0, d1, d2, d3), w, o)
        lam[i], lam[i + 1], lam[i + 2], lam[i + 3] = new, y1, y2, y3
        step[i], step[i + 1], step[i + 2], step[i + 3] = d0, d1, d2, d3
        slip = d1 * d1 + d2 * d2 + d3 * d3
        moved = max(abs(d0) * diagonal[base], sqrt(slip) * r[q, STEP_JUDGE])
        square += d0 * d0 * diagonal[base] + slip * r[q, EIGENVALUE]
        along += d0 * p[i] * diagonal[base] + (d1 * p[i + 1] + d2 * p[i + 2] + d3 * p[i + 3]) * r[q, EIGENVALUE]
        largest = max(largest, moved)
    return largest, square, along


@kernel
def grade_torsion(c, first, last, lam, w, v):
    """`grade_plain` for contacts of four rows."""
    J, b, r, diagonal, place, node, row, worst = c.J, c.b, c.r, c.diagonal, c.square, c.node, c.row, 0.0
    for q in range(first, last):
        i = row[q]
        v0, v1, v2, v3 = velocities_of_four(J, i, w, node[q, 0], node[q, 1], b, i)
        v[i], v[i + 1], v[i + 2], v[i + 3] = v0, v1, v2, v3
        weight, r_y = diagonal[place[q]], r[q, STEP_FRICTION]
        if weight == 0.0:
            worst = max(worst, -v0)
            continue
        normal = abs(lam[i] - max(0.0, lam[i] - v0 / weight)) * weight
        y1, y2, y3 = lam[i + 1] - r_y * v1, lam[i + 2] - r_y * v2, lam[i + 3] - r_y * v3
        scale = within(y1 * y1 + y2 * y2 + y3 * y3, max(0.0, lam[i]))
        slip = (lam[i + 1] - y1 * scale) ** 2 + (lam[i + 2] - y2 * scale) ** 2 + (lam[i + 3] - y3 * scale) ** 2
        slip = sqrt(slip) * r[q, STEP_JUDGE] if r_y > 0.0 else 0.0
        if not normal + slip < np.inf:
            return np.inf
        worst = max(worst, normal, slip)
    return worst


@kernel
def sweep_fixed(c, first, last, work, v):
    """Joints of up to twelve rows: v = 0 with compliance, solved at once by the inverse of the diagonal block;
    v (12,): memory."""
    J, b, diagonal, place, node, row_start = c.J, c.b, c.diagonal, c.square, c.node, c.row
    inverse, compliance, compliant, lam, w, p, step = (c.inverse, c.compliance, c.compliant, work.lam, work.w, work.p,
                                                       work.step)  # fmt: skip
    largest, square, along = 0.0, 0.0, 0.0
    none = w.shape[0] - 1
    for q in range(first, last):
        row, base = row_start[q], place[q]
        m = row_start[q + 1] - row
        a, o, moved = node[q, 0], node[q, 1], 0.0
        for k in range(m):
            i = row + k
            left, right = 0.0, 0.0
            for j in range(6):
                left += J[i, j] * w[a, j]
                right += J[i, 6 + j] * w[o, j]
            v[k] = b[i] + (left + right)
        if compliant[q] != 0:
            for k in range(m):
                for e in range(m):
                    v[k] += compliance[base + k * m + e] * lam[row + e]
        for k in range(m):
            moved = max(moved, abs(v[k]))
            i, d = row + k, 0.0
            for e in range(m):
                d -= inverse[base + k * m + e] * v[e]
            lam[i] += d
            step[i] = d
            square += d * d * diagonal[base + k * m + k]
            along += d * p[i] * diagonal[base + k * m + k]
            if a != none:
                for j in range(6):
                    w[a, j] += J[i, j] * d
            if o != none:
                for j in range(6):
                    w[o, j] += J[i, 6 + j] * d
        largest = max(largest, moved)
    return largest, square, along


@kernel
def sweep_bounded(c, first, last, work):
    """Single rows without compliance: limits (impulse from 0 up) and drives (between two bounds)."""
    J, b, r, diagonal, place, node, row = c.J, c.b, c.r, c.diagonal, c.square, c.node, c.row
    kind, bounds, lam, w, p, step = c.kind, c.bounds, work.lam, work.w, work.p, work.step
    largest, square, along = 0.0, 0.0, 0.0
    none = w.shape[0] - 1
    for q in range(first, last):
        i = row[q]
        a, o, v = node[q, 0], node[q, 1], b[i]
        for j in range(6):
            v += J[i, j] * w[a, j] + J[i, 6 + j] * w[o, j]
        lower, upper = (0.0, np.inf) if kind[q] == 2 else (bounds[q, 0], bounds[q, 1])
        weight = diagonal[place[q]]
        d = min(max(lam[i] - r[q, STEP_NORMAL] * v, lower), upper) - lam[i]
        lam[i] += d
        step[i] = d
        if a != none:
            for j in range(6):
                w[a, j] += J[i, j] * d
        if o != none:
            for j in range(6):
                w[o, j] += J[i, 6 + j] * d
        moved = abs(d) * weight
        square += d * d * weight
        along += d * p[i] * weight
        largest = max(largest, moved)
    return largest, square, along
