"""Linear elasticity: Psi = mu |e|^2 + lambda/2 tr(e)^2, e = (F + F^T)/2 - 1. Right for small turns only."""

from ....jit import inner


@inner
def energy_of(F, mu, lam):
    """Energy density [J/m^3]."""
    square, trace = 0.0, F[0, 0] + F[1, 1] + F[2, 2] - 3.0
    for i in range(3):
        for j in range(3):
            e = 0.5 * (F[i, j] + F[j, i]) - (1.0 if i == j else 0.0)
            square += e * e
    return mu * square + 0.5 * lam * trace * trace


@inner
def stress_of(F, mu, lam, P):
    """Stress P = dPsi/dF [Pa]."""
    trace = F[0, 0] + F[1, 1] + F[2, 2] - 3.0
    for i in range(3):
        for j in range(3):
            P[i, j] = mu * (F[i, j] + F[j, i])
        P[i, i] += lam * trace - 2.0 * mu


@inner
def stiffness(mu, lam, stretch, flip, twist):
    """Second derivatives in the form of law_kernels.principal_of, with the axes of the world."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        flip[i], twist[i] = 2.0 * mu, 0.0
        stretch[i, i] = 2.0 * mu + lam
        stretch[j, k] = stretch[k, j] = lam
