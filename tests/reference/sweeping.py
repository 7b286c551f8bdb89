"""The papers' iterations in dense plain numpy: one iterate after the other, from the listings."""

import numpy as np

from reference.judging import dense, project


def contacts(problem):
    """(A, b, row ranges); every block must be a contact."""
    assert not np.any(problem.kind)
    return dense(problem)


def friction_projection(law, mu, z, normal):
    """Closest point of the ellipsoid or box of half-axes mu normal; of an ellipse by bisection on its multiplier."""
    axes = np.asarray(mu, dtype=float)[: len(z)] * normal
    if law == 1:
        return np.clip(z, -axes, axes)
    if normal <= 0.0:
        return np.zeros_like(z)
    if np.sum((z / axes) ** 2) <= 1.0:
        return z
    low, high = 0.0, np.linalg.norm(z) * axes.max() + 1.0
    while np.sum((axes * z / (axes**2 + high)) ** 2) > 1.0:
        high *= 2.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if np.sum((axes * z / (axes**2 + middle)) ** 2) > 1.0 else (low, middle)
    return axes**2 * z / (axes**2 + high)


def prox_factors(problem, strategy, r_global):
    """R of each contact, m x m: Global, Local (39), Blocked (40) of Erleben 2017, or one scalar for friction."""
    A, _, blocks = contacts(problem)
    factors = []
    for rows in blocks:
        own = A[rows, rows]
        R = np.diag(1.0 / np.diag(own))
        if strategy == "global":
            R = r_global * np.eye(len(own))
        elif strategy == "blocked":
            R[1:, 1:] = np.linalg.inv(own[1:, 1:])
        elif strategy == "scalar":
            R[1:, 1:] = np.eye(len(own) - 1) / np.linalg.eigvalsh(own[1:, 1:])[-1]
        factors.append(R)
    return factors


def prox(problem, count, strategy, nu, r_global=5.0, jacobi=False, absolute=0.0, relative=0.0, repeats=False):
    """Algorithm 1 (jacobi) or 2 of Erleben 2017 from zero: (iterates, merits, roll-backs)."""
    A, b, blocks = contacts(problem)
    R = prox_factors(problem, strategy, r_global)
    x, last, scale, roll_backs = np.zeros(len(b)), np.inf, 1.0, 0
    iterates, merits = [], []
    for _ in range(count):
        new = x.copy()
        for k, rows in enumerate(blocks):
            v = (A @ (x if jacobi else new) + b)[rows]
            z = x[rows] - scale * R[k] @ v
            normal = max(0.0, z[0])
            bound = max(0.0, x[rows][0]) if jacobi else normal
            friction = friction_projection(problem.law[k], problem.mu[k], z[1:], bound)
            new[rows] = np.concatenate([[normal], friction])
        merit = np.abs(new - x).max()
        merits.append(merit)
        if merit > last or (repeats and merit == last > 0):
            scale, roll_backs = scale * nu, roll_backs + 1
            iterates.append(x.copy())
            continue
        x, before, last = new, last, merit
        iterates.append(x.copy())
        if merit < absolute or (relative and np.isfinite(before) and abs(merit - before) < relative * before):
            break
    return iterates, merits, roll_backs


def gauss_seidel(problem, count, relaxation=1.0):
    """PROX Gauss-Seidel, one scalar r a friction block, normal first, in scaled friction rows; blocks of every kind."""
    A, b, blocks = dense(problem)
    x, iterates = np.zeros(len(b)), []
    for _ in range(count):
        for k, rows in enumerate(blocks):
            own, kind = A[rows, rows], problem.kind[k]
            v = (A @ x + b)[rows]
            if kind in (1, 4):
                x[rows] -= relaxation * np.linalg.solve(own, v)
            elif kind in (2, 3):
                low, high = (0.0, np.inf) if kind == 2 else problem.bounds[k]
                x[rows] = np.clip(x[rows] - relaxation * v / own[0, 0], low, high)
            else:
                x[rows] = relaxed_contact(own, problem.law[k], problem.mu[k], x[rows], v, relaxation)
        iterates.append(x.copy())
    return iterates


def relaxed_contact(A, law, mu, impulse, v, relaxation):
    """New impulses of a contact whose friction does not turn its normal velocity by much: r_n = 1 / A_nn."""
    D = np.diag(mu[: len(impulse) - 1])
    assert np.linalg.norm(D @ A[1:, 0]) <= 0.8 * A[0, 0], "another r_n is meant for jamming contacts"
    normal = max(0.0, impulse[0] - relaxation * v[0] / A[0, 0])
    slip = v[1:] + A[1:, 0] * (normal - impulse[0])
    r = 1.0 / np.linalg.eigvalsh(D @ A[1:, 1:] @ D)[-1]
    y = project(law, np.linalg.solve(D, impulse[1:]) - relaxation * r * D @ slip, normal)
    return np.concatenate([[normal], D @ y])


def pgs(problem, count, omega=1.0, last=False):
    """Projected SOR of Silcowitz-Hansen et al. 2010, row by row; last: bounds as (17) and (18) print them."""
    A, b, blocks = contacts(problem)
    x, iterates = np.zeros(len(b)), []
    for _ in range(count):
        before = x.copy()
        for k, rows in enumerate(blocks):
            for i in range(rows.start, rows.stop):
                value = x[i] - omega * (A[i] @ x + b[i]) / A[i, i]
                limit = problem.mu[k, i - rows.start - 1] * (before if last else x)[rows.start]
                x[i] = max(0.0, value) if i == rows.start else np.clip(value, -limit, limit)
        iterates.append(x.copy())
    return iterates


def nncg(problem, count):
    """The listing of Silcowitz-Hansen et al. 2010, section 4, on the box sweep: (iterates x, squared gradients)."""
    A, b, blocks = contacts(problem)

    def sweep(start):
        x = start.copy()
        for k, rows in enumerate(blocks):
            for i in range(rows.start, rows.stop):
                value = x[i] - (A[i] @ x + b[i]) / A[i, i]
                limit = problem.mu[k, i - rows.start - 1] * max(0.0, x[rows.start])
                x[i] = max(0.0, value) if i == rows.start else np.clip(value, -limit, limit)
        return x

    x = np.zeros(len(b))
    swept = sweep(x)
    gradient = -(swept - x)
    direction, x = -gradient, swept
    iterates, squares = [x.copy()], [gradient @ gradient]
    for _ in range(count - 1):
        swept = sweep(x)
        new = -(swept - x)
        beta = (new @ new) / (gradient @ gradient)
        x = swept
        if beta > 1.0:
            direction = np.zeros_like(x)
        else:
            x = x + beta * direction
            direction = beta * direction - new
        gradient = new
        iterates.append(x.copy())
        squares.append(gradient @ gradient)
    return iterates, squares


def conjugate_residual(M, rhs, count):
    """The iterate of the Krylov space of P M, P = 1 / diagonal, whose residual is least in the norm of P, by least
    squares: what preconditioned conjugate residuals reach after `count` steps."""
    P = np.diag(1.0 / np.diag(M))
    basis = [P @ rhs]
    for _ in range(count - 1):
        basis.append(P @ M @ basis[-1])
    K, _ = np.linalg.qr(np.array(basis).T)
    W = np.sqrt(P)
    return K @ np.linalg.lstsq(W @ M @ K, W @ rhs, rcond=None)[0]
