"""Closest points of friction sets in unscaled coordinates, as Erleben 2017 projects them (section 4.1).

Elsewhere the package works in scaled friction rows, where no root search is needed; these kernels serve the
literal method and are the reference in tests.
"""

from math import cos, pi, sin, sqrt

import numpy as np

from ...friction import project_friction
from ...jit import kernel
from ...laws.friction_laws import FrictionLaw

_ELLIPSOID, _BOX, _POLYGON = int(FrictionLaw.ELLIPSOID), int(FrictionLaw.BOX), int(FrictionLaw.POLYGON)


@kernel
def surface_value(axes, z, t, n):
    """g(t) of equation (35): positive while the point (t K + I)^-1 z lies outside the ellipsoid."""
    total = -1.0
    for i in range(n):
        ratio = axes[i] * z[i] / (axes[i] * axes[i] + t)
        total += ratio * ratio
    return total


@kernel
def root_by_bisection(axes, z, n):
    """The t > 0 with g(t) = 0, bracketed from 0 to alpha^k max(a, b, c) |z| (equation 36)."""
    square, longest = 0.0, 0.0
    for i in range(n):
        square += z[i] * z[i]
        longest = max(longest, axes[i])
    low, high = 0.0, longest * sqrt(square)
    while surface_value(axes, z, high, n) > 0.0:
        high *= 1.5  # the paper's alpha
    # To the last bit; the paper's code stops at 100.
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high:
            break
        if surface_value(axes, z, middle, n) > 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@kernel
def closest_in_ellipsoid(axes, z, n):
    """Move z[:n] to the closest point of the solid ellipsoid with semi-axes axes[:n] >= 0; in place.

    An axis of length 0 flattens the ellipsoid: that coordinate becomes 0. The scaling of equations (37), (38)
    takes |z|, not the signed z that is printed.
    """
    a, x, index = np.zeros(3), np.zeros(3), np.zeros(3, dtype=np.int64)
    used, largest, inside, equal = 0, 1.0, 0.0, True
    for i in range(n):
        if axes[i] <= 0.0:
            z[i] = 0.0
            continue
        a[used], x[used], index[used] = axes[i], z[i], i
        inside += (z[i] / axes[i]) ** 2
        largest = max(largest, max(axes[i], abs(z[i])))
        equal = equal and axes[i] == a[0]
        used += 1
    if inside <= 1.0:
        return
    if equal:
        for i in range(used):
            z[index[i]] = x[i] / sqrt(inside)
        return
    for i in range(used):
        a[i] /= largest
        x[i] /= largest
    t = root_by_bisection(a, x, used)
    for i in range(used):
        z[index[i]] = largest * a[i] * a[i] * x[i] / (a[i] * a[i] + t)


@kernel
def closest_in_polygon(a, b, sides, z):
    """Move (z[0], z[1]) to the closest point of the polygon with vertices (a cos, b sin)(2 pi i / sides); in place."""
    if a <= 0.0 or b <= 0.0:
        z[0], z[1] = min(max(z[0], -a), a), min(max(z[1], -b), b)
        return
    best, best_0, best_1, outside = np.inf, z[0], z[1], False
    for i in range(sides):
        first, second = 2.0 * pi * i / sides, 2.0 * pi * (i + 1) / sides
        p0, p1 = a * cos(first), b * sin(first)
        e0, e1 = a * cos(second) - p0, b * sin(second) - p1
        d0, d1 = z[0] - p0, z[1] - p1
        outside = outside or e1 * d0 - e0 * d1 > 0.0
        along = min(max((d0 * e0 + d1 * e1) / (e0 * e0 + e1 * e1), 0.0), 1.0)
        distance = (d0 - along * e0) ** 2 + (d1 - along * e1) ** 2
        if distance < best:
            best, best_0, best_1 = distance, p0 + along * e0, p1 + along * e1
    if outside:
        z[0], z[1] = best_0, best_1


@kernel
def closest_by_gradient(law, sides, mu, normal, z, n):
    """Move z[:n] to the closest point of the set D F(normal) of any law, D = diag(mu), in place.

    Least |D y - z| over y in F by projected gradients with momentum, which starts anew where it goes uphill: of the law
    no more is known than the projection in scaled rows. Equal coefficients take one step.
    """
    largest = 0.0
    for i in range(n):
        largest = max(largest, mu[i])
    y, ahead, following = np.zeros(3), np.zeros(3), np.zeros(3)
    momentum = 1.0
    # A bound for what ends when nothing changes beyond round-off.
    for _ in range(2000):
        for i in range(n):
            scaled = mu[i] / largest if largest > 0.0 else 0.0
            following[i] = ahead[i] - scaled * (scaled * ahead[i] - (z[i] / largest if scaled > 0.0 else 0.0))
        project_friction(law, sides, normal, following, n)
        uphill, change, size = 0.0, 0.0, 0.0
        for i in range(n):
            uphill += (ahead[i] - following[i]) * (following[i] - y[i])
            change = max(change, abs(following[i] - y[i]))
            size = max(size, abs(following[i]))
        momentum, before = 1.0 if uphill > 0.0 else 0.5 * (1.0 + sqrt(1.0 + 4.0 * momentum**2)), momentum
        weight = (before - 1.0) / momentum if momentum > 1.0 else 0.0
        for i in range(n):
            ahead[i] = following[i] + weight * (following[i] - y[i])
            y[i] = following[i]
        if change <= 1e-15 * size:
            break
    for i in range(n):
        z[i] = mu[i] * y[i]


@kernel
def closest_friction(law, sides, mu, normal, z, n):
    """Move z[:n] [N s] to the closest admissible friction impulse for the normal impulse `normal`; in place."""
    axes = np.zeros(3)
    for i in range(n):
        axes[i] = mu[i] * normal
    if law == _BOX or (n == 1 and law <= _POLYGON):
        for i in range(n):
            z[i] = min(max(z[i], -axes[i]), axes[i])
    elif law == _POLYGON:
        closest_in_polygon(axes[0], axes[1], sides, z)
        if n > 2:
            z[2] = min(max(z[2], -axes[2]), axes[2])
    elif law == _ELLIPSOID:
        closest_in_ellipsoid(axes, z, n)
    else:
        closest_by_gradient(law, sides, mu, normal, z, n)
