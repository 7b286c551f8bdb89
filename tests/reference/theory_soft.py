"""docs/theory.md, section 4, in dense plain numpy: one step of one deformable body of one piece on bodies that stand.

elements: its f(x), K(x), energy V(x), x (n,3), mass (n,), damping (alpha, beta), wave_speed, size and extent.
search(y, u') -> where nodes touch: gap (C,), normal, sign, weight (C,n), mu. Velocities and forces are flat, (3 n,).
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


def along(vectors):
    """Columns (3 n,k), one for each node with a vector (n,3)."""
    found = [np.kron(e, d) for e, d in zip(np.eye(len(vectors)), vectors, strict=True) if d.any()]
    return np.array(found).reshape(-1, vectors.size).T


def resized(m, x, u, before, after):
    """Nodes x as wide across the axis that they turn about as moving for `after` seconds makes them, not `before`."""
    (R, arm), M = rigid_motions(m, x), m.repeat(3)
    spin = np.linalg.solve(R.T * M @ R, R.T * M @ u)[3:]
    square = spin @ spin
    across = arm - np.outer(arm @ spin, spin) / max(square, 1e-300)
    return x + (np.sqrt((1.0 + after**2 * square) / (1.0 + before**2 * square)) - 1.0) * across


def outward(m, y, v, h):
    """Velocities (3 n,) outward that an even turn with v (3 n,) has straight to the middle y (n,3) of a step."""
    (R, arm), M = rigid_motions(m, y), m.repeat(3)
    spin = np.linalg.solve(R.T * M @ R, R.T * M @ v)[3:]
    speed = np.linalg.norm(spin)
    across = arm @ (np.eye(3) - np.outer(spin, spin) / max(speed**2, 1e-300))
    return (1.0 - np.sqrt(1.0 - (h * speed) ** 2)) / h * across.ravel()


def begin(elements, s, h, t, rho):
    """(x, u as wide as steps of h make the body, K of damping, A(K), drifted): drifted(vectors) -> (u', y), filtered
    but for velocities along vectors, each (n,3)."""
    m, (alpha, beta), x, u = elements.mass, elements.damping, s.x, s.u
    M = m.repeat(3)
    if s.last != h:
        rest, momenta = resized(m, s.x, s.u, 0.5 * s.last, 0.0), rigid_motions(m, s.x)[0].T * M @ s.u
        for _ in range(40):
            R = rigid_motions(m, x)[0]
            x = resized(m, rest, rigid_motions(m, rest)[0] @ np.linalg.solve(R.T * M @ R, momenta), 0.0, 0.5 * h)
        R = rigid_motions(m, x)[0]
        u = u + R @ np.linalg.solve(R.T * M @ R, momenta - R.T * M @ u)
    R = rigid_motions(m, x)[0]
    rigid = u - without(M, R) @ u
    middle = x + 0.5 * h * rigid.reshape(-1, 3)
    drag = elements.K(middle - 0.5 * h * outward(m, middle, rigid, h).reshape(-1, 3))

    def matrix(K):
        return np.diag((1.0 + t * h * alpha) * M) + 0.5 * t * h * h * K + t * h * beta * drag

    def drifted(*vectors):
        P = without(M, np.hstack([R, *map(along, vectors)]))
        F = P @ (np.eye(len(M)) - np.linalg.solve(matrix(drag), np.diag(M)))
        filtered = u - (1.0 - rho) * F @ F @ P @ u
        return filtered, x + 0.5 * h * filtered.reshape(-1, 3)

    return x, u, drag, matrix, drifted


def step(elements, s, h, gravity, search, rho, tolerance):
    """The state after a step of h seconds; s: x (n,3), u (3 n,), credit [J], last: length of the step before [s]."""
    m, (alpha, beta), t = elements.mass, elements.damping, 1.0 / (1.0 + rho)
    M = m.repeat(3)
    x, u, drag, matrix, drifted = begin(elements, s, h, t, rho)
    filtered, y = drifted()
    c = search(y, filtered.reshape(-1, 3))
    axes, count, size = tangents(c.normal), len(c.gap), elements.size
    J = np.einsum("c,cn,cid->cind", c.sign, c.weight, axes).reshape(count, 3, len(M))
    shut = (c.gap <= 0.0) & (J[:, 0] @ (filtered - u) < 0.0)
    if shut.any():
        pressed, before = J[shut, 0].sum(axis=0).reshape(-1, 3), y
        held = (np.linalg.norm(pressed, axis=1) < 0.99 * c.weight[shut].sum(axis=0))[:, None]
        filtered, y = drifted(~held * pressed, *(held * axis for axis in np.eye(3)))
        c.gap = c.gap + J[:, 0] @ (y - before).ravel()
    R = rigid_motions(m, y)[0]
    P, mass = without(M, R), np.linalg.inv(R.T * M @ R)
    low = filtered - P @ filtered + P @ np.linalg.solve(matrix(drag), M * (P @ filtered))
    overlap = np.maximum(0.0, -c.gap - 1e-5 * size)
    terms = np.outer(np.maximum(c.gap, 0.0) - np.minimum(0.2 * overlap, 0.02 * size), np.eye(3)[0] / h).ravel()
    rows, weight, lam = J.reshape(-1, len(M)), M * np.tile(gravity, len(m)), np.zeros(3 * count)
    v, start = 2.0 * low - filtered, elements.V(resized(m, x, u, 0.5 * h, 0.0))

    def sampled(v):
        """Where elastic forces are taken."""
        return y + h * (P @ (0.5 * t * v + 0.5 * (t - 1.0) * filtered - (t - 0.5) * low)).reshape(-1, 3)

    even = (2.0 * t - 1.0) * outward(m, y, filtered, h)

    def damping(v):
        rate = P @ (t * v + (1.0 - t) * filtered + even)
        return -P.T @ (alpha * M * rate + beta * drag @ rate)

    def kinetic(v):
        return 0.5 * v @ (M * v)

    for number in range(4):
        B = matrix(elements.K(sampled(v)) if number else drag)
        Z = np.linalg.solve(B, M[:, None] * R)
        W = np.linalg.inv(B) - Z @ np.linalg.inv(R.T * M @ Z) @ Z.T + R @ mass @ R.T
        force = P.T @ elements.f(sampled(v)).ravel() + damping(v)
        free = v + W @ (M * (filtered - v) + h * weight + h * force)
        problem = theory.dense(rows @ W @ rows.T, rows @ free + terms, c.mu, np.full(count, 3))
        lam = theory.solve(problem, lam, tolerance)
        v = free + W @ rows.T @ lam
        end, d = y + 0.5 * h * v.reshape(-1, 3), 0.5 * h * (filtered + v)
        stored = elements.V(resized(m, end, v, 0.5 * h, 0.0))
        bent, turned = stored - start, kinetic(v - filtered)
        made = kinetic(v) - kinetic(filtered) + bent - (weight + rows.T @ lam / h + damping(v)) @ d
        round_off = 1e-9 * (kinetic(filtered) + turned + stored)
        if made <= 0.02 * (turned + abs(bent)) + round_off + max(s.credit, 0.0):
            break
    pressed = along((lam[::3] @ J[:, 0]).reshape(-1, 3))
    unresolved = h * elements.wave_speed > 16.0 * elements.extent
    if unresolved:
        v = v + without(M, rigid_motions(m, end)[0]) @ (outward(m, y, filtered, h) - outward(m, y, v, h))
    z = without(M, np.hstack([rigid_motions(m, end)[0], pressed])) @ v
    owed = min(s.credit - made, 0.02 * (kinetic(z) + abs(bent)))
    if owed < 0.0 and kinetic(z) > 0.0:
        left = np.sqrt(max(0.0, 1.0 + owed / kinetic(z)))
        v, owed = v - (1.0 - left) * z, owed + (1.0 - left**2) * kinetic(z)
    owed = max(owed, 0.0) if unresolved else owed
    return Record(x=end, u=v, credit=owed, last=h, rounds=number + 1)
