"""Carrying impulses from the contacts of one step to those of the next."""

import numpy as np

from ..mechanisms import off
from . import step_kernels as kernels
from .carry_kernels import carry, spread_rows


def carried_impulses(old, old_impulses, new, size, reach=None):
    """Impulses (C,5) for the contacts `new`: those of the same body pair and key in `old`, or of contacts that were in
    the same place, see carry_kernels.py.

    size (R,) [m] of the bodies; reach (R,) [m]: how far their points can have moved since, None: not known.
    """
    carried = np.zeros((new.count, 5))
    if off("carried_by_place"):
        source = _sources(old, new)
        carried[source >= 0] = old_impulses[source[source >= 0]]
        return carried
    carry(old, old_impulses, new, size, np.full(len(size), np.inf) if reach is None else reach, carried)
    return carried


def _sources(old, new):
    """Which contact (C,) of `old` has the bodies and key of each of `new`, -1 for none."""
    source = np.empty(new.count, dtype=np.int64)
    kernels.match(old, new, source)
    return source


def count_carried(model, state, contacts, events):
    """Count the loaded contacts of the last step whose keys none of `contacts` has."""
    lost = np.append(state.impulses[:, 0] > 0.0, False)
    lost[_sources(state.contacts, contacts)] = False
    events.some("carried_by_place", model, state.contacts, lost[:-1])


def to_rows(carried, frame, rows):
    """Row impulses (K,) of impulses (C,5) in the contact frames (C,3,3)."""
    impulse = np.empty(int(rows.sum()))
    kernels.world_to_rows(carried, frame, rows, impulse)
    return impulse


def four_columns(impulse, rows):
    """Row impulses (K,) as (C,4): normal, s, t, torsion, zero where a contact has no such row."""
    full = np.zeros((len(rows), 4))
    spread_rows(impulse, rows, full)
    return full


def from_rows(impulse, frame, rows):
    """Impulses (C,5) of row impulses (K,): normal, friction vector in the world frame, torsion."""
    carried = np.empty((len(rows), 5))
    kernels.rows_to_world(impulse, frame, rows, carried)
    return carried
