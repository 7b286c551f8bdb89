"""What a friction law says about itself. Free of compiled code: friction.py compiles its functions."""

from collections.abc import Callable
from typing import NamedTuple


class Law(NamedTuple):
    """A friction law: a convex set F(lambda_n) of friction impulses that grows in proportion to the normal impulse.

    key, label and description are what the user reads. rank: of two materials with different laws the pair takes the
    one of higher rank, because a law other than the default on either side is a wish for the pair. All functions work
    on friction impulses scaled by the coefficients, y = D^-1 lambda_F, of `count` components; `sides` is the number of
    sides of a polygon. They are compiled: plain arithmetic and `math`, on arrays of floats.

    project(radius, y, count, sides): move y to the closest point of the set for lambda_n = radius, in place.
    gauge(y, count, sides): the smallest radius whose set holds y.
    support(v, count, sides): the largest dissipation rate, max of -v . y over the set of radius 1.
    slope(radius, z, n, y, slope): derivatives (n, n+1) of the projection y of z by z and, last, by the radius; None:
    by differences, exact where the projection is piecewise linear.
    cones(count, sides): the set of radius 1 as a list of (kind, columns, matrix, side) with side - matrix y[columns] in
    a cone of that kind, "nonnegative" or "second_order"; None: conic solvers cannot take it.
    smooth: the set is a ball. rowwise: every component is bounded on its own.
    """

    key: str
    label: str
    description: str
    rank: int
    project: Callable
    gauge: Callable
    support: Callable
    slope: Callable | None = None
    cones: Callable | None = None
    smooth: bool = False
    rowwise: bool = False
