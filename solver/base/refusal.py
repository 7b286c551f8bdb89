"""Refusing input: one error type whose message names the object, the value and the remedy."""

import math

import numpy as np

# Sizes and speeds beyond these leave double precision nothing to compute with: squares and cubes of them are taken.
LARGEST, SMALLEST = 1e12, 1e-9


class SceneError(ValueError):
    """A scene that cannot be simulated as it was given."""


class ProblemError(ValueError):
    """A contact problem that cannot be solved as it was given; the message says which entry, and what to do."""


class NotFinite(ProblemError):
    """A number that is not finite, given or where computing led to it: `what`, and the remedy if it was given.

    components: velocity components of the row it stands in; bodies: numbers of the bodies it belongs to, in the model
    of whoever computes; names: those of these bodies, where: the same with their joints in words, once known."""

    def __init__(self, what, remedy="", components=(), bodies=()):
        super().__init__(f"{what}; {remedy}" if remedy else what)
        self.what, self.components, self.bodies = what, components, bodies
        self.names, self.where = (), ""


class Unexplained(NotFinite):
    """A motion that no key, no fall and no stored energy explains."""


class TrajectoryError(ValueError):
    """A run folder that cannot be written or read; the message says which file and what to do."""


class StudyError(ValueError):
    """A study that cannot be run as it was given, or whose folder cannot be used."""


def finite(value):
    """True if `value` is a finite number or an array of finite numbers."""
    try:
        if isinstance(value, (int, float)):
            return math.isfinite(value)
        array = np.asarray(value)
        return array.dtype.kind in "fiu" and bool(np.all(np.isfinite(array)))
    except (TypeError, ValueError, OverflowError):
        return False


def finite_rows(values, width):
    """True if `values` is an array (n,`width`) of real numbers that `vector` takes row by row."""
    rows = isinstance(values, np.ndarray) and values.dtype == float and values.shape[1:] == (width,)
    return rows and bool((np.abs(values) <= LARGEST).all())


def vector(who, label, value, length, unit=""):
    """Return `value` as a float array of `length`; raise SceneError naming `who` and `label` otherwise."""
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise SceneError(f"{who}: {label} is {value!r}; give {length} numbers") from None
    if array.shape != (length,):
        raise SceneError(f"{who}: {label} has {array.size} numbers; give {length}")
    numbers, unit = array.tolist(), " " + unit if unit else ""
    if not all(map(math.isfinite, numbers)):
        raise SceneError(f"{who}: {label} is {numbers}{unit}; every number must be finite")
    if max(map(abs, numbers), default=0.0) > LARGEST:
        raise SceneError(f"{who}: {label} is {numbers}{unit}; give numbers up to {LARGEST:g}")
    return array
