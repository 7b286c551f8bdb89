"""Kernels of what is asked of the islands of a step: how fast things are in them, and their goals."""

from math import sqrt

import numpy as np

from ..jit import kernel


@kernel
def moving_ends(inverse_mass, a, b, end):
    """The body (C,) that moves of each pair a, b (C,), a where both do."""
    for k in range(a.size):
        end[k] = a[k] if inverse_mass[a[k]] > 0.0 else b[k]


@kernel
def island_speeds(inverse_mass, of_body, of_block, twist, before, number, speed):
    """See goals.island_speeds; number (R,) and speed (R,) are zero on entry."""
    for i in range(of_body.size):
        if inverse_mass[i] > 0.0:
            speed[of_body[i]] += twist[i, 0] ** 2 + twist[i, 1] ** 2 + twist[i, 2] ** 2
            number[of_body[i]] += 1.0
    for i in range(of_body.size):
        speed[i] = sqrt(speed[i] / max(number[i], 1.0))
    for k in range(before.shape[0]):
        label = of_block[k]
        for j in range(3):
            speed[label] = max(speed[label], abs(before[k, j]))


@kernel
def mass_ratios(mass, inverse_mass, of_body, least, ratio):
    """ratio (R,): heaviest over lightest moving body of the island of each label; zero on entry, as least (R,)."""
    for i in range(of_body.size):
        label = of_body[i]
        if inverse_mass[i] > 0.0:
            ratio[label] = max(ratio[label], mass[i])
            least[label] = mass[i] if least[label] == 0.0 else min(least[label], mass[i])
    for i in range(of_body.size):
        if least[i] > 0.0:
            ratio[i] /= least[i]


@kernel
def block_goals(of_block, speed, ratio, asked, rest, tolerance, acceptable, patience, effort):
    """Fill the goals (B,) of blocks from the speeds and mass ratios (R,) of their islands; asked: fall and slow speed
    [m/s], accuracy, part of the speed, acceptable, round-off; rest: how many times patience and effort of islands at
    rest are what is given of them, which patience and effort (B,) hold on entry."""
    fall, slow, accuracy, of_speed, share, round_off = asked
    for k in range(of_block.size):
        v = speed[of_block[k]]
        if accuracy > 0.0:
            scale = max(fall, of_speed * v)
            # Nothing moves and nothing pulls: any scale will do.
            tolerance[k] = accuracy * (scale if scale > 0.0 else 1.0)
            # What a heavy body gives to a light one is a difference of velocities this many times larger.
            tolerance[k] = max(tolerance[k], round_off * ratio[of_block[k]] * max(fall, v))
        acceptable[k] = share * (v + slow)
        if share > 0.0 and v < slow:
            patience[k] *= rest[0]
            effort[k] *= rest[1]


@kernel
def be_patient_at_first(of_block, loaded, given, patience, effort):
    """Give islands at rest whose blocks carry nothing yet, loaded (B,) bool, the patience of all their effort (B,).

    Their next steps start with what is found. given: the effort of other islands.
    """
    carries = np.zeros(of_block.max() + 1 if of_block.size else 0, np.bool_)
    for k in range(loaded.size):
        carries[of_block[k]] |= loaded[k]
    for k in range(of_block.size):
        if not carries[of_block[k]] and effort[k] > given:
            patience[k] = effort[k]
