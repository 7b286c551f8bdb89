"""Kernels of sleep: for how many steps bodies have been slow, and which groups of them fall asleep."""

from math import sqrt
from typing import NamedTuple

import numpy as np

from ..jit import kernel
from ..problems.label_kernels import label_islands


class Rest(NamedTuple):
    """What sleep asks of the steps of a run. asleep (R,) bool, of no length where none sleeps or may; steps (R,): how
    many each has been slow for; inverse_mass (R,): not zero for sleepers; size (R,) [m]; driven (D,): bodies on keyed
    paths; held (R,) bool: a joint holds it up; joined (P,), (P,): bodies that joints and the contacts of
    sleepers couple; slow [m/s]: what is slower counts; enough: steps after which a body may sleep."""

    asleep: np.ndarray
    steps: np.ndarray
    inverse_mass: np.ndarray
    size: np.ndarray
    driven: np.ndarray
    held: np.ndarray
    joined: tuple
    slow: float
    enough: int


@kernel
def count_slow(rest, twist):
    """(steps (R,) for which each body has been slow after one with velocities twist (R,6), whether one that is awake
    may sleep)."""
    steps, ready = rest.steps.copy(), False
    for i in range(steps.size):
        if rest.asleep[i]:
            continue
        speed = sqrt(twist[i, 0] ** 2 + twist[i, 1] ** 2 + twist[i, 2] ** 2)
        speed += rest.size[i] * sqrt(twist[i, 3] ** 2 + twist[i, 4] ** 2 + twist[i, 5] ** 2)
        steps[i] = steps[i] + 1 if rest.inverse_mass[i] > 0.0 and speed < rest.slow else 0
        ready = ready or steps[i] >= rest.enough
    return steps, ready


@kernel
def falling_asleep(rest, steps, body_a, body_b, twist):
    """(bodies (R,) bool that fall asleep, label (R,) of the group of each), with contacts between bodies (C,); twist
    (R,6): velocities after the step.

    A group sleeps whole or not at all: all of it has been slow for long enough, something holds each body up, and
    nothing couples it with a body that moves on a keyed path. A body in the air has no group to lean on, and falls.
    """
    count = steps.size
    a, b = np.concatenate((body_a, rest.joined[0])), np.concatenate((body_b, rest.joined[1]))
    group, held, able = np.empty(count, np.int64), rest.held.copy(), np.ones(count, np.bool_)
    label_islands(rest.inverse_mass, a, b, group)
    moves, carried = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    for i in rest.driven:
        moves[i] = (twist[i] != 0.0).any()
    for k in range(a.size):
        held[a[k]] = held[b[k]] = True
        carried[a[k]] |= moves[b[k]]
        carried[b[k]] |= moves[a[k]]
    for i in range(count):
        if rest.inverse_mass[i] > 0.0:
            ready = held[i] and not carried[i] and (rest.asleep[i] or steps[i] >= rest.enough)
            able[group[i]] = able[group[i]] and ready
    falls = np.zeros(count, np.bool_)
    for i in range(count):
        falls[i] = rest.inverse_mass[i] > 0.0 and not rest.asleep[i] and able[group[i]]
    return falls, group


@kernel
def met_on_paths(rest, position, twist, h):
    """Sleepers (R,) bool that bodies moving on keyed paths touch or may touch in a step of h [s], by spheres around the
    bodies, or that joints and contacts couple with one; twist (R,6): with their velocities in the step."""
    met = np.zeros(position.shape[0], np.bool_)
    for i in rest.driven:
        if not (twist[i] != 0.0).any():
            continue
        way = h * sqrt(twist[i, 0] ** 2 + twist[i, 1] ** 2 + twist[i, 2] ** 2)
        for j in range(met.size):
            x, y, z = position[j, 0] - position[i, 0], position[j, 1] - position[i, 1], position[j, 2] - position[i, 2]
            near = sqrt(x * x + y * y + z * z) <= 1.01 * (rest.size[j] + rest.size[i] + way)
            met[j] |= rest.asleep[j] and near
        for k in range(rest.joined[0].size):
            a, b = rest.joined[0][k], rest.joined[1][k]
            met[a] |= rest.asleep[a] and b == i
            met[b] |= rest.asleep[b] and a == i
    return met
