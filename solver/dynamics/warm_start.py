"""Carrying impulses from the contacts of one step to those of the next."""

import numpy as np

from ..jit import kernel
from . import step_kernels as kernels


@kernel
def match(a0, b0, key0, a1, b1, key1, source):
    """source[k]: index of the old contact with the names of new contact k, -1 for none; both lists are sorted."""
    i = 0
    for k in range(a1.size):
        while i < a0.size and (
            a0[i] < a1[k] or (a0[i] == a1[k] and (b0[i] < b1[k] or (b0[i] == b1[k] and key0[i] < key1[k])))
        ):
            i += 1
        same = i < a0.size and a0[i] == a1[k] and b0[i] == b1[k] and key0[i] == key1[k]
        source[k] = i if same else -1


def carried_impulses(old, old_impulses, new):
    """Return impulses (C,5) for the contacts `new`: those of the same body pair and key in `old`, else zero."""
    source = np.empty(new.count, dtype=np.int64)
    match(old.body_a, old.body_b, old.key, new.body_a, new.body_b, new.key, source)
    carried = np.zeros((new.count, 5))
    known = source >= 0
    carried[known] = old_impulses[source[known]]
    return carried


def to_rows(carried, frame, rows):
    """Row impulses (K,) of impulses (C,5) in the contact frames (C,3,3)."""
    impulse = np.empty(int(rows.sum()))
    kernels.world_to_rows(carried, frame, rows, impulse)
    return impulse


def row_mask(rows):
    """Which of the four values (C,4) of each contact - normal, s, t, torsion - have a row."""
    return np.arange(4) < rows[:, None]


def four_columns(impulse, rows):
    """Row impulses (K,) as (C,4): normal, s, t, torsion, zero where a contact has no such row."""
    full = np.zeros((len(rows), 4))
    full[row_mask(rows)] = impulse
    return full


def from_rows(impulse, frame, rows):
    """Impulses (C,5) of row impulses (K,): normal, friction vector in the world frame, torsion."""
    carried = np.empty((len(rows), 5))
    kernels.rows_to_world(impulse, frame, rows, carried)
    return carried
