"""Small dense tensors: determinant, singular values with proper rotations, symmetric eigenvalues."""

from math import sqrt

import numpy as np

from ....jit import inner


@inner
def det3(F):
    """Determinant of a 3x3 matrix."""
    return (
        F[0, 0] * (F[1, 1] * F[2, 2] - F[1, 2] * F[2, 1])
        - F[0, 1] * (F[1, 0] * F[2, 2] - F[1, 2] * F[2, 0])
        + F[0, 2] * (F[1, 0] * F[2, 1] - F[1, 1] * F[2, 0])
    )


@inner
def identity(A):
    """A = 1."""
    for i in range(3):
        for j in range(3):
            A[i, j] = 1.0 if i == j else 0.0


@inner
def _turn_columns(A, p, q, c, s):
    for k in range(3):
        x, y = A[k, p], A[k, q]
        A[k, p], A[k, q] = c * x - s * y, s * x + c * y


@inner
def _tangent(z):
    """Tangent of the Jacobi rotation for cot(2 angle) = z."""
    return (1.0 if z >= 0.0 else -1.0) / (abs(z) + sqrt(1.0 + z * z))


@inner
def _sort_columns(A, V, s):
    """Columns of A and V by falling s."""
    for p in range(2):
        m = p
        for q in range(p + 1, 3):
            if s[q] > s[m]:
                m = q
        if m != p:
            s[p], s[m] = s[m], s[p]
            for k in range(3):
                A[k, p], A[k, m] = A[k, m], A[k, p]
                V[k, p], V[k, m] = V[k, m], V[k, p]


@inner
def _second_column(A, U, s):
    """U[:,1] along A[:,1], or anywhere across U[:,0] where that has no length."""
    if s[1] > 1e-12 * s[0] and s[1] > 0.0:
        for k in range(3):
            U[k, 1] = A[k, 1] / s[1]
        return
    m = 0
    for k in range(3):
        if abs(U[k, 0]) < abs(U[m, 0]):
            m = k
    along, square = U[m, 0], 0.0
    for k in range(3):
        U[k, 1] = (1.0 if k == m else 0.0) - along * U[k, 0]
        square += U[k, 1] * U[k, 1]
    for k in range(3):
        U[k, 1] /= sqrt(square)


@inner
def svd3(F, A, U, s, V):
    """F = U diag(s) V^T with det U = det V = 1, s falling, its last of the sign of det F; one-sided Jacobi, A: work."""
    identity(V)
    for i in range(3):
        for j in range(3):
            A[i, j] = F[i, j]
    for _ in range(12):
        turned = False
        for p in range(2):
            for q in range(p + 1, 3):
                a = A[0, p] * A[0, p] + A[1, p] * A[1, p] + A[2, p] * A[2, p]
                b = A[0, q] * A[0, q] + A[1, q] * A[1, q] + A[2, q] * A[2, q]
                c = A[0, p] * A[0, q] + A[1, p] * A[1, q] + A[2, p] * A[2, q]
                if c * c <= 1e-32 * a * b + 1e-300:
                    continue
                turned = True
                t = _tangent((b - a) / (2.0 * c))
                cosine = 1.0 / sqrt(1.0 + t * t)
                _turn_columns(A, p, q, cosine, cosine * t)
                _turn_columns(V, p, q, cosine, cosine * t)
        if not turned:
            break
    for p in range(3):
        s[p] = sqrt(A[0, p] * A[0, p] + A[1, p] * A[1, p] + A[2, p] * A[2, p])
    _sort_columns(A, V, s)
    if det3(V) < 0.0:
        for k in range(3):
            V[k, 2], A[k, 2] = -V[k, 2], -A[k, 2]
    if s[0] > 1e-150:
        for k in range(3):
            U[k, 0] = A[k, 0] / s[0]
    else:
        U[0, 0], U[1, 0], U[2, 0] = 1.0, 0.0, 0.0
    _second_column(A, U, s)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        U[k, 2] = U[i, 0] * U[j, 1] - U[j, 0] * U[i, 1]
    s[2] = A[0, 2] * U[0, 2] + A[1, 2] * U[1, 2] + A[2, 2] * U[2, 2]


@inner
def eig3(A, w, Q):
    """Eigenvalues w and vectors (columns of Q) of a symmetric 3x3 matrix by Jacobi; A is overwritten."""
    identity(Q)
    for _ in range(15):
        off = abs(A[0, 1]) + abs(A[0, 2]) + abs(A[1, 2])
        if off <= 1e-16 * (abs(A[0, 0]) + abs(A[1, 1]) + abs(A[2, 2])):
            break
        for p in range(2):
            for q in range(p + 1, 3):
                if A[p, q] == 0.0:
                    continue
                t = _tangent((A[q, q] - A[p, p]) / (2.0 * A[p, q]))
                c = 1.0 / sqrt(1.0 + t * t)
                s = t * c
                _turn_columns(A, p, q, c, s)
                for k in range(3):
                    x, y = A[p, k], A[q, k]
                    A[p, k], A[q, k] = c * x - s * y, s * x + c * y
                _turn_columns(Q, p, q, c, s)
    for i in range(3):
        w[i] = A[i, i]


@inner
def is_positive(A):
    """True if a symmetric 3x3 matrix is positive definite (Sylvester)."""
    return A[0, 0] > 0.0 and A[0, 0] * A[1, 1] - A[0, 1] * A[0, 1] > 0.0 and det3(A) > 0.0


@inner
def project_positive(A, B, w, Q):
    """Replace the negative eigenvalues of a symmetric 3x3 matrix by 0; B, w, Q: work."""
    if is_positive(A):
        return
    for i in range(3):
        for j in range(3):
            B[i, j] = A[i, j]
    eig3(B, w, Q)
    for i in range(3):
        for j in range(3):
            A[i, j] = 0.0
            for k in range(3):
                A[i, j] += Q[i, k] * max(w[k], 0.0) * Q[j, k]


@inner
def invert_inertia(second, work, Q, w, out):
    """out (3,3): inverse of the inertia of second moments (3,3), 0 about axes along which all lies; the rest: work."""
    trace = second[0, 0] + second[1, 1] + second[2, 2]
    for i in range(3):
        for j in range(3):
            work[i, j] = (trace if i == j else 0.0) - second[i, j]
    eig3(work, w, Q)
    least = 1e-12 * max(w[0], w[1], w[2])
    for i in range(3):
        for j in range(3):
            out[i, j] = 0.0
            for k in range(3):
                if w[k] > least:
                    out[i, j] += Q[i, k] * Q[j, k] / w[k]


def lame(young, poisson):
    """Lame's constants (mu, lambda) [Pa] of Young's modulus [Pa] and Poisson's ratio."""
    young, poisson = np.asarray(young, dtype=float), np.asarray(poisson, dtype=float)
    return young / (2.0 * (1.0 + poisson)), young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))


@inner
def add_moment(weight, r, v, out):
    """out (6,) += weight times v (3,) and its moment at r (3,)."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] += weight * v[i]
        out[3 + i] += weight * (r[j] * v[k] - r[k] * v[j])


@inner
def put_moved(motion, r, weight, out):
    """out (3,) = weight times the velocity at r (3,) of a rigid motion (6,)."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] = weight * (motion[i] + motion[3 + j] * r[k] - motion[3 + k] * r[j])
