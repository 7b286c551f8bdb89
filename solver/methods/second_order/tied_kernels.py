"""Contacts that a joint holds: of two bodies on a hinge that touch at its axis, of a ball joint's at its point.

No impulse along such a normal changes the velocity there, as the joint takes it back. What the contact is asked for, if
only by what bodies turn in a step, would take forces without bound, so it is as soft as the bodies would be without the
joint.
"""

import numpy as np

from ...jit import inner, kernel
from .jointed_kernels import BILATERAL, ELEMENT

# A contact is held where the joints between its bodies leave less than this part of how its normal gives way: nearer to
# a hinge than a thousandth of the bodies' size.
TIED = 1e-6


@inner
def rows_between(p, a, b, ends):
    """Blocks and rows (m,2) of Arrays that hold without a law bodies a and b to each other; ends (n,2): the two bodies
    of each of the last blocks, those of joints."""
    first, used = p.kind.size - ends.shape[0], 0
    held = np.empty((p.row_start[p.kind.size] - p.row_start[first], 2), np.int64)
    for x in range(ends.shape[0]):
        holds = p.kind[first + x] == BILATERAL or p.kind[first + x] == ELEMENT
        if holds and min(ends[x, 0], ends[x, 1]) == min(a, b) and max(ends[x, 0], ends[x, 1]) == max(a, b):
            for r in range(p.row_start[first + x + 1] - p.row_start[first + x]):
                held[used, 0], held[used, 1] = first + x, r
                used += 1
    return held[:used]


@inner
def row_product(J, k, i, G, x, j):
    """Row i of block k of J times row j of block x of G, blocks of the same bodies."""
    total = 0.0
    for s in range(J.indptr[k], J.indptr[k + 1]):
        for q in range(G.indptr[x], G.indptr[x + 1]):
            if J.start[s] == G.start[q]:
                for e in range(J.size[s]):
                    total += J.data[J.offset[s] + i * J.size[s] + e] * G.data[G.offset[q] + j * G.size[q] + e]
    return total


@inner
def left_of_normal(p, k, held):
    """(what rows `held` (m,2), of block and row, leave of the diagonal of the normal row of contact k, diagonal)."""
    m, diagonal = held.shape[0], row_product(p.J, k, 0, p.G, k, 0)
    L, y, left = np.zeros((m, m)), np.zeros(m), diagonal
    for i in range(m):
        x, r = held[i]
        y[i] = row_product(p.J, x, r, p.G, k, 0)
        for j in range(i + 1):
            L[i, j] = row_product(p.J, x, r, p.G, held[j, 0], held[j, 1])
            for c in range(j):
                L[i, j] -= L[i, c] * L[j, c]
            if j < i:
                L[i, j] = L[i, j] / L[j, j] if L[j, j] > 0.0 else 0.0
                y[i] -= L[i, j] * y[j]
        # A row that says what those before it do adds nothing.
        own = row_product(p.J, x, r, p.G, x, r)
        L[i, i] = np.sqrt(L[i, i]) if L[i, i] > 1e-10 * own else 0.0
        y[i] = y[i] / L[i, i] if L[i, i] > 0.0 else 0.0
        left -= y[i] * y[i]
    return left, diagonal


@kernel
def softened(p, body_a, body_b, ends):
    """(compliance_offset (B,), compliance) of Arrays whose first blocks are contacts of bodies (C,) and whose others
    are those of joints between bodies (n,2), -1 for the world: contacts that such a joint holds give way along their
    normal as the bodies would without it."""
    offset, compliance = p.compliance_offset.copy(), p.compliance
    for k in range(body_a.size):
        held = rows_between(p, body_a[k], body_b[k], ends)
        if held.shape[0] == 0 or p.compliance_offset[k] >= 0:
            continue
        left, diagonal = left_of_normal(p, k, held)
        if left > TIED * diagonal:
            continue
        m = p.row_start[k + 1] - p.row_start[k]
        soft = np.zeros(m * m)
        soft[0] = diagonal
        offset[k] = compliance.size
        compliance = np.concatenate((compliance, soft))
    return offset, compliance
