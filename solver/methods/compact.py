"""Compact: a ContactProblem copied once per solve into the form that sweeps fastest.

Blocks of at most two bodies, sorted island by island from the ground up; every row holds 12 numbers, six a
body. Rows are scaled by the square root of the inverse mass and by the friction coefficients:

    W = L L^T,   J~ = D J L,   lambda = D y,   w = L w~       =>   A~ = D A D = J~ J~^T + D C D

so one set of rows gives velocities (J~ w~) and their change (J~^T y).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .. import islands as island_module
from ..friction import FrictionLaw
from ..problem import Block
from . import compact_build_kernels as kernels
from .compact_kernels import add_all_changes


class Rows(NamedTuple):
    """The arrays of a Compact in the form kernels take them (B blocks, R rows, n nodes and one for none).

    row (B+1,) first row; square (B,) first entry of the m x m blocks diagonal and compliance; node (B,2);
    J (R,12); b (R,); r (B,4): 1 / A_nn, 1 / lambda_max of the friction block, and what turns |change of y| into the
    judge's velocity, and into a squared merit; plain (B,): 1 for contacts of three rows with the disk law;
    pack (B,12): b, steps and coupling of a plain contact in one stretch; compliant (B,): 1 where the compliance is
    not zero.
    """

    kind: np.ndarray
    row: np.ndarray
    square: np.ndarray
    node: np.ndarray
    J: np.ndarray
    b: np.ndarray
    r: np.ndarray
    diagonal: np.ndarray
    compliance: np.ndarray
    compliant: np.ndarray
    plain: np.ndarray
    pack: np.ndarray
    law: np.ndarray
    bounds: np.ndarray
    sides: int
    all_plain: bool


@dataclass(frozen=True)
class Compact:
    """A compact copy: its rows, its islands, and the way back to the problem."""

    rows: Rows
    islands: island_module.Islands
    problem: object
    dual: None = None

    @property
    def node_count(self):
        return len(self.islands.nodes)

    def load(self, impulse):
        """Return scaled impulses lam (R,) and scaled velocities w~ (n+1,6) for impulses (K,) of the problem."""
        lam = np.zeros(len(self.rows.b))
        kernels.scale_impulses(self.problem.arrays, self.islands.blocks, self.rows, impulse, lam)
        return lam, self.velocities(lam)

    def velocities(self, lam):
        """Return w~ = J~^T lam (n+1,6)."""
        w = np.zeros((self.node_count + 1, 6))
        add_all_changes(self.rows, 0, len(self.rows.kind), lam, w)
        return w

    def store(self, lam, impulse):
        """Write scaled impulses back to the problem's impulses (K,)."""
        kernels.unscale_impulses(self.problem.arrays, self.islands.blocks, self.rows, lam, impulse)


def compact(problem):
    """Return the Compact of `problem`, or None where its blocks do not fit (no bodies, or three a block)."""
    mass = problem.inverse_mass
    if mass is None or not problem.symmetric:
        return None
    size = np.diff(mass.start)
    if size.max(initial=0) > 6 or np.diff(problem.row_start).max(initial=0) > 12:
        return None
    L, movable = np.zeros((len(size), 6, 6)), np.zeros(len(size), dtype=np.int8)
    kernels.factor_mass(mass.start, mass.offset, mass.data, L, movable)
    node_at = np.full(problem.dof_count + 1, -1, dtype=np.int64)
    node_at[mass.start[:-1]] = np.arange(len(size))
    # Bodies that touch nothing are left out.
    touched = np.zeros(len(size) + 1, dtype=bool)
    touched[node_at[problem.J.start]] = True
    moving = np.flatnonzero((movable != 0) & touched[:-1])
    count = len(moving)
    new_index = np.full(len(size), -1, dtype=np.int64)
    new_index[moving] = np.arange(count)
    node = np.empty((problem.block_count, 2), dtype=np.int64)
    segment = np.zeros((problem.block_count, 2), dtype=np.int64)
    if not kernels.block_nodes(problem.arrays.J, node_at, size, new_index, count, node, segment):
        return None
    found = island_module.split(node, count)
    return _fill(problem, found, L, moving, segment)


def _fill(problem, found, L, moving, segment):
    """Allocate and fill the rows of the blocks in `found`, which has new node numbers."""
    blocks, count = found.blocks, len(moving)
    size = np.diff(problem.row_start)[blocks]
    row = np.concatenate(([0], np.cumsum(size))).astype(np.int64)
    square = np.concatenate(([0], np.cumsum(size * size))).astype(np.int64)
    kind, law = problem.kind[blocks], problem.law[blocks]
    plain = (
        (kind == Block.CONTACT) & (size == 3) & (law == FrictionLaw.ELLIPSOID) & (problem.compliance_offset[blocks] < 0)
    )
    rows = Rows(
        kind=kind, row=row, square=square[:-1], node=found.node_of_block, J=np.empty((row[-1], 12)),
        b=np.empty(row[-1]),
        r=np.zeros((len(blocks), 4)), diagonal=np.empty(square[-1]), compliance=np.zeros(square[-1]),
        compliant=np.zeros(len(blocks), dtype=np.int8),
        plain=plain.astype(np.int8),
        pack=np.zeros((len(blocks), 12)), law=law, bounds=problem.bounds[blocks], sides=problem.sides,
        all_plain=bool(plain.all()),
    )  # fmt: skip
    kernels.fill_rows(problem.arrays, blocks, segment, L, moving[found.nodes], count, rows)
    kernels.fill_diagonals(problem.arrays, blocks, rows)
    kernels.fill_steps(kind, problem.mu[blocks], rows)
    pack_plain(rows, plain)
    return Compact(rows, found, problem)


def pack_plain(rows, plain):
    """Copy the small numbers a sweep needs of each plain contact into one stretch of memory."""
    row, square = rows.row[:-1][plain], rows.square[plain]
    pack = np.zeros((len(row), 12))
    for i in range(3):
        pack[:, i] = rows.b[row + i]
    pack[:, 3:5] = rows.r[plain, :2]
    pack[:, 5], pack[:, 6], pack[:, 7] = rows.diagonal[square + 3], rows.diagonal[square + 6], rows.diagonal[square]
    pack[:, 8:10] = rows.r[plain, 2:4]
    rows.pack[plain] = pack


def make_scratch(rows):
    """Return scratch arrays for blocks of every kind, or None where all contacts are plain.

    Kernels test for None when they are compiled, so that code for joints, torsion and other laws is compiled only
    where it is needed.
    """
    if rows.all_plain:
        return None
    return np.zeros(16), np.zeros(16), np.zeros(16), np.zeros((16, 16)), np.zeros(16), np.zeros((3, 4))
