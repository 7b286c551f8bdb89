"""Iterations of the nonsmooth nonlinear conjugate gradient method (Silcowitz-Hansen et al. 2010, section 4)."""

import numpy as np

from ...jit import kernel
from ..sweep_kernels import gauss_seidel_sweep
from .pgs_kernels import row_sweep
from .staggered_kernels import stage_sweep

# What PGS(x) is: a sweep on the problem's own law, a sweep row by row on the box, or (2, 3) a stage of staggered
# projections.
OWN_LAW, BOX_ROWS = 0, 1

# Entries of `state`.
STARTED, SQUARE = 0, 1


@kernel
def one_sweep(p, r, offset, diagonal, sweep, impulse, w):
    """Replace x by PGS(x), with w = W J^T x."""
    if sweep == OWN_LAW:
        gauss_seidel_sweep(p, r, offset, diagonal, 1.0, impulse, w)
    elif sweep == BOX_ROWS:
        row_sweep(p, offset, diagonal, 1.0, False, impulse, w)
    else:
        stage_sweep(p, r, offset, diagonal, sweep, impulse, w)


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
def nncg_iterations(p, r, offset, diagonal, sweep, polak_ribiere, x, w, direction, direction_w, gradient, state,
                    answer, answer_w, threshold, merit):  # fmt: skip
    """Run merit.size iterations of the paper's listing, lines 6 to 14; -gradient is the paper's grad f.

    x (K,) and w (N,), direction (K,) and direction_w (N,), gradient (K,) and state (2,) carry the iteration
    from call to call, with w = W J^T x and direction_w = W J^T direction. answer, answer_w receive the last
    PGS(x): unlike x it obeys the bounds. merit: |grad f|^2 [N^2 s^2]; at or below `threshold` the iteration
    ends. Returns the iterations done.
    """
    start, start_w, old_gradient = np.empty_like(x), np.empty_like(w), np.empty_like(x)
    for i in range(merit.size):
        copy_to(x, start)
        copy_to(w, start_w)
        copy_to(gradient, old_gradient)
        one_sweep(p, r, offset, diagonal, sweep, x, w)
        square = change_since(start, x, gradient)
        change_since(start_w, w, start_w)
        merit[i] = square
        if i == merit.size - 1 or square <= threshold:
            copy_to(x, answer)
            copy_to(w, answer_w)
        if square <= threshold:
            return i + 1
        if state[STARTED] == 0.0:
            copy_to(gradient, direction)
            copy_to(start_w, direction_w)
        elif square > state[SQUARE]:
            direction[:] = 0.0
            direction_w[:] = 0.0
        else:
            beta = direction_weight(polak_ribiere, square, state[SQUARE], gradient, old_gradient)
            advance_along(beta, gradient, direction, x)
            advance_along(beta, start_w, direction_w, w)
        state[STARTED], state[SQUARE] = 1.0, square
    return merit.size
