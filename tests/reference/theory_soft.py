"""docs/theory.md, section 4, in dense plain numpy: one step of one deformable body of one piece on bodies that stand.

elements: its f(x), K(x), both flat, its energy V(x), its mass (n,), damping (alpha, beta), wave_speed, size and extent.
search(y, u') -> where nodes touch: gap (C,), normal, sign, weight (C,n), mu.
"""

from types import SimpleNamespace as Record

import numpy as np

from reference import theory
from reference.theory_step import skew, tangents


def rigid_motions(m, x):
    """(R (3 n,6) of nodes at x (n,3), arms (n,3) from the centre)."""
    arm = x - m @ x / m.sum()
    return np.concatenate([np.hstack([np.eye(3), -skew(r)]) for r in arm]), arm


def without(M, N):
    """The M-orthogonal projection (3 n,3 n) that takes the columns of N out of velocities; M (3 n,)."""
    return np.eye(len(M)) - N @ np.linalg.pinv(N.T * M @ N, rcond=1e-12, hermitian=True) @ (N.T * M)


def resized(m, x, u, before, after):
    """Nodes x as wide across the axis that they turn about as moving for `after` seconds makes them, not `before`."""
    (R, arm), M = rigid_motions(m, x), m.repeat(3)
    spin = np.linalg.solve(R.T * M @ R, R.T * M @ u.ravel())[3:]
    rate = np.linalg.norm(spin)
    axis = spin / max(rate, 1e-300)
    across = arm - np.outer(arm @ axis, axis)
    return x + (np.sqrt((1.0 + (after * rate) ** 2) / (1.0 + (before * rate) ** 2)) - 1.0) * across


def step(elements, s, h, gravity, search, rho, tolerance):
    """The state after a step of h seconds; s: x, u (n,3), credit [J], last: length of the step before [s]."""
    m, (alpha, beta), t = elements.mass, elements.damping, 1.0 / (1.0 + rho)
    M, x, u = m.repeat(3), s.x, s.u
    if s.last != h:
        x = resized(m, s.x, s.u, 0.5 * s.last, 0.5 * h)
        old, new = rigid_motions(m, s.x)[0], rigid_motions(m, x)[0]
        missing = old.T * M @ u.ravel() - new.T * M @ u.ravel()
        u = u + (new @ np.linalg.solve(new.T * M @ new, missing)).reshape(-1, 3)
    R = rigid_motions(m, x)[0]
    rigid = u.ravel() - without(M, R) @ u.ravel()
    K = drag = elements.K(x + 0.5 * h * rigid.reshape(-1, 3))

    def matrix(K):
        return np.diag((1.0 + t * h * alpha) * M) + 0.5 * t * h * h * K + t * h * beta * drag

    A = matrix(K)

    def drifted(pressed, held):
        """(u', y): filtered but for velocities along pressed (n,3) and of nodes that are held (n,)."""
        out = [np.kron(e, np.eye(3)[i]) for e in np.eye(len(m))[held] for i in range(3)]
        out += [np.kron(e, d) for e, d, on in zip(np.eye(len(m)), pressed, held, strict=True) if d.any() and not on]
        P = without(M, np.column_stack([R, *out]))
        F = P @ (np.eye(len(M)) - np.linalg.solve(A, np.diag(M)))
        filtered = u.ravel() - (1.0 - rho) * F @ F @ P @ u.ravel()
        return filtered, x + 0.5 * h * filtered.reshape(-1, 3)

    none = np.zeros_like(u), np.zeros(len(m), dtype=bool)
    filtered, y = drifted(*none)
    c = search(y, filtered.reshape(-1, 3))
    axes, count = tangents(c.normal), len(c.gap)
    J = np.einsum("c,cn,cid->cind", c.sign, c.weight, axes).reshape(count, 3, len(M))
    shut = (c.gap <= 0.0) & (J[:, 0] @ (filtered - u.ravel()) < 0.0)
    if shut.any():
        pressed, weight = J[shut, 0].sum(axis=0).reshape(-1, 3), c.weight[shut].sum(axis=0)
        length = np.linalg.norm(pressed, axis=1)
        before, held = y, (length < 0.99 * weight)
        filtered, y = drifted(pressed / np.where(length > 0.0, length, 1.0)[:, None], held)
        c.gap = c.gap + J[:, 0] @ (y - before).ravel()
    R = rigid_motions(m, y)[0]
    P, mass = without(M, R), np.linalg.inv(R.T * M @ R)
    low = filtered - P @ filtered + P @ np.linalg.solve(A, M * (P @ filtered))
    overlap = np.maximum(0.0, -c.gap - 1e-5 * elements.size)
    terms = np.zeros((count, 3))
    terms[:, 0] = np.maximum(c.gap, 0.0) / h - np.minimum(0.2 * overlap, 0.02 * elements.size) / h
    sizes = np.where(c.mu[:, :2].max(axis=1, initial=0.0) > 0.0, 3, 1)
    use = np.arange(3) < sizes[:, None]
    rows, weight, start = J[use], M * np.tile(gravity, len(m)), resized(m, x, u, 0.5 * h, 0.0)
    lam, v, B = np.zeros(len(rows)), 2.0 * low - filtered, A

    def sampled(v):
        """Where elastic forces are taken."""
        return y + h * (P @ (0.5 * t * v + 0.5 * (t - 1.0) * filtered - (t - 0.5) * low)).reshape(-1, 3)

    def damping(v):
        rate = P @ (t * v + (1.0 - t) * filtered)
        return -alpha * M * rate - beta * drag @ rate

    def kinetic(v):
        return 0.5 * v @ (M * v)

    for number in range(4):
        B = A if number == 0 else matrix(elements.K(sampled(v)))
        Z = np.linalg.solve(B, M[:, None] * R)
        W = np.linalg.inv(B) - Z @ np.linalg.inv(R.T * M @ Z) @ Z.T + R @ mass @ R.T
        force = P.T @ (elements.f(sampled(v)) + damping(v))
        free = v + W @ (M * (filtered - v) + h * weight + h * force)
        if count:
            problem = theory.dense(rows @ W @ rows.T, rows @ free + terms[use], c.mu, sizes)
            lam = theory.solve(problem, lam, tolerance)
        v = free + W @ rows.T @ lam
        end, d = y + 0.5 * h * v.reshape(-1, 3), 0.5 * h * (filtered + v)
        stored = elements.V(resized(m, end, v.reshape(-1, 3), 0.5 * h, 0.0))
        made = kinetic(v) - kinetic(filtered) + stored - elements.V(start)
        made -= (weight + rows.T @ lam / h) @ d + (P.T @ damping(v)) @ d
        of_it = stored + kinetic(v - filtered)
        if made <= 0.02 * of_it + 1e-9 * (kinetic(filtered) + of_it) + max(s.credit, 0.0):
            break
    full = np.zeros((count, 3))
    full[use] = lam
    along = (full[:, 0] @ J[:, 0]).reshape(-1, 3)
    length = np.linalg.norm(along, axis=1)
    out = [np.kron(e, d) for e, d, on in zip(np.eye(len(m)), along, length > 0.0, strict=True) if on]
    z = without(M, np.column_stack([rigid_motions(m, end)[0], *out])) @ v
    most = 0.02 * (kinetic(z) + stored)
    owed = min(s.credit - made, most)
    if owed < 0.0 and kinetic(z) > 0.0:
        left = np.sqrt(max(0.0, 1.0 + owed / kinetic(z)))
        v, owed = v - (1.0 - left) * z, owed + (1.0 - left**2) * kinetic(z)
    if h * elements.wave_speed > 16.0 * elements.extent:
        owed = max(owed, 0.0)
    return Record(x=end, u=v.reshape(-1, 3), credit=owed, last=h, rounds=number + 1)
