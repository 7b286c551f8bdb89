"""Iterations of the nonsmooth nonlinear conjugate gradient method (Silcowitz-Hansen et al. 2010, section 4)."""

from typing import NamedTuple

import numpy as np

from ...jit import kernel
from ..sweep_kernels import gauss_seidel_sweep

# Entries of `state`.
STARTED, SQUARE = 0, 1


class Conjugate(NamedTuple):
    """What an NNCG iteration carries along: x (K,), direction (K,) and their w = W J^T x, direction_w (N,); gradient
    (K,), -grad f; state (2,); answer (K,) and answer_w (N,), the last PGS(x), which unlike x obeys the bounds."""

    x: np.ndarray
    w: np.ndarray
    direction: np.ndarray
    direction_w: np.ndarray
    gradient: np.ndarray
    state: np.ndarray
    answer: np.ndarray
    answer_w: np.ndarray


def conjugate(impulse, w):
    """Return the Conjugate that starts from impulses (K,) with w = W J^T impulse (N,)."""
    zero = np.zeros_like(impulse)
    return Conjugate(
        impulse.copy(), w.copy(), zero, np.zeros_like(w), zero.copy(), np.zeros(2), impulse.copy(), w.copy()
    )


@kernel
def direction_weight(polak_ribiere, square, previous, gradient, old_gradient):
    """beta: |g|^2 / |g_old|^2, equation (23a), or Polak-Ribiere's g (g - g_old) / |g_old|^2 cut off at 0."""
    if previous <= 0.0:
        return 0.0
    if not polak_ribiere:
        return square / previous
    product = 0.0
    for j in range(gradient.size):
        product += gradient[j] * (gradient[j] - old_gradient[j])
    return max(0.0, product / previous)


@kernel
def copy_to(source, target):
    """target <- source, element by element."""
    for j in range(source.size):
        target[j] = source[j]


@kernel
def advance_along(beta, change, direction, x):
    """x <- x + beta direction, direction <- beta direction + change: lines 12 and 13 of the listing."""
    for j in range(x.size):
        direction[j] *= beta
        x[j] += direction[j]
        direction[j] += change[j]


@kernel
def change_since(start, x, change):
    """change <- x - start; returns its squared length."""
    total = 0.0
    for j in range(x.size):
        change[j] = x[j] - start[j]
        total += change[j] * change[j]
    return total


@kernel
def nncg_iterations(s, way, polak_ribiere, run, threshold, merit):
    """Run merit.size iterations of the paper's listing, lines 6 to 14, on Blocks `s` and a Conjugate.

    way: what PGS(x) is, see sweep_kernels.py. merit: |grad f|^2 [N^2 s^2]; at or below `threshold` the iteration ends.
    Returns the iterations done.
    """
    x, w, gradient, state = run.x, run.w, run.gradient, run.state
    start, start_w, old_gradient = np.empty_like(x), np.empty_like(w), np.empty_like(x)
    for i in range(merit.size):
        copy_to(x, start)
        copy_to(w, start_w)
        copy_to(gradient, old_gradient)
        gauss_seidel_sweep(s, way, 1.0, x, w)
        square = change_since(start, x, gradient)
        change_since(start_w, w, start_w)
        merit[i] = square
        if i == merit.size - 1 or square <= threshold:
            copy_to(x, run.answer)
            copy_to(w, run.answer_w)
        if square <= threshold:
            return i + 1
        if state[STARTED] == 0.0:
            copy_to(gradient, run.direction)
            copy_to(start_w, run.direction_w)
        elif square > state[SQUARE]:
            run.direction[:] = 0.0
            run.direction_w[:] = 0.0
        else:
            beta = direction_weight(polak_ribiere, square, state[SQUARE], gradient, old_gradient)
            advance_along(beta, gradient, run.direction, x)
            advance_along(beta, start_w, run.direction_w, w)
        state[STARTED], state[SQUARE] = 1.0, square
    return merit.size
