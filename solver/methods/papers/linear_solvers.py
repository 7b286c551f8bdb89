"""Linear solvers of the non-smooth Newton method: M x = rhs, started at x = 0 and stopped after `count` iterations.

M is a scipy CSR matrix, symmetric and positive semi-definite up to rounding. PCG and PCR use the diagonal as
preconditioner (Macklin et al. 2019, section 8.2). LINEAR_SOLVERS maps the option's names to functions.
"""

import numpy as np
import scipy.sparse.linalg as sla

from .newton_kernels import gauss_seidel_rows


def _inverse_diagonal(M):
    diagonal = M.diagonal()
    return np.divide(1.0, diagonal, out=np.ones_like(diagonal), where=diagonal > 0)


def conjugate_gradient(M, rhs, count):
    """Preconditioned conjugate gradients."""
    P, x, r = _inverse_diagonal(M), np.zeros_like(rhs), rhs.copy()
    z = P * r
    p, rz = z.copy(), r @ z
    stop = 1e-15 * np.linalg.norm(rhs)  # rounding
    for _ in range(count):
        q = M @ p
        curvature = p @ q
        if curvature <= 0.0 or np.linalg.norm(r) <= stop:
            break
        x += rz / curvature * p
        r -= rz / curvature * q
        z = P * r
        rz, old = r @ z, rz
        p = z + rz / old * p
    return x


def conjugate_residual(M, rhs, count):
    """Preconditioned conjugate residuals: the preconditioned residual falls in every iteration (equation 69)."""
    P, x = _inverse_diagonal(M), np.zeros_like(rhs)
    z = P * rhs
    p, Mz = z.copy(), M @ z
    Mp, zMz = Mz.copy(), z @ Mz
    stop = 1e-15 * np.linalg.norm(z)  # rounding
    for _ in range(count):
        q = P * Mp
        square = Mp @ q
        if square <= 0.0 or zMz <= 0.0 or np.linalg.norm(z) <= stop:
            break
        x += zMz / square * p
        z = z - zMz / square * q
        Mz = M @ z
        zMz, old = z @ Mz, zMz
        p = z + zMz / old * p
        Mp = Mz + zMz / old * Mp
    return x


def jacobi(M, rhs, count):
    """Jacobi, relaxed by the largest row sum of |D^-1 M| so that it converges on every positive matrix."""
    P, x = _inverse_diagonal(M), np.zeros_like(rhs)
    growth = float(np.max(P * np.asarray(abs(M).sum(axis=1)).ravel(), initial=1.0))
    for _ in range(count):
        x += P / growth * (rhs - M @ x)
    return x


def gauss_seidel(M, rhs, count):
    """Gauss-Seidel sweeps, forward."""
    x = np.zeros_like(rhs)
    gauss_seidel_rows(M.indptr, M.indices, M.data, rhs, x, count)
    return x


def direct(M, rhs, count):
    """Sparse LU; falls back to conjugate residuals where the matrix is singular."""
    try:
        x = sla.splu(M.tocsc()).solve(rhs)
    except RuntimeError:
        return conjugate_residual(M, rhs, count)
    return x if np.all(np.isfinite(x)) else conjugate_residual(M, rhs, count)


LINEAR_SOLVERS = {
    "pcr": conjugate_residual,
    "pcg": conjugate_gradient,
    "jacobi": jacobi,
    "gauss_seidel": gauss_seidel,
    "direct": direct,
}
