"""ContactSet: where bodies touch or are about to touch."""

from functools import cache
from typing import NamedTuple

import numpy as np


class ContactSet(NamedTuple):
    """Contacts in lexicographic order of (body_a, body_b, key); C of them.

    body_a, body_b (C,) int: body_a < body_b; position (C,3) [m] world; normal (C,3) unit, from a to b;
    gap (C,) [m], negative is overlap; key (C,) int64, the same for the same pair of features in the next step.
    """

    body_a: np.ndarray
    body_b: np.ndarray
    position: np.ndarray
    normal: np.ndarray
    gap: np.ndarray
    key: np.ndarray

    @property
    def count(self):
        """Number of contacts C."""
        return len(self.gap)


def chosen(contacts, use):
    """The contacts of the mask or list `use`."""
    return ContactSet(*(column[use] for column in contacts))


def among(count, a, b):
    """A function (a, b) -> (P,) bool: which pairs of `count` bodies are one of the pairs a, b (N,), a < b."""
    names = np.unique(a * np.int64(count) + b)

    def wanted(a, b):
        return np.isin(a * np.int64(count) + b, names)

    return wanted


def merged(sets):
    """(ContactSet of all contacts of several, in lexicographic order; where each came from, counted through them)."""
    both = ContactSet(*(np.concatenate(columns) for columns in zip(*sets, strict=True)))
    order = np.lexsort((both.key, both.body_b, both.body_a))
    return chosen(both, order), order


@cache
def empty_contacts():
    """Return the ContactSet without contacts."""
    index = np.zeros(0, dtype=np.int64)
    return ContactSet(index, index.copy(), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), index.copy())
