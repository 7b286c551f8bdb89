"""Iterations of the nonsmooth nonlinear conjugate gradient method (Silcowitz-Hansen et al. 2010, section 4)."""

import numpy as np

from ..jit import kernel
from .pgs_kernels import row_sweep
from .staggered_kernels import stage_sweep
from .sweep_kernels import gauss_seidel_sweep

# What PGS(x) is: a sweep on the problem's own law, a sweep row by row on the box, or (2, 3) a stage of staggered
# projections.
OWN_LAW, BOX_ROWS = 0, 1

# Entries of `state`.
STARTED, SQUARE, HALVINGS = 0, 1, 12


@kernel
def one_sweep(p, r, offset, diagonal, sweep, impulse, w):
    """Replace x by PGS(x), with w = W J^T x."""
    if sweep == OWN_LAW:
        gauss_seidel_sweep(p, r, offset, diagonal, 1.0, impulse, w)
    elif sweep == BOX_ROWS:
        row_sweep(p, offset, diagonal, 1.0, impulse, w)
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
        start[:], start_w[:], old_gradient[:] = x, w, gradient
        one_sweep(p, r, offset, diagonal, sweep, x, w)
        gradient[:] = x - start
        square = np.dot(gradient, gradient)
        merit[i] = square
        if i == merit.size - 1 or square <= threshold:
            answer[:], answer_w[:] = x, w
        if square <= threshold:
            return i + 1
        start_w[:] = w - start_w
        if state[STARTED] == 0.0:
            direction[:], direction_w[:] = gradient, start_w
        elif square > state[SQUARE]:
            direction[:], direction_w[:] = 0.0, 0.0
        else:
            beta = direction_weight(polak_ribiere, square, state[SQUARE], gradient, old_gradient)
            direction *= beta
            direction_w *= beta
            x += direction
            w += direction_w
            direction += gradient
            direction_w += start_w
        state[STARTED], state[SQUARE] = 1.0, square
    return merit.size


@kernel
def trial(p, r, offset, diagonal, sweep, x, w, step, direction, direction_w, trial_x, trial_w, swept, swept_w):
    """f = |PGS(x') - x'|^2 / 2 at x' = x + step direction; fills the trial point and its sweep."""
    trial_x[:] = x + step * direction
    trial_w[:] = w + step * direction_w
    swept[:], swept_w[:] = trial_x, trial_w
    one_sweep(p, r, offset, diagonal, sweep, swept, swept_w)
    total = 0.0
    for j in range(x.size):
        total += (swept[j] - trial_x[j]) ** 2
    return 0.5 * total


@kernel
def line_search_step(p, r, offset, diagonal, sweep, polak_ribiere, armijo, x, w, direction, direction_w, gradient,
                     state, swept, swept_w):  # fmt: skip
    """One step with the Armijo rule f(x + a d) <= f(x) + c1 a grad f . d, halving a from 1 (figure 3).

    On entry and exit swept = PGS(x) and gradient = swept - x. Where no step is short enough, the plain sweep
    is taken. Returns the number of sweeps spent.
    """
    square = np.dot(gradient, gradient)
    trial_x, trial_w = np.empty_like(x), np.empty_like(w)
    new, new_w = np.empty_like(x), np.empty_like(w)
    slope = -np.dot(gradient, direction)
    step, sweeps = 1.0, 0
    accepted = False
    while sweeps < HALVINGS and slope < 0.0 and not accepted:
        value = trial(p, r, offset, diagonal, sweep, x, w, step, direction, direction_w, trial_x, trial_w, new, new_w)
        sweeps += 1
        accepted = value <= 0.5 * square + armijo * step * slope
        step *= 0.5
    if not accepted:
        direction[:], direction_w[:] = gradient, swept_w - w
        trial(p, r, offset, diagonal, sweep, x, w, 1.0, direction, direction_w, trial_x, trial_w, new, new_w)
        sweeps += 1
    old_gradient = gradient.copy()
    x[:], w[:], swept[:], swept_w[:] = trial_x, trial_w, new, new_w
    gradient[:] = swept - x
    new_square = np.dot(gradient, gradient)
    beta = direction_weight(polak_ribiere, new_square, square, gradient, old_gradient)
    if new_square > square:
        beta = 0.0
    direction *= beta
    direction += gradient
    direction_w *= beta
    direction_w += swept_w - w
    state[STARTED], state[SQUARE] = 1.0, new_square
    return sweeps


@kernel
def line_search_iterations(p, r, offset, diagonal, sweep, polak_ribiere, armijo, x, w, direction, direction_w,
                           gradient, state, swept, swept_w, threshold, merit):  # fmt: skip
    """Steps with line search until about merit.size sweeps are spent; merit has one entry a sweep, as in the paper.

    Ends where the merit is at most `threshold`. Returns the sweeps done; the last step may be cut in the
    record, never in the work.
    """
    done = 0
    if state[STARTED] == 0.0:
        swept[:], swept_w[:] = x, w
        one_sweep(p, r, offset, diagonal, sweep, swept, swept_w)
        gradient[:] = swept - x
        direction[:], direction_w[:] = gradient, swept_w - w
        state[STARTED], state[SQUARE] = 1.0, np.dot(gradient, gradient)
        merit[0] = state[SQUARE]
        done = 1
    while done < merit.size and state[SQUARE] > threshold:
        sweeps = line_search_step(p, r, offset, diagonal, sweep, polak_ribiere, armijo, x, w, direction, direction_w,
                                  gradient, state, swept, swept_w)  # fmt: skip
        for _ in range(sweeps):
            if done < merit.size:
                merit[done] = state[SQUARE]
                done += 1
    return done
