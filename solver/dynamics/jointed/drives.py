"""Springs, dampers and servos over a step: the exact solution of an oscillator with the mass that they move.

A coordinate q of mass m with m q'' = F - k (q - q*) - c q' and a force F that does not change in a step has in places a
step h apart, and velocities u = (q' - q) / h between these, the solution

    u+ = E^2 u - s (q - q* - F/k),      E = exp(-g),   g = c h / (2 m),   w h = h sqrt(k / m) = t,
    s h = 1 - 2 E cos(b) + E^2,         b^2 = t^2 - g^2    (cosh of -b^2 where it is over-damped).

As a row v + C lambda + bias = 0 with A = 1/m it is that with

    p = f / (1 - f),   f = s h / t^2,   C = p / m,   bias = p h k / m (q - q*) + (p - (1 + p) E^2) u.

At rest q - q* is F/k, and a damper never turns a velocity round. What moves several drives has no one mass: m is then
one that is never above it. The row is of second order for any m, stable and without turning round for any m that is
not above.
"""

from typing import NamedTuple

import numpy as np

from .drive_kernels import RESOLVED, drive_laws, mobilities_of

__all__ = ["RESOLVED", "Coefficients", "coefficients", "mobilities"]


class Coefficients(NamedTuple):
    """Each (n,): compliance [1/kg]; place [1/s] and rate: what the offset and the velocity before have in the bias; lag
    [s]: how far behind a target that moves the drive's own target is; turn [rad]: how far it would turn in a step."""

    compliance: np.ndarray
    place: np.ndarray
    rate: np.ndarray
    lag: np.ndarray
    turn: np.ndarray


def coefficients(stiffness, damping, mobility, h):
    """Coefficients of drives: stiffness (n,) [N/m], damping (n,) [N s/m], mobility 1/m (n,) [1/kg], step h [s]."""
    given = [np.ascontiguousarray(column, dtype=float) for column in np.broadcast_arrays(stiffness, damping, mobility)]
    laws = np.empty((len(given[0]), 5))
    drive_laws(*given, float(h), laws)
    return Coefficients(*laws.T)


def mobilities(tables, blocks, parts):
    """1/m [1/kg] (k,) of the springs and servos among the rows of `blocks` (n,) of JointTables, 0 for other rows; m is
    never above the mass that moves them.

    parts: (row_start, J, G) of the blocks. A body's inertia is shared alike by the joints with drives on it, which is
    what keeps the sum of all below the true one; the rows that a joint of two bodies holds without compliance are
    eliminated, and several drives of one joint share what is left by the sums of the entries of its inverse.
    """
    found = np.empty(parts[0][-1])
    mobilities_of(tables.blocks, tables.rows, blocks, parts, tables.count, found)
    return found
