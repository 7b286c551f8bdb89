"""Contacts that joints hold: of two bodies on a hinge that touch at its axis, of a ball joint's at its point, of pieces
that fixed joints hold to each other, also through others.

No impulse along such a normal changes the velocity there, as the joints take it back. What the contact is asked for, if
only by what bodies turn in a step, would take forces without bound. So it is as soft as the bodies would be without the
joints; within a cluster that nothing can move against itself it is asked for nothing.
"""

import numpy as np

from ...base.refusal import LARGEST
from ...jit import inner, kernel
from ...problems.island_kernels import find_root, join
from ...problems.problem_kernels import rows_of_blocks
from .direct_kernels import fill_delassus
from .jointed_kernels import BILATERAL, ELEMENT

# A contact is held where the joints between its bodies leave less than this part of how its normal gives way: nearer to
# a hinge than a thousandth of the bodies' size.
TIED = 1e-6


@inner
def clusters(p, joints):
    """Numbers, by the first unknown of each body, that bodies share which the last `joints` blocks of Arrays, each with
    six rows, hold to each other; the last number is that of what such blocks hold to what does not move freely."""
    first, most = p.kind.size - joints, 0
    for s in range(p.J.indptr[p.kind.size]):
        most = max(most, p.J.start[s] + 1)
    label = np.arange(most + 1)
    for k in range(first, p.kind.size):
        holds = p.kind[k] == BILATERAL or p.kind[k] == ELEMENT
        if not holds or p.compliance_offset[k] >= 0 or p.row_start[k + 1] - p.row_start[k] < 6:
            continue
        s, count = p.J.indptr[k], p.J.indptr[k + 1] - p.J.indptr[k]
        if count == 1 or count == 2:
            join(label, p.J.start[s], most if count == 1 else p.J.start[s + 1])
    for i in range(label.size):
        label[i] = find_root(label, i)
    return label


@inner
def within(p, k, label):
    """Whether the bodies of block k share their number; label: see clusters."""
    s, count = p.J.indptr[k], p.J.indptr[k + 1] - p.J.indptr[k]
    if count == 1:
        return label[p.J.start[s]] == label[label.size - 1]
    return count == 2 and label[p.J.start[s]] == label[p.J.start[s + 1]]


@inner
def blocks_between(p, a, b, ends):
    """Blocks (m,) of Arrays that hold without a law bodies a and b to each other; ends (n,2): the two bodies of each of
    the last blocks, those of joints."""
    first, used, held = p.kind.size - ends.shape[0], 0, np.empty(ends.shape[0], np.int64)
    for x in range(ends.shape[0]):
        holds = p.kind[first + x] == BILATERAL or p.kind[first + x] == ELEMENT
        if holds and min(ends[x, 0], ends[x, 1]) == min(a, b) and max(ends[x, 0], ends[x, 1]) == max(a, b):
            held[used] = first + x
            used += 1
    return held[:used]


@inner
def left_of_normal(p, k, held):
    """(what blocks `held` (m,) leave of the diagonal of the normal row of contact k, that diagonal)."""
    blocks = np.append(held, k)
    place, rows = rows_of_blocks(p.row_start, blocks)
    normal, A = place[held.size], np.zeros((rows.size, rows.size))
    fill_delassus(p, blocks, blocks, place, place, False, A)
    given = np.diag(A).copy()
    for i in range(normal):
        # A row that says what those before it do adds nothing.
        if A[i, i] <= 1e-10 * given[i]:
            continue
        for r in range(i + 1, normal + 1):
            part = A[r, i] / A[i, i]
            for c in range(i + 1, normal + 1):
                A[r, c] -= part * A[i, c]
    return A[normal, normal], given[normal]


@kernel
def softened(p, body_a, body_b, ends):
    """(compliance_offset (B,), compliance, b (K,)) of Arrays whose first blocks are contacts of bodies (C,) and whose
    others are those of joints between bodies (n,2), -1 for the world: contacts that such joints hold give way along
    their normal as the bodies would without them, so that what presses breaks them; those of two bodies within a
    cluster part and ask for nothing."""
    if body_a.size == 0:
        return p.compliance_offset, p.compliance, p.b
    offset, compliance, b, label = p.compliance_offset.copy(), p.compliance, p.b.copy(), clusters(p, ends.shape[0])
    for k in range(body_a.size):
        one, held = within(p, k, label), blocks_between(p, body_a[k], body_b[k], ends)
        if one and p.J.indptr[k + 1] - p.J.indptr[k] == 2:
            # It parts as fast as nothing moves.
            b[p.row_start[k]] = LARGEST
            continue
        if held.size == 0 and not one or p.compliance_offset[k] >= 0:
            continue
        left, diagonal = left_of_normal(p, k, held)
        if left > TIED * diagonal and not one:
            continue
        m = p.row_start[k + 1] - p.row_start[k]
        soft = np.zeros(m * m)
        soft[0] = diagonal
        offset[k] = compliance.size
        compliance = np.concatenate((compliance, soft))
    return offset, compliance, b
