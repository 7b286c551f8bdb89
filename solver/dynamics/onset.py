"""Slow impacts on bodies that others carry: the support lasts until the impact, not until the step in which it falls.

A time-stepping scheme asks for the velocities at the end of a step alone. Where a body lands on one corner and lifts
off another (a rocking block), the corner that lifts off would carry nothing in the whole step, although it carries
until the impact: an error of g h/v, v the speed of the impact. Here the impulses of the last step, which hold the
bodies if nothing new touches, act over the part of the step before the impact, and the problem is solved for the
rest. That needs no second solution, and it is done only where the old impulses still hold within a few per cent.

And fast ones that others cause within the step: what they make meet, and what they turn round while it parts.
"""

from typing import NamedTuple

import numpy as np

from ..jit import inner, kernel
from ..problems.problem_kernels import add_velocity_change, row_velocity
from .goal_kernels import label_count, of_islands
from .step_kernels import MOST_TURNED, contact_velocities, fast, gap_at_start, smaller_moving

# An overlap at the start of a step that counts as touching, in parts of the smaller body.
TOUCHING = 1e-6
# An impact is faster than what bodies held by the old impulses gain in this many steps.
FAST = 2.0
# Largest overlap, in parts of the smaller body, in which a contact may be met in the middle of a step.
GENTLE = 0.003


class Onset(NamedTuple):
    """held (K,): impulses that act before the impact [N s]; meets (C,): contacts that meet in this step; later (C,):
    contacts found now that meet in the next one; lands (C,): those of both that land, the others were passed; some:
    whether there are any."""

    held: np.ndarray
    meets: np.ndarray
    later: np.ndarray
    lands: np.ndarray
    some: bool


@kernel
def may_land(row_start, restitution, before, impulse):
    """True if a contact without impulse and restitution closes while another one carries something."""
    lands, loaded = False, False
    for k in range(restitution.size):
        if impulse[row_start[k]] > 0.0:
            loaded = True
        elif restitution[k] == 0.0 and before[k, 0] < 0.0:
            lands = True
    return lands and loaded


@inner
def passed(bodies, step, elapsed, resolved, meets):
    """Mark in meets (C,) the contacts that overlap where they were found, close faster than the solve resolves, and
    were open at the start of the step or closed by more than a step foresees: let through by the last one ("later"), or
    not seen by it. They are closed again whatever holds the bodies now, as far as this step took them, or the overlap
    would stay. Returns whether there are any."""
    contacts, found = step.contacts, False
    for k in range(contacts.gap.size):
        gap, speed = contacts.gap[k], step.before[k, 0]
        if gap < 0.0 and step.restitution[k] == 0.0 and speed < -resolved[k]:
            size = smaller_moving(bodies, contacts, k)
            open_before = gap_at_start(step, elapsed, k) > -TOUCHING * size
            unforeseen = open_before or -elapsed * speed > MOST_TURNED * size
            meets[k] = gap < -TOUCHING * size and unforeseen
            found = found or meets[k]
    return found


@inner
def landing(step, p, impulse, horizon, smooth, resolved, lands):
    """Mark in lands (C,) contacts without impulse that close faster than the solve resolves, and than what bodies held
    by the old impulses gain, before contacts are searched for again; smooth (K,): row velocities with those. Returns
    whether there are any."""
    found = False
    for k in range(lands.size):
        speed, with_old = step.before[k, 0], smooth[p.row_start[k]]
        if impulse[p.row_start[k]] > 0.0 or step.restitution[k] != 0.0 or not speed < -resolved[k]:
            continue
        # Met before the middle of the next step, where contacts are searched for again: velocity_b would slow it down.
        lands[k] = speed < -FAST * abs(with_old - speed) and step.contacts.gap[k] + horizon * with_old < 0.0
        found = found or lands[k]
    return found


@inner
def held_islands(bodies, p, step, impulse, times, smooth, label, lands):
    """Which islands (I,) the old impulses still hold within a few per cent until somebody lands there; contacts that
    land at more than a slow speed are taken out of lands (C,)."""
    count, contacts, islands = lands.size, step.contacts, label_count(label)
    scale, taken = np.zeros(islands), np.ones(islands, np.bool_)
    for k in range(count):
        if impulse[p.row_start[k]] > 0.0:
            scale[label[k]] = max(scale[label[k]], abs(step.free[k, 0] - step.before[k, 0]))
    # No impulse of the last step holds a joint for a part of this one.
    for k in range(count, label.size):
        taken[label[k]] = False
    for k in range(count):
        i, speed, with_old = label[k], step.before[k, 0], smooth[p.row_start[k]]
        if lands[k] and -times.elapsed * speed > GENTLE * smaller_moving(bodies, contacts, k):
            taken[i] = False
        # An impact so many times faster than what the support takes in a step is no slow one: the support changes
        # little.
        lands[k] = lands[k] and -speed < 30.0 * scale[i]
        if impulse[p.row_start[k]] > 0.0:
            off = abs(with_old)
        else:
            off = max(0.0, -with_old - max(contacts.gap[k], 0.0) / times.horizon)
        # The old impulses still hold where they are off by less than this part of what the free forces give in a step.
        if not lands[k] and off > 0.05 * scale[i]:
            taken[i] = False
    for i in range(islands):
        taken[i] = taken[i] and scale[i] > 0.0
    return taken


@inner
def find_onset(bodies, p, step, times, label, resolved, impulse, acts):
    """The Onset of a step.

    p: Arrays with b of the velocities without impulses; step: StepColumns; times: StepTimes; impulse (K,): what the
    contacts of the last step carried; label (B,): the island of each block; resolved (B,) [m/s]: how exactly velocities
    are solved for. What closes slower is no impact, but what the last solve left: a structure at rest would pay for a
    displacement problem in every step. acts: whether impacts within the step, and contacts passed, are looked for.
    """
    count, contacts = step.contacts.gap.size, step.contacts
    meets, later, lands = np.zeros(count, np.bool_), np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    held, (lasting, passing) = np.zeros(impulse.size), acts
    some = passing and passed(bodies, step, times.elapsed, resolved, meets)
    if not (lasting and may_land(p.row_start, step.restitution, step.before, impulse)):
        return Onset(held, meets, later, lands, some)
    w, smooth = np.zeros(6 * np.count_nonzero(bodies.dof_of_body >= 0)), np.empty(impulse.size)
    add_velocity_change(p, impulse, w)
    row_velocity(p, impulse, w, smooth)
    if not landing(step, p, impulse, times.horizon, smooth, resolved, lands):
        return Onset(held, meets, later, lands, some)
    taken = held_islands(bodies, p, step, impulse, times, smooth, label, lands)
    impact = np.full(taken.size, np.inf)
    for k in range(count):
        lands[k] = lands[k] and taken[label[k]]
        if lands[k]:
            time = times.elapsed + contacts.gap[k] / -step.before[k, 0]
            later[k], some = time > times.step, True
            if not later[k]:
                meets[k] = True
                # The first impact of an island counts for all of it: what comes after it is solved.
                impact[label[k]] = min(impact[label[k]], max(time, 0.0))
    for k in range(count):
        if impact[label[k]] < np.inf:
            for i in range(p.row_start[k], p.row_start[k + 1]):
                held[i] = impact[label[k]] / times.step * impulse[i]
    return Onset(held, meets, later, lands, some)


@inner
def add_onset(bodies, p, step, times, onset, b):
    """Make b (K,) of the velocity problem, see contact_step.velocity_b, that for the impulses beyond those held."""
    v, w = np.empty(b.size), np.zeros(6 * np.count_nonzero(bodies.dof_of_body >= 0))
    add_velocity_change(p, onset.held, w)
    row_velocity(p, onset.held, w, v)
    for i in range(b.size):
        # Zero, to the bit, where nothing is held.
        b[i] += v[i] - p.b[i]
    for k in range(step.contacts.gap.size):
        gap = max(step.contacts.gap[k], 0.0)
        waiting = gap / times.horizon
        if onset.meets[k]:
            b[p.row_start[k]] -= waiting
        elif onset.later[k]:
            b[p.row_start[k]] += gap / (times.step - times.elapsed) - waiting


@kernel
def let_part(step, threshold, label, hit, target):
    """Contacts (C,) bool that part where something bounces. Stopped by the impulses of others they would give energy:
    they are let close as fast as they would bounce from that, in target (C,). step: StepColumns; label: the island of
    each contact; hit (C,): those that bounce."""
    parts = np.zeros(hit.size, np.bool_)
    if not hit.any():
        return parts
    best = np.zeros(label_count(label))
    for k in range(hit.size):
        if hit[k]:
            best[label[k]] = max(best[label[k]], step.restitution[k])
    for k in range(hit.size):
        if best[label[k]] > 0.0 and step.before[k, 0] > fast(step, k, threshold):
            parts[k], target[k] = True, -best[label[k]] * step.before[k, 0]
    return parts


@kernel
def reached(step, row_start, horizon, answer, found):
    """Mark in found (C,) the contacts with restitution that only the impulses of what bounces make meet. step:
    StepColumns; answer: the island of each block, contacts hit (C,), impulses (K,). Returns whether there are any."""
    (label, hit, impulse), some = answer, False
    able = step.restitution > 0.0
    bounces = of_islands(label, hit & able)
    for k in range(hit.size):
        gap, pressed = step.contacts.gap[k], bounces[k] and not hit[k] and impulse[row_start[k]] > 0.0
        found[k] = able[k] and pressed and gap > 0.0 and gap + horizon * step.free[k, 0] >= 0.0
        some |= found[k]
    return some


@kernel
def shorten_horizon(bodies, contacts, position, ways, limits, horizon):
    """Shorten horizon (R,) [s], how far from the end of a step contacts were searched for, to when bodies meet within
    it that something lets close by more than their gap: what parts beside a bounce does (let_part). position (R,3):
    where contacts were found; ways: velocities (R,6) that took the bodies to the end of the step, and those that they
    have there; limits: time from there to the end [s], and part of the smaller body that may be met late."""
    remaining, late = limits
    frame, speeds = np.zeros((contacts.gap.size, 3, 3)), np.empty((2, contacts.gap.size, 4))
    frame[:, 0] = contacts.normal
    for k in range(2):
        contact_velocities(ways[k], position, contacts, frame, speeds[k])
    for k in range(contacts.gap.size):
        a, b = contacts.body_a[k], contacts.body_b[k]
        gap, speed = max(0.0, contacts.gap[k] + remaining * speeds[0, k, 0]), speeds[1, k, 0]
        if gap + max(horizon[a], horizon[b]) * speed < -late * smaller_moving(bodies, contacts, k):
            for body in (a, b):
                horizon[body] = min(horizon[body], -gap / speed)
