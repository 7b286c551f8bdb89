"""Sleep within quiet steps: how long bodies have been slow, and the steps in which one falls asleep or is woken."""

from math import sqrt
from typing import NamedTuple

import numpy as np

from ...dynamics.jointed.couplings import couplings
from ...jit import inner
from ...problems.label_kernels import label_islands
from ..sleeping import rest_of, sleepers_contacts, slow_below, steps_enough


class Rest(NamedTuple):
    """What sleep asks of quiet steps, see sleeping.py. asleep (R,) bool, of no length where none sleeps or may;
    steps (R,): how many each has been slow for; inverse_mass (R,): not zero for sleepers; size (R,) [m]; held (R,)
    bool: something else than a contact of those awake holds it up; joined (P,), (P,): bodies that sleepers' contacts
    and joints couple; slow [m/s]: what is slower counts; enough: steps after which a body may sleep."""

    asleep: np.ndarray
    steps: np.ndarray
    inverse_mass: np.ndarray
    size: np.ndarray
    held: np.ndarray
    joined: tuple
    slow: float
    enough: int


@inner
def keep_still(rest, before, after):
    """Leave sleepers exactly as they were; before, after: poses and twist (R,3), (R,4), (R,6)."""
    for i in range(rest.asleep.size):
        if rest.asleep[i]:
            after[0][i], after[1][i], after[2][i] = before[0][i], before[1][i], 0.0


@inner
def is_reached(rest, contacts, normal):
    """Whether an impulse of those awake reaches a sleeper; normal (C,)."""
    for k in range(normal.size if rest.asleep.size > 0 else 0):
        if normal[k] > 0.0 and (rest.asleep[contacts.body_a[k]] or rest.asleep[contacts.body_b[k]]):
            return True
    return False


@inner
def count_slow(rest, twist):
    """(steps (R,) for which each body has been slow after one with these velocities, whether one that is awake may
    sleep)."""
    steps, ready = rest.steps.copy(), False
    for i in range(steps.size):
        if rest.asleep[i]:
            continue
        speed = sqrt(twist[i, 0] ** 2 + twist[i, 1] ** 2 + twist[i, 2] ** 2)
        speed += rest.size[i] * sqrt(twist[i, 3] ** 2 + twist[i, 4] ** 2 + twist[i, 5] ** 2)
        steps[i] = steps[i] + 1 if rest.inverse_mass[i] > 0.0 and speed < rest.slow else 0
        ready = ready or steps[i] >= rest.enough
    return steps, ready


@inner
def falls_asleep(rest, steps, contacts):
    """Whether all bodies of a group have been slow for long enough, and something holds each of them up."""
    count, (first, second) = steps.size, rest.joined
    a, b = np.concatenate((contacts.body_a, first)), np.concatenate((contacts.body_b, second))
    group, held, able = np.empty(count, np.int64), rest.held.copy(), np.ones(count, np.bool_)
    label_islands(rest.inverse_mass, a, b, group)
    for k in range(a.size):
        held[a[k]] = held[b[k]] = True
    for i in range(count):
        if rest.inverse_mass[i] > 0.0:
            able[group[i]] = able[group[i]] and held[i] and (rest.asleep[i] or steps[i] >= rest.enough)
    falls = False
    for i in range(count):
        falls = falls or (rest.inverse_mass[i] > 0.0 and not rest.asleep[i] and able[group[i]])
    return falls


@inner
def rested(rest, contacts, normal, twist):
    """(Rest after a step, whether nobody was woken by it nor falls asleep after it); see is_reached and count_slow."""
    if is_reached(rest, contacts, normal):
        return rest, False
    steps, ready = count_slow(rest, twist)
    if ready and falls_asleep(rest, steps, contacts):
        return rest, False
    return Rest(rest.asleep, steps, rest.inverse_mass, rest.size, rest.held, rest.joined, rest.slow, rest.enough), True


def nobody():
    """The Rest of steps in which no body sleeps nor may."""
    none = np.zeros(0, np.int64)
    return Rest(none < 0, none, np.zeros(0), np.zeros(0), none < 0, (none, none), 0.0, 1)


def rest_for(model, state, sleep, time_step):
    """The Rest of a Model's State whose bodies sleep by a Sleep."""
    steps = rest_of(model, state)
    asleep = steps < 0
    kept, _ = sleepers_contacts(model, state, asleep)
    joined = tuple(np.ascontiguousarray(column) for column in couplings(model, kept))
    held = np.zeros(model.body_count, dtype=bool)
    held[model.joints.blocks.body] = True
    enough = steps_enough(time_step) if sleep.falling else np.iinfo(np.int64).max
    return Rest(asleep, steps.astype(np.int64), model.inverse_mass, model.size, held, joined,
                slow_below(model.gravity, time_step), enough)  # fmt: skip
