"""What laws of the form W = sum of e(s_i) + U(J) share, s the singular values of F and J their product."""

import numpy as np

from ....jit import inner
from .tensor_kernels import det3, svd3


@inner
def quadratic_energy(F, mu, volume):
    """mu/2 (|F|^2 - 3 - (J^2 - 1)) + volume, volume a function of J whose slope is 0 at J = 1.

    With the invariants of Green's strain the first part is -2 mu (I2 + 2 I3), of second order as it stands: as a
    difference it is round-off of mu at rest, which in a stiff body is more than what it has.
    """
    e = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            e[i, j] = -0.5 if i == j else 0.0
            for k in range(3):
                e[i, j] += 0.5 * F[k, i] * F[k, j]
    second = e[0, 0] * e[1, 1] + e[0, 0] * e[2, 2] + e[1, 1] * e[2, 2] - e[0, 1] ** 2 - e[0, 2] ** 2 - e[1, 2] ** 2
    return volume - 2.0 * mu * (second + 2.0 * det3(e))


@inner
def begin_quadratic(p, mu):
    """Fill U, s and V of a point and the derivatives of sum of e(s_i) = mu/2 (s_i^2 - 1); returns J."""
    svd3(p.F, p.A, p.U, p.s, p.V)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        p.stress[i] = mu * p.s[i]
        p.flip[i] = p.twist[i] = p.stretch[i, i] = mu
        p.stretch[j, k] = p.stretch[k, j] = 0.0
    return p.s[0] * p.s[1] * p.s[2]


@inner
def add_volume(p, slope, curvature):
    """Add the derivatives of U(J) to those of a point, from U' and U'' [Pa]."""
    s = p.s
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        p.stress[i] += slope * s[j] * s[k]
        p.flip[i] -= slope * s[i]
        p.twist[i] += slope * s[i]
        p.stretch[i, i] += curvature * (s[j] * s[k]) ** 2
        p.stretch[j, k] += curvature * s[i] * s[k] * s[i] * s[j] + slope * s[i]
        p.stretch[k, j] = p.stretch[j, k]


@inner
def end(p):
    """P = U diag(stress) V^T."""
    for i in range(3):
        for j in range(3):
            p.P[i, j] = 0.0
            for k in range(3):
                p.P[i, j] += p.U[i, k] * p.stress[k] * p.V[j, k]


@inner
def measure_of(p):
    """What lambda acts on: J."""
    return det3(p.F)


@inner
def measure_slope(p, out):
    """dJ/dF, the cofactors of F."""
    F = p.F
    for i in range(3):
        k, m = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            u, v = (j + 1) % 3, (j + 2) % 3
            out[i, j] = F[k, u] * F[m, v] - F[k, v] * F[m, u]


@inner
def quadratic_stress(p, mu, slope):
    """P of mu/2 |F|^2 + U(J), from U' [Pa]."""
    measure_slope(p, p.P)
    for i in range(3):
        for j in range(3):
            p.P[i, j] = mu * p.F[i, j] + slope * p.P[i, j]


@inner
def volumetric(theta):
    """h, h', h'' of laws whose measure is J."""
    return 0.5 * (theta - 1.0) ** 2, theta - 1.0, 1.0


@inner
def volumetric_of_strain(theta):
    """h, h', h'' of laws whose measure is a strain, 0 at rest."""
    return 0.5 * theta * theta, theta, 1.0


def no_limit(mu, lam):
    """A law whose pressure grows as far as a body is pressed has no limit point."""
    return 0.0
