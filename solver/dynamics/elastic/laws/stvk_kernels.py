"""Saint Venant-Kirchhoff: Psi = mu |E|^2 + lambda/2 tr(E)^2 with Green's strain E. It gives way under compression: a
bar with free sides bears most at 1/sqrt(3) of its length, and is flat without any force."""

from math import sqrt

from ....jit import inner
from .tensor_kernels import svd3
from .volume_kernels import end
from .volume_kernels import volumetric_of_strain as volumetric


@inner
def energy_of(p, mu, lam):
    """Energy density [J/m^3] at p.F."""
    F, trace, square = p.F, measure_of(p), 0.0
    for i in range(3):
        for j in range(3):
            e = -0.5 if i == j else 0.0
            for k in range(3):
                e += 0.5 * F[k, i] * F[k, j]
            square += e * e
    return mu * square + 0.5 * lam * trace * trace


@inner
def principal(p, mu, lam, mean):
    """Derivatives of the energy density at p.F, see law_kernels.principal_of."""
    svd3(p.F, p.A, p.U, p.s, p.V)
    s, pressure = p.s, lam * measure_of(p) + mean
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        t = mu * (s[i] * s[i] - 1.0) + pressure
        p.stress[i] = s[i] * t
        p.stretch[i, i] = t + s[i] * s[i] * (2.0 * mu + lam)
        p.stretch[j, k] = p.stretch[k, j] = lam * s[j] * s[k]
        both = mu * (s[j] * s[j] + s[k] * s[k] - 1.0) + pressure
        p.flip[i], p.twist[i] = both + mu * s[j] * s[k], both - mu * s[j] * s[k]
    end(p)


@inner
def measure_of(p):
    """What lambda acts on: the trace of Green's strain."""
    square = -3.0
    for i in range(3):
        for j in range(3):
            square += p.F[i, j] * p.F[i, j]
    return 0.5 * square


@inner
def measure_slope(p, out):
    """Its derivative by F: F."""
    for i in range(3):
        for j in range(3):
            out[i, j] = p.F[i, j]


def limit_stretch(mu, lam):
    """Stretch at which a bar with free sides bears its largest pressure."""
    return 1.0 / sqrt(3.0)


stress = principal
__all__ = ["energy_of", "limit_stretch", "measure_of", "measure_slope", "principal", "stress", "volumetric"]
