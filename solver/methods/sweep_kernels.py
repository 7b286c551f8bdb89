"""One Gauss-Seidel sweep over blocks of every kind, shared by the sweeping methods."""

from math import sqrt

import numpy as np

from ..friction import project_friction
from ..jit import kernel
from ..problems.problem_kernels import apply_change, block_velocity
from ..problems.residual_kernels import friction_step

# Parts of A_nn by which friction may turn the normal velocity before the step of the normal impulse is shortened: in
# sweeps alone, and in sweeps with momentum, which makes a factor -q a sweep one that grows from q = 1/3 on.
COUPLED, COUPLED_WITH_MOMENTUM = 0.8, 0.3


@kernel
def normal_step(offset, diagonal, m, mu, most):
    """r_n of one contact: 1 / A_nn, or 1 / (A_nn + c) where friction turns the normal velocity by c > most A_nn.

    The normal impulse and the friction it allows drive each other by the factor -c / A_nn a sweep, c = |D A_Fn|. With c
    above A_nn (a rod that may jam, Painleve) the full step never settles. With momentum of weight near 1 the factor
    -q turns into the larger root of z^2 + 2 q z - q = 0, which is below -1 from q = 1/3 on: a contact that slides on a
    wall goes on and off for ever, and no residual of its island falls below that.
    """
    a = diagonal[offset]
    square = 0.0
    for i in range(m - 1):
        square += (mu[i] * diagonal[offset + i + 1]) ** 2
    if square > (most * a) ** 2:
        a += sqrt(square)
    return 1.0 / a if a > 0.0 else 0.0


@kernel
def step_lengths(p, offset, diagonal, r):
    """Fill r (B,2): normal_step and 1 / lambda_max(D A_FF D) of contacts; 1 / A of single rows; 0 where A is 0."""
    for k in range(p.kind.size):
        m = p.row_start[k + 1] - p.row_start[k]
        a = diagonal[offset[k]]
        r[k, 0] = 1.0 / a if a > 0.0 else 0.0
        r[k, 1] = 0.0
        if p.kind[k] == 0:
            r[k, 0] = normal_step(offset[k], diagonal, m, p.mu[k], COUPLED)
            eigenvalue = friction_step(offset[k], diagonal, m, p.mu[k])
            r[k, 1] = 1.0 / eigenvalue if eigenvalue > 0.0 else 0.0


@kernel
def solve_dense(A, x, m):
    """Solve the m x m system A x = x by elimination with pivoting; both overwritten. Null pivots give x_i = 0."""
    scale = 0.0
    for i in range(m):
        scale = max(scale, abs(A[i, i]))
    for c in range(m):
        pivot = c
        for i in range(c + 1, m):
            if abs(A[i, c]) > abs(A[pivot, c]):
                pivot = i
        if pivot != c:
            for j in range(m):
                A[c, j], A[pivot, j] = A[pivot, j], A[c, j]
            x[c], x[pivot] = x[pivot], x[c]
        if abs(A[c, c]) <= 1e-13 * scale:
            A[c, c] = 0.0
            continue
        for i in range(c + 1, m):
            factor = A[i, c] / A[c, c]
            for j in range(c, m):
                A[i, j] -= factor * A[c, j]
            x[i] -= factor * x[c]
    for c in range(m - 1, -1, -1):
        total = x[c]
        for j in range(c + 1, m):
            total -= A[c, j] * x[j]
        x[c] = total / A[c, c] if A[c, c] != 0.0 else 0.0


@kernel
def relax_contact(law, sides, mu, r_n, r_y, offset, diagonal, m, lam, v, relaxation, change):
    """New impulses of one contact: normal first, then friction with the newest normal; fills change[:m]."""
    new_n = max(0.0, lam[0] - relaxation * r_n * v[0])
    change[0] = new_n - lam[0]
    y = np.empty(3)
    for i in range(m - 1):
        # The velocity of the friction rows after the change of the normal impulse.
        v_i = v[i + 1] + diagonal[offset + (i + 1) * m] * change[0]
        y[i] = lam[i + 1] / mu[i] - relaxation * r_y * mu[i] * v_i if mu[i] > 0.0 else 0.0
    project_friction(law, sides, new_n, y, m - 1)
    for i in range(m - 1):
        change[i + 1] = mu[i] * y[i] - lam[i + 1]


@kernel
def relax_block(p, k, r, offset, diagonal, impulse, v, relaxation, change, A):
    """New impulses of block k from its velocities v; fills change[:m]."""
    first = p.row_start[k]
    m = p.row_start[k + 1] - first
    kind = p.kind[k]
    if kind == 0:
        relax_contact(
            p.law[k], p.sides, p.mu[k], r[k, 0], r[k, 1], offset[k], diagonal, m, impulse[first:], v, relaxation, change
        )
    elif kind == 1 or kind == 4:
        for i in range(m):
            change[i] = -v[i]
            for j in range(m):
                A[i, j] = diagonal[offset[k] + i * m + j]
        solve_dense(A, change, m)
        for i in range(m):
            change[i] *= relaxation
    else:
        lower, upper = (0.0, np.inf) if kind == 2 else (p.bounds[k, 0], p.bounds[k, 1])
        change[0] = min(max(impulse[first] - relaxation * r[k, 0] * v[0], lower), upper) - impulse[first]


@kernel
def gauss_seidel_sweep(p, r, offset, diagonal, relaxation, impulse, w):
    """Relax every block once, in order, with the newest values of its neighbours.

    p : Arrays.  r (B,2) : step_lengths.  offset, diagonal : ContactProblem.diagonal.  impulse (K,) [N s] and
    w (N,) [m/s, rad/s] are updated in place; w = W J^T impulse on entry and on exit.
    Returns the largest change of an impulse [N s].
    """
    v, change, A = np.zeros(16), np.zeros(16), np.zeros((16, 16))
    largest = 0.0
    for k in range(p.kind.size):
        first = p.row_start[k]
        m = p.row_start[k + 1] - first
        block_velocity(p, k, impulse, w, v)
        relax_block(p, k, r, offset, diagonal, impulse, v, relaxation, change, A)
        for i in range(m):
            impulse[first + i] += change[i]
            largest = max(largest, abs(change[i]))
        apply_change(p, k, change, w)
    return largest


@kernel
def gauss_seidel_sweeps(p, r, offset, diagonal, relaxation, count, impulse, w, merit):
    """Run `count` sweeps; merit[i] is the largest change of an impulse in sweep i [N s]."""
    for i in range(count):
        merit[i] = gauss_seidel_sweep(p, r, offset, diagonal, relaxation, impulse, w)
