"""Checks shared by the shapes: what is refused, and the sentence it is refused with."""

import math

import numpy as np

from ..base.refusal import LARGEST, SMALLEST, SceneError, vector


def positive_length(who, label, value):
    """Raise SceneError unless `value` is a positive finite number [m]."""
    try:
        number = float(value if not isinstance(value, str) else "text")
    except (TypeError, ValueError):
        raise SceneError(f"{who}: {label} is {value!r}; give a length in metres greater than zero") from None
    if not math.isfinite(number) or number <= 0.0:
        raise SceneError(f"{who}: {label} is {number:g} m; give a length greater than zero")
    if not SMALLEST <= number <= LARGEST:
        raise SceneError(f"{who}: {label} is {number:g} m; give a length from {SMALLEST:g} to {LARGEST:g} m")


def positive_size(who, label, value):
    """Raise SceneError unless `value` is three positive finite numbers [m]."""
    for axis, length in zip("xyz", vector(who, label, value, 3, "m"), strict=True):
        positive_length(who, f"{label} {axis}", length)


def point_cloud(who, label, value):
    """Return `value` as a float array (n, 3); raise SceneError if it is anything else or not finite."""
    try:
        if np.iscomplexobj(value):
            raise TypeError
        array = np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise SceneError(f"{who}: {label} are not numbers; give rows of x, y, z in metres") from None
    if array.ndim != 2 or array.shape[1] != 3 or len(array) == 0:
        raise SceneError(f"{who}: {label} have shape {array.shape}; give rows of x, y, z in metres")
    bad = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if len(bad):
        raise SceneError(f"{who}: {label} row {bad[0]} is {array[bad[0]].tolist()}; every number must be finite")
    if np.any(np.abs(array) > LARGEST):
        raise SceneError(f"{who}: {label} reach {np.abs(array).max():g} m; give coordinates up to {LARGEST:g} m")
    return array


def unit_quaternion(who, label, value):
    """Raise SceneError unless `value` is a quaternion w, x, y, z of length 1 (to 1e-6)."""
    length = np.linalg.norm(vector(who, label, value, 4))
    if abs(length - 1.0) > 1e-6:
        raise SceneError(f"{who}: {label} has length {length:g}; give a unit quaternion w, x, y, z")
