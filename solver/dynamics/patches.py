"""Spreading the load of a flat patch of contacts linearly, before a step is solved.

Four or more contacts of two bodies in one plane carry a load that rigid-body statics leaves undetermined, and a
sweep over contacts in turn spreads it by their order. Friction torque depends on the spread. So the impulses that
start a step are replaced by those of a linear pressure with the same force and moments, which is also the spread of
least norm; where that would need tension somewhere they stay as they are. Friction is spread with them, with the same
force and torque. It is a start value only: what the method returns satisfies the laws either way.

Even pressure on a disc turns it like a third of its load on the rim and two thirds half way to the middle. So the inner
ring that the collision code gives a round patch (solver/collision/manifold/patch_kernels.py) weighs twice all others
together.
"""

from math import sqrt

import numpy as np

from ..collision.contact_keys import INNER_KEY
from ..jit import inner, kernel
from ..mechanisms import off

# Normals of one patch differ by less than this [1 - cos]; a contact belongs to it if its gap is below this part of
# the patch's width; a patch narrower than this part of its length is left alone.
SAME_NORMAL = 1e-8
CLOSED = 1e-5
NARROW = 1e-3
# Round-off of a ratio of friction to load.
ROUNDING = 1e-9
# Weight of the inner ring of a round patch, in parts of the sum of all others.
INNER_WEIGHT = 2.0


def spread_loads(contacts, carried, place, free, mu, h, inverse_mass):
    """Spread the normal impulses, column 0 of carried (C,5), of every flat patch; changes `carried`.

    place (C,3): where they act; free (C,4): contact velocities after the step of h [s] without impulses, as in
    ContactStep; mu (C,3) coefficients of friction as in ContactProblem; inverse_mass (R,) of the bodies. A patch that
    carries nothing yet starts evenly with what would stop its two bodies if they were alone.
    """
    if contacts.count >= 4:
        key = np.zeros_like(contacts.key) if off("inner_ring") else contacts.key
        spread_patches(contacts.body_a, contacts.body_b, key, contacts.position, place, contacts.normal,
                       contacts.gap, free, mu, h, inverse_mass, carried)  # fmt: skip


def shares(step):
    """Load (B,) of each block of a ContactStep under even pressure, as a part of that of its patch's other contacts."""
    share = np.ones(step.problem.block_count)
    keys = step.contacts.key
    if keys.size and keys.max() >= INNER_KEY and not off("inner_ring"):
        inner_shares(step.contacts.body_a, step.contacts.body_b, keys, share)
    return share


@kernel
def _even_shares(key):
    """Shares of even pressure of one body pair's contacts: 1, but for its inner ring, unless nothing else is left."""
    inner = 0
    for k in key:
        inner += np.int64(k >= INNER_KEY)
    share = np.ones(key.size)
    if inner == key.size:
        return share
    for i in range(key.size):
        if key[i] >= INNER_KEY:
            share[i] = INNER_WEIGHT * (key.size - inner) / inner
    return share


@kernel
def inner_shares(body_a, body_b, key, share):
    """Share of the inner contacts of every run of one body pair."""
    first = 0
    while first < key.size:
        end = first
        while end < key.size and body_a[end] == body_a[first] and body_b[end] == body_b[first]:
            end += 1
        share[first:end] = _even_shares(key[first:end])
        first = end


@kernel
def spread_patches(body_a, body_b, key, position, place, normal, gap, free, mu, h, inverse_mass, carried):
    """All patches: runs of one body pair, in it all contacts with the normal of the first one left."""
    count = body_a.size
    done = np.zeros(count, dtype=np.bool_)
    member = np.empty(count, dtype=np.int64)
    # The velocity that the impulses have to stop.
    approach = np.empty(count)
    for k in range(count):
        approach[k] = -free[k, 0] - max(gap[k], 0.0) / h
    for first in range(count):
        if done[first]:
            continue
        used = 0
        for k in range(first, count):
            if body_a[k] != body_a[first] or body_b[k] != body_b[first]:
                break
            same = 0.0
            for j in range(3):
                same += normal[k, j] * normal[first, j]
            if not done[k] and same > 1.0 - SAME_NORMAL:
                done[k] = True
                member[used] = k
                used += 1
        if used >= 4:
            mass = 1.0 / (inverse_mass[body_a[first]] + inverse_mass[body_b[first]])
            _spread_patch(member[:used], key, position, place, normal[first], gap, approach, mu, mass, carried)


@kernel
def _plane_axes(n):
    """Two unit vectors that span the plane with normal n."""
    u = np.zeros(3)
    smallest = 0
    for j in range(1, 3):
        if abs(n[j]) < abs(n[smallest]):
            smallest = j
    u[smallest] = 1.0
    along = n[smallest]
    for j in range(3):
        u[j] -= along * n[j]
    u /= np.sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2])
    v = np.array([n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]])
    return u, v


@kernel
def _principal(x, y, weight):
    """Turn centred plane coordinates into their principal axes; returns the weighted second moments (large, small) and
    the angle's cosine and sine."""
    xx, yy, xy = 0.0, 0.0, 0.0
    for i in range(x.size):
        xx += weight[i] * x[i] * x[i]
        yy += weight[i] * y[i] * y[i]
        xy += weight[i] * x[i] * y[i]
    angle = 0.5 * np.arctan2(2.0 * xy, xx - yy)
    c, s = np.cos(angle), np.sin(angle)
    large, small = 0.0, 0.0
    for i in range(x.size):
        a, b = c * x[i] + s * y[i], c * y[i] - s * x[i]
        x[i], y[i] = a, b
        large += weight[i] * a * a
        small += weight[i] * b * b
    return large, small, c, s


@kernel
def _weights(key):
    """Weights of a patch's contacts under even pressure, their sum 1."""
    share = _even_shares(key)
    return share / share.sum()


@kernel
def _spread_patch(member, key, position, place, n, gap, approach, mu, mass, carried):
    """Linear pressure over the closed contacts of one patch, if it presses everywhere."""
    u, v = _plane_axes(n)
    x, y = np.empty(member.size), np.empty(member.size)
    for i in range(member.size):
        x[i], y[i] = 0.0, 0.0
        for j in range(3):
            x[i] += u[j] * (position[member[i], j] - position[member[0], j])
            y[i] += v[j] * (position[member[i], j] - position[member[0], j])
    width = max(x.max() - x.min(), y.max() - y.min())
    used = 0
    for i in range(member.size):
        if gap[member[i]] <= CLOSED * width or carried[member[i], 0] > 0.0:
            member[used], x[used], y[used] = member[i], x[i], y[i]
            used += 1
    if used < 3:
        return
    member, x, y = member[:used], x[:used], y[:used]
    weight = _weights(key[member])
    x -= (weight * x).sum()
    y -= (weight * y).sum()
    large, small, c, s = _principal(x, y, weight)
    e1, e2 = c * u + s * v, c * v - s * u
    at_x, at_y = _moved(member, position, place, e1, x), _moved(member, position, place, e2, y)
    total, about_x, about_y, speed = 0.0, 0.0, 0.0, 0.0
    for i in range(used):
        speed += max(0.0, approach[member[i]]) * weight[i]
        total += carried[member[i], 0]
        about_x += carried[member[i], 0] * at_x[i]
        about_y += carried[member[i], 0] * at_y[i]
    if small <= NARROW * NARROW * large:
        return
    if total == 0.0:
        total = mass * speed
    for i in range(used):
        if total + about_x / large * x[i] + about_y / small * y[i] < 0.0:
            return
    load = weight * (total + about_x / large * x + about_y / small * y)
    if _spread_friction(member, (x, y), (at_x, at_y), (e1, e2), load, carried) or _bear(member, load, mu, carried):
        for i in range(used):
            carried[member[i], 0] = load[i]


@kernel
def _bear(member, load, mu, carried):
    """Whether contacts (m,) under new loads (m,) bear the friction that they have, as far as they did before."""
    for i in range(member.size):
        own = carried[member[i]]
        friction, most = sqrt(own[1] ** 2 + own[2] ** 2 + own[3] ** 2), min(mu[member[i], 0], mu[member[i], 1])
        if friction > (1.0 + ROUNDING) * most * load[i] and load[i] < own[0]:
            return False
    return True


@kernel
def _moved(member, position, place, axis, along):
    """Coordinates (m,) along an axis of where the impulses of contacts at `along` (m,) act."""
    at = along.copy()
    for i in range(member.size):
        for j in range(3):
            at[i] += axis[j] * (place[member[i], j] - position[member[i], j])
    return at


@inner
def _along(carried, axis):
    """Friction of the impulses (5,) of a contact along an axis [N s]."""
    return carried[1] * axis[0] + carried[2] * axis[1] + carried[3] * axis[2]


@kernel
def _spread_friction(member, plane, at, axes, load, carried):
    """Friction in proportion to the new loads, turned about their centre, with the same force and torque.

    Columns 1 to 4 of carried (C,5) follow load (m,) [N s] at `plane`, two coordinates (m,) along the axes; they acted
    at `at`. An answer of a step whose bodies stay is one after this, too. Friction stays where it is, and False is
    returned, if some contact had to carry more of its load than any does.
    """
    (x, y), (e1, e2) = plane, axes
    total, f1, f2, torque, torsion, ratio = load.sum(), 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(member.size):
        own = carried[member[i]]
        a, b = _along(own, e1), _along(own, e2)
        f1 += a
        f2 += b
        torque += at[0][i] * b - at[1][i] * a
        torsion += own[4]
        if own[0] > 0.0:
            ratio = max(ratio, np.hypot(a, b) / own[0])
    if ratio == 0.0 or total <= 0.0:
        return True
    centre_x, centre_y = (load * x).sum() / total, (load * y).sum() / total
    torque -= centre_x * f2 - centre_y * f1
    x, y = x - centre_x, y - centre_y
    lever = (load * (x * x + y * y)).sum()
    if lever == 0.0:
        # All of the load is on one contact, where its friction is, too.
        return False
    spin = torque / lever
    # Friction per load at each contact is a vector that turns with its place.
    a, b = f1 / total - spin * y, f2 / total + spin * x
    if not np.hypot(a, b).max() <= (1.0 + ROUNDING) * ratio:
        return False
    for i in range(member.size):
        own = carried[member[i]]
        own[1:4] = load[i] * (a[i] * e1 + b[i] * e2)
        own[4] = load[i] * torsion / total
    return True
