"""Saint Venant-Kirchhoff: Psi = mu |E|^2 + lambda/2 tr(E)^2 with Green's strain E. It gives way under compression."""

from ....jit import inner


@inner
def energy_of(F, mu, lam):
    """Energy density [J/m^3]."""
    trace, square = 0.0, 0.0
    for i in range(3):
        for j in range(3):
            e = -0.5 if i == j else 0.0
            for k in range(3):
                e += 0.5 * F[k, i] * F[k, j]
            square += e * e
            if i == j:
                trace += e
    return mu * square + 0.5 * lam * trace * trace


@inner
def principal(s, mu, lam, stress, stretch, flip, twist):
    """Derivatives of the energy density in the singular values s of F, see law_kernels.principal_of."""
    trace = 0.5 * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2] - 3.0)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        t = mu * (s[i] * s[i] - 1.0) + lam * trace
        stress[i] = s[i] * t
        stretch[i, i] = t + s[i] * s[i] * (2.0 * mu + lam)
        stretch[j, k] = stretch[k, j] = lam * s[j] * s[k]
        both = mu * (s[j] * s[j] + s[k] * s[k] - 1.0) + lam * trace
        flip[i], twist[i] = both + mu * s[j] * s[k], both - mu * s[j] * s[k]
