"""Manifold reduction: few contacts of a pair that hold it like all of them."""

import math

from ...base.vectors import add, along, cross, dot, norm, row, scale, sub
from ...jit import inner
from ..broadphase.placement_kernels import column
from .motion_kernels import closing_speed, slide_speed

# Contacts kept without question, and the number of tangent directions whose extremes are kept beyond that.
ENOUGH = 8
# Normals within ten degrees are one cluster, unless bodies may slide to where they differ.
CLUSTER_COSINE = math.cos(math.radians(10.0))
# Of the margin: a smaller intersection or overlap, of features or of what stands for them, is let be.
SHALLOW = 1e-3
# Of the margin: how far beyond its known motion a body may slide in half a step before contacts are searched for
# again, see dynamics/impulses.py.
UNKNOWN_SLIDE = 0.25
# A near contact stands for its place only if no touching one lies within this many gaps of it.
GAP_PENALTY = 20.0
# The directions start this far from the axes of a body [rad]: corners that lie evenly about one are then no ties.
OFF_AXIS = 0.15
# Rows of the table `choice` (3,N): contacts in ascending key, cluster of each contact, 1 for those that stay.
ORDER, CLUSTER, KEEP = 0, 1, 2


@inner
def normal_of(raw, c):
    """Normal of contact c."""
    return raw.place[c, 3], raw.place[c, 4], raw.place[c, 5]


@inner
def sort_by_key(raw, choice, count):
    """Fill the order with the contact numbers in ascending key."""
    for i in range(count):
        choice[ORDER, i] = i
    for i in range(1, count):
        current = choice[ORDER, i]
        key = raw.key[current]
        j = i - 1
        while j >= 0 and raw.key[choice[ORDER, j]] > key:
            choice[ORDER, j + 1] = choice[ORDER, j]
            j -= 1
        choice[ORDER, j + 1] = current


@inner
def deepest_unlabelled(raw, choice, count):
    """The contact of smallest gap (then key order) that has no cluster yet, or -1."""
    best, found = math.inf, -1
    for q in range(count):
        c = choice[ORDER, q]
        if choice[CLUSTER, c] < 0 and raw.place[c, 6] < best:
            best, found = raw.place[c, 6], c
    return found


@inner
def is_like(raw, c, seed, margin, motion):
    """True if contact c may be left out for others of the cluster of the seed, the deepest.

    What slides along the seed's plane by s comes nearer to that of c by s times the sine between them, at most. A
    hollow of many facets has each facet that is reached within the step as a contact.
    """
    n = normal_of(raw, seed)
    if dot(normal_of(raw, c), n) <= CLUSTER_COSINE:
        return False
    slide = UNKNOWN_SLIDE * margin + motion.h * slide_speed(motion, row(raw.place, c), n)
    nearer = slide * norm(sub(normal_of(raw, c), n))
    return raw.place[c, 6] - nearer >= raw.place[seed, 6] - SHALLOW * margin


@inner
def reduce_contacts(raw, choice, count, margin, frame, motion):
    """Mark the contacts that stay; needs the order. frame: row of Placement.frame of the collider that is smaller;
    motion: Motion of both bodies in the step.

    Clusters of normals are seeded by the deepest contact left, see is_like; of a cluster with more than ENOUGH contacts
    stay the extremes of u . p - GAP_PENALTY max(0, gap) in eight tangent directions u, which turn with the smaller
    body, so that its corners stay the same, and what is deeper than these, see keep_bearing. Of the contacts further
    apart than the margin, which fast bodies are about to close, the extremes without penalty stay too: where the
    first of them holds, the body turns about it and the others come in. Where bodies turn, those with the gaps at
    the end of the step stay too.
    """
    for c in range(count):
        choice[KEEP, c] = int(count <= ENOUGH)
        choice[CLUSTER, c] = -1
    if count <= ENOUGH:
        return
    label = 0
    while True:
        seed = deepest_unlabelled(raw, choice, count)
        if seed < 0:
            return
        n = normal_of(raw, seed)
        members = 0
        for c in range(count):
            if choice[CLUSTER, c] < 0 and (c == seed or is_like(raw, c, seed, margin, motion)):
                choice[CLUSTER, c] = label
                members += 1
        if members <= ENOUGH:
            for c in range(count):
                choice[KEEP, c] = max(choice[KEEP, c], int(choice[CLUSTER, c] == label))
        else:
            s, gap = tangent(n, frame), raw.place[:count, 6].copy()
            keep_bearing(raw, choice, gap, label, n, s, margin)
            keep_extremes(raw, choice, gap, label, n, s, margin, margin, 0.0)
            if gaps_at_end(raw, choice, label, n, motion, gap):
                keep_bearing(raw, choice, gap, label, n, s, margin)
        label += 1


@inner
def tangent(n, frame):
    """Unit vector normal to n that turns with a placed collider."""
    axis = column(frame, 0)
    # Cosine above which an axis is too near a normal to give it a tangent.
    if abs(dot(axis, n)) > 0.7:
        axis = column(frame, 1)
    s = along(axis, n, -dot(axis, n))
    return scale(s, 1.0 / norm(s))


@inner
def direction(n, s, k, count):
    """Unit vector normal to n, the k-th of count evenly about it from s, a unit vector normal to n."""
    angle = 2.0 * math.pi * k / count + OFF_AXIS
    return along(scale(s, math.cos(angle)), cross(n, s), math.sin(angle))


@inner
def is_further(extent, best, margin):
    """True if an extent [m] from a place of the pair is beyond the best so far by more than round-off."""
    # Part of the margin that is round-off, also far from the origin: the first key stays.
    return extent > best + 1e-9 * margin


@inner
def keep_bearing(raw, choice, gap, label, n, s, margin):
    """Keep the extremes of a cluster, and what is deeper than these: its deepest contact, and that which a body laid
    flat on the others would overlap most; gap (count,) [m], s: see keep_extremes."""
    keep_extremes(raw, choice, gap, label, n, s, margin, -math.inf, GAP_PENALTY)
    keep_lowest(raw, choice, gap, label, (0.0, 0.0, 0.0), margin)
    keep_lowest(raw, choice, gap, label, rise_of_kept(raw, choice, gap, label, n, s), margin)


@inner
def keep_lowest(raw, choice, gap, label, rise, margin):
    """Keep the contact of a cluster that is lowest over a plane of that rise (3,), if it is lower than those that stay;
    gap (count,) [m]."""
    lowest, least, least_kept = -1, math.inf, math.inf
    for q in range(gap.size):
        c = choice[ORDER, q]
        if choice[CLUSTER, c] == label:
            over = gap[c] - dot(rise, sub(row(raw.place, c), row(raw.place, choice[ORDER, 0])))
            if over < least:
                lowest, least = c, over
            if choice[KEEP, c] == 1:
                least_kept = min(least_kept, over)
    # By this part of the margin.
    if least_kept > least + 1e-5 * margin:
        choice[KEEP, lowest] = 1


@inner
def rise_of_kept(raw, choice, gap, label, n, s):
    """Rise (3,) of the plane that fits the gaps (count,) [m] of the contacts of a cluster that stay, by least squares;
    n, s: unit vectors, its normal and one across."""
    count, mean, middle, t = 0, 0.0, (0.0, 0.0, 0.0), cross(n, s)
    for c in range(gap.size):
        if choice[CLUSTER, c] == label and choice[KEEP, c] == 1:
            count, mean, middle = count + 1, mean + gap[c], add(middle, row(raw.place, c))
    mean, middle = mean / count, scale(middle, 1.0 / count)
    ss, st, tt, sg, tg = 0.0, 0.0, 0.0, 0.0, 0.0
    for c in range(gap.size):
        if choice[CLUSTER, c] == label and choice[KEEP, c] == 1:
            away = sub(row(raw.place, c), middle)
            x, y, g = dot(away, s), dot(away, t), gap[c] - mean
            ss, st, tt, sg, tg = ss + x * x, st + x * y, tt + y * y, sg + x * g, tg + y * g
    # Contacts in a line tell of no rise across it.
    little = 1e-6 * (ss + tt)
    ss, tt = ss + little, tt + little
    area = ss * tt - st * st
    if area <= 0.0:
        return 0.0, 0.0, 0.0
    return add(scale(s, (tt * sg - st * tg) / area), scale(t, (ss * tg - st * sg) / area))


@inner
def gaps_at_end(raw, choice, label, n, motion, gap):
    """Gaps (count,) of a cluster's members as the motion leaves them, where the deepest has none, in `gap`; False if
    the bodies do not turn."""
    least, turns = math.inf, motion.h * norm(sub(motion.spin_b, motion.spin_a)) > 0.0
    if not turns:
        return False
    for c in range(gap.size):
        if choice[CLUSTER, c] == label:
            gap[c] = raw.place[c, 6] - motion.h * closing_speed(motion, row(raw.place, c), n)
            least = min(least, gap[c])
    for c in range(gap.size):
        gap[c] -= least
    return True


@inner
def keep_extremes(raw, choice, gap, label, n, s, margin, least, penalty):
    """Keep the members of a cluster with gaps above `least` that reach furthest in ENOUGH directions normal to n.

    gap (count,) [m]; s: unit vector normal to n that they are counted from.
    """
    count, start = gap.size, row(raw.place, choice[ORDER, 0])
    for k in range(ENOUGH):
        u = direction(n, s, k, ENOUGH)
        best, found = -math.inf, -1
        for q in range(count):
            c = choice[ORDER, q]
            if choice[CLUSTER, c] == label and gap[c] > least:
                value = dot(u, sub(row(raw.place, c), start)) - penalty * max(0.0, gap[c])
                if found < 0 or is_further(value, best, margin):
                    best, found = value, c
        if found < 0:
            return
        choice[KEEP, found] = 1
