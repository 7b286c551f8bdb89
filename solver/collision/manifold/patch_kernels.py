"""The middle of a flat round patch of contact: it bears the load that its rim does not.

Corners alone are enough to hold a body, but friction between two faces acts all over them, so corners that bear all
of the load turn it with too long an arm: a spinning disc would stop in two thirds of its time. A contact in the middle
bears what is left. Its gap follows from the others', so it forbids no motion that they allow.
"""

import math

from ...base.vectors import add, dot, row, scale
from ...jit import inner
from .reduce_kernels import ENOUGH, KEEP, normal_of

# A patch of fewer corners is not round: its corners bear it.
LEAST_CORNERS = ENOUGH
# Normals of one patch differ by less than this [1 - cos].
SAME_NORMAL = 1e-8


@inner
def patch_middle(raw, choice, count, margin, salt, ignored):
    """The middle of a pair's patch: (True if there is one, position, normal, gap).

    A patch is all contacts within the margin that have the normal of the deepest; `ignored`: a bit of the
    unsalted keys of those that do not count. The middle is that of the contacts marked to stay.
    """
    nothing = (0.0, 0.0, 0.0)
    if count < LEAST_CORNERS:
        return False, nothing, nothing, 0.0
    deepest, least = 0, math.inf
    for c in range(count):
        if raw.place[c, 6] < least:
            deepest, least = c, raw.place[c, 6]
    n = normal_of(raw, deepest)
    corners, kept, position, gap = 0, 0, nothing, 0.0
    for c in range(count):
        far = raw.place[c, 6] > margin or dot(normal_of(raw, c), n) < 1.0 - SAME_NORMAL
        if far or (raw.key[c] ^ salt) & ignored != 0:
            continue
        corners += 1
        if choice[KEEP, c] != 0:
            kept += 1
            position = add(position, row(raw.place, c))
            gap += raw.place[c, 6]
    if corners < LEAST_CORNERS or kept == 0:
        return False, nothing, nothing, 0.0
    return True, scale(position, 1.0 / kept), n, gap / kept
