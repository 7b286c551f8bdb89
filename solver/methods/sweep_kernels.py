"""One Gauss-Seidel sweep over blocks of every kind, shared by the sweeping methods.

What a block does when it is relaxed is one of the WAYS: its own law; the box model, row by row, after equation (17) of
Silcowitz-Hansen et al. 2010 with B = D / omega + L; or one of the two convex subproblems of staggered projections
(Kaufman et al. 2008, equations 24 and 25). In the CONTACT stage normal impulses, limits and drives move and friction
stands still, in the FRICTION stage friction moves inside the set of the standing normal impulse. Joints and elements
move in both, which makes both projections orthogonal in the metric of the jointed bodies.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from ..friction import project_friction
from ..jit import inner, kernel
from ..problems.problem_kernels import Arrays, apply_change, block_velocity
from ..problems.residual_kernels import friction_step

# Parts of A_nn by which friction may turn the normal velocity before the step of the normal impulse is shortened: in
# sweeps alone, and in sweeps with momentum, which makes a factor -q a sweep one that grows from q = 1/3 on.
COUPLED, COUPLED_WITH_MOMENTUM = 0.8, 0.3
# WAYS: the problem's law; the box with friction bounded by the newest normal impulse, or by that of before; stages.
OWN_LAW, BOX_ROWS, BOX_ROWS_OF_BEFORE, CONTACT_STAGE, FRICTION_STAGE = range(5)


class Blocks(NamedTuple):
    """What sweeps over the blocks of a problem take: its Arrays, ContactProblem.diagonal, and step lengths r (B,2)."""

    p: Arrays
    offset: np.ndarray
    diagonal: np.ndarray
    r: np.ndarray


class Relaxing(NamedTuple):
    """Scratch of a block that is relaxed: its velocities v (m,), the change of its impulses (m,), a matrix A (m,m)."""

    v: np.ndarray
    change: np.ndarray
    A: np.ndarray


def blocks_of(problem):
    """Return the Blocks of a problem."""
    blocks = Blocks(problem.arrays, *problem.diagonal, np.empty((problem.block_count, 2)))
    step_lengths(blocks)
    return blocks


@inner
def relaxing():
    """Relaxing of blocks of any kind."""
    return Relaxing(np.zeros(16), np.zeros(16), np.zeros((16, 16)))


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


@inner
def steps_of_block(p, k, offset, diagonal, most):
    """(normal_step, 1 / lambda_max(D A_FF D)) of block k, if it is a contact, else (1 / A of its first row, 0); 0 where
    A is 0. diagonal: its block of A from `offset`."""
    a = diagonal[offset]
    if p.kind[k] != 0:
        return 1.0 / a if a > 0.0 else 0.0, 0.0
    m = p.row_start[k + 1] - p.row_start[k]
    eigenvalue = friction_step(offset, diagonal, m, p.mu[k])
    return normal_step(offset, diagonal, m, p.mu[k], most), 1.0 / eigenvalue if eigenvalue > 0.0 else 0.0


@kernel
def step_lengths(s):
    """Fill the step lengths of Blocks for sweeps without momentum."""
    for k in range(s.p.kind.size):
        s.r[k, 0], s.r[k, 1] = steps_of_block(s.p, k, s.offset[k], s.diagonal, COUPLED)


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


@inner
def relax_friction(p, k, r_y, own, lam, new_n, work):
    """Fill work.change[1:m] with the step of the friction rows of contact k once its normal impulse is new_n."""
    v, change, mu = work.v, work.change, p.mu[k]
    y, m = np.empty(3), p.row_start[k + 1] - p.row_start[k]
    for i in range(m - 1):
        # The velocity of the friction rows after the change of the normal impulse.
        v_i = v[i + 1] + own[(i + 1) * m] * change[0]
        y[i] = lam[i + 1] / mu[i] - r_y * mu[i] * v_i if mu[i] > 0.0 else 0.0
    project_friction(p.law[k], p.sides, new_n, y, m - 1)
    for i in range(m - 1):
        change[i + 1] = mu[i] * y[i] - lam[i + 1]


@kernel
def relax_block(p, k, r, own, lam, relaxation, work):
    """Fill work.change[:m] with the step of block k by its own law, for velocities work.v.

    r: its two step lengths; own, lam: its block of A and its impulses, from their first number on.
    """
    m, kind, change = p.row_start[k + 1] - p.row_start[k], p.kind[k], work.change
    if kind == 0:
        # Normal first, then friction with the newest normal.
        new_n = max(0.0, lam[0] - relaxation * r[0] * work.v[0])
        change[0] = new_n - lam[0]
        relax_friction(p, k, relaxation * r[1], own, lam, new_n, work)
    elif kind == 1 or kind == 4:
        for i in range(m):
            change[i] = -work.v[i]
            for j in range(m):
                work.A[i, j] = own[i * m + j]
        solve_dense(work.A, change, m)
        for i in range(m):
            change[i] *= relaxation
    else:
        lower, upper = (0.0, np.inf) if kind == 2 else (p.bounds[k, 0], p.bounds[k, 1])
        change[0] = min(max(lam[0] - relaxation * r[0] * work.v[0], lower), upper) - lam[0]


@inner
def row_bounds(p, k, i, normal):
    """Lower and upper bound of the impulse of row i of block k, after equation (7): the box model."""
    kind = p.kind[k]
    if kind == 0 and i > 0:
        limit = p.mu[k, i - 1] * max(0.0, normal)
        return -limit, limit
    if kind == 0 or kind == 2:
        return 0.0, np.inf
    if kind == 3:
        return p.bounds[k, 0], p.bounds[k, 1]
    return -np.inf, np.inf


@inner
def relax_rows(p, k, own, lam, relaxation, last, work):
    """Fill work.change[:m] with the steps of the rows of block k one after the other; work.v is kept up to date.

    last: the normal impulse of before bounds friction.
    """
    m, normal, v, change = p.row_start[k + 1] - p.row_start[k], lam[0], work.v, work.change
    for i in range(m):
        a = own[i * m + i]
        lower, upper = row_bounds(p, k, i, normal)
        step = relaxation * v[i] / a if a > 0.0 else 0.0
        new = min(max(lam[i] - step, lower), upper)
        change[i] = new - lam[i]
        if i == 0 and not last:
            normal = new
        for j in range(i + 1, m):
            v[j] += own[j * m + i] * change[i]


@inner
def relax_stage(s, k, stage, own, lam, work):
    """Fill work.change[:m] with the step of block k in a stage of staggered projections."""
    m, kind, change = s.p.row_start[k + 1] - s.p.row_start[k], s.p.kind[k], work.change
    if stage == FRICTION_STAGE and (kind == 2 or kind == 3):
        change[0] = 0.0
    elif kind != 0:
        relax_block(s.p, k, s.r[k], own, lam, 1.0, work)
    elif stage == FRICTION_STAGE:
        change[0] = 0.0
        relax_friction(s.p, k, s.r[k, 1], own, lam, max(0.0, lam[0]), work)
    else:
        change[1:m] = 0.0
        change[0] = max(0.0, lam[0] - s.r[k, 0] * work.v[0]) - lam[0]


@kernel
def relax(s, k, way, relaxation, impulse, work):
    """Fill work.change[:m] with the step of block k of Blocks `s` from its velocities work.v, impulse (K,) [N s]."""
    own, lam = s.diagonal[s.offset[k] :], impulse[s.p.row_start[k] :]
    if way == OWN_LAW:
        relax_block(s.p, k, s.r[k], own, lam, relaxation, work)
    elif way < CONTACT_STAGE:
        relax_rows(s.p, k, own, lam, relaxation, way == BOX_ROWS_OF_BEFORE, work)
    else:
        relax_stage(s, k, way, own, lam, work)


@kernel
def gauss_seidel_sweep(s, way, relaxation, impulse, w):
    """Relax every block of Blocks `s` once, in order, with the newest values of its neighbours.

    way: see WAYS; relaxation: omega, 1 for stages. impulse (K,) [N s] and w (N,) [m/s, rad/s] are updated in place;
    w = W J^T impulse on entry and on exit. Returns the largest change of an impulse [N s].
    """
    work, p = relaxing(), s.p
    largest = 0.0
    for k in range(p.kind.size):
        first = p.row_start[k]
        block_velocity(p, k, impulse, w, work.v)
        relax(s, k, way, relaxation, impulse, work)
        for i in range(p.row_start[k + 1] - first):
            impulse[first + i] += work.change[i]
            largest = max(largest, abs(work.change[i]))
        apply_change(p, k, work.change, w)
    return largest


@kernel
def gauss_seidel_sweeps(s, way, relaxation, impulse, w, merit):
    """A sweep for each row of merit (n,2), which gets its largest change of an impulse [N s], and the squared length
    |x' - x|^2 of its change [N^2 s^2]."""
    before = np.empty_like(impulse)
    for i in range(merit.shape[0]):
        before[:] = impulse
        merit[i, 0] = gauss_seidel_sweep(s, way, relaxation, impulse, w)
        merit[i, 1] = 0.0
        for j in range(impulse.size):
            merit[i, 1] += (impulse[j] - before[j]) ** 2
