"""Where the impulses of the last step's contacts go: to the contact of the same key, or to the one in its place.

Corners and edges that coincide are found now as a corner on a face, now as two edges that cross; a corner that two
faces share is found once or twice; the inner contacts of a patch move when its rim is found otherwise. Round-off
decides. The bodies have not moved, but the keys are others, and impulses that are lost cost a structure at rest a
thousand sweeps. So a load goes to the contact with its key if that is near, else to the nearest one if that is near,
and between bodies that stand to the nearest one wherever it is.
"""

from math import sqrt

import numpy as np

from ..jit import inner, kernel
from .step_kernels import match

# Distance in sizes of the smaller body, and cosine between the normals, within which contacts are the same.
NEAR, ALIKE = 0.01, 0.99


@kernel
def reaches(twist, size, time):
    """How far (R,) [m] points of bodies of size (R,) [m] that move with twist (R,6) get in a time [s]."""
    reach = np.empty(size.size)
    for i in range(size.size):
        v, w = 0.0, 0.0
        for j in range(3):
            v += twist[i, j] ** 2
            w += twist[i, 3 + j] ** 2
        reach[i] = time * (sqrt(v) + sqrt(w) * size[i])
    return reach


@kernel
def carry(old, old_impulses, new, size, reach, carried):
    """Add the impulses (C,5) of contacts `old` to carried (C,5) of contacts `new`; both are ContactSets.

    size (R,) [m] of the bodies; reach (R,) [m]: how far their points can have moved.
    """
    source, target = np.empty(new.gap.size, np.int64), np.full(old.gap.size, -1)
    match(old, new, source)
    for k in range(source.size):
        if source[k] >= 0:
            target[source[k]] = k
    first = 0
    for i in range(target.size):
        k = target[i]
        if old_impulses[i, 0] <= 0.0:
            continue
        a, b = old.body_a[i], old.body_b[i]
        near, moved = NEAR * min(size[a], size[b]), reach[a] + reach[b]
        if k < 0 or _apart(old, i, new, k) > (near + moved) ** 2:
            while first < source.size and (new.body_a[first] < a or (new.body_a[first] == a and new.body_b[first] < b)):
                first += 1
            other = _nearest(old, i, new, first)
            if other >= 0 and (_apart(old, i, new, other) <= near * near or (moved <= near and k < 0)):
                k = other
        if k >= 0:
            for j in range(5):
                carried[k, j] += old_impulses[i, j]


@inner
def _apart(old, i, new, k):
    """Square of the distance between an old contact and a new one [m^2]."""
    square = 0.0
    for j in range(3):
        square += (old.position[i, j] - new.position[k, j]) ** 2
    return square


@inner
def _nearest(old, i, new, first):
    """The new contact of the same bodies, from `first` on, that is nearest and has a like normal; -1: none."""
    found, least = -1, np.inf
    for k in range(first, new.gap.size):
        if new.body_a[k] != old.body_a[i] or new.body_b[k] != old.body_b[i]:
            break
        same = 0.0
        for j in range(3):
            same += old.normal[i, j] * new.normal[k, j]
        square = _apart(old, i, new, k)
        if same > ALIKE and square < least:
            found, least = k, square
    return found


@kernel
def spread_rows(impulse, rows, full):
    """Row impulses (K,) to the first columns of full (C,4)."""
    at = 0
    for k in range(rows.size):
        for i in range(rows[k]):
            full[k, i] = impulse[at + i]
        at += rows[k]
