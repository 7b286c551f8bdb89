"""Equilibrium of one deformable body under given forces: Newton's method with a line search on the energy."""

from typing import NamedTuple

import numpy as np

from ...dynamics.cholesky import Factor
from ...dynamics.cholesky.factor import NotPositive

# Share of the promised decrease of energy that a step has to bring (Armijo).
ARMIJO = 1e-4
# What is added to the diagonal until the matrix is positive definite, in parts of its largest entry.
SHIFTS = (0.0, 1e-9, 1e-6, 1e-5, 1e-4, 1e-3)


class Equilibrium(NamedTuple):
    """position (n,3) [m]; reaction (n,3) [N]: what holds the fixed components; residual [N]: the largest force left on
    a free one; steps: of Newton's method."""

    position: np.ndarray
    reaction: np.ndarray
    residual: float
    steps: int


def equilibrium(body, start, fixed, load, tolerance=1e-10, most=100, pressure=0.0):
    """Return the Equilibrium of a Deformable.

    start (n,3) [m]: node positions, those of fixed components kept; fixed (n,3) bool; load (n,3) [N]. tolerance: part
    of the largest force met that may be left; pressure [Pa] of the gas in its cavities.
    """
    x, free = np.array(start, dtype=float), ~np.asarray(fixed, dtype=bool)
    factor, blocks = Factor(body.symbolic), np.zeros((len(body.symbolic.pair_row), 3, 3))
    scale, steps, residual = np.abs(load).max(initial=0.0), 0, np.inf
    energy = _potential(body, x, load, pressure)
    for steps in range(most + 1):
        force = body.forces(x, blocks, False, pressure)
        left = (force + load) * free
        scale = max(scale, np.abs(force).max())
        residual = np.abs(left).max(initial=0.0)
        if residual <= tolerance * scale or steps == most:
            break
        try:
            step = _direction(body, factor, blocks, free, left, SHIFTS)
        except NotPositive:
            # Far from rest: the true stiffness would lead uphill.
            body.forces(x, blocks)
            step = _direction(body, factor, blocks, free, left, SHIFTS)
        slope, length = float((left * step).sum()), 1.0
        while length > 1e-12:
            trial = _potential(body, x + length * step, load, pressure)
            if trial <= energy - ARMIJO * length * slope or length * slope <= 1e-13 * abs(energy):
                break
            length *= 0.5
        x, energy = x + length * step, _potential(body, x + length * step, load, pressure)
    return Equilibrium(x, -(force + load) * ~free, residual, steps)


def _potential(body, x, load, pressure):
    return body.energy(x, pressure)[0] - float((load * x).sum())


def _direction(body, factor, blocks, free, left, shifts):
    """Newton's step (n,3) in the free components."""
    diagonal = np.abs(blocks[body.symbolic.pair_row == body.symbolic.pair_column]).max()
    masked = blocks * free[body.symbolic.pair_row][:, :, None] * free[body.symbolic.pair_column][:, None, :]
    own = np.flatnonzero(body.symbolic.pair_row == body.symbolic.pair_column)
    for i in range(3):
        masked[own, i, i] += np.where(free[body.symbolic.pair_row[own], i], 0.0, diagonal)
    nothing = np.zeros(body.node_count, dtype=bool)
    for shift in shifts:
        try:
            factor.refactor(masked, 1.0, np.full(body.node_count, shift * diagonal), nothing)
        except NotPositive:
            continue
        return factor.solve(left) * free
    raise NotPositive("the stiffness of a body is not positive definite: hold it, so that it cannot move as a whole")
