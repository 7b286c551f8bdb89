"""The judge and Siconos' error from their definitions, in dense plain numpy; from the problem's arrays.

Natural map of a contact, with v = A lambda + b:

    normal     |lambda_n - max(0, lambda_n - r_n v_n)| / r_n,     r_n = 1 / A_nn
    friction   |y - P(y - r_y D v_F)| / (r_y mu),  lambda_F = D y,  D = diag(mu_s, mu_t, mu_tau),
               r_y = 1 / lambda_max(D A_FF D),  P the projection onto the unit set times max(0, lambda_n),
               mu the largest sliding coefficient
"""

import numpy as np


def rows_of(rows, row_start, size):
    """BlockRows as a dense matrix (K, size)."""
    matrix = np.zeros((row_start[-1], size))
    for k in range(len(row_start) - 1):
        m = row_start[k + 1] - row_start[k]
        for s in range(rows.indptr[k], rows.indptr[k + 1]):
            o, n, start = rows.offset[s], rows.size[s], rows.start[s]
            matrix[row_start[k] : row_start[k + 1], start : start + n] += rows.data[o : o + m * n].reshape(m, n)
    return matrix


def bodies_of(problem):
    """(J (K,N), W (N,N), first rows (B+1,)) of a problem of the program."""
    size, mass = problem.dof_count, problem.inverse_mass
    W = np.zeros((size, size))
    for k in range(len(mass.start) - 1):
        n, at = mass.start[k + 1] - mass.start[k], slice(mass.start[k], mass.start[k + 1])
        W[at, at] = mass.data[mass.offset[k] : mass.offset[k] + n * n].reshape(n, n)
    return rows_of(problem.J, problem.row_start, size), W, problem.row_start


def dense(problem):
    """(A, b, row ranges) of a problem: A = J (W J^T) + C."""
    J, G = (rows_of(rows, problem.row_start, problem.dof_count) for rows in (problem.J, problem.G))
    A = J @ G.T
    for k, offset in enumerate(problem.compliance_offset):
        rows = slice(problem.row_start[k], problem.row_start[k + 1])
        m = rows.stop - rows.start
        if offset >= 0:
            A[rows, rows] += problem.compliance[offset : offset + m * m].reshape(m, m)
    return A, problem.b, [slice(*pair) for pair in zip(problem.row_start[:-1], problem.row_start[1:], strict=True)]


def project(law, y, radius):
    """Closest point of the ball (0) or the box (1) of that radius."""
    if law == 1:
        return np.clip(y, -radius, radius)
    length = np.linalg.norm(y)
    return y if length <= radius else y * radius / length


def contact_error(A, law, mu, impulse, v):
    """Natural map of one contact [m/s]; A: its own block."""
    a = A[0, 0]
    normal = abs(impulse[0] - max(0.0, impulse[0] - v[0] / a)) * a
    if len(impulse) == 1:
        return normal
    D = np.diag(mu[: len(impulse) - 1])
    y, slip = np.linalg.solve(D, impulse[1:]), D @ v[1:]
    block = D @ A[1:, 1:] @ D
    r = 1.0 / np.linalg.eigvalsh(0.5 * (block + block.T))[-1]
    error = np.linalg.norm(y - project(law, y - r * slip, max(0.0, impulse[0])))
    return max(normal, error / (r * (max(mu[0], mu[1]) or 1.0)))


def bounded_error(a, low, high, impulse, v):
    """Natural map of one bounded row [m/s]."""
    return abs(impulse - np.clip(impulse - v / a, low, high)) * a


def natural_map(problem, impulse):
    """The judge's residual [m/s]."""
    A, b, blocks = dense(problem)
    v, errors = A @ impulse + b, [0.0]
    for k, rows in enumerate(blocks):
        kind, own = problem.kind[k], A[rows, rows]
        if kind == 0:
            errors.append(contact_error(own, problem.law[k], problem.mu[k], impulse[rows], v[rows]))
        elif kind in (1, 4):
            errors.append(np.abs(v[rows]).max())
        else:
            low, high = (0.0, np.inf) if kind == 2 else problem.bounds[k]
            errors.append(bounded_error(own[0, 0], low, high, impulse[rows][0], v[rows][0]))
    return max(errors)


def siconos_error(problem, impulse):
    """Siconos' relative error, contact by contact: sqrt(sum |r - P_K(r - u^)|^2) / max(|q|, |r|, |u|)."""
    A, b, blocks = dense(problem)
    u = A @ impulse + b
    square = 0.0
    for k, rows in enumerate(blocks):
        mu, r, own = problem.mu[k, 0], impulse[rows], u[rows]
        z = r - own - np.array([mu * np.linalg.norm(own[1:]), 0.0, 0.0])
        square += np.sum((r - onto_cone(mu, z)) ** 2)
    return np.sqrt(square) / max(np.linalg.norm(b), np.linalg.norm(impulse), np.linalg.norm(u))


def onto_cone(mu, z):
    """Closest point of the cone |z_T| <= mu z_N, found along the generator through z_T."""
    slip = np.linalg.norm(z[1:])
    if slip <= mu * z[0]:
        return z
    direction = z[1:] / slip if slip > 0 else np.array([1.0, 0.0])
    generator = np.array([1.0, *(mu * direction)]) / np.sqrt(1.0 + mu * mu)
    return max(0.0, z @ generator) * generator
