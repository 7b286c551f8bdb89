"""Bodies that overlap before the first step: found, and said by name."""

import numpy as np

from ..base.wording import as_length
from ..collision.contacts import chosen, merged
from ..collision.pipeline import find_contacts
from ..dynamics.elastic.surface_search import find
from ..dynamics.projection import smaller_size

# An overlap below this part of the smaller body is not worth a sentence.
WORTH_SAYING = 1e-3
# Pairs named one by one; of more only the number is said.
NAMED = 5


def start_overlaps(model, state, workers=1):
    """Return [(depth [m], name, name)], deepest first, of pairs that overlap by more than 1e-3 of the smaller body.

    A body that lies inside the surface of a mesh without crossing it is not found: only surfaces are searched.
    """
    still = np.zeros_like(state.twist)
    contacts = find_contacts(model.collision, state.position, state.orientation, still, 0.0, workers=workers)
    if state.nodes is not None:
        x, none = state.nodes.position, np.zeros(model.body_count)
        own = find(model, state.position, state.orientation, still, x, np.zeros_like(x), none, 0.0, workers).contacts
        soft = model.soft[own.body_a] | model.soft[own.body_b]
        contacts, _ = merged([contacts, chosen(own, soft & (own.body_a != own.body_b))])
    deepest = {}
    for k in np.flatnonzero(-contacts.gap > WORTH_SAYING * smaller_size(model, contacts)):
        pair = int(contacts.body_a[k]), int(contacts.body_b[k])
        deepest[pair] = max(deepest.get(pair, 0.0), float(-contacts.gap[k]))
    return sorted(((depth, model.names[a], model.names[b]) for (a, b), depth in deepest.items()), reverse=True)


def start_notes(model, state, workers=1):
    """Return the sentences about overlap at the start, an empty list where there is none."""
    found = start_overlaps(model, state, workers)
    notes = [
        f"{a!r} and {b!r} overlap by {as_length(depth)} at the start; they are pushed apart slowly, without "
        "velocity: move them apart if that is not meant"
        for depth, a, b in found[:NAMED]
    ]
    if len(found) > NAMED:
        notes.append(f"{len(found) - NAMED} more pairs of bodies overlap at the start, by less")
    return notes
