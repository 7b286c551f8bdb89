"""The two convex subproblems of staggered projections, by our own sweeps or by the conic library Clarabel.

Clarabel (Apache-2.0) is optional: `pip install stiction[conic]`. See docs/measurements.md for the comparison.
"""

import importlib.util

import numpy as np
import scipy.sparse as sp

from ...laws.friction_laws import LAWS
from ...options import OptionError
from ...problem import Block, ProblemError
from ..assembly import delassus_matrix, friction_rows, friction_scale
from ..sweep_kernels import step_lengths
from .nncg_kernels import nncg_iterations
from .staggered_kernels import CONTACT_STAGE, stage_residual

GROUP = 20  # sweeps between two checks of the residual of a subproblem
LEAST_GROUPS = 5  # groups that are swept even after the time limit, so that the last projection means something
CONIC_ROWS = 300  # islands with more rows than this go to Clarabel, where it is installed
POLISH = 200  # sweeps at most after an interior-point answer, whose last digits are not the right ones


def make_stages(problem, options, clock):
    """Return the solver of the two stages that options.subproblems names."""
    large = problem.row_count > CONIC_ROWS and importlib.util.find_spec("clarabel") is not None
    if options.subproblems == "clarabel" or (options.subproblems == "auto" and large):
        return ConicStages(problem, options, SweepStages(problem, options.tolerance, POLISH, clock))
    return SweepStages(problem, options.tolerance, options.inner_iterations, clock)


class SweepStages:
    """Both stages by conjugate gradients on Gauss-Seidel sweeps, to a natural map of a tenth of the tolerance."""

    def __init__(self, problem, tolerance, sweeps, clock):
        self.problem, self.p, (self.offset, self.diagonal) = problem, problem.arrays, problem.diagonal
        self.r = np.empty((problem.block_count, 2))
        step_lengths(self.p, self.offset, self.diagonal, self.r)
        self.tolerance = 0.1 * tolerance
        self.groups, self.clock = -(-sweeps // GROUP), clock

    def project(self, stage, impulse):
        """Replace the impulses (K,) of one stage by the minimiser of its quadratic program, in place."""
        x, w = impulse.copy(), self.problem.velocity_change(impulse)
        answer, answer_w = x.copy(), w.copy()
        direction, direction_w, gradient = np.zeros_like(x), np.zeros_like(w), np.zeros_like(x)
        state, merit = np.zeros(2), np.empty(GROUP)
        for group in range(self.groups):
            nncg_iterations(self.p, self.r, self.offset, self.diagonal, stage, False, x, w, direction, direction_w,
                            gradient, state, answer, answer_w, 0.0, merit)  # fmt: skip
            error = stage_residual(self.p, self.r, self.offset, self.diagonal, stage, answer, answer_w)
            if error <= self.tolerance or not np.isfinite(error):
                break
            if group >= LEAST_GROUPS and self.clock.expired():
                break
        impulse[:] = answer


class ConicStages:
    """Both stages by Clarabel: min 1/2 y^T A y + c^T y over the stage's rows y, in scaled friction rows.

    An interior point ends near 1e-6 m/s on hyperstatic problems; a few sweeps finish its answer.
    """

    def __init__(self, problem, options, polish):
        try:
            import clarabel
        except ImportError:
            raise OptionError("subproblems = clarabel needs the package clarabel; install it or take sweeps") from None
        self.clarabel, self.problem, self.polish = clarabel, problem, polish
        self.d, self.friction = friction_scale(problem), friction_rows(problem)
        scale = sp.diags(self.d)
        A = scale @ delassus_matrix(problem) @ scale
        # Only the symmetric part has a minimum; files with a slightly asymmetric A lose the rest.
        self.A = (0.5 * (A + A.T)).tocsr()
        self.b = self.d * problem.b
        self.settings = clarabel.DefaultSettings()
        self.settings.verbose = False
        # Below 1e-11 the solver gives up early on singular problems, and is worse.
        accuracy = float(np.clip(1e-4 * options.tolerance, 1e-11, 1e-8))
        self.settings.tol_gap_abs = self.settings.tol_gap_rel = self.settings.tol_feas = accuracy

    def project(self, stage, impulse):
        """Replace the impulses (K,) of one stage by the minimiser of its quadratic program, in place."""
        y = np.divide(impulse, self.d, out=np.zeros_like(impulse), where=self.d > 0)
        normal = np.maximum(y[self.problem.row_start[:-1]], 0.0)
        if stage != CONTACT_STAGE:
            # No normal impulse, no friction: those rows take no part, and what they carried goes.
            idle = self.friction & np.repeat(normal <= 0.0, np.diff(self.problem.row_start))
            y[idle], impulse[idle] = 0.0, 0.0
        free, cones = stage_cones(self.problem, stage, normal, self.d)
        if not len(free):
            self.polish.project(stage, impulse)
            return
        fixed = y.copy()
        fixed[free] = 0.0
        P = sp.triu(self.A[free][:, free]).tocsc()
        c = self.b[free] + self.A[free] @ fixed
        local = np.full(len(y), -1)
        local[free] = np.arange(len(free))
        G, g, kinds = _stack(cones, local, len(free), self.clarabel)
        solution = self.clarabel.DefaultSolver(P, c, G, g, kinds, self.settings).solve()
        y[free] = np.asarray(solution.x)
        impulse[free] = self.d[free] * y[free]
        outside = np.isin(np.arange(len(y)), free, invert=True)
        impulse[outside & (self.d == 0.0)] = 0.0
        self.polish.project(stage, impulse)


def stage_cones(problem, stage, normal, d):
    """Rows that move in a stage, and its cones: (kind, rows, matrix rows, right-hand side) with g - G y in the cone.

    normal (B,): standing normal impulse of each block [N s]. Friction rows without a set keep the impulse 0.
    """
    free, cones = [], []
    for k in range(problem.block_count):
        first, last = problem.row_start[k], problem.row_start[k + 1]
        kind = problem.kind[k]
        if kind in (Block.BILATERAL, Block.ELEMENT):
            free.extend(range(first, last))
        elif kind == Block.CONTACT and stage != CONTACT_STAGE:
            rows = [i for i in range(first + 1, last) if d[i] > 0.0]
            if rows and normal[k] > 0.0:
                free.extend(rows)
                cones.extend(friction_cones(problem, k, rows, normal[k]))
        elif stage == CONTACT_STAGE:
            free.append(first)
            lower, upper = (0.0, np.inf) if kind != Block.DRIVE else problem.bounds[k]
            if lower > -np.inf:
                cones.append(("nonnegative", [first], -np.ones((1, 1)), np.array([-lower])))
            if upper < np.inf:
                cones.append(("nonnegative", [first], np.ones((1, 1)), np.array([upper])))
    return np.array(free, dtype=np.int64), cones


def friction_cones(problem, k, rows, radius):
    """Cones that hold the scaled friction rows of contact k inside their set of size `radius` [N s]."""
    law, rows = LAWS[problem.law[k]], np.array(rows)
    if law.cones is None:
        raise ProblemError(
            f"problem {problem.name!r}: contact {k} has {law.key} friction, which conic solvers cannot take; choose "
            "the sweeps for the subproblems, or another method"
        )
    cones = law.cones(len(rows), problem.sides)
    return [(kind, rows[columns], matrix, radius * side) for kind, columns, matrix, side in cones]


def _stack(cones, local, size, clarabel):
    """Clarabel's constraint matrix, right-hand side and list of cones."""
    i, j, data, g, kinds, height = [], [], [], [], [], 0
    for kind, rows, matrix, side in cones:
        m = len(side)
        i.append(np.repeat(np.arange(height, height + m), len(rows)))
        j.append(np.tile(local[rows], m))
        data.append(matrix.ravel())
        g.append(side)
        kinds.append(clarabel.SecondOrderConeT(m) if kind == "second_order" else clarabel.NonnegativeConeT(m))
        height += m
    if not cones:
        return sp.csc_matrix((0, size)), np.zeros(0), []
    entries = (np.concatenate(data), (np.concatenate(i), np.concatenate(j)))
    return sp.csc_matrix(entries, shape=(height, size)), np.concatenate(g), kinds
