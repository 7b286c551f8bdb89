"""Kernels on the arrays of a ContactProblem: products with J, with W J^T, and the diagonal blocks of A."""

from .jit import kernel


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
def apply_change(p, k, change, w):
    """Add W J_k^T change to w for a change of the impulses of block k [N s]."""
    m = p.row_start[k + 1] - p.row_start[k]
    G = p.G
    for s in range(G.indptr[k], G.indptr[k + 1]):
        start, size, offset = G.start[s], G.size[s], G.offset[s]
        for i in range(m):
            c = change[i]
            for j in range(size):
                w[start + j] += G.data[offset + i * size + j] * c


@kernel
def add_velocity_change(p, impulse, w):
    """Add W J^T impulse to w."""
    for k in range(p.kind.size):
        apply_change(p, k, impulse[p.row_start[k] : p.row_start[k + 1]], w)


@kernel
def row_velocity(p, impulse, w, v):
    """Velocities v = J w + C impulse + b of all rows [m/s]."""
    for k in range(p.kind.size):
        block_velocity(p, k, impulse, w, v[p.row_start[k] :])


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
                if p.G.start[g] != p.J.start[s]:
                    continue
                size = p.J.size[s]
                for i in range(m):
                    for j in range(m):
                        total = 0.0
                        for c in range(size):
                            total += p.J.data[p.J.offset[s] + i * size + c] * p.G.data[p.G.offset[g] + j * size + c]
                        data[first + i * m + j] += total
        c_offset = p.compliance_offset[k]
        if c_offset >= 0:
            for i in range(m * m):
                data[first + i] += p.compliance[c_offset + i]


@kernel
def sound(p):
    """True if every number of the problem is finite, friction is not negative and bounds are in order."""
    total = 0.0
    for array in (p.b, p.J.data, p.G.data, p.compliance):
        for i in range(array.size):
            total += 0.0 * array[i]
    for k in range(p.kind.size):
        for i in range(3):
            total += 0.0 * p.mu[k, i]
            if p.kind[k] == 0 and p.mu[k, i] < 0.0:
                return False
        if p.kind[k] == 3 and p.bounds[k, 0] > p.bounds[k, 1]:
            return False
    return total == 0.0
