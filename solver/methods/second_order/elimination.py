"""Islands with joints: held rows are eliminated exactly, what is left goes to the sweeps.

With E the rows held without a law (BILATERAL, ELEMENT) and N all others,

    A' = A_NN - A_NE A_EE^-1 A_EN,   b' = b_N - A_NE A_EE^-1 b_E,   lambda_E = -A_EE^-1 (b_E + A_EN lambda_N)

A' is a problem of the same kind without joints, coupled through the mechanism, given by its Delassus matrix. An island
without other rows is solved by one factorisation. Islands without joints never come here.
"""

import numpy as np

from ...options import changed
from ...problem import Block, BlockRows, assemble
from ...problems.island_kernels import islands_of_blocks
from ...problems.problem_kernels import rows_of_blocks
from ...residuals import natural_map
from ..base import Outcome, Status, joined
from . import direct_kernels as kernels
from .carried_kernels import carried_of, given_held, hold, rigid
from .direct_rows import DirectRows, held_profile
from .jointed_kernels import MOST_FREE

# Rows that are swept against an eliminated mechanism at most; a larger island goes to the sweeps as it is.
MOST_ROWS = 1500
# Numbers that a row of two bodies takes part in a sweep with, in J and in G; an eliminated one with all others.
OF_TWO_BODIES = 24
# Kinds of blocks that hold without a law.
HELD = np.isin(np.arange(max(Block) + 1), (Block.BILATERAL, Block.ELEMENT))


def held_blocks(problem):
    """Blocks (B,) bool that hold without a law."""
    return HELD[problem.kind]


def fits(problem):
    """Whether the problem has something to eliminate."""
    return problem.symmetric and problem.contact_count < problem.block_count and bool(np.any(held_blocks(problem)))


def prepare(problem, options, goals, plain):
    """A function that solves `problem` from impulses (K,), updated in place; plain(problem, options, goals): what
    prepares a problem for the sweeps; goals: Goals of blocks or None."""
    parts, rest = _parts(problem)

    def sweeps(part, blocks, cost=1.0):
        return plain(part, *_dearer(options, goals and goals.of(blocks), cost))

    solvers = [Jointed(problem, blocks, options, goals and goals.of(blocks[:1]), sweeps) for blocks in parts]
    sizes, others = [len(blocks) for blocks in parts], None
    if len(rest):
        part, rows = problem.restrict(rest)
        others = sweeps(part, rest), rows
        sizes.append(len(rest))

    def solve(impulse):
        outcomes = [solver.solve(impulse) for solver in solvers]
        if others is not None:
            run, rows = others
            mine = impulse[rows]
            outcomes.append(run(mine))
            impulse[rows] = mine
        return joined(outcomes, sizes)

    return solve


def _dearer(options, goals, cost):
    """(options, Goals or None) whose patience and effort are for contacts that cost so many times as much to relax."""
    if cost <= 1.0:
        return options, goals
    given = {name: getattr(options, name) for name in ("patience", "effort")}
    given = {name: max(1, int(own / cost)) for name, own in given.items() if own}
    if goals is not None:
        kept = {name: getattr(goals, name) for name in ("patience", "effort") if getattr(goals, name) is not None}
        goals = goals._replace(**{name: np.maximum(1, own / cost).astype(own.dtype) for name, own in kept.items()})
    return changed(options, **given), goals


def _parts(problem):
    """(arrays of blocks of every island with held rows, blocks of all others), found once for all problems that differ
    in b alone."""
    forms = problem.forms
    if forms is None:
        return _found_parts(problem)
    if "parts" not in forms:
        forms["parts"] = _found_parts(problem)
    return forms["parts"]


def _found_parts(problem):
    labels = islands_of_blocks(problem.arrays, problem.dof_count)
    held = held_blocks(problem)
    jointed = np.zeros(labels.max(initial=-1) + 1, dtype=bool)
    jointed[labels[held]] = True
    inside = np.flatnonzero(jointed[labels])
    order = inside[np.argsort(labels[inside], kind="stable")]
    cuts = np.flatnonzero(np.diff(labels[order])) + 1
    return (np.split(order, cuts) if len(order) else []), np.flatnonzero(~jointed[labels])


class Jointed:
    """One island with held rows. goals: Goals of one of its blocks, or None; sweeps(problem, blocks, cost): what
    prepares a problem made of some blocks for the sweeps, which cost that many times what those of two bodies do."""

    def __init__(self, problem, blocks, options, goals, sweeps):
        self.problem, self.options, self.sweeps = problem, options, sweeps
        asked = (options.tolerance, options.acceptable) if goals is None else (goals.tolerance[0], goals.acceptable[0])
        self.tolerance, self.acceptable = asked
        held = held_blocks(problem)[blocks]
        self.own, self.free = blocks[held], blocks[~held]
        alone = len(blocks) == problem.block_count
        self.part, self.rows = (problem, slice(None)) if alone else problem.restrict(blocks)
        self.place, self.free_rows = rows_of_blocks(problem.row_start, self.free)
        self.carried = self._kept("carried", self._carried)
        self.whole = self.carried is None and self.place[-1] > MOST_ROWS
        if self.whole:
            self.run = sweeps(self.part, blocks)
            return
        if self.carried is not None:
            self._let_carry()
            return
        self.direct = self._kept("direct", lambda: DirectRows(problem, self.own))
        if self.place[-1]:
            self._reduce()

    def _kept(self, name, make):
        """What make() returns, made once for all problems that differ in b alone."""
        forms, key = self.problem.forms, (name, self.own.tobytes(), self.free.tobytes())
        if forms is None:
            return make()
        if key not in forms:
            forms[key] = make()
        return forms[key]

    def _carried(self):
        """(Profile of the held rows, Carried), None where no bodies carry them."""
        problem, mass = self.problem, self.problem.inverse_mass
        # Of fewer rows one call brings machines to rest.
        if mass is None or self.place[-1] <= MOST_FREE or not rigid(problem.arrays, np.append(self.own, self.free)):
            return None
        held = held_profile(problem, self.own)
        if held is None:
            return None
        found = carried_of(problem.arrays, (mass.start, mass.offset, mass.data), held, self.free)
        return (held, found) if found.fits else None

    def _let_carry(self):
        """The problem of the free rows on the bodies that carry the others."""
        problem, (held, carried) = self.problem, self.carried
        b = given_held(problem.arrays, held, carried, problem.dof_count)
        # Of the inverse of a singular one nobody asks: nothing is held there any more.
        mass = changed(problem.inverse_mass, data=carried.data)
        p = carried.problem
        reduced = problem.derive(
            kind=p.kind, row_start=p.row_start, J=p.J, G=p.G, b=b, law=p.law, mu=p.mu,
            bounds=problem.bounds[carried.blocks], compliance_offset=p.compliance_offset, inverse_mass=mass,
        )  # fmt: skip
        self.run = self.sweeps(reduced, carried.blocks)

    def _reduce(self):
        """The problem of the free rows after elimination."""
        problem = self.problem
        self.coupling, A = self._kept("reduced", self._matrices)
        b = problem.b[self.free_rows] - self.coupling.T @ self.direct.solve(problem.b[self.direct.rows])
        self.stalled = self._stalled(A, b)
        self.reduced = self._dense_problem(A, b)
        self.run = self.sweeps(self.reduced, self.free, self.place[-1] / OF_TWO_BODIES)

    def _stalled(self, A, b):
        """(rows (m,) with bounds that held rows leave no motion, their impulses (m,)), see swept_kernels.stall."""
        rows, block = np.flatnonzero(np.diagonal(A) == 0.0), np.repeat(self.free, np.diff(self.place))
        b = b[rows]
        most = self.problem.bounds[block[rows], np.where(b > 0.0, 0, 1)]
        return rows, np.where((np.abs(b) > self.tolerance) & np.isfinite(most), most, 0.0)

    def _matrices(self):
        """(A_EN (k, n), A' (n, n))."""
        problem, count, direct = self.problem, int(self.place[-1]), self.direct
        p = problem.arrays
        coupling, A = np.zeros((len(direct.rows), count)), np.zeros((count, count))
        kernels.fill_delassus(p, direct.blocks, self.free, direct.place, self.place, False, coupling)
        kernels.fill_delassus(p, self.free, self.free, self.place, self.place, False, A)
        own = np.diagonal(A).copy()
        A -= coupling.T @ direct.solve(coupling)
        A = 0.5 * (A + A.T)
        # As jointed_kernels.eliminate has it; of contacts see tied_kernels.py.
        law = np.repeat(problem.kind[self.free] != Block.CONTACT, np.diff(self.place))
        np.fill_diagonal(A, np.where(law & (np.diagonal(A) <= 1e-12 * own), 0.0, np.diagonal(A)))
        return coupling, A

    def _dense_problem(self, A, b):
        problem, free, place = self.problem, self.free, self.place
        heights, blocks = np.diff(place), len(free)
        offset = np.concatenate(([0], np.cumsum(heights * heights)))
        J = BlockRows(np.arange(blocks + 1), place[:-1], heights, offset[:-1],
                      np.concatenate([np.eye(m).ravel() for m in heights]))  # fmt: skip
        sizes = np.repeat(heights, blocks) * np.tile(heights, blocks)
        G = BlockRows(np.arange(blocks + 1) * blocks, np.tile(place[:-1], blocks), np.tile(heights, blocks),
                      np.cumsum(sizes) - sizes, _pairs(A.T, place))  # fmt: skip
        return assemble(
            problem.kind[free], place, J, G, b, problem.mu[free], len(b), law=problem.law[free],
            bounds=problem.bounds[free], compliance_offset=problem.compliance_offset[free],
            compliance=problem.compliance, sides=problem.sides, name=problem.name,
        )  # fmt: skip

    def solve(self, impulse):
        """Solve from impulses (K,) of the whole problem, in place."""
        if self.whole:
            mine = impulse[self.rows]
            outcome = self.run(mine)
            impulse[self.rows] = mine
            return outcome
        if self.carried is not None:
            return self._solve_carried(impulse)
        iterations, b = 1, self.problem.b[self.direct.rows]
        if self.place[-1]:
            mine = impulse[self.free_rows]
            stalled, most = self.stalled
            mine[stalled] = most
            iterations = self.run(mine).iterations + 1
            impulse[self.free_rows] = mine
            b = b + self.coupling @ mine
        rows = self.direct.rows
        impulse[rows] = self.direct.shared(self.direct.solve(-b), impulse[rows])
        return Outcome(self._status(impulse), iterations, [0.0] * iterations if self.options.record_history else None)

    def _solve_carried(self, impulse):
        problem, (held, carried) = self.problem, self.carried
        mine = impulse[carried.rows]
        outcome = self.run(mine)
        impulse[carried.rows] = mine
        hold(problem.arrays, held, carried, impulse, problem.dof_count)
        return outcome

    def _status(self, impulse):
        residual = natural_map(self.part, impulse[self.rows])
        if residual <= self.tolerance:
            return Status.CONVERGED
        return Status.ACCEPTABLE if residual <= self.acceptable else Status.STAGNATED


def _pairs(A, place):
    """The blocks of A between all pairs of blocks that begin at place (n+1,), one after another, row by row."""
    heights = np.diff(place)
    # Blocks alike stand together, as contacts do: they are taken at once.
    edges = np.flatnonzero(np.diff(heights)) + 1
    runs = [(place[i], place[j], heights[i]) for i, j in zip((0, *edges), (*edges, len(heights)), strict=True)]
    parts = []
    for k in range(len(heights)):
        rows = A[place[k] : place[k + 1]]
        for first, last, m in runs:
            parts.append(rows[:, first:last].reshape(len(rows), -1, m).transpose(1, 0, 2).ravel())
    return np.concatenate(parts)
