"""Slow impacts on bodies that others carry: the support lasts until the impact, not until the step in which it falls.

A time-stepping scheme asks for the velocities at the end of a step alone. Where a body lands on one corner and lifts
off another (a rocking block), the corner that lifts off would carry nothing in the whole step, although it carries
until the impact: an error of g h/v, v the speed of the impact. Here the impulses of the last step, which hold the
bodies if nothing new touches, act over the part of the step before the impact, and the problem is solved for the
rest. That needs no second solution, and it is done only where the old impulses still hold within a few per cent.
"""

from dataclasses import dataclass

import numpy as np

from .. import mechanisms
from . import step_kernels as kernels
from .assembly_kernels import FAST, TOUCHING
from .projection import smaller_size

# Largest overlap, in parts of the smaller body, in which a contact may be met in the middle of a step.
GENTLE = 0.003


@dataclass(frozen=True)
class Onset:
    """held (K,): impulses that act before the impact [N s]; hit (C,): contacts that meet in this step; later (C,):
    contacts found now that meet in the next one; lands (C,): those of both that land, the others were passed."""

    held: np.ndarray
    hit: np.ndarray
    later: np.ndarray
    lands: np.ndarray


def find_onset(model, step, impulse, times, islands, resolved):
    """The Onset of a step, None where nothing lands so.

    step: ContactStep; times: StepTimes; impulse (K,): what the contacts of the last step carried; islands: the
    BlockIslands of the step; resolved (B,) [m/s]: how exactly velocities are solved for. What closes slower is no
    impact, but what the last solve left: a structure at rest would pay for a displacement problem in every step.
    """
    h, elapsed, horizon = times
    closes = step.before[:, 0] < -resolved[: step.contacts.count]
    passed = None if mechanisms.off("passed_contacts") else _passed(model, step, elapsed)
    lasting = not mechanisms.off("impact_within_step")
    if not (lasting and kernels.may_land(step.problem.row_start, step.restitution, step.before, impulse)):
        return None if passed is None else _closing(impulse, passed)
    contacts, before, free = step.contacts, step.before[:, 0], step.free[:, 0]
    first = step.first
    loaded = impulse[first] > 0
    lands = ~loaded & (step.restitution == 0) & closes
    smooth = step.problem.velocity(impulse)[first]
    # Met before the middle of the next step, where contacts are searched for again: velocity_b would slow it down now.
    lands &= (before < -FAST * np.abs(smooth - before)) & (contacts.gap + horizon * smooth < 0)
    if passed is None and not lands.any():
        return None
    rough = lands & (-elapsed * before > GENTLE * smaller_size(model, contacts))
    # No impulse of the last step holds a joint for a part of this one.
    count = contacts.count
    island, jointed = islands.of_block[:count], np.isin(islands.of_block[:count], islands.of_block[count:])
    scale = _per_island(np.maximum, island, np.where(loaded, np.abs(free - before), 0.0))
    # An impact so many times faster than what the support takes in a step is no slow one: the support changes little.
    lands &= -before < 30.0 * scale
    off = np.where(loaded, np.abs(smooth), np.maximum(0.0, -smooth - np.maximum(contacts.gap, 0.0) / horizon))
    # The old impulses still hold where they are off by less than this part of what the free forces give in the step.
    bad = rough | jointed | (~lands & (off > 0.05 * scale))
    taken = ~_per_island(np.logical_or, island, bad) & (scale > 0)
    time = np.where(lands, elapsed + contacts.gap / np.where(lands, -before, 1.0), np.inf)
    meets = lands & taken & (time <= h)
    later = lands & taken & ~meets
    landing = meets | later
    if passed is not None:
        meets = meets | passed
    if not np.any(meets) and not np.any(later):
        return None
    # The first impact of an island counts for all of it: what comes after it is solved.
    impact = _per_island(np.minimum, island, np.where(meets & taken, np.maximum(time, 0.0), np.inf))
    share = np.where(taken & np.isfinite(impact), impact / h, 0.0)
    held = np.zeros_like(impulse)
    held[: step.contact_rows] = np.repeat(share, step.rows) * impulse[: step.contact_rows]
    return Onset(held, meets, later, landing)


def _closing(impulse, passed):
    """The Onset of contacts passed (C,) alone."""
    none = np.zeros_like(passed)
    return Onset(np.zeros_like(impulse), passed, none, none)


def _passed(model, step, elapsed):
    """Contacts (C,) open at the start of the step and overlapping where they were found: let through by the last step
    ("later"). They are closed again whatever holds the bodies now, or the overlap would stay. None: there are none."""
    gap = step.contacts.gap
    if gap.min(initial=0.0) >= -TOUCHING * model.size.min():
        return None
    reach = TOUCHING * smaller_size(model, step.contacts)
    passed = (step.restitution == 0) & (gap < -reach) & (gap - elapsed * step.before[:, 0] > -reach)
    return passed if np.any(passed) else None


def onset_b(b, step, times, onset):
    """b of the velocity problem (see velocity_b) for the impulses beyond those held."""
    # Zero, to the bit, where nothing is held.
    b = b + (step.problem.velocity(onset.held) - step.problem.b)
    first, gap = step.first, np.maximum(step.contacts.gap, 0.0)
    waiting = gap / times.horizon
    b[first] += np.where(onset.hit, -waiting, 0.0) + np.where(onset.later, gap / times.remaining - waiting, 0.0)
    return b


def _per_island(rule, island, values):
    """What `rule` gives over all contacts of a contact's island, at each contact."""
    empty = {np.maximum: 0.0, np.minimum: np.inf, np.logical_or: False}[rule]
    gathered = np.full(int(island.max()) + 1, empty, dtype=values.dtype)
    rule.at(gathered, island, values)
    return gathered[island]
