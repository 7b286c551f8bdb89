"""Corotational linear elasticity: Psi = mu |F - R|^2 + lambda/2 (tr(R^T F) - 3)^2, R the rotation in F.

Cheap and stiff under compression, but bodies lose volume at large strain. No force keeps it from being pressed flat.
"""

from ....jit import inner
from .tensor_kernels import svd3
from .volume_kernels import end, no_limit
from .volume_kernels import volumetric_of_strain as volumetric


@inner
def energy_of(p, mu, lam):
    """Energy density [J/m^3] at p.F."""
    total, s = measure_of(p), p.s
    return mu * ((s[0] - 1.0) ** 2 + (s[1] - 1.0) ** 2 + (s[2] - 1.0) ** 2) + 0.5 * lam * total * total


@inner
def principal(p, mu, lam, mean):
    """Derivatives of the energy density at p.F, see law_kernels.principal_of."""
    total, s = measure_of(p), p.s
    pressure = lam * total + mean
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        p.stress[i] = 2.0 * mu * (s[i] - 1.0) + pressure
        p.flip[i] = 2.0 * mu
        p.twist[i] = 2.0 * mu + 2.0 * (pressure - 2.0 * mu) / max(s[j] + s[k], 1e-9)
        p.stretch[i, i] = 2.0 * mu + lam
        p.stretch[j, k] = p.stretch[k, j] = lam
    end(p)


@inner
def measure_of(p):
    """What lambda acts on: the sum of the stretches less 3; fills U, s and V."""
    svd3(p.F, p.A, p.U, p.s, p.V)
    return p.s[0] + p.s[1] + p.s[2] - 3.0


@inner
def measure_slope(p, out):
    """Its derivative by F: R."""
    for i in range(3):
        for j in range(3):
            out[i, j] = p.U[i, 0] * p.V[j, 0] + p.U[i, 1] * p.V[j, 1] + p.U[i, 2] * p.V[j, 2]


limit_stretch, stress = no_limit, principal
__all__ = ["energy_of", "limit_stretch", "measure_of", "measure_slope", "principal", "stress", "volumetric"]
