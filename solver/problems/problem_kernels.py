"""Kernels on the arrays of a ContactProblem: products with J, with W J^T, the diagonal blocks of A, parts of it."""

from typing import NamedTuple

import numpy as np

from ..jit import inner, kernel


class BlockRows(NamedTuple):
    """Sparse rows stored as dense segments.

    Block k of m rows has the segments s in indptr[k]:indptr[k+1]; segment s covers the velocity components
    start[s]:start[s]+size[s], and its m x size numbers lie row by row in data from offset[s].
    """

    indptr: np.ndarray
    start: np.ndarray
    size: np.ndarray
    offset: np.ndarray
    data: np.ndarray


class Arrays(NamedTuple):
    """The arrays of a ContactProblem in the form kernels take them."""

    kind: np.ndarray
    row_start: np.ndarray
    J: BlockRows
    G: BlockRows
    b: np.ndarray
    law: np.ndarray
    mu: np.ndarray
    bounds: np.ndarray
    compliance_offset: np.ndarray
    compliance: np.ndarray
    sides: int


@kernel
def rows_of_blocks(row_start, blocks):
    """(place (n+1,), rows (k,)) of blocks (n,): where the rows of each begin among theirs, and their numbers."""
    place = np.zeros(blocks.size + 1, np.int64)
    for x in range(blocks.size):
        place[x + 1] = place[x] + row_start[blocks[x] + 1] - row_start[blocks[x]]
    rows = np.empty(place[blocks.size], np.int64)
    for x in range(blocks.size):
        for i in range(place[x + 1] - place[x]):
            rows[place[x] + i] = row_start[blocks[x]] + i
    return place, rows


@inner
def segments_of(rows, blocks):
    """BlockRows of some blocks; their numbers stay where they are."""
    # Segments belong to a block as its rows do.
    indptr, own = rows_of_blocks(rows.indptr, blocks)
    return BlockRows(indptr, rows.start[own], rows.size[own], rows.offset[own], rows.data)


@kernel
def restricted(p, blocks):
    """(the Arrays of blocks (n,), ascending, on the same velocity components, their rows (k,))."""
    place, rows = rows_of_blocks(p.row_start, blocks)
    J, G = segments_of(p.J, blocks), segments_of(p.G, blocks)
    return Arrays(p.kind[blocks], place, J, G, p.b[rows], p.law[blocks], p.mu[blocks], p.bounds[blocks],
                  p.compliance_offset[blocks], p.compliance, p.sides), rows  # fmt: skip


@inner
def three_velocities(J, k, b, first, w):
    """Velocities J w + b of block k, which has three rows from `first` on and no compliance: the same sums as
    block_velocity's without loops take a third of the time."""
    starts, offsets, sizes, d = J.start, J.offset, J.size, J.data
    v0, v1, v2 = b[first], b[first + 1], b[first + 2]
    for s in range(J.indptr[k], J.indptr[k + 1]):
        x, e, size = starts[s], offsets[s], sizes[s]
        if size == 6:
            w0, w1, w2, w3, w4, w5 = w[x], w[x + 1], w[x + 2], w[x + 3], w[x + 4], w[x + 5]
            v0 += d[e] * w0 + d[e + 1] * w1 + d[e + 2] * w2 + d[e + 3] * w3 + d[e + 4] * w4 + d[e + 5] * w5
            e += 6
            v1 += d[e] * w0 + d[e + 1] * w1 + d[e + 2] * w2 + d[e + 3] * w3 + d[e + 4] * w4 + d[e + 5] * w5
            e += 6
            v2 += d[e] * w0 + d[e + 1] * w1 + d[e + 2] * w2 + d[e + 3] * w3 + d[e + 4] * w4 + d[e + 5] * w5
            continue
        t0, t1, t2 = 0.0, 0.0, 0.0
        for j in range(size):
            t0 += d[e + j] * w[x + j]
            t1 += d[e + size + j] * w[x + j]
            t2 += d[e + 2 * size + j] * w[x + j]
        v0, v1, v2 = v0 + t0, v1 + t1, v2 + t2
    return v0, v1, v2


@kernel
def block_velocity(p, k, impulse, w, v):
    """Velocity v[:m] = (J w + C impulse + b) of block k [m/s]."""
    first = p.row_start[k]
    m, offset = p.row_start[k + 1] - first, p.compliance_offset[k]
    if m == 3 and offset < 0:
        v[0], v[1], v[2] = three_velocities(p.J, k, p.b, first, w)
        return
    for i in range(m):
        v[i] = p.b[first + i]
    J = p.J
    for s in range(J.indptr[k], J.indptr[k + 1]):
        start, size, at = J.start[s], J.size[s], J.offset[s]
        for i in range(m):
            total = 0.0
            for j in range(size):
                total += J.data[at + i * size + j] * w[start + j]
            v[i] += total
    if offset >= 0:
        for i in range(m):
            for j in range(m):
                v[i] += p.compliance[offset + i * m + j] * impulse[first + j]


@kernel
def add_segment(G, s, m, change, first, w):
    """Add segment s of G = W J^T times change[first : first + m] to w."""
    start, size, offset = G.start[s], G.size[s], G.offset[s]
    for i in range(m):
        c = change[first + i]
        for j in range(size):
            w[start + j] += G.data[offset + i * size + j] * c


@kernel
def apply_change(p, k, change, w):
    """Add W J_k^T change to w for a change of the impulses of block k [N s]."""
    m = p.row_start[k + 1] - p.row_start[k]
    for s in range(p.G.indptr[k], p.G.indptr[k + 1]):
        add_segment(p.G, s, m, change, 0, w)


@kernel
def add_velocity_change(p, impulse, w):
    """Add W J^T impulse to w."""
    G = p.G
    for k in range(p.kind.size):
        first = p.row_start[k]
        m = p.row_start[k + 1] - first
        for s in range(G.indptr[k], G.indptr[k + 1]):
            if m != 3 or G.size[s] != 6:
                add_segment(G, s, m, impulse, first, w)
                continue
            # A contact and a rigid body: the same sums without loops take a third of the time.
            x, e, d = G.start[s], G.offset[s], G.data
            c0, c1, c2 = impulse[first], impulse[first + 1], impulse[first + 2]
            w[x], w[x + 1], w[x + 2], w[x + 3], w[x + 4], w[x + 5] = (
                w[x] + d[e] * c0 + d[e + 6] * c1 + d[e + 12] * c2,
                w[x + 1] + d[e + 1] * c0 + d[e + 7] * c1 + d[e + 13] * c2,
                w[x + 2] + d[e + 2] * c0 + d[e + 8] * c1 + d[e + 14] * c2,
                w[x + 3] + d[e + 3] * c0 + d[e + 9] * c1 + d[e + 15] * c2,
                w[x + 4] + d[e + 4] * c0 + d[e + 10] * c1 + d[e + 16] * c2,
                w[x + 5] + d[e + 5] * c0 + d[e + 11] * c1 + d[e + 17] * c2,
            )


@kernel
def row_velocity(p, impulse, w, v):
    """Velocities v = J w + C impulse + b of all rows [m/s]."""
    J, b = p.J, p.b
    for k in range(p.kind.size):
        first = p.row_start[k]
        if p.row_start[k + 1] - first != 3 or p.compliance_offset[k] >= 0:
            block_velocity(p, k, impulse, w, v[first:])
            continue
        v[first], v[first + 1], v[first + 2] = three_velocities(J, k, b, first, w)


@inner
def add_six(J, G, e, g, m, data, first):
    """Add J G^T of m rows with six components each, from entries e and g on, to data[first : first + m m]."""
    for i in range(m):
        a, at = e + 6 * i, first + m * i
        c0, c1, c2, c3, c4, c5 = J[a], J[a + 1], J[a + 2], J[a + 3], J[a + 4], J[a + 5]
        for j in range(m):
            b = g + 6 * j
            data[at + j] += (
                c0 * G[b] + c1 * G[b + 1] + c2 * G[b + 2] + c3 * G[b + 3] + c4 * G[b + 4] + c5 * G[b + 5]
            )


@kernel
def diagonal_of(p):
    """(offsets (B+1,), numbers) of the diagonal blocks A_kk = J_k W J_k^T + C_k, m x m a block, row by row [1/kg]."""
    offset = np.zeros(p.kind.size + 1, np.int64)
    for k in range(p.kind.size):
        m = p.row_start[k + 1] - p.row_start[k]
        offset[k + 1] = offset[k] + m * m
    data = np.zeros(offset[p.kind.size])
    for k in range(p.kind.size):
        m = p.row_start[k + 1] - p.row_start[k]
        first = offset[k]
        for s in range(p.J.indptr[k], p.J.indptr[k + 1]):
            for g in range(p.G.indptr[k], p.G.indptr[k + 1]):
                # A segment of G may hold those of several nodes of a deformable body.
                size, width, shift = p.J.size[s], p.G.size[g], p.J.start[s] - p.G.start[g]
                if shift < 0 or shift + size > width:
                    continue
                if width == 6 and size == 6:
                    # A rigid body: the same sums without loops.
                    add_six(p.J.data, p.G.data, p.J.offset[s], p.G.offset[g], m, data, first)
                    continue
                for i in range(m):
                    for j in range(m):
                        total = 0.0
                        for c in range(size):
                            along = p.J.data[p.J.offset[s] + i * size + c]
                            total += along * p.G.data[p.G.offset[g] + j * width + shift + c]
                        data[first + i * m + j] += total
        c_offset = p.compliance_offset[k]
        if c_offset >= 0:
            for i in range(m * m):
                data[first + i] += p.compliance[c_offset + i]
    return offset, data
