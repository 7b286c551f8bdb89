"""Stable Neo-Hookean without a logarithm (Smith, de Goes, Kim 2018), with the rest state free of stress.

Psi = mu/2 (|F|^2 - 3) + L/2 ((J - a)^2 - (1 - a)^2),  L = lambda + mu,  a = 1 + mu/L

The appendix of the 2019 paper prints J - 1 for J - a, which has stress at rest.
"""

from ....jit import inner
from .tensor_kernels import det3


@inner
def energy_of(F, mu, lam):
    """Energy density [J/m^3]."""
    L = lam + mu
    alpha, J, square = 1.0 + mu / L, det3(F), 0.0
    for i in range(3):
        for j in range(3):
            square += F[i, j] * F[i, j]
    return 0.5 * mu * (square - 3.0) + 0.5 * L * ((J - alpha) ** 2 - (1.0 - alpha) ** 2)


@inner
def principal(s, mu, lam, stress, stretch, flip, twist):
    """Derivatives of the energy density in the singular values s of F, see law_kernels.principal_of."""
    L = lam + mu
    p = L * (s[0] * s[1] * s[2] - 1.0 - mu / L)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        stress[i] = mu * s[i] + p * s[j] * s[k]
        flip[i], twist[i] = mu - p * s[i], mu + p * s[i]
        stretch[i, i] = mu + L * (s[j] * s[k]) ** 2
        stretch[j, k] = L * s[i] * s[k] * s[i] * s[j] + p * s[i]
        stretch[k, j] = stretch[j, k]
