"""The judge: how far impulses are from solving a contact problem. It grades every method, and no method grades itself.

Main measure: the natural map in m/s, largest over blocks. For a contact with v = A lambda + b,

    normal     |lambda_n - max(0, lambda_n - r_n v_n)| / r_n,               r_n = 1 / A_nn
    friction   |y - P(y - r_y D v_F)| / (r_y mu),    lambda_F = D y,    r_y = 1 / lambda_max(D A_FF D)

with D = diag(mu_s, mu_t, mu_tau), P the projection onto the friction set of lambda_n and mu the largest
sliding coefficient. With one coefficient this is the natural map of the cone with the scalar step 1 / lambda_max(A_FF).
"""


import numpy as np

from .base.records import record
from .laws.friction_laws import FrictionLaw
from .problem import Block
from .problems import residual_kernels as kernels


@record
class Violations:
    """Physical laws one by one, largest over blocks.

    penetrating_velocity [m/s]; complementarity lambda_n v_n [J]; cone: friction impulse beyond the set [N s];
    negative_impulse [N s]; dissipation_gap: rate by which friction misses maximal dissipation [J];
    bilateral: velocity left in joints [m/s].
    """

    penetrating_velocity: float
    complementarity: float
    cone: float
    negative_impulse: float
    dissipation_gap: float
    bilateral: float


def block_residuals(problem, impulse, w=None):
    """Return the natural map of every block (B,) [m/s]; w = W J^T lambda is computed when not given."""
    impulse = np.ascontiguousarray(impulse, dtype=float)
    if w is None:
        w = problem.velocity_change(impulse)
    offset, diagonal = problem.diagonal
    residual = np.empty(problem.block_count)
    kernels.natural_map(problem.arrays, offset, diagonal, impulse, w, residual)
    return residual


def natural_map(problem, impulse, w=None):
    """Return the judge's residual [m/s]: the largest natural map over blocks; inf if an impulse is not finite."""
    impulse = np.ascontiguousarray(impulse, dtype=float)
    change = np.zeros(problem.dof_count) if w is None else w
    return kernels.largest_residual(problem.arrays, *problem.diagonal, impulse, change, w is None)


def violations(problem, impulse):
    """Return the Violations of `impulse`."""
    impulse = np.ascontiguousarray(impulse, dtype=float)
    out = np.zeros(6)
    kernels.violations(problem.arrays, impulse, problem.velocity_change(impulse), out)
    return Violations(*(float(x) for x in out))


def siconos_error(problem, impulse):
    """Return Siconos' relative error [1] of isotropic Coulomb contacts with three rows, None for other problems.

    sqrt(sum_i |r_i - P(r_i - u_i^)|^2) / max(|q|, |r|, |u|), u^ = u + (mu |u_T|, 0, 0), P the Euclidean
    projection onto the cone |r_T| <= mu r_N; absolute where the scale is below machine epsilon
    (fc3d_compute_error of Siconos 4.4); inf where numbers are too large for their squares. It depends on the units of
    mass: use it to compare with the literature.
    """
    rows = np.diff(problem.row_start)
    isotropic = np.all(problem.mu[:, 0] == problem.mu[:, 1]) and np.all(problem.mu[:, 2] == 0)
    if np.any(problem.kind != Block.CONTACT) or np.any(rows != 3) or not isotropic:
        return None
    if np.any(problem.law != FrictionLaw.ELLIPSOID):
        return None
    r = np.asarray(impulse, dtype=float).reshape(-1, 3)
    u = problem.velocity(impulse).reshape(-1, 3)
    mu = problem.mu[:, 0]
    z = r - u
    with np.errstate(over="ignore", invalid="ignore"):
        z[:, 0] -= mu * np.hypot(u[:, 1], u[:, 2])
        error = np.linalg.norm(r - _project_cone(z, mu))
        scale = max(np.linalg.norm(problem.b), np.linalg.norm(r), np.linalg.norm(u))
    if not np.isfinite(error) or not np.isfinite(scale):
        return float(np.inf)
    return float(error / scale) if scale > np.finfo(float).eps else float(error)


def _project_cone(z, mu):
    """Euclidean projection of z (K,3) onto |z_T| <= mu z_N."""
    slip = np.hypot(z[:, 1], z[:, 2])
    normal = np.maximum(0.0, (mu * slip + z[:, 0]) / (1.0 + mu * mu))
    scale = np.divide(mu * normal, slip, out=np.zeros_like(slip), where=slip > 0)
    projected = np.column_stack([normal, z[:, 1] * scale, z[:, 2] * scale])
    inside = slip <= mu * z[:, 0]
    projected[inside] = z[inside]
    projected[mu * slip <= -z[:, 0]] = 0.0
    return projected
