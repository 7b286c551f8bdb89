"""Linear elasticity: Psi = mu |e|^2 + lambda/2 tr(e)^2, e = (F + F^T)/2 - 1. Right for small turns only."""

from ....jit import inner
from .tensor_kernels import identity
from .volume_kernels import no_limit
from .volume_kernels import volumetric_of_strain as volumetric


@inner
def energy_of(p, mu, lam):
    """Energy density [J/m^3] at p.F."""
    F, square, trace = p.F, 0.0, measure_of(p)
    for i in range(3):
        for j in range(3):
            e = 0.5 * (F[i, j] + F[j, i]) - (1.0 if i == j else 0.0)
            square += e * e
    return mu * square + 0.5 * lam * trace * trace


@inner
def principal(p, mu, lam, mean):
    """Derivatives of the energy density in the axes of the world, see law_kernels.principal_of."""
    identity(p.U)
    identity(p.V)
    pressure = lam * measure_of(p) + mean
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        p.s[i] = 1.0
        p.flip[i], p.twist[i] = 2.0 * mu, 0.0
        p.stretch[i, i] = 2.0 * mu + lam
        p.stretch[j, k] = p.stretch[k, j] = lam
        for m in range(3):
            p.P[i, m] = mu * (p.F[i, m] + p.F[m, i])
        p.P[i, i] += pressure - 2.0 * mu


@inner
def measure_of(p):
    """What lambda acts on: the trace of the strain."""
    return p.F[0, 0] + p.F[1, 1] + p.F[2, 2] - 3.0


@inner
def measure_slope(p, out):
    """Its derivative by F: 1."""
    identity(out)


limit_stretch, stress = no_limit, principal
__all__ = ["energy_of", "limit_stretch", "measure_of", "measure_slope", "principal", "stress", "volumetric"]
