"""Contacts by tetrahedra: the generators of PROX, for comparison with the default."""

import numpy as np

from ..contact_generators import CONTACT_GENERATORS
from ..convex.narrow_kernels import Contacts, allocate_contacts
from .tet_pair_kernels import CLOSEST, GROWTH, OPPOSING, allocate_tet_work, tet_chunk

NUMBERS = {"closest_points": CLOSEST, "opposing_surfaces": OPPOSING, "growth": GROWTH}
assert set(NUMBERS) == set(CONTACT_GENERATORS) - {"cones"}


def tetrahedra_contacts(collision, frame, pairs, first, last):
    """Contacts of collider pairs[first:last] by the model's generator, in the order of the pairs.

    frame (C,18): see Placement. Contacts of one pair that agree in position and normal are one, as in PROX.
    """
    pool, geometry = collision.tetrahedra, collision.geometry
    number, work = NUMBERS[collision.generator], allocate_tet_work()
    most, capacity = int(np.diff(pool.start).max(initial=0)), 64 * (last - first)
    while True:
        out = allocate_contacts(capacity)
        used = tet_chunk(
            number, pool.start, pool.corner, pool.reach, geometry.core, geometry.salt, frame, pairs, first, last,
            most, work, out,
        )  # fmt: skip
        if used <= capacity:
            break
        capacity = used
    found = _without_twins(Contacts(*(column[:used] for column in out)), pool.least)
    return found._replace(body_a=_bodies(geometry, found.body_a), body_b=_bodies(geometry, found.body_b))


def _bodies(geometry, collider):
    return geometry.body[collider].astype(np.int64)


def _without_twins(found, least):
    """Of contacts of two colliders that agree in position (to the lesser `least` (C,) [m]) and normal, the lowest key.

    found.body_a and body_b are numbers of colliders.
    """
    step = np.minimum(least[found.body_a], least[found.body_b])
    # Components of normals closer than this are the same.
    place, direction = np.round(found.position / step[:, None]), np.round(found.normal / 1e-7)
    columns = [found.body_a, found.body_b, *place.T, *direction.T]
    order = np.lexsort((found.key, *columns[::-1]))
    table = np.stack(columns, axis=1)[order]
    first = np.ones(len(order), dtype=bool)
    first[1:] = np.any(table[1:] != table[:-1], axis=1)
    kept = np.sort(order[first])
    return Contacts(*(column[kept] for column in found))
