"""Rows held without a law (joints, springs), solved together: A lambda = rhs by factorisation and proximal passes.

A is singular where rows say the same twice (a door on two hinges, overconstrained loops). With a small compliance eps
times the diagonal D it is not, and the passes (A + eps D) lambda' = rhs + eps D lambda take that compliance away again:
no rank is decided. From lambda = 0 that is the D-least-norm answer: redundant rows share what they carry by the masses
behind them. `shared` goes on from there to the least norm, which is what equal compliances would share.
Sets with a thin profile, as chains and trees have, are factorised in it, others as the sparse quasi-definite system
[M J^T; J -(C + eps D)], or densely where rows stand on the nodes of deformable bodies.
"""

from functools import cached_property

import numpy as np

from ...base.late import late
from ..assembly import compliance_matrix, rows_matrix
from . import direct_kernels as kernels
from . import profile_kernels

sparse, linalg, solvers = late("scipy.sparse"), late("scipy.linalg"), late("scipy.sparse.linalg")

# Compliance added, as a part of the diagonal, and passes at most that take it away.
EPSILON, PASSES = 1e-10, 12
# The same at first; a smaller compliance is worth it where it leaves less than this part.
MUCH, FEW, WORTH = 1e-6, 5, 0.1
# A pass is the last when what it changes is this part of the answer.
SETTLED = 1e-14
# These for compiled code, see profile_kernels.solved.
HOW = (MUCH, EPSILON), (FEW, PASSES), WORTH, SETTLED
# What rows share is left alone where it is off by less than this part, and taken up in at most so many directions.
SHARED, DIRECTIONS = 1e-9, 60
# What is below this part and gets no smaller is round-off.
NOISE = 1e-6
# A share may add no more than this part of what it moves to the velocities along the rows.
HARMLESS = 1e-10
LEAST_NORM = SHARED, DIRECTIONS, HARMLESS, NOISE  # For compiled code, see profile_kernels.share.
# Rows up to which a dense factorisation is faster than a sparse one, and numbers a row up to which the profile is.
DENSE, WIDE = 240, 120


class Profile:
    """Rows of blocks (n,) factorised in their profile: J and G BlockRows with the same segments; compliance (offset
    (B,), numbers). blocks (n,): in the order that they have there; place (n+1,): where their rows begin."""

    def __init__(self, row_start, J, G, compliance, blocks):
        graph = profile_kernels.block_graph(J, blocks)
        self.blocks = blocks[profile_kernels.ordered(graph)]
        heights = row_start[self.blocks + 1] - row_start[self.blocks]
        self.place = np.zeros(len(blocks) + 1, dtype=np.int64)
        np.cumsum(heights, out=self.place[1:])
        count = int(self.place[-1])
        self.first, self.offset = np.empty(count, dtype=np.int64), np.empty(count + 1, dtype=np.int64)
        self.graph = profile_kernels.block_graph(J, self.blocks)
        profile_kernels.profile(self.graph, self.place, self.first, self.offset)
        self.rows = np.repeat(row_start[self.blocks] - self.place[:-1], heights) + np.arange(count)
        self._given = J, G, *compliance

    @property
    def thin(self):
        """Whether the profile is worth it."""
        return self.offset[-1] <= WIDE * len(self.first) or len(self.first) <= DENSE

    def factorise(self):
        """Fill and factorise; returns this."""
        self.A = np.empty(self.offset[-1])
        profile_kernels.fill_profile(*self._given, self.blocks, self.graph, self.place, self.first, self.offset, self.A)
        self.diagonal = _positive(self.A[self.offset[1:] - 1])
        self._factors = self.diagonal, np.empty((2, len(self.A))), np.zeros(2, dtype=bool)
        return self

    def solve(self, rhs):
        """lambda with A lambda = rhs, (k,) or columns (k, c).

        With much compliance first: rows that contradict each other by a trace, as those of an overconstrained loop do
        in the middle of a step, are not to be answered with forces without bound. With little where that leaves
        something which a smaller compliance takes away: long chains of hinges are that soft across.
        """
        columns = np.ascontiguousarray(np.atleast_2d(rhs.T))
        answer = np.empty_like(columns)
        profile_kernels.solved(self.first, self.offset, self.A, self._factors, columns, HOW, answer)
        return answer[0] if rhs.ndim == 1 else answer.T

    def shared(self, impulse):
        """See DirectRows.shared; changes impulse (k,)."""
        profile_kernels.share(self.first, self.offset, self.A, self._factors, impulse, HOW, LEAST_NORM)
        return impulse

    def product(self, impulse):
        """A times impulse (k,)."""
        out = np.empty_like(impulse)
        profile_kernels.product(self.first, self.offset, self.A, impulse, out)
        return out


class DirectRows:
    """The rows of some blocks (n,) of a ContactProblem, in an order of its own: blocks (n,), place (n+1,) where their
    rows begin, rows (k,) their numbers in the problem."""

    def __init__(self, problem, blocks):
        self.problem, self.blocks = problem, np.ascontiguousarray(blocks, dtype=np.int64)
        self.profile = self._profile()
        if self.profile is not None:
            self.blocks, self.place, self.rows = self.profile.blocks, self.profile.place, self.profile.rows
            return
        heights = np.diff(problem.row_start)[self.blocks]
        self.place = np.concatenate(([0], np.cumsum(heights))).astype(np.int64)
        first = problem.row_start[self.blocks] - self.place[:-1]
        self.rows = np.repeat(first, heights) + np.arange(self.place[-1])
        self.sparse = len(self.rows) > DENSE and problem.inverse_mass is not None
        self._factor = self._sparse_factor() if self.sparse else self._dense_factor()

    def _profile(self):
        """The rows' Profile; None where rows stand on deformable bodies, or it is wide."""
        J, G = self.problem.J, self.problem.G
        alike = J.indptr is G.indptr or np.array_equal(J.indptr, G.indptr)
        alike = alike and (J.start is G.start or np.array_equal(J.start, G.start))
        if not (alike and (J.size is G.size or np.array_equal(J.size, G.size))):
            return None
        compliance = self.problem.compliance_offset, self.problem.compliance
        found = Profile(self.problem.row_start, J, G, compliance, self.blocks)
        return found.factorise() if found.thin else None

    def solve(self, rhs):
        """lambda with A lambda = rhs, (k,) or columns (k, c)."""
        if self.profile is not None:
            return self.profile.solve(rhs)
        answer, change = np.zeros_like(rhs), np.inf
        soft = self.soft if rhs.ndim == 1 else self.soft[:, None]
        for _ in range(PASSES):
            new = self._backsolve(rhs + soft * answer)
            change = np.abs(new - answer).max(initial=0.0)
            answer = new
            if change <= SETTLED * np.abs(new).max(initial=0.0):
                break
            if self._settled(rhs, answer):
                break
        return answer

    def _settled(self, rhs, answer):
        """Whether the compliance still matters to more than round-off of the velocities."""
        soft = self.soft if rhs.ndim == 1 else self.soft[:, None]
        left = np.abs(self.product(answer) - rhs).max(initial=0.0)
        return left <= 1e-13 * (np.abs(rhs).max(initial=0.0) + np.abs(soft * answer).max(initial=0.0) * 1e3)

    def shared(self, impulse):
        """Impulses (k,) of least norm that give the same velocities: a vector z without effect, A z = 0, is added.

        Such vectors are x - solve(A x), which projects orthogonally in the scalar product of D: conjugate gradients in
        there end after as many directions as there are different masses behind redundant rows, none without such rows.
        """
        D, answer = self.diagonal, impulse.copy()
        if self.profile is not None:
            return self.profile.shared(answer)
        left = -self._without_effect(answer / D)
        size, least = left @ (D * left), SHARED**2 * (answer @ (answer / D))
        way = left
        for _ in range(DIRECTIONS):
            if size <= least:
                break
            step = size / (way @ way)
            answer += step * way
            left = left - step * self._without_effect(way / D)
            before, size = size, left @ (D * left)
            way = left + size / before * way
        moved = answer - impulse
        harmless = np.abs(self.product(moved)) <= HARMLESS * D * np.abs(moved).max(initial=0.0)
        return answer if harmless.all() else impulse

    def _without_effect(self, x):
        """The part (k,) of x that gives no velocities."""
        return x - self.solve(self.product(x))

    @cached_property
    def diagonal(self):
        """Diagonal (k,) of A, ones where it is none."""
        if self.profile is not None:
            return self.profile.diagonal
        return self.soft / EPSILON

    def product(self, impulse):
        """A times impulse, (k,) or (k, c)."""
        return self._matrix @ impulse if self.profile is None else self.profile.product(impulse)

    def _dense_factor(self):
        p, count = self.problem.arrays, len(self.rows)
        A = np.zeros((count, count))
        kernels.fill_delassus(p, self.blocks, self.blocks, self.place, self.place, True, A)
        self._matrix = A
        self.soft = EPSILON * _positive(np.diag(A))
        factor = linalg.cho_factor(A + np.diag(self.soft), lower=True, check_finite=False)
        self._backsolve = lambda rhs: linalg.cho_solve(factor, rhs, check_finite=False)
        return factor

    def _sparse_factor(self):
        problem = self.problem
        J = rows_matrix(problem.J, problem.row_start, problem.dof_count)[self.rows]
        G = rows_matrix(problem.G, problem.row_start, problem.dof_count)[self.rows]
        used = np.unique(J.indices)
        nodes = np.unique(np.searchsorted(problem.inverse_mass.start, used, side="right") - 1)
        M, dofs = _mass_matrix(problem.inverse_mass, nodes)
        J, G = J[:, dofs], G[:, dofs]
        C = compliance_matrix(problem)[self.rows][:, self.rows] if np.any(problem.compliance_offset >= 0) else None
        diagonal = np.asarray(J.multiply(G).sum(axis=1)).ravel()
        diagonal = diagonal if C is None else diagonal + C.diagonal()
        self.soft = EPSILON * _positive(diagonal)
        corner = sparse.diags(self.soft) if C is None else C + sparse.diags(self.soft)
        self._matrix = _Product(J, G, C)
        K = sparse.bmat([[M, J.T], [J, -corner]], format="csc")
        factor = solvers.splu(K, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=1e-3, options={"SymmetricMode": True})
        size = len(dofs)

        def backsolve(rhs):
            full = np.zeros((size + len(self.rows), *rhs.shape[1:]))
            full[size:] = rhs
            return -factor.solve(full)[size:]

        self._backsolve = backsolve
        return factor

    @cached_property
    def count(self):
        """Number of rows."""
        return len(self.rows)


class _Product:
    """A of sparse J, G and C as something to multiply with."""

    def __init__(self, J, G, C):
        self.J, self.GT, self.C = J, G.T.tocsr(), C

    def __matmul__(self, x):
        v = self.J @ (self.GT @ x)
        return v if self.C is None else v + self.C @ x


def _positive(diagonal):
    """The diagonal with rows that nothing moves made ones."""
    return np.where(diagonal > 0, diagonal, 1.0)


def _mass_matrix(mass, nodes):
    """(M of some nodes as CSC, their velocity components)."""
    blocks, dofs = [], []
    for node in nodes:
        first, last = mass.start[node], mass.start[node + 1]
        size = last - first
        blocks.append(mass.mass[mass.offset[node] : mass.offset[node] + size * size].reshape(size, size))
        dofs.append(np.arange(first, last))
    return sparse.block_diag(blocks, format="csc"), np.concatenate(dofs)
