"""Kernels on the arrays of a ContactProblem: products with J, with W J^T, and the diagonal blocks of A."""

from ..jit import inner, kernel


@kernel
def block_velocity(p, k, impulse, w, v):
    """Velocity v[:m] = (J w + C impulse + b) of block k [m/s]."""
    first = p.row_start[k]
    m = p.row_start[k + 1] - first
    for i in range(m):
        v[i] = p.b[first + i]
    J = p.J
    for s in range(J.indptr[k], J.indptr[k + 1]):
        start, size, offset = J.start[s], J.size[s], J.offset[s]
        for i in range(m):
            total = 0.0
            for j in range(size):
                total += J.data[offset + i * size + j] * w[start + j]
            v[i] += total
    offset = p.compliance_offset[k]
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


@inner
def three_velocities(starts, offsets, sizes, d, begin, end, v0, v1, v2, w):
    """Velocities J w of three rows without compliance, added to v0, v1 and v2: the same sums as block_velocity's
    without loops take a third of the time. J: segments begin:end of start, offset, size and data of a BlockRows."""
    for s in range(begin, end):
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
def row_velocity(p, impulse, w, v):
    """Velocities v = J w + C impulse + b of all rows [m/s]."""
    J, b = p.J, p.b
    for k in range(p.kind.size):
        first = p.row_start[k]
        if p.row_start[k + 1] - first != 3 or p.compliance_offset[k] >= 0:
            block_velocity(p, k, impulse, w, v[first:])
            continue
        v[first], v[first + 1], v[first + 2] = three_velocities(
            J.start, J.offset, J.size, J.data, J.indptr[k], J.indptr[k + 1], b[first], b[first + 1], b[first + 2], w
        )


@inner
def add_three(J, G, e, g, data, first):
    """Add J G^T of three rows with six components each, from entries e and g on, to data[first : first + 9]."""
    for i in range(3):
        a, at = e + 6 * i, first + 3 * i
        c0, c1, c2, c3, c4, c5 = J[a], J[a + 1], J[a + 2], J[a + 3], J[a + 4], J[a + 5]
        for j in range(3):
            b = g + 6 * j
            data[at + j] += (
                c0 * G[b] + c1 * G[b + 1] + c2 * G[b + 2] + c3 * G[b + 3] + c4 * G[b + 4] + c5 * G[b + 5]
            )


@kernel
def diagonal_blocks(p, offset, data):
    """Diagonal blocks A_kk = J_k W J_k^T + C_k, m x m row by row from offset[k] [1/kg]."""
    for k in range(p.kind.size):
        m = p.row_start[k + 1] - p.row_start[k]
        first = offset[k]
        for i in range(m * m):
            data[first + i] = 0.0
        for s in range(p.J.indptr[k], p.J.indptr[k + 1]):
            for g in range(p.G.indptr[k], p.G.indptr[k + 1]):
                # A segment of G may hold those of several nodes of a deformable body.
                size, width, shift = p.J.size[s], p.G.size[g], p.J.start[s] - p.G.start[g]
                if shift < 0 or shift + size > width:
                    continue
                if m == 3 and width == 6 and size == 6:
                    # A contact and a rigid body: the same sums without loops.
                    add_three(p.J.data, p.G.data, p.J.offset[s], p.G.offset[g], data, first)
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
