"""docs/theory.md in dense plain numpy, written from that page: residual, rows, sweeps, proximal steps, turns, terms of
b, and the choice among loads. Blocks are contacts of one, three or four rows with the ellipsoid law."""

from types import SimpleNamespace as Record

import numpy as np


def root(W):
    """S with W = S S^T; where W has a null space eigenvalues serve as well as Cholesky's factor."""
    value, vector = np.linalg.eigh(W)
    return vector * np.sqrt(np.maximum(value, 0.0))


def dense(A, b, mu, sizes):
    """Rows of a problem given by its matrix A (K,K), with blocks of so many rows."""
    return rows_of_blocks(root(0.5 * (A + A.T)), b, mu, np.split(np.arange(len(b)), np.cumsum(sizes))[:-1])


def rows_of_blocks(J, b, mu, blocks):
    """Scaled rows (6) of J with A = J J^T: J, b, scale (R,) with lambda = scale x; blocks: their rows, in the order of
    the sweep; r (B,2): steps of normal and friction; a (B,2): A_nn and the largest eigenvalue; mu (B,): the larger."""
    scale, r, a = np.ones(len(b)), np.zeros((len(blocks), 2)), np.zeros((len(blocks), 2))
    for own, coefficients in zip(blocks, mu, strict=True):
        scale[own[1:]] = coefficients[: len(own) - 1]
    J = scale[:, None] * J
    for q, own in enumerate(blocks):
        D = J[own] @ J[own].T
        coupling = np.linalg.norm(D[0, 1:])
        a[q] = D[0, 0], np.linalg.eigvalsh(D[1:, 1:])[-1] if len(own) > 1 else 0.0
        r[q, 0] = 1.0 / (a[q, 0] + (coupling if coupling > 0.3 * a[q, 0] else 0.0))
        r[q, 1] = 1.0 / a[q, 1] if a[q, 1] > 0.0 else 0.0
    larger = mu[:, :2].max(axis=1, initial=0.0)
    return Record(J=J, b=scale * b, scale=scale, blocks=blocks, r=r, a=a, mu=larger)


def eliminated(A, b, held):
    """(A', b') of the rows that are not `held` (K,) bool (7)."""
    E, N = np.flatnonzero(held), np.flatnonzero(~held)
    part = np.linalg.lstsq(A[np.ix_(E, E)], np.column_stack([A[np.ix_(E, N)], b[E]]), rcond=1e-13)[0]
    return A[np.ix_(N, N)] - A[np.ix_(N, E)] @ part[:, :-1], b[N] - A[np.ix_(N, E)] @ part[:, -1]


def cost_of_step_on_one_body(rank, blocks):
    """c_N of a problem on one body with so many ways to move (7.4)."""
    nodes = -(-rank // 6)
    sides = nodes + nodes % 2
    work = sum(m * m + m + 1 for m in range(nodes))
    return 2.0 / sides * ((work + 14.0 * nodes) / blocks + sides**2)


def ball(y, radius):
    """P: the closest point of the ball."""
    length = np.linalg.norm(y)
    return y if length <= radius else y * (radius / length)


def largest(rows, normal, friction):
    """Largest velocity [m/s] of changes of n (B,), times A_nn, and of |y| (B,), times L over mu."""
    slip = friction * rows.a[:, 1] / np.where(rows.mu > 0.0, rows.mu, 1.0)
    return max(np.max(np.abs(normal) * rows.a[:, 0], initial=0.0), slip.max(initial=0.0))


def residual(rows, x):
    """The judge's residual [m/s] (5)."""
    v, normal, friction = rows.J @ (rows.J.T @ x) + rows.b, np.zeros(len(rows.mu)), np.zeros(len(rows.mu))
    for q, (own, (a, L)) in enumerate(zip(rows.blocks, rows.a, strict=True)):
        n, y = own[0], own[1:]
        normal[q] = x[n] - max(0.0, x[n] - v[n] / a)
        friction[q] = np.linalg.norm(x[y] - ball(x[y] - v[y] / (L or 1.0), max(0.0, x[n])))
    return largest(rows, normal, friction)


def begin(x):
    """What sweeps carry along (7.1): impulses x (R,) and the last jump p (R,), the change of the last sweep, t, the
    least square, the weight beta of the next jump."""
    return Record(x=x.copy(), p=np.zeros_like(x), change=np.zeros_like(x), t=0.0, least=0.0, beta=0.0)


def sweep(rows, m):
    """One jump and one sweep (7.1), before stagnation."""
    m.p = m.beta * (m.p + m.change)
    m.x = m.x + m.p
    before, w, weight = m.x.copy(), rows.J.T @ m.x, np.zeros(len(rows.b))
    for q, own in enumerate(rows.blocks):
        n, y = own[0], own[1:]
        J, old = rows.J[own], m.x[own].copy()
        m.x[n] = max(0.0, old[0] - rows.r[q, 0] * (J[0] @ w + rows.b[n]))
        w = w + J[0] * (m.x[n] - old[0])
        m.x[y] = ball(old[1:] - rows.r[q, 1] * (J[1:] @ w + rows.b[y]), m.x[n])
        w = w + J[1:].T @ (m.x[y] - old[1:])
        weight[n], weight[y] = rows.a[q]
    m.change = m.x - before
    square, along = m.change @ (weight * m.change), m.change @ (weight * m.p)
    if along < 0.0 or square > 8.0 * m.least or m.t < 1.0:
        m.t, m.least = 1.0, square
    m.least = min(m.least, square)
    following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * m.t**2))
    m.beta, m.t = (m.t - 1.0) / following, following


def law(rows, theta, base, v):
    """(impulses of the proximal law at velocities v, K = -d impulses / d v) (7.2)."""
    x, K = np.zeros_like(v), np.zeros((len(v), len(v)))
    for own, (step_n, step_y) in zip(rows.blocks, theta * rows.r, strict=True):
        n, y = own[0], own[1:]
        x[n] = max(0.0, base[n] - step_n * v[n])
        if x[n] == 0.0:
            continue
        K[n, n] = step_n
        z = base[y] - step_y * v[y]
        length = np.linalg.norm(z)
        x[y] = ball(z, x[n])
        if length <= x[n]:
            K[np.ix_(y, y)] = step_y * np.eye(len(y))
        else:
            K[y, n] = step_n * z / length
            K[np.ix_(y, y)] = step_y * (x[n] / length) * (np.eye(len(y)) - np.outer(z, z) / length**2)
    return x, K


def proximal_step(rows, theta, base, goal):
    """(solved, Newton steps, impulses) of one proximal step from `base` (7.2)."""
    start = rows.J @ (rows.J.T @ base) + rows.b
    dw, slow = np.zeros(rows.J.shape[1]), 0
    x, K = law(rows, theta, base, start)
    F = dw - rows.J.T @ (x - base)
    for step in range(1, 14):
        change, before = -np.linalg.solve(np.eye(len(dw)) + rows.J.T @ K @ rows.J, F), np.linalg.norm(F)
        for halving in range(7):
            trial = dw + 0.5**halving * change
            x, K = law(rows, theta, base, start + rows.J @ trial)
            F = trial - rows.J.T @ (x - base)
            if np.linalg.norm(F) < before:
                break
        slow, moved = slow + (np.linalg.norm(F) > 0.5 * before), [x[own] - base[own] for own in rows.blocks]
        mismatch = largest(rows, [d[0] for d in moved], np.array([np.linalg.norm(d[1:]) for d in moved])) / theta
        if np.abs(rows.J @ F).max() <= max(0.05 * mismatch, 0.1 * goal) or slow >= 4 or step >= 12:
            return np.abs(rows.J @ F).max() <= max(0.05 * mismatch, 0.1 * goal), step, x
        dw = trial
    raise AssertionError("the loop ends inside")


def newton(rows, base, goal):
    """Proximal steps one after another (7.3): (solved, Newton steps, theta of the step, base after it)."""
    theta, ceiling = 1e3, 1e8
    while True:
        solved, steps, x = proximal_step(rows, theta, base, goal)
        base = x if solved else base
        yield solved, steps, theta, base
        if solved:
            theta = min(1e8, ceiling, theta * (5.0 if steps <= 3 else 2.0 if steps <= 5 else 1.0))
            ceiling *= 4.0 if steps <= 2 else 1.3
        else:
            theta, ceiling = max(0.1, 0.25 * theta), 0.5 * theta


def cost_of_step(work, blocks, nodes):
    """c_N (7.4): sweeps that a Newton step costs; work: sum over block columns of m^2 + m + 1."""
    return (work + 14.0 * nodes) / blocks + 4.0


def turns(cost, reach, spend, count):
    """`count` turns of both kinds (7.4): reach(sweeps) sweeps to so many, in groups of 50; spend(steps) makes Newton
    steps and returns (how many, whether another turn follows), None at the end. [(sweeps, Newton steps)] after each."""
    sweeps, spent, steps, due, done = 0, 0, 0, max(100.0, 20.0 * cost), []
    for _ in range(count):
        sweeps, follows = max(sweeps, int(50 * np.ceil(due / 50))), True
        if reach(sweeps) is None:
            break
        while follows:
            made, follows = spend(max(4, int((sweeps + spent) / cost))) or (None, False)
            if made is None:
                return done
            steps, spent = steps + made, spent + int(np.ceil(made * cost))
        due = sweeps + spent
        done.append((sweeps, steps))
    return done


def solve(rows, impulse, tolerance, cost=10.0):
    """The impulses (K,) that the default method comes to from `impulse` (7)."""
    scale, done, since, plain, steps = np.where(rows.scale > 0.0, rows.scale, 1.0), 0, 0, False, None
    best = [np.inf, impulse / scale]

    def look(x):
        nonlocal since
        found = residual(rows, x)
        since = 0 if found < 0.9 * best[0] else since
        if found < best[0]:
            best[:] = found, x.copy()
        return best[0] > tolerance

    def reach(count):
        nonlocal done, since, plain
        m = begin(best[1])
        open_still = look(m.x)
        while open_still and done < count:
            for _ in range(10):
                sweep(rows, m)
                m.beta = 0.0 if plain else m.beta
            done, since, open_still = done + 10, since + 10, look(m.x)
            if since >= (50 if plain else 200):
                since, plain, m.t = 0, not plain, 1.0
        return count if open_still else None

    def spend(count):
        nonlocal steps
        steps, made, failures, before = steps or newton(rows, best[1], tolerance), 0, 0, best[0]
        while made < count and failures < 8:
            solved, taken, _, base = next(steps)
            made, failures = made + taken, 0 if solved else failures + 1
            if solved and not look(base):
                return None
        steps = steps if failures < 8 else None
        return made, best[0] <= 0.1 * before

    turns(cost, reach, spend, 12)
    if best[0] > tolerance:
        raise AssertionError(f"residual {best[0]} m/s is left of {tolerance} m/s")
    return scale * best[1]


def even(J, W, start, b, mu, impulse, tolerance):
    """Loads of contacts of equal stiffness, of 1 or 3 rows from start (B+1,), that do the same to the bodies (8)."""
    G, v = W @ J.T, J @ W @ J.T @ impulse + b
    sticks, use, scale, given = [], np.zeros(len(v), dtype=bool), np.zeros(len(v)), impulse.copy()
    for n, end, own in zip(start[:-1], start[1:], mu, strict=True):
        if impulse[n] > 0.0 or v[n] <= tolerance:
            use[n], scale[n] = True, 1.0
            if end - n == 3 and np.abs(v[n + 1 : end]).max() <= tolerance:
                use[n + 1 : end], scale[n + 1 : end] = True, own[:2]
                sticks.append(n)
    B, free = scale[:, None] * G.T, use.copy()
    free[[n + i for n in sticks for i in range(3)]] = False

    def projected(z):
        """(Q(z), its derivative)."""
        out, D = np.where(free, np.maximum(z, 0.0), 0.0), np.diag((free & (z > 0.0)).astype(float))
        for n in sticks:
            own, r = slice(n, n + 3), np.linalg.norm(z[n + 1 : n + 3])
            if r <= z[n]:
                out[own], D[own, own] = z[own], np.eye(3)
            elif r > -z[n]:
                d = z[n + 1 : n + 3] / r
                out[own] = 0.5 * (z[n] + r) * np.array([1.0, *d])
                D[n, n], D[n, n + 1 : n + 3], D[n + 1 : n + 3, n] = 0.5, 0.5 * d, 0.5 * d
                D[n + 1 : n + 3, n + 1 : n + 3] = 0.5 * ((1.0 + z[n] / r) * np.eye(2) - z[n] / r * np.outer(d, d))
        return out, D

    def value(x):
        return 0.5 * np.sum(projected(B @ x)[0] ** 2) - f @ x

    f = B.T @ np.divide(given, scale, where=scale > 0.0, out=np.zeros(len(v)))
    x = np.linalg.lstsq(B.T @ B, f, rcond=1e-13)[0]
    for _ in range(100):
        load, D = projected(B @ x)
        if np.abs(f - B.T @ load).max() <= 1e-13 * np.abs(f).max():
            break
        dx, t = np.linalg.lstsq(B.T @ D @ B, f - B.T @ load, rcond=1e-13)[0], 1.0
        while value(x + t * dx) > value(x) + 1e-14 * abs(value(x)) and t > 1e-6:
            t *= 0.5
        x = x + t * dx
    given[use] = (scale * projected(B @ x)[0])[use]
    for n, end in zip(start[:-1], start[1:], strict=True):
        if use[n] and not use[n + 1 : end].any():
            given[n + 1 : end] *= given[n] / impulse[n] if impulse[n] > 0.0 else 0.0
    return given


def velocity_terms(h, T, threshold, gap, e, e_T, before, free, late=False, part=1.0):
    """What gaps and a part of the restitution (2.3) add to b = J u_f of contacts of an island: (C, 3) for n, s, t,
    which bounce and which part where one does (C,)."""
    v, f, terms = before[:, 0], free[:, 0], np.zeros((len(gap), 3))
    a = (f - v) / h
    fast = np.maximum(threshold, 2.0 * h * np.abs(a))
    hit = (e > 0.0) & ((v < -fast) & (gap + T * f < 0.0) | late)
    best = np.max(e[hit], initial=0.0)
    parts = (best > 0.0) & (v > fast)
    impact = np.maximum(0.0, v**2 - 2.0 * a * np.maximum(0.0, gap - 0.5 * h * v))
    left = np.maximum(0.0, gap + 0.5 * h * f)
    target = np.sqrt(np.maximum(0.0, e**2 * impact + 2.0 * np.minimum(a, 0.0) * left))
    target, e_T = part * np.where(parts, -best * v, np.where(v < -fast, target, 0.0)), part * e_T
    waits = np.maximum(np.where(parts, -target, 0.0), np.maximum(gap, 0.0) / T)
    terms[:, 0], terms[:, 1:] = np.where(hit, -target, waits), (hit * e_T)[:, None] * before[:, 1:3]
    return terms, hit, parts


def impact_work(h, gravity, mass, before, after, load, falls):
    """Work of the impulses load (C,4) of contacts of an island, and of gravity beyond its potential energy (2.3); falls
    (R,6): u+ - motion of its bodies."""
    return 0.5 * np.sum(load * (before + after)) + 0.5 * h * np.sum(mass * (falls[:, :3] @ gravity))
