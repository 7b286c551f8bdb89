"""Corotational linear elasticity: Psi = mu |F - R|^2 + lambda/2 (tr(R^T F) - 3)^2, R the rotation in F.

Cheap and stiff under compression, but bodies lose volume at large strain.
"""

from ....jit import inner


@inner
def energy_of(s, mu, lam):
    """Energy density [J/m^3] of the singular values s of F."""
    total = s[0] + s[1] + s[2] - 3.0
    return mu * ((s[0] - 1.0) ** 2 + (s[1] - 1.0) ** 2 + (s[2] - 1.0) ** 2) + 0.5 * lam * total * total


@inner
def principal(s, mu, lam, stress, stretch, flip, twist):
    """Derivatives of the energy density in the singular values s of F, see law_kernels.principal_of."""
    total = s[0] + s[1] + s[2] - 3.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        stress[i] = 2.0 * mu * (s[i] - 1.0) + lam * total
        flip[i] = 2.0 * mu
        twist[i] = 2.0 * mu + 2.0 * (lam * total - 2.0 * mu) / max(s[j] + s[k], 1e-9)
        stretch[i, i] = 2.0 * mu + lam
        stretch[j, k] = stretch[k, j] = lam
