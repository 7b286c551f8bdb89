"""The inner ring of a flat round patch of contact: it bears the load that the rim does not.

Corners alone are enough to hold a body, but friction between two faces acts all over them, so corners that bear all
of the load turn it with too long an arm: a spinning disc would stop in two thirds of its time. Of even pressure on a
patch the part 2 t dt lies between t and t + dt of the way from its middle to its rim. A third of it on the rim and two
thirds half way have the same sum, mean (2/3) and mean square (1/2): friction is that of even pressure in pure spin, in
pure slide and nearly between. The gaps half way follow from the others', so they forbid no motion that these allow.
"""

import math

from ...base.vectors import add, along, dot, row, scale, sub
from ...jit import inner
from .reduce_kernels import ENOUGH, KEEP, ORDER, direction, is_further, normal_of, tangent

# A patch of fewer corners is not round: its corners bear it.
LEAST_CORNERS = ENOUGH
# Contacts of the inner ring, each on the way to a contact of the rim that stays.
RING = 4
# How far from the middle to the rim they are.
HALF_WAY = 0.5


@inner
def is_of_patch(raw, c, n, margin):
    """True if contact c is near and has the normal n."""
    # Normals of one patch differ by less than this [1 - cos].
    return raw.place[c, 6] <= margin and dot(normal_of(raw, c), n) >= 1.0 - 1e-8


@inner
def patch_middle(raw, choice, count, margin, salt, ignored):
    """The middle of a pair's patch: (True if it is round, position, normal, gap).

    A patch is all contacts within the margin that have the normal of the deepest; `ignored`: a bit of the unsalted
    keys of those that are no corners of their own: where corners will be once they have turned. The middle is that of
    the contacts marked to stay, which may all be such.
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
        if is_of_patch(raw, c, n, margin):
            corners += int((raw.key[c] ^ salt) & ignored == 0)
            if choice[KEEP, c] != 0:
                kept += 1
                position = add(position, row(raw.place, c))
                gap += raw.place[c, 6]
    if corners < LEAST_CORNERS or kept == 0:
        return False, nothing, nothing, 0.0
    return True, scale(position, 1.0 / kept), n, gap / kept


@inner
def rim_contact(raw, choice, count, margin, n, frame, k):
    """The contact of a patch with normal n that stays and reaches furthest in direction k of RING, or -1.

    frame: row of Placement.frame of the smaller collider, with which the directions turn.
    """
    u = direction(n, tangent(n, frame), k, RING)
    best, found, start = -math.inf, -1, row(raw.place, choice[ORDER, 0])
    for q in range(count):
        c = choice[ORDER, q]
        if choice[KEEP, c] != 0 and is_of_patch(raw, c, n, margin):
            value = dot(u, sub(row(raw.place, c), start))
            if found < 0 or is_further(value, best, margin):
                best, found = value, c
    return found


@inner
def half_way(raw, c, middle, gap):
    """Position and gap half way from the middle of a patch to its contact c."""
    position = along(scale(middle, 1.0 - HALF_WAY), row(raw.place, c), HALF_WAY)
    return position, (1.0 - HALF_WAY) * gap + HALF_WAY * raw.place[c, 6]
