"""How flat patches of contacts share even pressure.

Even pressure on a disc turns it like a third of its load on the rim and two thirds half way to the middle. So the inner
ring that the collision code gives a round patch (solver/collision/manifold/patch_kernels.py) weighs twice all others
together.
"""

import numpy as np

from ..collision.contact_keys import INNER_KEY
from ..jit import kernel
from ..mechanisms import off

# Weight of the inner ring of a round patch, in parts of the sum of all others.
INNER_WEIGHT = 2.0


def shares(step):
    """Load (B,) of each block of a ContactStep under even pressure, as a part of that of its patch's other contacts."""
    share = np.ones(step.problem.block_count)
    keys = step.contacts.key
    if keys.size and keys.max() >= INNER_KEY and not off("inner_ring"):
        inner_shares(step.contacts.body_a, step.contacts.body_b, keys, share)
    return share


@kernel
def _even_shares(key):
    """Shares of even pressure of one body pair's contacts: 1, but for its inner ring, unless nothing else is left."""
    inner = 0
    for k in key:
        inner += np.int64(k >= INNER_KEY)
    share = np.ones(key.size)
    if inner == key.size:
        return share
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
