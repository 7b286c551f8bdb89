"""Manifold reduction: few contacts of a pair that hold it like all of them."""

import math

from ..jit import kernel
from .mesh_vectors import cross, dot, norm, row, scale

# Contacts kept without question, and the number of tangent directions whose extremes are kept beyond that.
ENOUGH = 8
# Normals within ten degrees are one cluster.
CLUSTER_COSINE = math.cos(math.radians(10.0))
# A near contact stands for its place only if no touching one lies within this many gaps of it.
GAP_PENALTY = 20.0


@kernel
def normal_of(raw, c):
    """Normal of contact c."""
    return raw.place[c, 3], raw.place[c, 4], raw.place[c, 5]


@kernel
def sort_by_key(raw, count):
    """Fill order with the contact numbers in ascending key."""
    for i in range(count):
        raw.order[i] = i
    for i in range(1, count):
        current = raw.order[i]
        key = raw.key[current]
        j = i - 1
        while j >= 0 and raw.key[raw.order[j]] > key:
            raw.order[j + 1] = raw.order[j]
            j -= 1
        raw.order[j + 1] = current


@kernel
def deepest_unlabelled(raw, count):
    """The contact of smallest gap (then key order) that has no cluster yet, or -1."""
    best, found = math.inf, -1
    for q in range(count):
        c = raw.order[q]
        if raw.cluster[c] < 0 and raw.place[c, 6] < best:
            best, found = raw.place[c, 6], c
    return found


@kernel
def reduce_contacts(raw, count):
    """Mark in `keep` the contacts that stay; needs `order`.

    Clusters of normals are seeded by the deepest contact left; of a cluster with more than ENOUGH contacts stay the
    seed and the extremes of u . p - GAP_PENALTY max(0, gap) in eight tangent directions u.
    """
    for c in range(count):
        raw.keep[c] = count <= ENOUGH
        raw.cluster[c] = -1
    if count <= ENOUGH:
        return
    label = 0
    while True:
        seed = deepest_unlabelled(raw, count)
        if seed < 0:
            return
        n = normal_of(raw, seed)
        members = 0
        for c in range(count):
            if raw.cluster[c] < 0 and (c == seed or dot(normal_of(raw, c), n) > CLUSTER_COSINE):
                raw.cluster[c] = label
                members += 1
        if members <= ENOUGH:
            for c in range(count):
                raw.keep[c] = raw.keep[c] or raw.cluster[c] == label
        else:
            raw.keep[seed] = True
            keep_extremes(raw, count, label, n)
        label += 1


@kernel
def keep_extremes(raw, count, label, n):
    """Keep the members of a cluster that reach furthest in eight directions normal to n."""
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
            c = raw.order[q]
            if raw.cluster[c] == label:
                value = dot(u, row(raw.place, c)) - GAP_PENALTY * max(0.0, raw.place[c, 6])
                # Equal to round-off: the first key stays.
                if found < 0 or value > best + 1e-12 * (1.0 + abs(best)):
                    best, found = value, c
        raw.keep[found] = True
