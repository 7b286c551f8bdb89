"""Friction laws: the set F(lambda_n) of admissible friction impulses, and the projection onto it.

Every law is a convex set that grows in proportion to the normal impulse. With D = diag(mu_s, mu_t, mu_tau)
and lambda_F = D y the ellipsoid |D^-1 lambda_F| <= lambda_n becomes the ball |y| <= lambda_n. The law of
maximal dissipation, -v_F in the normal cone of F at lambda_F, reads the same in the scaled rows: -D v_F in
the normal cone of the ball at y. So the projection is a radial scaling, and a row with a zero coefficient
simply has no impulse. All projections below work on y.
"""

from math import cos, pi, sin, sqrt

from .jit import kernel
from .laws.friction_laws import FRICTION_LAWS, LAW_OF_KEY, FrictionLaw, LawInfo

__all__ = [
    "FRICTION_LAWS",
    "LAW_OF_KEY",
    "FrictionLaw",
    "LawInfo",
    "gauge",
    "project_ball",
    "project_box",
    "project_friction",
    "project_polygon",
    "support",
]

_ELLIPSOID = int(FrictionLaw.ELLIPSOID)
_BOX = int(FrictionLaw.BOX)
_POLYGON = int(FrictionLaw.POLYGON)


@kernel
def project_ball(radius, y, count):
    """Scale y[:count] back to length `radius` if it is longer; in place."""
    square = 0.0
    for i in range(count):
        square += y[i] * y[i]
    if square > radius * radius:
        scale = radius / sqrt(square)
        for i in range(count):
            y[i] *= scale


@kernel
def project_box(radius, y, count):
    """Clip every component of y[:count] to [-radius, radius]; in place."""
    for i in range(count):
        y[i] = min(max(y[i], -radius), radius)


@kernel
def project_polygon(radius, y, count, sides):
    """Project (y[0], y[1]) onto the regular polygon with a vertex at (radius, 0); clip torsion; in place.

    The polygon is inscribed in the circle: `sides` = 2m directions of Kaufman et al. 2008.
    """
    if count > 2:
        y[2] = min(max(y[2], -radius), radius)
    angle = 2.0 * pi / sides
    apothem = radius * cos(0.5 * angle)
    half_edge = radius * sin(0.5 * angle)
    x0, y0 = y[0], y[1]
    best, best_i = -1.0, 0
    for i in range(sides):
        c, s = cos((i + 0.5) * angle), sin((i + 0.5) * angle)
        distance = c * x0 + s * y0
        if distance > best:
            best, best_i = distance, i
    if best <= apothem:
        return
    c, s = cos((best_i + 0.5) * angle), sin((best_i + 0.5) * angle)
    along = min(max(-s * x0 + c * y0, -half_edge), half_edge)
    y[0] = apothem * c - along * s
    y[1] = apothem * s + along * c


@kernel
def project_friction(law, sides, radius, y, count):
    """Project the scaled friction impulse y[:count] [N s] onto the set of `law` for lambda_n = radius; in place."""
    if law == _BOX:
        project_box(radius, y, count)
    elif law == _POLYGON and count >= 2:
        project_polygon(radius, y, count, sides)
    else:
        project_ball(radius, y, count)


@kernel
def gauge(law, sides, y, count):
    """Smallest radius whose set holds y: lambda_n must be at least this [N s]."""
    if law == _BOX:
        largest = 0.0
        for i in range(count):
            largest = max(largest, abs(y[i]))
        return largest
    if law == _POLYGON and count >= 2:
        angle = 2.0 * pi / sides
        largest = 0.0
        for i in range(sides):
            largest = max(largest, (cos((i + 0.5) * angle) * y[0] + sin((i + 0.5) * angle) * y[1]) / cos(0.5 * angle))
        if count > 2:
            largest = max(largest, abs(y[2]))
        return largest
    square = 0.0
    for i in range(count):
        square += y[i] * y[i]
    return sqrt(square)


@kernel
def support(law, sides, v, count):
    """Largest dissipation rate max over the unit set of -v . y, for scaled slip velocity v = D v_F [m/s]."""
    if law == _BOX:
        total = 0.0
        for i in range(count):
            total += abs(v[i])
        return total
    if law == _POLYGON and count >= 2:
        largest = 0.0
        for i in range(sides):
            a = 2.0 * pi * i / sides
            largest = max(largest, -(cos(a) * v[0] + sin(a) * v[1]))
        if count > 2:
            largest += abs(v[2])
        return largest
    square = 0.0
    for i in range(count):
        square += v[i] * v[i]
    return sqrt(square)
