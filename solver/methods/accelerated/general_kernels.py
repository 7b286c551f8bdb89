"""Gauss-Seidel with momentum on blocks of every kind and any number of bodies, see compact/accelerated_kernels.py."""

import numpy as np

from ...jit import kernel
from ..compact.accelerated_kernels import JUMP, SINCE, SWEEPS, momentum
from ..sweep_kernels import gauss_seidel_sweep


@kernel
def jump_on(weight, x, before, jump):
    """x += jump, the weighted way from the last iterate: the jump before the last sweep and what the sweep changed."""
    for i in range(x.size):
        jump[i] = weight * (jump[i] + (x[i] - before[i])) if weight > 0.0 else 0.0
        x[i] += jump[i]


@kernel
def advance_general(p, r, offset, diagonal, count, state, impulse, w, before, w_before, jump, w_jump, merit):
    """Run `count` sweeps; w = W J^T impulse on entry and on exit.

    before, jump (K,) and w_before, w_jump (N,): impulses and velocities before the last sweep, and the jump that led
    there. merit[i] is the largest change of an impulse in sweep i [N s].
    """
    for i in range(count):
        if state[JUMP] != 0.0:
            jump_on(state[JUMP], impulse, before, jump)
            jump_on(state[JUMP], w, w_before, w_jump)
        for j in range(impulse.size):
            before[j] = impulse[j]
        for j in range(w.size):
            w_before[j] = w[j]
        merit[i] = gauss_seidel_sweep(p, r, offset, diagonal, 1.0, impulse, w)
        square, along = 0.0, 0.0
        for k in range(p.kind.size):
            first = p.row_start[k]
            m = p.row_start[k + 1] - first
            for j in range(m):
                change = impulse[first + j] - before[first + j]
                square += change * change * diagonal[offset[k] + j * m + j]
                along += change * jump[first + j] * diagonal[offset[k] + j * m + j]
        state[JUMP] = momentum(state, square, along) if np.isfinite(square) else -1.0
        state[SWEEPS] += 1.0
        state[SINCE] += 1.0
