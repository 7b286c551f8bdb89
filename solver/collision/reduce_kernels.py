"""Manifold reduction: few contacts of a pair that hold it like all of them."""

import math

from ..jit import inner
from .mesh_vectors import cross, dot, norm, row, scale

# Contacts kept without question, and the number of tangent directions whose extremes are kept beyond that.
ENOUGH = 8
# Normals within ten degrees are one cluster.
CLUSTER_COSINE = math.cos(math.radians(10.0))
# A near contact stands for its place only if no touching one lies within this many gaps of it.
GAP_PENALTY = 20.0
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
def reduce_contacts(raw, choice, count, margin):
    """Mark the contacts that stay; needs the order.

    Clusters of normals are seeded by the deepest contact left; of a cluster with more than ENOUGH contacts stay the
    seed and the extremes of u . p - GAP_PENALTY max(0, gap) in eight tangent directions u. Of the contacts further
    apart than the margin, which fast bodies are about to close, the extremes without penalty stay too: where the
    first of them holds, the body turns about it and the others come in.
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
            if choice[CLUSTER, c] < 0 and (c == seed or dot(normal_of(raw, c), n) > CLUSTER_COSINE):
                choice[CLUSTER, c] = label
                members += 1
        if members <= ENOUGH:
            for c in range(count):
                choice[KEEP, c] = max(choice[KEEP, c], int(choice[CLUSTER, c] == label))
        else:
            choice[KEEP, seed] = 1
            keep_extremes(raw, choice, count, label, n, -math.inf, GAP_PENALTY)
            keep_extremes(raw, choice, count, label, n, margin, 0.0)
        label += 1


@inner
def keep_extremes(raw, choice, count, label, n, least, penalty):
    """Keep the members of a cluster with gaps above `least` that reach furthest in eight directions normal to n."""
    axis = (1.0, 0.0, 0.0) if abs(n[0]) < 0.7 else (0.0, 1.0, 0.0)
    s = cross(n, axis)
    s = scale(s, 1.0 / norm(s))
    t = cross(n, s)
    for k in range(8):
        angle = 0.25 * math.pi * k
        x, y = math.cos(angle), math.sin(angle)
        u = (x * s[0] + y * t[0], x * s[1] + y * t[1], x * s[2] + y * t[2])
        best, found = -math.inf, -1
        for q in range(count):
            c = choice[ORDER, q]
            if choice[CLUSTER, c] == label and raw.place[c, 6] > least:
                value = dot(u, row(raw.place, c)) - penalty * max(0.0, raw.place[c, 6])
                # Equal to round-off: the first key stays.
                if found < 0 or value > best + 1e-12 * (1.0 + abs(best)):
                    best, found = value, c
        if found < 0:
            return
        choice[KEEP, found] = 1
