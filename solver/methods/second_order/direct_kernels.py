"""Kernels for rows that are solved directly: dense parts of A = J W J^T + C between blocks."""

from ...jit import kernel


@kernel
def fill_delassus(p, left, right, at_left, at_right, own, A):
    """A between the blocks `left` (n,) and `right` (m,), whose rows begin at at_left and at_right; own: the two are the
    same, so that the compliance belongs to it."""
    for x in range(left.size):
        k = left[x]
        rows = p.row_start[k + 1] - p.row_start[k]
        for y in range(right.size):
            q = right[y]
            columns = p.row_start[q + 1] - p.row_start[q]
            for s in range(p.J.indptr[k], p.J.indptr[k + 1]):
                for t in range(p.G.indptr[q], p.G.indptr[q + 1]):
                    # A segment of G may hold those of several nodes of a deformable body.
                    size, width, shift = p.J.size[s], p.G.size[t], p.J.start[s] - p.G.start[t]
                    if shift < 0 or shift + size > width:
                        continue
                    for i in range(rows):
                        for j in range(columns):
                            total = 0.0
                            for e in range(size):
                                along = p.J.data[p.J.offset[s] + i * size + e]
                                total += along * p.G.data[p.G.offset[t] + j * width + shift + e]
                            A[at_left[x] + i, at_right[y] + j] += total
            if own and x == y and p.compliance_offset[k] >= 0:
                for i in range(rows):
                    for j in range(rows):
                        A[at_left[x] + i, at_right[y] + j] += p.compliance[p.compliance_offset[k] + i * rows + j]
