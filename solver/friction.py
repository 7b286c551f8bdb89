"""Friction laws compiled: the set F(lambda_n) of admissible friction impulses, and the projection onto it.

Every law is a convex set that grows in proportion to the normal impulse. With D = diag(mu_s, mu_t, mu_tau)
and lambda_F = D y the ellipsoid |D^-1 lambda_F| <= lambda_n becomes the ball |y| <= lambda_n. The law of
maximal dissipation, -v_F in the normal cone of F at lambda_F, reads the same in the scaled rows: -D v_F in
the normal cone of the ball at y. So the projection is a radial scaling, and a row with a zero coefficient
simply has no impulse. All functions below work on y. A law is chosen by its code, compared with each in turn.
"""

from math import sqrt

import numpy as np

from .jit import inner, kernel
from .laws.friction_laws import LAWS

CODES = range(len(LAWS))


def _projection(code):
    own = inner(LAWS[code].project)
    if code == CODES[-1]:
        return inner(lambda law, sides, radius, y, count: own(radius, y, count, sides))
    others = _projection(code + 1)

    @inner
    def project(law, sides, radius, y, count):
        if law == code:
            own(radius, y, count, sides)
        else:
            others(law, sides, radius, y, count)

    return project


def _measure(code, name):
    own = inner(getattr(LAWS[code], name))
    if code == CODES[-1]:
        return inner(lambda law, sides, y, count: own(y, count, sides))
    others = _measure(code + 1, name)

    @inner
    def measure(law, sides, y, count):
        if law == code:
            return own(y, count, sides)
        return others(law, sides, y, count)

    return measure


def _slope(code):
    """Derivatives of the projections: the laws' own, or differences."""
    if code == len(LAWS):
        return _differences
    others = _slope(code + 1)
    if LAWS[code].slope is None:
        return others
    own = inner(LAWS[code].slope)

    @inner
    def slope(law, sides, radius, z, n, y, out):
        if law == code:
            own(radius, z, n, y, out)
        else:
            others(law, sides, radius, z, n, y, out)

    return slope


@inner
def _differences(law, sides, radius, z, n, y, slope):
    square = 0.0
    for i in range(n):
        square += z[i] * z[i]
    # Exact away from the kinks of a projection that is piecewise linear.
    small = 1e-7 * (radius + sqrt(square) + 1e-300)
    x = np.empty(3)
    for j in range(n + 1):
        for i in range(n):
            x[i] = z[i] + (small if i == j else 0.0)
        project_friction(law, sides, radius + (small if j == n else 0.0), x, n)
        for i in range(n):
            slope[i, j] = (x[i] - y[i]) / small


_PROJECT, _GAUGE, _SUPPORT = _projection(0), _measure(0, "gauge"), _measure(0, "support")
ROWWISE = np.array([law.rowwise for law in LAWS])


@kernel
def project_friction(law, sides, radius, y, count):
    """Project the scaled friction impulse y[:count] [N s] onto the set of `law` for lambda_n = radius; in place."""
    _PROJECT(law, sides, radius, y, count)


@kernel
def gauge(law, sides, y, count):
    """Smallest radius whose set holds y: lambda_n must be at least this [N s]."""
    return _GAUGE(law, sides, y, count)


@kernel
def support(law, sides, v, count):
    """Largest dissipation rate max over the unit set of -v . y, for scaled slip velocity v = D v_F [m/s]."""
    return _SUPPORT(law, sides, v, count)


_SLOPE = _slope(0)


@kernel
def friction_slope(law, sides, radius, z, n, y, slope):
    """Project z[:n] onto the set of `law` as y; slope (n, n+1) gets the derivatives by z and, last, by the radius."""
    for i in range(n):
        y[i] = z[i]
        for j in range(n + 1):
            slope[i, j] = 0.0
    project_friction(law, sides, radius, y, n)
    _SLOPE(law, sides, radius, z, n, y, slope)
