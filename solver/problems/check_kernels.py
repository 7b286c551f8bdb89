"""Kernels that look for faults in the arrays of a contact problem."""

from ..jit import inner, kernel

ORDER, START, SIZE, OFFSET = 1, 2, 3, 4


@kernel
def row_fault(rows, row_start, dof_count):
    """(fault, where, value) of the first wrong whole number of a BlockRows; fault 0 if there is none.

    rows: BlockRows whose arrays have lengths that fit; row_start (B+1,); dof_count: number of velocity components.
    """
    segments = rows.start.size
    if rows.indptr[0] != 0:
        return ORDER, 0, rows.indptr[0]
    for k in range(rows.indptr.size - 1):
        if rows.indptr[k + 1] < rows.indptr[k] or rows.indptr[k + 1] > segments:
            return ORDER, k + 1, rows.indptr[k + 1]
        m = row_start[k + 1] - row_start[k]
        for s in range(rows.indptr[k], rows.indptr[k + 1]):
            start, size, offset = rows.start[s], rows.size[s], rows.offset[s]
            if size < 1 or size > dof_count:
                return SIZE, s, size
            if start < 0 or start > dof_count - size:
                return START, s, start
            if offset < 0 or offset > rows.data.size - m * size:
                return OFFSET, s, offset
    if rows.indptr[rows.indptr.size - 1] != segments:
        return ORDER, rows.indptr.size - 1, rows.indptr[rows.indptr.size - 1]
    return 0, 0, 0


@inner
def zero_times_sum(array):
    """0 if all numbers of an array are finite, else no number."""
    # Four sums: each addition waits for the one before it in its sum.
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    whole = array.size // 4 * 4
    for i in range(0, whole, 4):
        s0 += 0.0 * array[i]
        s1 += 0.0 * array[i + 1]
        s2 += 0.0 * array[i + 2]
        s3 += 0.0 * array[i + 3]
    for i in range(whole, array.size):
        s0 += 0.0 * array[i]
    return (s0 + s1) + (s2 + s3)


@kernel
def sound(p):
    """True if every number of the problem is finite, friction is not negative and bounds are in order."""
    total = 0.0
    for array in (p.b, p.J.data, p.G.data, p.compliance):
        total += zero_times_sum(array)
    for k in range(p.kind.size):
        for i in range(3):
            total += 0.0 * p.mu[k, i]
            if p.mu[k, i] < 0.0:
                return False
        if not p.bounds[k, 0] <= p.bounds[k, 1]:
            return False
    return total == 0.0
