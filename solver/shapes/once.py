"""What is found out about a shape once for all that are equal: scenes have thousands of one form."""

from functools import lru_cache


def once(function, shape):
    """function(shape), worked out once for equal shapes of numbers; those equal to themselves alone keep what they
    need, and one that holds a list cannot be known again."""
    if type(shape).__eq__ is object.__eq__:
        return function(shape)
    try:
        return _known(function, shape)
    except TypeError:
        return function(shape)


@lru_cache(maxsize=1024)
def _known(function, shape):
    return function(shape)


def check(shape, who):
    """shape.check(who), which refuses a bad shape of the body `who`."""
    try:
        once(_checked, shape)
    except ValueError:
        shape.check(who)
        raise


def mass_properties(shape):
    """MassProperties of a shape at density 1."""
    return once(_mass_properties, shape)


def surface(shape):
    """Vertices (V,3) [m] and triangles (T,3) of a shape; not to be changed."""
    return once(_surface, shape)


def _checked(shape):
    shape.check("")


def _mass_properties(shape):
    return shape.mass_properties()


def _surface(shape):
    return shape.surface()
