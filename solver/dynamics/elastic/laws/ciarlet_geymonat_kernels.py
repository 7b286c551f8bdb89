"""Ciarlet's and Geymonat's law: Psi = mu/2 (|F|^2 - 3) + lambda/4 (J^2 - 1) - (mu + lambda/2) g(J), g = ln J.

Convex in J, and its pressure grows without bound. Below J0 the logarithm goes on as its parabola, so that what is
turned inside out by a blow has an energy, and a way back: g = ln J0 + d - d^2/2, d = (J - J0)/J0. J0 below 0.067 keeps
the pressure of a bar without Poisson's effect growing down to a twentieth of its length.
"""

from math import log

from ....jit import inner
from .tensor_kernels import det3
from .volume_kernels import (
    add_volume,
    begin_quadratic,
    end,
    measure_of,
    measure_slope,
    no_limit,
    quadratic_energy,
    quadratic_stress,
)

# Volume in parts of that at rest below which logarithms and powers go on as parabolas.
LEAST_VOLUME = 0.02


@inner
def log_of(J):
    """(g, g', g'') of the continued logarithm."""
    if J >= LEAST_VOLUME:
        return log(J), 1.0 / J, -1.0 / (J * J)
    d = (J - LEAST_VOLUME) / LEAST_VOLUME
    return log(LEAST_VOLUME) + d - 0.5 * d * d, (1.0 - d) / LEAST_VOLUME, -1.0 / LEAST_VOLUME**2


@inner
def volumetric(theta):
    """h, h', h''."""
    g, slope, curvature = log_of(theta)
    return 0.25 * (theta - 1.0) * (theta + 1.0) - 0.5 * g, 0.5 * (theta - slope), 0.5 * (1.0 - curvature)


@inner
def energy_of(p, mu, lam):
    """Energy density [J/m^3] at p.F."""
    return quadratic_energy(p.F, mu, (2.0 * mu + lam) * volumetric(det3(p.F))[0])


@inner
def principal(p, mu, lam, mean):
    """Derivatives of the energy density at p.F, see law_kernels.principal_of."""
    J = begin_quadratic(p, mu)
    _, slope, curvature = log_of(J)
    both = mu + 0.5 * lam
    add_volume(p, 0.5 * lam * J - both * slope + mean, 0.5 * lam - both * curvature)
    end(p)


@inner
def stress(p, mu, lam, mean):
    """P at p.F, as principal has it."""
    J = det3(p.F)
    quadratic_stress(p, mu, 0.5 * lam * J - (mu + 0.5 * lam) * log_of(J)[1] + mean)


limit_stretch = no_limit
__all__ = ["energy_of", "limit_stretch", "measure_of", "measure_slope", "principal", "stress", "volumetric"]
