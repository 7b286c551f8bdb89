"""Components: moving bodies that touch or may come near each other in a step, directly or through others.

What is decided about a component is decided from its own bodies, so that no body changes the motion of one it never
comes near.
"""

import numpy as np

from ..collision.depths import near_pairs
from ..problems.island_kernels import join_islands

# How far ahead, in steps, bodies may come near each other: one that is hit may fly another way than it does now.
AHEAD = 1.5

NO_PAIRS = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)


def ends_of(contacts):
    """The bodies (a (C,), b (C,)) of contacts."""
    return contacts.body_a, contacts.body_b


def pairs_near(group, state, h, of_interest, memory=None):
    """Pairs a, b (P,) of bodies whose boxes meet within AHEAD steps of h seconds, one of_interest (R,), and of all that
    joints couple."""
    collision = group.model.collision
    _, pairs = near_pairs(collision, state.position, state.orientation, state.twist, AHEAD * h, of_interest, memory)
    pairs = np.concatenate([collision.geometry.body[pairs].astype(np.int64), group.model.joints.coupled])
    return pairs[:, 0], pairs[:, 1]


def components(moving, *pairs):
    """Label (R,) of the component of each moving body (R,) that pairs (a, b) join; -1 for bodies that do not move."""
    count = int(np.count_nonzero(moving))
    number = np.full(len(moving), count, dtype=np.int64)
    number[moving] = np.arange(count)
    a, b = (np.concatenate([np.asarray(ends[k], dtype=np.int64) for ends in pairs]) for k in range(2))
    root = np.empty(count, dtype=np.int64)
    join_islands(np.ascontiguousarray(np.stack([number[a], number[b]], axis=1)), count, root)
    label = np.full(len(moving), -1, dtype=np.int64)
    label[moving] = np.flatnonzero(moving)[root]
    return label


def spread(label, mask):
    """Moving bodies (R,) of the components in which `mask` (R,) holds for any moving body."""
    chosen = np.zeros(len(label), dtype=bool)
    chosen[label[mask & (label >= 0)]] = True
    return (label >= 0) & chosen[label]


def largest(label, number):
    """The largest number (R,) of each component, above 0, for its moving bodies; those of others as they are."""
    most = np.zeros(len(label), dtype=number.dtype)
    np.maximum.at(most, label[label >= 0], number[label >= 0])
    return np.where(label >= 0, most[label], number)
