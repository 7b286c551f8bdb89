"""Kernels of the sparse Cholesky by fronts. No BLAS: its bits depend on the processor and on the number of threads.

A panel holds m columns of L one after another, each with m + k numbers: those of the supernode's own components, then
those below. Updates go four columns at a time, along the columns, so that the compiler makes vectors of them.
"""

from math import sqrt

import numpy as np

from ...jit import inner, kernel

# Numbers of a column that are updated before the next ones: they stay in the first cache.
TILE = 384


@inner
def _subtract4(p, j, c, out, at, shift, first, last):
    """Rows at and at + 1 of out, from column first - shift on, -= sum over columns j..j+3 of p[column, c or c + 1]
    p[column, first:last]."""
    a0, a1, a2, a3 = p[j, c], p[j + 1, c], p[j + 2, c], p[j + 3, c]
    b0, b1, b2, b3 = p[j, c + 1], p[j + 1, c + 1], p[j + 2, c + 1], p[j + 3, c + 1]
    p0, p1, p2, p3 = p[j, first:last], p[j + 1, first:last], p[j + 2, first:last], p[j + 3, first:last]
    x, y = out[at, first - shift : last - shift], out[at + 1, first - shift : last - shift]
    for i in range(last - first):
        q0, q1, q2, q3 = p0[i], p1[i], p2[i], p3[i]
        x[i] -= (a0 * q0 + a1 * q1) + (a2 * q2 + a3 * q3)
        y[i] -= (b0 * q0 + b1 * q1) + (b2 * q2 + b3 * q3)


@inner
def _subtract1(p, j, c, out, at, shift, first, last):
    a, pj, x = p[j, c], p[j, first:last], out[at, first - shift : last - shift]
    for i in range(last - first):
        x[i] -= a * pj[i]


@inner
def _subtract(p, j0, j1, out, shift, low, high, first, last):
    """out[c - shift, i - shift] -= sum over j0 <= j < j1 of p[j, c] p[j, i]; low <= c < high, i >= max(c, first).

    Numbers before the diagonal change, too: they are never read.
    """
    c = low
    while j1 - j0 == 4 and c + 1 < high:
        _subtract4(p, j0, c, out, c - shift, shift, max(c, first), last)
        c += 2
    while c < high:
        for j in range(j0, j1):
            _subtract1(p, j, c, out, c - shift, shift, max(c, first), last)
        c += 1


@inner
def factor_panel(p):
    """Cholesky of the first m rows of p (m, m + k) and the rows below; False if it is not positive definite."""
    m, height = p.shape
    for j0 in range(0, m, 4):
        j1 = min(j0 + 4, m)
        for j in range(j0, j1):
            for i in range(j0, j):
                _subtract1(p, i, j, p, j, 0, j, height)
            if not p[j, j] > 0.0:
                return False
            d, pj = 1.0 / sqrt(p[j, j]), p[j, j:]
            for i in range(height - j):
                pj[i] *= d
        for t0 in range(j1, height, TILE):
            t1 = min(t0 + TILE, height)
            _subtract(p, j0, j1, p, 0, j1, min(m, t1), t0, t1)
    return True


@inner
def _update(p, u):
    """u (k,k), upper triangle, -= L_below L_below^T."""
    m, height = p.shape
    for t0 in range(m, height, TILE):
        t1 = min(t0 + TILE, height)
        for j0 in range(0, m, 4):
            _subtract(p, j0, min(j0 + 4, m), u, m, m, t1, t0, t1)


@kernel
def scatter(places, blocks, scale, weight, fixed, L):
    """L = scale K + diag(weight) in the Places of L: K's blocks (s,3,3), weight (n,). Rows and columns of nodes
    that are `fixed` (n,) are those of the diagonal alone."""
    position, stride, rows, columns = places
    L[:] = 0.0
    for q in range(rows.size):
        r, c = rows[q], columns[q]
        at, step = position[q], stride[q]
        if not (fixed[r] or fixed[c]):
            for j in range(3):
                for i in range(3):
                    # A block on the diagonal: its upper triangle is not read.
                    if r != c or i >= j:
                        L[at + step * j + i] = scale * blocks[q, i, j]
        if r == c:
            for j in range(3):
                L[at + step * j + j] += weight[r]


@kernel
def factor(tree, L, place):
    """L in place of the matrix that `scatter` wrote; place (n,): work. False if it is not positive definite."""
    start, _, row_start, rows, panel_start, child_start, child = tree
    count = start.size - 1
    updates = [np.zeros((0, 0)) for _ in range(count)]
    for s in range(count):
        m, k = 3 * (start[s + 1] - start[s]), 3 * (row_start[s + 1] - row_start[s])
        p = L[panel_start[s] : panel_start[s + 1]].reshape(m, m + k)
        u = np.zeros((k, k))
        for i in range(start[s], start[s + 1]):
            place[i] = 3 * (i - start[s])
        for i in range(row_start[s], row_start[s + 1]):
            place[rows[i]] = m + 3 * (i - row_start[s])
        for c in range(child_start[s], child_start[s + 1]):
            below = child[c]
            first, last = row_start[below], row_start[below + 1]
            part = updates[below]
            for a in range(last - first):
                ra = place[rows[first + a]]
                for i in range(3):
                    row = part[3 * a + i]
                    out, shift = (p[ra + i], 0) if ra < m else (u[ra + i - m], m)
                    for j in range(i, 3):
                        out[ra + j - shift] += row[3 * a + j]
                    for b in range(a + 1, last - first):
                        rb = place[rows[first + b]] - shift
                        for j in range(3):
                            out[rb + j] += row[3 * b + j]
            updates[below] = np.zeros((0, 0))
        if not factor_panel(p):
            return False
        if k > 0:
            _update(p, u)
            updates[s] = u
    return True


@inner
def panel_of(tree, L, s):
    """(the panel (m,m + k) of supernode s, its first component, its rows below (k/3,))."""
    start, row_start = tree.start, tree.row_start
    m, k = 3 * (start[s + 1] - start[s]), 3 * (row_start[s + 1] - row_start[s])
    panel = L[tree.panel_start[s] : tree.panel_start[s + 1]].reshape(m, m + k)
    return panel, 3 * start[s], tree.rows[row_start[s] : row_start[s + 1]]


@inner
def _forward(p, y):
    """y (m + k,) -> L^-1 of its first m numbers, and what is left of those below."""
    m, height = p.shape
    for j0 in range(0, m, 4):
        j1 = min(j0 + 4, m)
        for j in range(j0, j1):
            y[j] /= p[j, j]
            for i in range(j + 1, j1):
                y[i] -= y[j] * p[j, i]
        if j1 - j0 == 4:
            p0, p1, p2, p3 = p[j0, j1:], p[j0 + 1, j1:], p[j0 + 2, j1:], p[j0 + 3, j1:]
            t0, t1, t2, t3, z = y[j0], y[j0 + 1], y[j0 + 2], y[j0 + 3], y[j1:]
            for i in range(height - j1):
                z[i] -= (t0 * p0[i] + t1 * p1[i]) + (t2 * p2[i] + t3 * p3[i])
        else:
            for j in range(j0, j1):
                t, pj, z = y[j], p[j, j1:], y[j1:]
                for i in range(height - j1):
                    z[i] -= t * pj[i]


@inner
def _backward(p, y):
    """y (m + k,) -> L^-T of its first m numbers, those below given."""
    m, height = p.shape
    for j in range(m - 1, -1, -1):
        pj = p[j]
        # Eight sums side by side: one alone waits for itself.
        a, b, c, d, e, f, g, h = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        i = j + 1
        while i + 7 < height:
            a += pj[i] * y[i]
            b += pj[i + 1] * y[i + 1]
            c += pj[i + 2] * y[i + 2]
            d += pj[i + 3] * y[i + 3]
            e += pj[i + 4] * y[i + 4]
            f += pj[i + 5] * y[i + 5]
            g += pj[i + 6] * y[i + 6]
            h += pj[i + 7] * y[i + 7]
            i += 8
        while i < height:
            a += pj[i] * y[i]
            i += 1
        y[j] = (y[j] - (((a + e) + (b + f)) + ((c + g) + (d + h)))) / pj[j]


@kernel
def solve(tree, order, L, right, result):
    """result (n,3) = A^-1 right (n,3)."""
    count, n = tree.start.size - 1, order.size
    x, y = np.empty((n, 3)), np.empty((n, 3))
    for i in range(n):
        for j in range(3):
            x[i, j] = right[order[i], j]
    for s in range(count):
        p, o, rows = panel_of(tree, L, s)
        gather(x, y, o // 3, p.shape[0] // 3, rows)
        _forward(p, y.reshape(-1)[: p.shape[1]])
        put_back(x, y, o // 3, p.shape[0] // 3, rows)
    for s in range(count - 1, -1, -1):
        p, o, rows = panel_of(tree, L, s)
        gather(x, y, o // 3, p.shape[0] // 3, rows)
        _backward(p, y.reshape(-1)[: p.shape[1]])
        put_back(x, y, o // 3, p.shape[0] // 3, rows[:0])
    for i in range(n):
        for j in range(3):
            result[order[i], j] = x[i, j]


@inner
def gather(x, y, first, count, rows):
    """The first rows of y get rows first.. (count of them) and `rows` of x."""
    for i in range(count):
        for j in range(x.shape[1]):
            y[i, j] = x[first + i, j]
    for i in range(rows.size):
        for j in range(x.shape[1]):
            y[count + i, j] = x[rows[i], j]


@inner
def put_back(x, y, first, count, rows):
    """The transposed of gather."""
    for i in range(count):
        for j in range(x.shape[1]):
            x[first + i, j] = y[i, j]
    for i in range(rows.size):
        for j in range(x.shape[1]):
            x[rows[i], j] = y[count + i, j]


@inner
def _eliminate(p, z):
    """z (m + k, r) -> L^-1 of its first m rows, and what is left of those below."""
    m, height = p.shape
    r = z.shape[1]
    for j0 in range(0, m, 4):
        j1 = min(j0 + 4, m)
        for j in range(j0, j1):
            zj, inverse = z[j], 1.0 / p[j, j]
            for c in range(r):
                zj[c] *= inverse
            for i in range(j + 1, j1):
                a, zi = p[j, i], z[i]
                for c in range(r):
                    zi[c] -= a * zj[c]
        if j1 - j0 == 4:
            z0, z1, z2, z3 = z[j0], z[j0 + 1], z[j0 + 2], z[j0 + 3]
            for i in range(j1, height):
                a0, a1, a2, a3 = p[j0, i], p[j0 + 1, i], p[j0 + 2, i], p[j0 + 3, i]
                zi = z[i]
                for c in range(r):
                    zi[c] -= a0 * z0[c] + a1 * z1[c] + a2 * z2[c] + a3 * z3[c]
        else:
            for i in range(j1, height):
                zi = z[i]
                for j in range(j0, j1):
                    a, zj = p[j, i], z[j]
                    for c in range(r):
                        zi[c] -= a * zj[c]


@inner
def _add_square(z, m, first, W):
    """Upper triangle of W[first:, first:] += z[:m]^T z[:m]."""
    r = z.shape[1]
    for j0 in range(0, m, 4):
        j1 = min(j0 + 4, m)
        for a in range(r):
            out = W[first + a]
            if j1 - j0 == 4:
                a0, a1, a2, a3 = z[j0, a], z[j0 + 1, a], z[j0 + 2, a], z[j0 + 3, a]
                z0, z1, z2, z3 = z[j0], z[j0 + 1], z[j0 + 2], z[j0 + 3]
                for b in range(a, r):
                    out[first + b] += a0 * z0[b] + a1 * z1[b] + a2 * z2[b] + a3 * z3[b]
            else:
                for j in range(j0, j1):
                    f, zj = z[j, a], z[j]
                    for b in range(a, r):
                        out[first + b] += f * zj[b]


@kernel
def condensed(tree, L, places, place, W):
    """W (3r,3r): the blocks of A^-1 of the nodes at `places` (r,), ascending.

    W = Y^T Y with L Y = their columns of 1. Of these columns a supernode meets those of the nodes below it alone, which
    stand together; what has none of them below it is passed over. place (n,): work.
    """
    start, first_below, row_start, rows, panel_start, child_start, child = tree
    count = start.size - 1
    W[:] = 0.0
    # Where the nodes of each supernode begin among the wanted ones.
    begin, at = np.empty(count + 1, np.int64), 0
    for s in range(count):
        while at < places.size and places[at] < start[s]:
            at += 1
        begin[s] = at
    begin[count] = places.size
    updates = [np.zeros((0, 0)) for _ in range(count)]
    for s in range(count):
        low = begin[first_below[s]]
        wanted = 3 * (begin[s + 1] - low)
        if wanted == 0:
            continue
        m, k = 3 * (start[s + 1] - start[s]), 3 * (row_start[s + 1] - row_start[s])
        p = L[panel_start[s] : panel_start[s + 1]].reshape(m, m + k)
        z = np.zeros((m + k, wanted))
        for i in range(start[s], start[s + 1]):
            place[i] = 3 * (i - start[s])
        for i in range(row_start[s], row_start[s + 1]):
            place[rows[i]] = m + 3 * (i - row_start[s])
        for q in range(begin[s], begin[s + 1]):
            for j in range(3):
                z[3 * (places[q] - start[s]) + j, 3 * (q - low) + j] = 1.0
        for c in range(child_start[s], child_start[s + 1]):
            below = child[c]
            part = updates[below]
            if part.shape[1] == 0:
                continue
            shift = 3 * (begin[first_below[below]] - low)
            for i in range(row_start[below + 1] - row_start[below]):
                r = place[rows[row_start[below] + i]]
                for j in range(3):
                    out, row = z[r + j], part[3 * i + j]
                    for b in range(row.size):
                        out[shift + b] += row[b]
            updates[below] = np.zeros((0, 0))
        _eliminate(p, z)
        _add_square(z, m, 3 * low, W)
        if k > 0:
            updates[s] = z[m:].copy()
    for i in range(W.shape[0]):
        for j in range(i):
            W[i, j] = W[j, i]
