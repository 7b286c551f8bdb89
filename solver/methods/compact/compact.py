"""Compact: a ContactProblem copied once per solve into the form that sweeps fastest.

Blocks of at most two bodies, sorted island by island from the ground up; every row holds 12 numbers, six a
body. Rows are scaled by the square root of the inverse mass and by the friction coefficients:

    W = L L^T,   J~ = D J L,   lambda = D y,   w = L w~       =>   A~ = D A D = J~ J~^T + D C D

so one set of rows gives velocities (J~ w~) and their change (J~^T y).
"""


import numpy as np

from ...base.records import record
from ...base.threads import in_chunks
from ...problems.island_kernels import Islands, split
from . import compact_build_kernels as kernels
from .columns import Rows
from .compact_kernels import add_all_changes


@record
class Compact:
    """A compact copy: its rows, its islands, and the way back to the problem; sweep: what one costs in those of blocks
    between two bodies of six unknowns."""

    rows: Rows
    islands: Islands
    problem: object
    dual: None = None
    sweep: float = 1.0

    @property
    def node_count(self):
        """Number of nodes: bodies that move."""
        return len(self.islands.nodes)

    def sizes(self):
        """Blocks (I,) of each island, and the number (I,) in the problem of one of them; one of none if all stand."""
        start, blocks = self.islands.block_start, self.islands.blocks
        if len(start) == 1:
            return np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        return np.diff(start), blocks[start[:-1]]

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


def compact(problem, threads=1):
    """Return the Compact of `problem`, or None where its blocks do not fit (no bodies, or three a block).

    threads: that make it, 0 for one a core.
    """
    known = None if problem.forms is None else problem.forms.get(compact)
    if known is not None:
        return _from_known(problem, *known)
    made = _anew(problem, threads)
    if problem.forms is not None and not problem.friction_given and made is not None:
        problem.forms[compact] = made.rows, made.islands
    return made


def _from_known(problem, rows, islands):
    """The Compact of a problem that differs from one with these rows and islands in b, or in having no friction."""
    rows = rows._replace(b=np.empty_like(rows.b), pack=np.zeros_like(rows.pack))
    if problem.friction_given:
        copied = {name: getattr(rows, name).copy() for name in ("J", "r", "diagonal", "compliance")}
        rows = rows._replace(**copied)
        kernels.take_friction_away(rows)
    kernels.fill_b(problem.arrays, islands.blocks, rows, 0, len(rows.kind))
    kernels.pack_plain(rows, 0, len(rows.kind))
    return Compact(rows, islands, problem)


def _anew(problem, threads):
    """`compact` from the problem's own arrays."""
    mass, p = problem.inverse_mass, problem.arrays
    if mass is None or not problem.symmetric:
        return None
    plan = kernels.plan_nodes(p, (mass.start, mass.offset, mass.data))
    if plan.used < 0:
        return None
    found = split(plan.node, plan.used)
    rows = kernels.empty_rows(p, found)
    # One thread copies 2048 blocks at a time.
    in_chunks(lambda begin, end: kernels.fill_compact(p, plan, found, rows, begin, end), len(rows.kind), 2048, threads)
    return Compact(rows, found, problem)


def make_scratch(rows):
    """Return scratch arrays for blocks of every kind, or None where all contacts are plain.

    Kernels test for None when they are compiled, so that code for joints, torsion and other laws is compiled only
    where it is needed.
    """
    if rows.all_plain:
        return None
    return np.zeros(16), np.zeros(16), np.zeros(16), np.zeros((16, 16)), np.zeros(16), np.zeros((3, 4))
