"""Carrying impulses from the contacts of one step to those of the next."""

import numpy as np

from ..mechanisms import off
from . import step_kernels as kernels
from .carry_kernels import carry


def carried_impulses(old, old_impulses, new, size, reach=None):
    """(impulses (C,5) for the contacts `new`, places (C,3) [m] where they act): those of the same body pair and key in
    `old`, or of contacts that were in the same place, see carry_kernels.py.

    size (R,) [m] of the bodies; reach (R,) [m]: how far their points can have moved since, None: not known.
    """
    carried, place = np.zeros((new.count, 5)), new.position.copy()
    if off("carried_by_place"):
        source = np.empty(new.count, dtype=np.int64)
        kernels.match(old.body_a, old.body_b, old.key, new.body_a, new.body_b, new.key, source)
        carried[source >= 0] = old_impulses[source[source >= 0]]
        return carried, place
    reach = np.full(len(size), np.inf) if reach is None else reach
    carry(old, old_impulses, new, size, reach, carried, place)
    return carried, place


def count_carried(model, state, step, impulse, events):
    """Count what made the warm start `impulse` (K,) of a ContactStep another than that of the contacts' keys."""
    old, new = state.contacts, step.contacts
    source = np.empty(new.count, dtype=np.int64)
    kernels.match(old.body_a, old.body_b, old.key, new.body_a, new.body_b, new.key, source)
    load = np.append(state.impulses[:, 0], 0.0)
    kept = np.zeros(old.count + 1, dtype=bool)
    kept[source] = True
    lost = ((load > 0.0) & ~kept)[:-1]
    events.some("carried_by_place", model, old, lost)
    # Loads that differ by less than round-off of the largest are the same.
    changed = np.abs(impulse[step.first] - load[source]) > 1e-6 * load.max()
    # What went to another key is not counted twice.
    events.some("patch_pressure", model, new, changed & ((source >= 0) | ~lost.any()))


def to_rows(carried, frame, rows):
    """Row impulses (K,) of impulses (C,5) in the contact frames (C,3,3)."""
    impulse = np.empty(int(rows.sum()))
    kernels.world_to_rows(carried, frame, rows, impulse)
    return impulse


def four_columns(impulse, rows):
    """Row impulses (K,) as (C,4): normal, s, t, torsion, zero where a contact has no such row."""
    full = np.zeros((len(rows), 4))
    kernels.spread_rows(impulse, rows, full)
    return full


def from_rows(impulse, frame, rows):
    """Impulses (C,5) of row impulses (K,): normal, friction vector in the world frame, torsion."""
    carried = np.empty((len(rows), 5))
    kernels.rows_to_world(impulse, frame, rows, carried)
    return carried
