"""Kernels of the interior-point method for Coulomb friction on Compact problems.

With a barrier parameter mu > 0 the laws of a contact (impulses lambda_n and y, velocities v_n and v_y, all scaled)
are replaced by

    u lambda_n = mu,   u = v_n,      v_y + s y = 0,   s c = mu,   c = (lambda_n^2 - |y|^2) / 2

with all of u, lambda_n, s, c > 0: s is the multiplier of the cone, and s c is the dissipation the smoothing adds.
The normal law does not see s, which is what makes friction non-associated. Linearising and eliminating u, s
and c leaves one small matrix K for each contact, d lambda = a - K dv, and the body velocities solve
(I + J~^T K J~) dw = J~^T a.
"""

from math import sqrt

from ...jit import kernel
from ..compact.columns import STEP_FRICTION
from ..sweep_kernels import solve_dense
from .block_lu_kernels import solve
from .proximal_kernels import row_product


@kernel
def has_cone(c, q):
    """True for contacts with friction."""
    return c.kind[q] == 0 and c.row[q + 1] - c.row[q] > 1 and c.r[q, STEP_FRICTION] > 0.0


@kernel
def gap(lam, row, m):
    """c = (lambda_n^2 - |y|^2) / 2."""
    total = lam[row] * lam[row]
    for i in range(1, m):
        total -= lam[row + i] * lam[row + i]
    return 0.5 * total


@kernel
def start_inside(c, span, mu, lam, u, s):
    """Move impulses into the interior and choose u and s so that every product is mu."""
    for q in range(span[0], span[1]):
        if c.kind[q] == 1 or c.kind[q] == 4:
            continue
        row, m = c.row[q], c.row[q + 1] - c.row[q]
        a = c.diagonal[c.square[q]]
        lam[row] = max(lam[row], sqrt(mu / a) if a > 0.0 else 1.0)
        u[q] = mu / lam[row]
        if not has_cone(c, q):
            for i in range(1, m):
                lam[row + i] = 0.0
            continue
        square = 0.0
        for i in range(1, m):
            square += lam[row + i] * lam[row + i]
        if square > (0.8 * lam[row]) ** 2:
            scale = 0.8 * lam[row] / sqrt(square)
            for i in range(1, m):
                lam[row + i] *= scale
        s[q] = mu / gap(lam, row, m)


@kernel
def local_matrix(c, q, damping, lam, u, s, K, T, A, x):
    """K[q] and T[q] = (1 + K R)^-1 with the proximal damping R = damping * diag of the block; K[q] becomes T K."""
    row, m = c.row[q], c.row[q + 1] - c.row[q]
    base = c.square[q]
    for i in range(m * m):
        K[q, i] = 0.0
    if c.kind[q] == 1 or c.kind[q] == 4:
        largest = 1e-300
        for i in range(m):
            largest = max(largest, c.diagonal[base + i * m + i])
        for j in range(m):
            for i in range(m):
                for e in range(m):
                    A[i, e] = c.compliance[base + i * m + e] + (1e-7 * largest if i == e else 0.0)
                x[i] = 1.0 if i == j else 0.0
            solve_dense(A, x, m)
            for i in range(m):
                K[q, i * m + j] = x[i]
        return
    normal = lam[row] / u[q]
    K[q, 0] = normal
    if has_cone(c, q):
        h = lam[row] * lam[row] - gap(lam, row, m)
        for i in range(1, m):
            K[q, i * m] = lam[row] / h * normal * lam[row + i]
            for j in range(1, m):
                K[q, i * m + j] = ((1.0 if i == j else 0.0) - lam[row + i] * lam[row + j] / h) / s[q]
    if damping == 0.0:
        return
    for j in range(m):
        for i in range(m):
            for e in range(m):
                r = c.diagonal[base] if e == 0 else 1.0 / max(c.r[q, STEP_FRICTION], 1e-300)
                A[i, e] = (1.0 if i == e else 0.0) + damping * K[q, i * m + e] * r
            x[i] = 1.0 if i == j else 0.0
        solve_dense(A, x, m)
        for i in range(m):
            T[q, i * m + j] = x[i]
    for j in range(m):
        for i in range(m):
            x[i] = 0.0
            for e in range(m):
                x[i] += T[q, i * m + e] * K[q, e * m + j]
        for i in range(m):
            K[q, i * m + j] = x[i]


@kernel
def local_matrices(c, span, damping, work, local):
    """work.v, and K and T of all blocks, at the iterate."""
    for q in range(span[0], span[1]):
        row = c.row[q]
        for i in range(c.row[q + 1] - row):
            work.v[row + i] = c.b[row + i] + row_product(c, q, i, work.w)
        local_matrix(c, q, damping, work.lam, work.u, work.s, work.K, work.T, local[1], local[0])


@kernel
def local_target(c, q, damping, mu_n, mu_f, lam, u, s, v, K, T, a, x):
    """a[row:row+m]: the change of impulses that block q asks for at unchanged velocities."""
    row, m = c.row[q], c.row[q + 1] - c.row[q]
    if c.kind[q] == 1 or c.kind[q] == 4:
        for i in range(m):
            x[i] = v[row + i]
            for e in range(m):
                x[i] += c.compliance[c.square[q] + i * m + e] * lam[row + e]
        for i in range(m):
            a[row + i] = 0.0
            for e in range(m):
                a[row + i] -= K[q, i * m + e] * x[e]
        return
    for i in range(m):
        x[i] = 0.0
    x[0] = (mu_n - lam[row] * v[row]) / u[q]
    if has_cone(c, q):
        h = lam[row] * lam[row] - gap(lam, row, m)
        along = 0.0
        for i in range(1, m):
            along += lam[row + i] * v[row + i]
        part = (along - mu_f) / (s[q] * h) + lam[row] / h * x[0]
        for i in range(1, m):
            x[i] = lam[row + i] * part - v[row + i] / s[q]
    for i in range(m):
        a[row + i] = x[i]
    if damping > 0.0:
        for i in range(m):
            total = 0.0
            for e in range(m):
                total += T[q, i * m + e] * x[e]
            a[row + i] = total


@kernel
def targets(c, span, damping, work, x):
    """Fill work.a for the products wanted, work.mu_n and work.mu_f."""
    for q in range(span[0], span[1]):
        mu_n, mu_f = work.mu_n[q], work.mu_f[q]
        local_target(c, q, damping, mu_n, mu_f, work.lam, work.u, work.s, work.v, work.K, work.T, work.a, x)


@kernel
def correct_targets(c, span, mu, t, work):
    """Product mu for every block, less the second-order part that a predictor step of length t would leave."""
    for q in range(span[0], span[1]):
        work.mu_n[q] = mu - t * t * min(max(work.du[q] * work.dlam[c.row[q]], -mu), mu)
        work.mu_f[q] = mu - t * t * min(max(work.ds[q] * work.dc[q], -mu), mu)


@kernel
def body_direction(span, pattern, factors, dw, x):
    """Solve (I + J~^T K J~) dw = dw with the factors at hand; x (n,6) is scratch."""
    n0, n1 = span[2], span[3]
    for i in range(n0, n1):
        for j in range(6):
            x[pattern.place[i - n0], j] = dw[i, j]
    solve(pattern.indptr, pattern.rows, factors.D, factors.L, factors.U, factors.swap, x)
    for i in range(n0, n1):
        for j in range(6):
            dw[i, j] = x[pattern.place[i - n0], j]


@kernel
def block_directions(c, span, damping, work):
    """Changes of impulses, u, s and c from that of body velocities; returns the longest step that stays inside."""
    lam, u, s, v, K, a, mu_f = work.lam, work.u, work.s, work.v, work.K, work.a, work.mu_f
    dw, dlam, du, ds, dc, bend = work.dw, work.dlam, work.du, work.ds, work.dc, work.bend
    longest = 1e30
    for q in range(span[0], span[1]):
        row, m = c.row[q], c.row[q + 1] - c.row[q]
        for i in range(m):
            dlam[row + i] = a[row + i]
        for j in range(m):
            dv = row_product(c, q, j, dw)
            for i in range(m):
                dlam[row + i] -= K[q, i * m + j] * dv
            if j == 0:
                du[q] = dv
        if c.kind[q] == 1 or c.kind[q] == 4:
            continue
        du[q] += v[row] - u[q] + damping * c.diagonal[c.square[q]] * dlam[row]
        longest = min(longest, room(lam[row], dlam[row]), room(u[q], du[q]))
        if has_cone(c, q):
            distance = gap(lam, row, m)
            along, square = 0.0, 0.0
            for i in range(1, m):
                along += lam[row + i] * dlam[row + i]
                square += lam[row + i] * lam[row + i]
            dc[q] = lam[row] * dlam[row] - along
            # How c bends along the step; turning of y is left out, advance_inside takes it back.
            bend[q] = 0.5 * (dlam[row] * dlam[row] - (along * along / square if square > 0.0 else 0.0))
            ds[q] = (mu_f[q] - s[q] * distance - s[q] * dc[q]) / distance
            longest = min(longest, room(s[q], ds[q]), quadratic_room(distance, dc[q], bend[q]))
    return longest


@kernel
def room(x, dx):
    """How many steps dx fit before x reaches zero."""
    return -x / dx if dx < 0.0 else 1e30


@kernel
def quadratic_room(c, slope, bend):
    """Smallest t > 0 with c + t slope + t^2 bend = 0, c > 0."""
    root = slope * slope - 4.0 * c * bend
    if root < 0.0 or (slope >= 0.0 and bend >= 0.0):
        return 1e30
    # This form has no cancellation; the other root is negative or larger.
    return 2.0 * c / (sqrt(root) - slope)


@kernel
def mean_product(c, span, t, work):
    """Mean of the products u lambda_n and s c after a step of length t."""
    lam, u, s, dlam, du, ds, dc, bend = work.lam, work.u, work.s, work.dlam, work.du, work.ds, work.dc, work.bend
    total, count = 0.0, 0
    for q in range(span[0], span[1]):
        if c.kind[q] == 1 or c.kind[q] == 4:
            continue
        row, m = c.row[q], c.row[q + 1] - c.row[q]
        total += (u[q] + t * du[q]) * (lam[row] + t * dlam[row])
        count += 1
        if has_cone(c, q):
            total += (s[q] + t * ds[q]) * (gap(lam, row, m) + t * (dc[q] + t * bend[q]))
            count += 1
    return total / max(1, count)


@kernel
def advance_inside(c, span, t, work):
    """Take a step of length t; friction impulses are drawn back to the predicted c, so that they may turn freely."""
    lam, u, s, dlam, du, ds, dc, bend = work.lam, work.u, work.s, work.dlam, work.du, work.ds, work.dc, work.bend
    for q in range(span[0], span[1]):
        row, m = c.row[q], c.row[q + 1] - c.row[q]
        wanted = gap(lam, row, m) + t * (dc[q] + t * bend[q])
        for i in range(m):
            lam[row + i] += t * dlam[row + i]
        if c.kind[q] == 1 or c.kind[q] == 4:
            continue
        u[q] += t * du[q]
        if not has_cone(c, q):
            for i in range(1, m):
                lam[row + i] = 0.0
            continue
        s[q] += t * ds[q]
        if gap(lam, row, m) >= 0.9 * wanted:
            continue
        square = 0.0
        for i in range(1, m):
            square += lam[row + i] * lam[row + i]
        allowed = lam[row] * lam[row] - 2.0 * wanted
        scale = sqrt(allowed / square) if allowed > 0.0 else 0.5 * lam[row] / sqrt(square)
        for i in range(1, m):
            lam[row + i] *= scale
