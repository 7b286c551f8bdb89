"""docs/theory.md in dense plain numpy, written from that page: rows, sweeps, proximal steps, turns, terms of b.

Blocks are contacts of one, three or four rows with the ellipsoid law. Numbers of sections are those of the page.
"""

from dataclasses import dataclass

import numpy as np

from reference.judging import rows_of


@dataclass
class Rows:
    """Scaled rows (section 6): J (R, N) with A = J J^T, b (R,), scale (R,) with lambda = scale x; blocks: their rows,
    in the order of the sweep; r (B, 2): steps of normal and friction; a (B, 2): A_nn and the largest eigenvalue;
    mu (B,): the larger sliding coefficient."""

    J: np.ndarray
    b: np.ndarray
    scale: np.ndarray
    blocks: list
    r: np.ndarray
    a: np.ndarray
    mu: np.ndarray


def scaled(problem, order):
    """Rows of a problem whose blocks are swept in `order`."""
    size, start = problem.dof_count, problem.row_start
    J = rows_of(problem.J, start, size)
    W = np.zeros((size, size))
    mass = problem.inverse_mass
    for k in range(len(mass.start) - 1):
        n = mass.start[k + 1] - mass.start[k]
        at = slice(mass.start[k], mass.start[k + 1])
        W[at, at] = mass.data[mass.offset[k] : mass.offset[k] + n * n].reshape(n, n)
    scale = np.ones(start[-1])
    blocks = [np.arange(start[k], start[k + 1]) for k in order]
    for k, rows in zip(order, blocks, strict=True):
        scale[rows[1:]] = problem.mu[k, : len(rows) - 1]
    # Where W has a null space (bodies on a path) the square root by eigenvalues serves as well as Cholesky's.
    value, vector = np.linalg.eigh(W)
    J = scale[:, None] * J @ (vector * np.sqrt(np.maximum(value, 0.0)))
    r, a = np.zeros((len(blocks), 2)), np.zeros((len(blocks), 2))
    for q, rows in enumerate(blocks):
        own = J[rows] @ J[rows].T
        coupling = np.linalg.norm(own[0, 1:])
        a[q] = own[0, 0], np.linalg.eigvalsh(own[1:, 1:])[-1] if len(rows) > 1 else 0.0
        r[q, 0] = 1.0 / (a[q, 0] + (coupling if coupling > 0.3 * a[q, 0] else 0.0))
        r[q, 1] = 1.0 / a[q, 1] if a[q, 1] > 0.0 else 0.0
    return Rows(J, scale * problem.b, scale, blocks, r, a, problem.mu[order, :2].max(axis=1))


def ball(y, radius):
    """P: the closest point of the ball."""
    length = np.linalg.norm(y)
    return y if length <= radius else y * (radius / length)


@dataclass
class Momentum:
    """What sweeps carry along (section 7.1): impulses x (R,) and the last jump p (R,), t, the least square, the weight
    beta of the next jump, the change of the last sweep."""

    x: np.ndarray
    p: np.ndarray
    change: np.ndarray
    t: float = 0.0
    least: float = 0.0
    beta: float = 0.0


def begin(rows):
    """Momentum at no impulse."""
    return Momentum(*(np.zeros(len(rows.b)) for _ in range(3)))


def sweep(rows, m):
    """One jump and one sweep (7.1), before stagnation."""
    m.p = m.beta * (m.p + m.change)
    m.x = m.x + m.p
    before, w = m.x.copy(), rows.J.T @ m.x
    for q, own in enumerate(rows.blocks):
        n, y = own[0], own[1:]
        J, old = rows.J[own], m.x[own].copy()
        m.x[n] = max(0.0, old[0] - rows.r[q, 0] * (J[0] @ w + rows.b[n]))
        w = w + J[0] * (m.x[n] - old[0])
        if len(y):
            m.x[y] = ball(old[1:] - rows.r[q, 1] * (J[1:] @ w + rows.b[y]), m.x[n])
            w = w + J[1:].T @ (m.x[y] - old[1:])
    m.change = m.x - before
    weight = np.zeros(len(rows.b))
    for q, own in enumerate(rows.blocks):
        weight[own[0]], weight[own[1:]] = rows.a[q]
    square, along = m.change @ (weight * m.change), m.change @ (weight * m.p)
    if along < 0.0 or square > 8.0 * m.least or m.t < 1.0:
        m.t, m.least = 1.0, square
    m.least = min(m.least, square)
    following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * m.t**2))
    m.beta, m.t = (m.t - 1.0) / following, following


def law(rows, theta, base, v):
    """(impulses of the proximal law at velocities v, K = -d impulses / d v) (7.2)."""
    x, K = np.zeros_like(v), np.zeros((len(v), len(v)))
    for q, own in enumerate(rows.blocks):
        n, y = own[0], own[1:]
        step_n, step_y = theta * rows.r[q]
        x[n] = max(0.0, base[n] - step_n * v[n])
        if x[n] == 0.0:
            continue
        K[n, n] = step_n
        if not len(y):
            continue
        z = base[y] - step_y * v[y]
        length = np.linalg.norm(z)
        x[y] = ball(z, x[n])
        if length <= x[n]:
            K[np.ix_(y, y)] = step_y * np.eye(len(y))
        else:
            d = z / length
            K[y, n] = step_n * d
            K[np.ix_(y, y)] = step_y * (x[n] / length) * (np.eye(len(y)) - np.outer(d, d))
    return x, K


def mismatch(rows, theta, base, x):
    """Largest |x - base| / (theta r) as the judge's velocity [m/s]: 1 / r is A_nn, and the eigenvalue over mu."""
    worst = 0.0
    for q, own in enumerate(rows.blocks):
        change = x[own] - base[own]
        slip = np.linalg.norm(change[1:]) * rows.a[q, 1] / (rows.mu[q] or 1.0)
        worst = max(worst, abs(change[0]) * rows.a[q, 0], slip)
    return worst / theta


def proximal_step(rows, theta, base, goal):
    """(solved, Newton steps, impulses) of one proximal step from `base` (7.2)."""
    size = rows.J.shape[1]
    w = rows.J.T @ base
    x, K = law(rows, theta, base, rows.J @ w + rows.b)
    F, slow = w - rows.J.T @ x, 0
    for step in range(1, 14):
        dw = -np.linalg.solve(np.eye(size) + rows.J.T @ K @ rows.J, F)
        before, t = np.linalg.norm(F), 1.0
        for halving in range(7):
            t = 0.5**halving
            x, K = law(rows, theta, base, rows.J @ (w + t * dw) + rows.b)
            F = w + t * dw - rows.J.T @ x
            if np.linalg.norm(F) < before:
                break
        slow += np.linalg.norm(F) > 0.5 * before
        if np.abs(rows.J @ F).max() <= max(0.05 * mismatch(rows, theta, base, x), 0.1 * goal):
            return True, step, x
        if slow >= 4 or step >= 12:
            return False, step, x
        w = w + t * dw
    raise AssertionError("the loop ends inside")


@dataclass
class Strength:
    """theta and its ceiling (7.3)."""

    theta: float = 1e3
    ceiling: float = 1e8

    def solved(self, steps):
        """After a proximal step that was solved in so many Newton steps."""
        factor = 5.0 if steps <= 3 else 2.0 if steps <= 5 else 1.0
        self.theta = min(1e8, self.ceiling, factor * self.theta)
        self.ceiling *= 4.0 if steps <= 2 else 1.3

    def failed(self):
        """After one that was given up."""
        self.ceiling, self.theta = 0.5 * self.theta, max(0.1, 0.25 * self.theta)


def newton(rows, base, goal, count):
    """`count` proximal steps from base: [(solved, Newton steps, theta of the step, base after it)]."""
    s, made = Strength(), []
    for _ in range(count):
        theta = s.theta
        solved, steps, x = proximal_step(rows, theta, base, goal)
        if solved:
            base = x
            s.solved(steps)
        else:
            s.failed()
        made.append((solved, steps, theta, base))
    return made


def cost_of_step(work, blocks, nodes):
    """c_N (7.4): sweeps that a Newton step costs; work: sum over block columns of m^2 + m + 1."""
    return (work + 14.0 * nodes) / blocks + 4.0


def turns(cost, count):
    """[(sweeps done, Newton steps done)] after each of `count` turns of both kinds that use all they may, where sweeps
    are looked at every 50 (7.4)."""
    sweeps, newton_cost, steps, done = 0, 0, 0, []
    due = max(100.0, 20.0 * cost)
    for _ in range(count):
        while sweeps < due:
            sweeps += 50
        turn = max(4, int((sweeps + newton_cost) / cost))
        steps += turn
        newton_cost += int(np.ceil(turn * cost))
        due = sweeps + newton_cost
        done.append((sweeps, steps))
    return done


def velocity_terms(h, threshold, gap, e, e_T, before, free):
    """What section 2.3 adds to b = J u_f of contacts with equal steps: (C, 3) for n, s, t."""
    terms = np.zeros((len(gap), 3))
    for k, g in enumerate(gap):
        vn, fn = before[k, 0], free[k, 0]
        a = (fn - vn) / h
        terms[k, 0] = max(g, 0.0) / h
        if e[k] > 0.0 and vn < -max(threshold, 2.0 * h * abs(a)) and g + h * fn < 0.0:
            impact = max(0.0, vn**2 - 2.0 * a * max(0.0, g - 0.5 * h * vn))
            left = max(0.0, g + 0.5 * h * fn)
            terms[k, 0] = -np.sqrt(max(0.0, e[k] ** 2 * impact + 2.0 * min(a, 0.0) * left))
            terms[k, 1:] = e_T[k] * before[k, 1:3]
    return terms
