"""Hill's and Ogden's law for foams: Psi = 2 mu/a^2 (sum of |s_i|^a - 3 + (J^(-a b) - 1)/b), b = nu/(1 - 2 nu), a = 8.

Without Poisson's effect the last term is -a ln J. It is soft while it is pressed to half its height, hard below: a
plateau and densification. Where a stretch is above 1 the power goes on as its parabola, or foam would stiffen as s^7 in
tension. Below LEAST_VOLUME J's function goes on as its parabola.
"""

from math import expm1, log

from ....jit import inner
from .ciarlet_geymonat_kernels import LEAST_VOLUME
from .tensor_kernels import svd3
from .volume_kernels import add_volume, end, measure_of, measure_slope, no_limit, volumetric

# The exponent a: chosen by the shape of the curve of pressed foams, not fitted to one.
EXPONENT = 8


@inner
def _sixth(c, d):
    """(c^7 - d^7) / (c - d)."""
    total = 0.0
    for i in range(EXPONENT - 1):
        total += c**i * d ** (EXPONENT - 2 - i)
    return total


@inner
def _quotient(x, y):
    """(e'(x) - e'(y)) / (x - y) of an odd e', x >= y, for 2 mu/a = 1: the mean of e'' between them."""
    c, d = min(max(x, -1.0), 1.0), min(max(y, -1.0), 1.0)
    if x - y <= 0.0:
        return (EXPONENT - 1.0) * c ** (EXPONENT - 2)
    return ((EXPONENT - 1.0) * ((x - c) + (d - y)) + (c - d) * _sixth(c, d)) / (x - y)


@inner
def _volume_terms(s, mu, lam):
    """(U, U', U'') [Pa] of the volume J, the product of the stretches s (3,)."""
    J, k, m = s[0] * s[1] * s[2], 2.0 * mu / EXPONENT, EXPONENT * 0.5 * lam / mu
    c, d = max(J, LEAST_VOLUME), min(J - LEAST_VOLUME, 0.0) / LEAST_VOLUME
    # Of the stretches themselves: their product has lost what they are off 1 by.
    g = log(abs(s[0])) + log(abs(s[1])) + log(abs(s[2])) if d == 0.0 else log(c)
    less = expm1(-m * g) / m if m > 0.0 else -g
    f = 1.0 + m * less
    energy = k * (less + f * d * (0.5 * (m + 1.0) * d - 1.0))
    return energy, k * f * ((m + 1.0) * d - 1.0) / c, k * f * (m + 1.0) / (c * c)


@inner
def energy_of(p, mu, lam):
    """Energy density [J/m^3] at p.F."""
    svd3(p.F, p.A, p.U, p.s, p.V)
    total = 0.0
    for i in range(3):
        r = min(abs(p.s[i]), 1.0)
        d = abs(p.s[i]) - r
        # (r^a - 1)/a: the difference as a factor, for the same reason.
        total += (r - 1.0) * (_sixth(r, 1.0) + r ** (EXPONENT - 1)) / EXPONENT + d + 0.5 * (EXPONENT - 1.0) * d * d
    return 2.0 * mu / EXPONENT * total + _volume_terms(p.s, mu, lam)[0]


@inner
def principal(p, mu, lam, mean):
    """Derivatives of the energy density at p.F, see law_kernels.principal_of."""
    svd3(p.F, p.A, p.U, p.s, p.V)
    k, s = 2.0 * mu / EXPONENT, p.s
    for i in range(3):
        u, v = (i + 1) % 3, (i + 2) % 3
        c = min(max(s[i], -1.0), 1.0)
        p.stress[i] = k * (c ** (EXPONENT - 1) + (EXPONENT - 1.0) * (s[i] - c))
        p.stretch[i, i] = k * (EXPONENT - 1.0) * c ** (EXPONENT - 2)
        p.stretch[u, v] = p.stretch[v, u] = 0.0
        p.flip[i] = k * _quotient(max(s[u], s[v]), min(s[u], s[v]))
        p.twist[i] = k * _quotient(max(s[u], -s[v]), min(s[u], -s[v]))
    _, slope, curvature = _volume_terms(s, mu, lam)
    add_volume(p, slope + mean, curvature)
    end(p)


# The volumetric part is of no weight: the law ends where the mean of volumes begins.
limit_stretch, stress = no_limit, principal
__all__ = ["energy_of", "limit_stretch", "measure_of", "measure_slope", "principal", "stress", "volumetric"]
