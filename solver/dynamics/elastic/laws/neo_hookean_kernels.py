"""Stable Neo-Hookean without a logarithm (Smith, de Goes, Kim 2018), with the rest state free of stress.

Psi = mu/2 (|F|^2 - 3) + L/2 ((J - a)^2 - (1 - a)^2),  L = lambda + mu,  a = 1 + mu/L

The appendix of the 2019 paper prints J - 1 for J - a, which has stress at rest. It gives way under pressure: a bar with
free sides bears most at limit_stretch, and is flat without any force at mu/(lambda + 2 mu).
"""

from ....jit import inner
from .tensor_kernels import det3
from .volume_kernels import (
    add_volume,
    begin_quadratic,
    end,
    measure_of,
    measure_slope,
    quadratic_energy,
    quadratic_stress,
    volumetric,
)


@inner
def energy_of(p, mu, lam):
    """Energy density [J/m^3] at p.F."""
    return quadratic_energy(p.F, mu, (2.0 * mu + lam) * volumetric(det3(p.F))[0])


@inner
def principal(p, mu, lam, mean):
    """Derivatives of the energy density at p.F, see law_kernels.principal_of."""
    J = begin_quadratic(p, mu)
    add_volume(p, -mu + (lam + mu) * (J - 1.0) + mean, lam + mu)
    end(p)


@inner
def stress(p, mu, lam, mean):
    """P at p.F, as principal has it."""
    quadratic_stress(p, mu, -mu + (lam + mu) * (det3(p.F) - 1.0) + mean)


def limit_stretch(mu, lam):
    """Stretch at which a bar with free sides bears its largest pressure."""
    # Sides t with mu = (lam + mu) s (a - s t^2), P = mu s - mu t^2/s; dP/ds = 0.
    L = lam + mu
    low, high = mu / (lam + 2.0 * mu), 1.0
    for _ in range(60):
        s = 0.5 * (low + high)
        q = (1.0 + mu / L - mu / (L * s)) / s
        slope = (-(1.0 + mu / L) + 2.0 * mu / (L * s)) / s**2
        if mu - mu * slope / s + mu * q / s**2 > 0.0:
            high = s
        else:
            low = s
    return 0.5 * (low + high)


__all__ = ["energy_of", "limit_stretch", "measure_of", "measure_slope", "principal", "stress", "volumetric"]
