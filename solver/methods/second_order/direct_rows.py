"""Rows held without a law (joints, springs), solved together: A lambda = rhs by factorisation and proximal passes, see
profile_kernels.py.

Sets with a thin profile, as chains and trees have, are factorised in it, others as the sparse quasi-definite system
[M J^T; J -(C + eps D)], or densely where rows stand on the nodes of deformable bodies.
"""

from functools import cached_property

import numpy as np

from ...base.late import late
from ...problems.problem_kernels import rows_of_blocks
from ..assembly import compliance_matrix, rows_matrix
from . import direct_kernels as kernels
from . import profile_kernels as profiles
from .profile_layout_kernels import DENSE, profile_of

sparse, linalg, solvers = late("scipy.sparse"), late("scipy.linalg"), late("scipy.sparse.linalg")


def held_profile(problem, blocks):
    """The Profile of rows of blocks (n,) whose segments of J and G are on the same bodies; None where it is wide."""
    compliance = problem.compliance_offset, problem.compliance
    found = profile_of(problem.row_start, problem.J, problem.G, compliance, blocks, False)
    return found if len(found.A) or not len(found.rows) else None


class DirectRows:
    """The rows of some blocks (n,) of a ContactProblem, in an order of its own: blocks (n,), place (n+1,) where their
    rows begin, rows (k,) their numbers in the problem."""

    def __init__(self, problem, blocks):
        self.problem, self.blocks = problem, np.ascontiguousarray(blocks, dtype=np.int64)
        self.profile = self._profile()
        if self.profile is not None:
            self.blocks, self.place, self.rows = self.profile.blocks, self.profile.place, self.profile.rows
            return
        self.place, self.rows = rows_of_blocks(problem.row_start, self.blocks)
        self.sparse = len(self.rows) > DENSE and problem.inverse_mass is not None
        self._factor = self._sparse_factor() if self.sparse else self._dense_factor()

    def _profile(self):
        """The rows' Profile; None where rows stand on deformable bodies, or it is wide."""
        p = self.problem
        if not all(own is other or np.array_equal(own, other) for own, other in zip(p.J[:3], p.G[:3], strict=True)):
            return None
        return held_profile(p, self.blocks)

    def solve(self, rhs):
        """lambda with A lambda = rhs, (k,) or columns (k, c)."""
        if self.profile is not None:
            answer = profiles.solve(self.profile, np.ascontiguousarray(np.atleast_2d(rhs.T)))
            return answer[0] if rhs.ndim == 1 else answer.T
        answer = np.zeros_like(rhs)
        soft = self.soft if rhs.ndim == 1 else self.soft[:, None]
        for _ in range(profiles.PASSES[2]):
            answer = self._backsolve(rhs + soft * answer)
            if self._settled(rhs, answer):
                break
        return answer

    def _settled(self, rhs, answer):
        """Whether the compliance still matters to more than round-off of the velocities."""
        soft = self.soft if rhs.ndim == 1 else self.soft[:, None]
        left = np.abs(self.product(answer) - rhs).max(initial=0.0)
        return left <= 1e-13 * (np.abs(rhs).max(initial=0.0) + np.abs(soft * answer).max(initial=0.0) * 1e3)

    def shared(self, impulse, start):
        """Impulses (k,) of least norm that give the same velocities, see profile_kernels.share."""
        D, answer = self.diagonal, impulse.copy()
        if self.profile is not None:
            profiles.share(self.profile, answer, start)
            return answer
        answer += self._without_effect(start - impulse)
        left = -self._without_effect(answer / D)
        size, least = left @ (D * left), profiles.SHARED**2 * (impulse @ (impulse / D))
        way = left
        for _ in range(profiles.DIRECTIONS):
            if size <= least:
                break
            step = size / (way @ way)
            answer += step * way
            left = left - step * self._without_effect(way / D)
            before, size = size, left @ (D * left)
            way = left + size / before * way
        moved = answer - impulse
        harmless = np.abs(self.product(moved)) <= profiles.HARMLESS * D * np.abs(moved).max(initial=0.0)
        return answer if harmless.all() else impulse

    def _without_effect(self, x):
        """The part (k,) of x that gives no velocities."""
        return x - self.solve(self.product(x))

    @cached_property
    def diagonal(self):
        """Diagonal (k,) of A, ones where it is none."""
        return self.profile.diagonal if self.profile is not None else self.soft / profiles.EPSILON[2]

    def product(self, impulse):
        """A times impulse, (k,) or (k, c)."""
        return self._matrix @ impulse if self.profile is None else profiles.product(self.profile, impulse)

    def _dense_factor(self):
        p, count = self.problem.arrays, len(self.rows)
        A = np.zeros((count, count))
        kernels.fill_delassus(p, self.blocks, self.blocks, self.place, self.place, True, A)
        self._matrix = A
        self.soft = profiles.EPSILON[2] * _positive(np.diag(A))
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
        self.soft = profiles.EPSILON[2] * _positive(diagonal)
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
