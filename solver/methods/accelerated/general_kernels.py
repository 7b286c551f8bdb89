"""Gauss-Seidel with momentum on blocks of every kind and any number of bodies, see compact/accelerated_kernels.py."""

from typing import NamedTuple

import numpy as np

from ...jit import inner, kernel
from ..compact.accelerated_kernels import JUMP, SINCE, SWEEPS, momentum
from ..sweep_kernels import OWN_LAW, gauss_seidel_sweep


class GeneralWork(NamedTuple):
    """Changing arrays: impulse (K,) with w = W J^T impulse (N,), both before the last sweep, and the jump that led
    there."""

    impulse: np.ndarray
    w: np.ndarray
    before: np.ndarray
    w_before: np.ndarray
    jump: np.ndarray
    w_jump: np.ndarray


@inner
def jump_on(weight, x, before, jump):
    """x += jump, the weighted way from the last iterate: the jump before the last sweep and what the sweep changed;
    `before` gets x."""
    for i in range(x.size):
        if weight != 0.0:
            jump[i] = weight * (jump[i] + (x[i] - before[i])) if weight > 0.0 else 0.0
            x[i] += jump[i]
        before[i] = x[i]


@kernel
def advance_general(s, state, work, merit):
    """A sweep over Blocks `s` for each of merit (n,), which gets its largest change of an impulse [N s]."""
    impulse, p = work.impulse, s.p
    for i in range(merit.size):
        jump_on(state[JUMP], impulse, work.before, work.jump)
        jump_on(state[JUMP], work.w, work.w_before, work.w_jump)
        merit[i] = gauss_seidel_sweep(s, OWN_LAW, 1.0, impulse, work.w)
        square, along = 0.0, 0.0
        for k in range(p.kind.size):
            first = p.row_start[k]
            m = p.row_start[k + 1] - first
            for j in range(m):
                change, own = impulse[first + j] - work.before[first + j], s.diagonal[s.offset[k] + j * m + j]
                square += change * change * own
                along += change * work.jump[first + j] * own
        state[JUMP] = momentum(state, square, along) if np.isfinite(square) else -1.0
        state[SWEEPS] += 1.0
        state[SINCE] += 1.0
