"""Arrays of contacts that chunks of pairs write: grown until all fit, joined, put in order."""

import numpy as np

from .contacts import ContactSet
from .convex.narrow_kernels import Contacts, allocate_contacts
from .convex.scratch import allocate_raw


def joined(parts):
    """One Contacts of several, in their order."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return allocate_contacts(0)
    return Contacts(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def growing(function, room, capacity):
    """Result of function(raw, out) -> (contacts, most of a pair, ...), repeated with more room until everything fits.

    Returns Contacts, and in a list what else the function returned.
    """
    while True:
        raw, out = allocate_raw(room), allocate_contacts(capacity)
        used, most, *rest = function(raw, out)
        if used <= capacity and most <= room:
            return Contacts(*(column[:used] for column in out)), rest
        room, capacity = max(room, most), max(capacity, used)


def in_order(found):
    """ContactSet of Contacts, in lexicographic order of bodies and key."""
    order = np.lexsort((found.key, found.body_b, found.body_a))
    return ContactSet(*(column[order] for column in found))
