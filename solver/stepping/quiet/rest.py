"""Sleep within quiet steps: those in which a body falls asleep or is woken are not quiet."""

import numpy as np

from ...dynamics.goals import couplings
from ...jit import inner
from ..sleep_kernels import Rest, count_slow, falling_asleep
from ..sleeping import resting, sleepers_contacts


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
def rested(rest, contacts, normal, twist):
    """(Rest after a step, whether nobody was woken by it nor falls asleep after it); see is_reached and count_slow."""
    if is_reached(rest, contacts, normal):
        return rest, False
    steps, ready = count_slow(rest, twist)
    if ready and falling_asleep(rest, steps, contacts.body_a, contacts.body_b, twist)[0].any():
        return rest, False
    return Rest(rest.asleep, steps, rest.inverse_mass, rest.size, rest.driven, rest.held, rest.joined, rest.slow,
                rest.enough), True  # fmt: skip


def nobody():
    """The Rest of steps in which no body sleeps nor may."""
    none = np.zeros(0, np.int64)
    return Rest(none < 0, none, np.zeros(0), np.zeros(0), none, none < 0, (none, none), 0.0, 1)


def rest_for(model, state, sleep, time_step):
    """The Rest of a Model's State whose bodies sleep by a Sleep, with the contacts of those asleep."""
    rest = resting(model, state, time_step)
    kept, _ = sleepers_contacts(model, state, rest.asleep)
    joined = tuple(np.ascontiguousarray(column) for column in couplings(model, kept))
    enough = rest.enough if sleep.falling else np.iinfo(np.int64).max
    return rest._replace(joined=joined, enough=enough)
