"""Spreading the load of a flat patch of contacts linearly, before a step is solved.

Four or more contacts of two bodies in one plane carry a load that rigid-body statics leaves undetermined, and a
sweep over contacts in turn spreads it by their order. Friction torque depends on the spread. So the impulses that
start a step are replaced by those of a linear pressure with the same force and moments, which is also the spread of
least norm; where that would need tension somewhere they stay as they are. It is a start value only: what the
method returns satisfies the laws either way.

Even pressure on a disc turns it like a third of its load on the rim and two thirds half way to the middle. So the inner
ring that the collision code gives a round patch (solver/collision/manifold/patch_kernels.py) weighs twice all others
together.
"""

import numpy as np

from ..collision.contact_keys import INNER_KEY
from ..jit import kernel

# Normals of one patch differ by less than this [1 - cos]; a contact belongs to it if its gap is below this part of
# the patch's width; a patch narrower than this part of its length is left alone.
SAME_NORMAL = 1e-8
CLOSED = 1e-5
NARROW = 1e-3
# Weight of the inner ring of a round patch, in parts of the sum of all others.
INNER_WEIGHT = 2.0


def spread_loads(contacts, carried, free, h, inverse_mass):
    """Spread the normal impulses, column 0 of carried (C,5), of every flat patch; changes `carried`.

    free (C,4): contact velocities after the step of h [s] without impulses, as in ContactStep; inverse_mass (R,) of
    the bodies. A patch that carries nothing yet starts evenly with what would stop its two bodies if they were alone.
    """
    if contacts.count >= 4:
        spread_patches(contacts.body_a, contacts.body_b, contacts.key, contacts.position, contacts.normal, contacts.gap,
                       free, h, inverse_mass, carried)  # fmt: skip


def shares(step):
    """Load (B,) of each block of a ContactStep under even pressure, as a part of that of its patch's other contacts."""
    share = np.ones(step.problem.block_count)
    keys = step.contacts.key
    if keys.size and keys.max() >= INNER_KEY:
        inner_shares(step.contacts.body_a, step.contacts.body_b, keys, share)
    return share


@kernel
def _even_shares(key):
    """Shares of even pressure of one body pair's contacts: 1, but for its inner ring."""
    inner = 0
    for k in key:
        inner += np.int64(k >= INNER_KEY)
    share = np.ones(key.size)
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
def spread_patches(body_a, body_b, key, position, normal, gap, free, h, inverse_mass, carried):
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
            _spread_patch(member[:used], key, position, normal[first], gap, approach, mass, carried)


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
    """Turn centred plane coordinates into their principal axes; returns the weighted second moments (large, small)."""
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
    return large, small


@kernel
def _weights(key):
    """Weights of a patch's contacts under even pressure, their sum 1."""
    share = _even_shares(key)
    return share / share.sum()


@kernel
def _spread_patch(member, key, position, n, gap, approach, mass, carried):
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
    large, small = _principal(x, y, weight)
    total, about_x, about_y, speed = 0.0, 0.0, 0.0, 0.0
    for i in range(used):
        speed += max(0.0, approach[member[i]]) * weight[i]
        total += carried[member[i], 0]
        about_x += carried[member[i], 0] * x[i]
        about_y += carried[member[i], 0] * y[i]
    if small <= NARROW * NARROW * large:
        return
    if total == 0.0:
        total = mass * speed
    for i in range(used):
        if total + about_x / large * x[i] + about_y / small * y[i] < 0.0:
            return
    for i in range(used):
        carried[member[i], 0] = weight[i] * (total + about_x / large * x[i] + about_y / small * y[i])
