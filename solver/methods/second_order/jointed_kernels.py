"""Islands with joints, solved in one call: held rows eliminated by their profile, what is left swept against them.

The mathematics are those of elimination.py, which solves the islands that are too large for this.
"""

from typing import NamedTuple

import numpy as np

from ...base.refusal import LARGEST
from ...jit import inner
from ...problems.island_kernels import islands_of_blocks
from ...problems.problem_kernels import rows_of_blocks
from ..compact.compact_build_kernels import is_plain
from . import profile_kernels as profiles
from .carried_kernels import Carried, carried_of, rigid
from .direct_kernels import fill_delassus
from .profile_layout_kernels import Profile, profile_of

# Kinds of blocks that hold without a law: BILATERAL and ELEMENT.
BILATERAL, ELEMENT = 1, 4
# Rows that are held, and those swept against them, at most.
MOST_HELD, MOST_FREE = 3000, 600


class Jointed(NamedTuple):
    """Islands with held rows: their Profile; free blocks (f,) that ask for something, island by island, place (f+1,) of
    their rows (n,), start (I+1,) of each island among them, eliminated (I,): number of its held rows; coupling (k,n) =
    A_EN; A (n,n) after elimination; carried: the same on bodies, of more rows, and then the others are empty; rest:
    blocks of islands without held rows; label (B,) of the island of each block; fits: whether this is for them."""

    held: Profile
    free: np.ndarray
    place: np.ndarray
    rows: np.ndarray
    start: np.ndarray
    eliminated: np.ndarray
    coupling: np.ndarray
    A: np.ndarray
    carried: Carried
    rest: np.ndarray
    label: np.ndarray
    fits: bool


@inner
def asks_nothing(p, k):
    """Whether block k of Arrays is a contact that parts faster than anything may be, see tied_kernels.py."""
    return p.kind[k] == 0 and p.b[p.row_start[k]] >= LARGEST


@inner
def sorted_into(p, label):
    """(held blocks, free blocks of islands with held ones that ask for something, start of each island among the free
    and how many held rows it has, blocks of others)."""
    count, islands = p.kind.size, 0
    for k in range(count):
        islands = max(islands, label[k] + 1)
    jointed, free, rows = np.zeros(islands, np.bool_), np.zeros(islands, np.int64), np.zeros(islands, np.int64)
    held_count = rest_count = 0
    for k in range(count):
        if p.kind[k] == BILATERAL or p.kind[k] == ELEMENT:
            jointed[label[k]] = True
            rows[label[k]] += p.row_start[k + 1] - p.row_start[k]
            held_count += 1
    for k in range(count):
        if not jointed[label[k]]:
            rest_count += 1
        elif p.kind[k] != BILATERAL and p.kind[k] != ELEMENT and not asks_nothing(p, k):
            free[label[k]] += 1
    start, used = np.zeros(islands + 1, np.int64), 0
    number, eliminated = np.full(islands, -1), np.zeros(islands, np.int64)
    for i in range(islands):
        if free[i] > 0:
            number[i], eliminated[used] = used, rows[i]
            start[used + 1] = start[used] + free[i]
            used += 1
    held, rest = np.empty(held_count, np.int64), np.empty(rest_count, np.int64)
    order, fill = np.empty(start[used], np.int64), start[: used + 1].copy()
    h = r = 0
    for k in range(count):
        i = label[k]
        if not jointed[i]:
            rest[r] = k
            r += 1
        elif p.kind[k] == BILATERAL or p.kind[k] == ELEMENT:
            held[h] = k
            h += 1
        elif not asks_nothing(p, k):
            order[fill[number[i]]] = k
            fill[number[i]] += 1
    return held, order, (start[: used + 1].copy(), eliminated[:used].copy()), rest


@inner
def jointed_of(p, mass, dof_count):
    """The Jointed of a problem; where it does not fit nothing is filled. mass: see plain_kernels.solve_plain."""
    label = islands_of_blocks(p, dof_count)
    blocks, free, (start, eliminated), rest = sorted_into(p, label)
    place, rows = rows_of_blocks(p.row_start, free)
    fits = rigid(p, np.arange(p.kind.size))
    held = profile_of(p.row_start, p.J, p.G, (p.compliance_offset, p.compliance), blocks, False)
    fits = fits and held.rows.size <= MOST_HELD and (held.A.size > 0 or held.rows.size == 0)
    plain = fits and rows.size > MOST_FREE
    for k in free:
        plain = plain and is_plain(p, k)
    carried = carried_of(p, mass, held, free if plain else free[:0])
    fits = fits and (carried.fits or rows.size <= MOST_FREE)
    count = rows.size if fits and not carried.fits else 0
    coupling, A = np.zeros((held.rows.size, count)), np.zeros((count, count))
    if count > 0:
        fill_delassus(p, held.blocks, free, held.place, place, False, coupling)
        fill_delassus(p, free, free, place, place, True, A)
        eliminate(coupling, profiles.solve(held, coupling.T.copy()), A)
    return Jointed(held, free, place, rows, start, eliminated, coupling, A, carried, rest, label, fits)


@inner
def eliminate(coupling, columns, A):
    """A -= coupling^T columns^T, below its diagonal and by symmetry above; columns (n,k): A_EE^-1 A_EN by columns.

    What is below that part of what was there is round-off: 1e-12 of the diagonal of a row that is held, 1e-13 of how it
    feels rows that are not. A hinge that is off an axis by 4e-8 holds a row so, which still feels others by as much.
    """
    count, held = columns.shape
    own = np.empty(count)
    for i in range(count):
        own[i] = A[i, i]
        for k in range(held):
            part = columns[i, k]
            for j in range(i + 1 if part != 0.0 else 0):
                A[i, j] -= part * coupling[k, j]
        if A[i, i] <= 1e-12 * own[i]:
            A[i, i] = 0.0
    for i in range(count):
        for j in range(i):
            if A[i, i] == 0.0 or A[j, j] == 0.0:
                felt = A[i, i] != A[j, j] and A[i, j] * A[i, j] > 1e-26 * own[i] * own[j]
                A[i, j] = A[i, j] if felt else 0.0
            A[j, i] = A[i, j]
