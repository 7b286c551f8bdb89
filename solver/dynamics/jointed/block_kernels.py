"""Joints in a problem of contacts: their blocks behind those of the contacts, and what of them holds where poses alone
are moved."""

import numpy as np

from ...jit import inner, kernel
from ...methods.second_order.tied_kernels import softened
from ...problems.problem_kernels import Arrays, BlockRows
from ..step_kernels import rotation_matrices
from .function_kernels import segments_of
from .row_kernels import KINDS, JointRows, linearised, moving_body, wanted


@inner
def joined_rows(first, second):
    """BlockRows of the blocks of both, in turn."""
    count, more = first.indptr.size - 1, second.indptr.size - 1
    size, extra = first.start.size, second.start.size
    indptr = np.empty(count + more + 1, np.int64)
    start, width, offset = (np.empty(size + extra, np.int64), np.empty(size + extra, np.int64),
                            np.empty(size + extra, np.int64))  # fmt: skip
    for k in range(count + 1):
        indptr[k] = first.indptr[k]
    for k in range(more + 1):
        indptr[count + k] = first.indptr[count] + second.indptr[k]
    for s in range(size):
        start[s], width[s], offset[s] = first.start[s], first.size[s], first.offset[s]
    for s in range(extra):
        start[size + s], width[size + s] = second.start[s], second.size[s]
        offset[size + s] = first.data.size + second.offset[s]
    return BlockRows(indptr, start, width, offset, np.concatenate((first.data, second.data)))


@inner
def ends_of(t, blocks):
    """The two bodies (n,2) that the joints of blocks (n,) hold, -1 for the world."""
    ends = np.empty((blocks.size, 2), np.int64)
    for x in range(blocks.size):
        for i in range(2):
            ends[x, i] = t.ends[t.blocks.joint[blocks[x]], i]
    return ends


@inner
def with_blocks(t, p, contacts, joined, b):
    """The Arrays `p` of contacts with the blocks of JointRows behind them, which have b (k,); contacts that a joint of
    both bodies holds are as soft as these are without it, see tied_kernels.py."""
    count, more, rows = p.kind.size, joined.kind.size, p.row_start[p.kind.size]
    kind, law, mu = np.empty(count + more, np.int64), np.zeros(count + more, np.int64), np.zeros((count + more, 3))
    row_start, offset = np.empty(count + more + 1, np.int64), np.empty(count + more, np.int64)
    bounds = np.concatenate((p.bounds, joined.bounds))
    for k in range(count):
        kind[k], law[k], offset[k], row_start[k] = p.kind[k], p.law[k], p.compliance_offset[k], p.row_start[k]
        for i in range(3):
            mu[k, i] = p.mu[k, i]
    for x in range(more):
        kind[count + x], own = joined.kind[x], joined.compliance_offset[x]
        offset[count + x] = own + p.compliance.size if own >= 0 else -1
    for x in range(more + 1):
        row_start[count + x] = rows + joined.row_start[x]
    J, G, b = joined_rows(p.J, joined.J), joined_rows(p.G, joined.G), np.concatenate((p.b, b))
    hard = Arrays(kind, row_start, J, G, b, law, mu, bounds, offset, np.concatenate((p.compliance, joined.compliance)),
                  p.sides)  # fmt: skip
    offset, compliance, b = softened(hard, contacts.body_a, contacts.body_b, ends_of(t, joined.blocks))
    return Arrays(kind, row_start, J, G, b, law, mu, bounds, offset, compliance, p.sides)


@kernel
def acts_anew(t, joined, label):
    """Blocks (B,) bool of islands, label (B,), to solve again once their first answer is known: rows of their joints
    turn until the end of the step, or have friction by their loads. JointRows are those of the last blocks."""
    first, found = label.size - joined.blocks.size, np.empty(label.size, np.bool_)
    island = np.zeros(label.max() + 1, np.bool_)
    for x in range(joined.blocks.size):
        for i in range(joined.row_start[x], joined.row_start[x + 1]):
            island[label[first + x]] |= joined.stiff[i] or t.rows.grip[joined.rows[i]] != 0.0
    for k in range(label.size):
        found[k] = island[label[k]]
    return found


@inner
def rows_to_close(t, bodies, broken, before, poses, moves):
    """The JointRows of what is closed by positions and holds bodies of `moves` (R,) bool, at poses (R,3), (R,4): held
    rows without compliance and limits; b (k,) [m] is how far they are open. broken (J,); before (F,): values a moment
    ago."""
    (position, orientation), R = poses, np.empty((moves.size, 3, 3))
    rotation_matrices(orientation, R)
    value, derivative, g = linearised(t, before, position, R)
    still, used = np.zeros(g.size), 0
    blocks = wanted(t, broken, g, still, still, 0.0)
    for q in blocks:
        if t.closable[q] and moves[moving_body(t, bodies.inverse_mass, q)]:
            blocks[used] = q
            used += 1
    blocks = blocks[:used].copy()
    row_start, J, G = segments_of(t, blocks, bodies, R, derivative)
    size = row_start[used]
    rows, own, kind, b = np.empty(size, np.int64), np.empty(used, np.int64), np.empty(used, np.int64), np.empty(size)
    for x in range(used):
        first = t.blocks.row_start[blocks[x]]
        own[x], kind[x] = moving_body(t, bodies.inverse_mass, blocks[x]), KINDS[t.rows.role[first]]
        for i in range(row_start[x], row_start[x + 1]):
            rows[i] = first + i - row_start[x]
            b[i] = g[rows[i]]
    return JointRows(value, derivative, g, blocks, rows, own, kind, row_start, J, G, b, np.full(used, -1), np.zeros(0),
                     np.zeros((used, 2)), np.ones(size, np.bool_), np.zeros(used), R)  # fmt: skip
