"""Kernels that show quickly that a step needs no closer review: nobody in it turns or flies far, nothing is deep.

They never say so where the closer review would find something; where they do not, it decides pair by pair.
"""

from math import sqrt

import numpy as np

from ..dynamics.step_kernels import contact_velocities, moved_beyond_search, relative_travels, smaller_moving
from ..jit import inner, kernel


@inner
def turn_bound(reach, twist, i, h):
    """At least how far [m] turning takes points of body i off their straight paths in h seconds."""
    return 0.5 * reach[i] * (twist[i, 3] ** 2 + twist[i, 4] ** 2 + twist[i, 5] ** 2) * h * h


@inner
def way_bound(reach, twist, i, h):
    """At most how far [m] points of body i move in h seconds."""
    speed = sqrt(twist[i, 0] ** 2 + twist[i, 1] ** 2 + twist[i, 2] ** 2)
    spin = sqrt(twist[i, 3] ** 2 + twist[i, 4] ** 2 + twist[i, 5] ** 2)
    return h * (speed + reach[i] * spin)


@kernel
def quiet_ahead(reach, twist, h, turn, fly):
    """True if no body turns off its path by `turn` [m] nor moves by `fly` [m] in h seconds, of which it flies half."""
    for i in range(reach.size):
        if not turn_bound(reach, twist, i, h) <= turn:
            return False
        if not way_bound(reach, twist, i, 0.5 * h) <= fly:
            return False
    return True


@inner
def none_turns(reach, before, after, h, turn):
    """True if no body turns off its path by `turn` [m] in h seconds; before, after (R,6): velocities at the start and
    the end of the step."""
    most = 0.0
    for i in range(reach.size):
        own = max(turn_bound(reach, before, i, h), turn_bound(reach, after, i, h))
        most = most if own <= most else own
    return most <= turn


@inner
def moved_apart(bodies, allowed, position, twists, contacts, h, grown, moved):
    """Mark in moved (C,) the contacts of bodies that moved against each other by the part `grown` of what both allow
    [m]; returns whether there are any. twists: at the start and the end of the step."""
    found, travel, a, b = False, np.empty(moved.size), contacts.body_a, contacts.body_b
    moved[:] = False
    for twist in twists:
        relative_travels(bodies.size, position, twist, h, a, b, travel)
        for k in range(a.size):
            if not travel[k] <= grown * min(allowed[a[k]], allowed[b[k]]):
                moved[k] = found = True
    return found


@kernel
def quiet_after(bodies, form, position, twists, contacts, h, limits):
    """True if no bodies that met moved against each other by the part `grown` of what both allow [m], no body turns off
    its path by `turn` [m], and none was sent where no search covers, beyond `margin`.

    form: reach, allowed (R,); twists (R,6): at the start and the end of the step, and that of the last search; limits:
    grown, turn, margin.
    """
    (reach, allowed), (before, after, searched), (grown, turn, margin) = form, twists, limits
    if not none_turns(reach, before, after, h, turn) or moved_beyond_search(bodies, searched, after, h, margin).any():
        return False
    moved = np.empty(contacts.gap.size, np.bool_)
    return not moved_apart(bodies, allowed, position, (before, after), contacts, h, grown, moved)


@inner
def parting(contacts, twist, position):
    """Velocities (C,) [m/s] with which bodies part at contacts, along the normals."""
    count = contacts.gap.size
    frame, speed = np.zeros((count, 3, 3)), np.empty((count, 4))
    frame[:, 0] = contacts.normal
    contact_velocities(twist, position, contacts, frame, speed)
    return speed[:, 0]


@kernel
def locked(bodies, contacts, motion, position, h, limits):
    """Contacts (C,) bool that overlap by more than a part of the smaller moving body and that a motion (R,6) opens in h
    seconds by less than a part of that; limits: both parts."""
    found, (deep, stays) = np.zeros(contacts.gap.size, np.bool_), limits
    for k in range(found.size):
        found[k] = -contacts.gap[k] > deep * smaller_moving(bodies, contacts, k)
    if found.any():
        speed = parting(contacts, motion, position)
        for k in range(found.size):
            found[k] = found[k] and h * speed[k] < stays * -contacts.gap[k]
    return found
