"""The two convex subproblems of staggered projections: by sweeps, by `accurate`, or by the conic library Clarabel.

Clarabel (Apache-2.0) is optional: `pip install stiction[conic]`. See docs/measurements.md for the comparison.
"""

import importlib.util

import numpy as np
import scipy.sparse as sp

from ...laws.friction_laws import LAWS
from ...options import OptionError, changed
from ...problem import Block, ProblemError
from ...residuals import natural_map
from ..accelerated import accelerated
from ..assembly import delassus_matrix, friction_rows, friction_scale
from ..method_options import AccurateOptions
from ..staggered_start import with_loads_given
from ..sweep_kernels import CONTACT_STAGE, blocks_of
from .nncg_kernels import conjugate, nncg_iterations
from .staggered_kernels import stage_residual


def make_stages(problem, options, clock):
    """Return the solver of the two stages that options.subproblems names."""
    chosen = options.subproblems if options.subproblems != "auto" else best_for(problem, options)
    if chosen == "accurate":
        return AccurateStages(problem, options)
    if chosen == "clarabel":
        # A few sweeps after an interior-point answer, whose last digits are not the right ones.
        return ConicStages(problem, options, SweepStages(problem, options.tolerance, 200, clock))
    return SweepStages(problem, options.tolerance, options.inner_iterations, clock)


def best_for(problem, options):
    """What subproblems = auto stands for, as the option says."""
    if options.stopping == "judge" and problem.row_count > 60 and held_by_none(problem):
        return "accurate"
    conic = problem.row_count > 300 and importlib.util.find_spec("clarabel") is not None
    return "clarabel" if conic else "sweeps"


def last_stages(stages, problem, options, clock):
    """Return what the last contact projection of a sequence is made with: sweeps, or `accurate` where it was before."""
    if isinstance(stages, AccurateStages):
        stages.sharpen()
        return stages
    return SweepStages(problem, options.tolerance, options.inner_iterations, clock)


def held_by_none(problem):
    """True where no block has to stand still in the projection of friction: where there are no limits and drives."""
    return not np.isin(problem.kind, (int(Block.LIMIT), int(Block.DRIVE))).any()


class AccurateStages:
    """Both stages by the method `accurate`: the first pair as exactly as the problem asks, the others to a tenth of the
    residual that the last pair left, if it is the judge that ends the sequence."""

    def __init__(self, problem, options):
        if not held_by_none(problem):
            raise ProblemError(
                f"problem {problem.name!r} has limits or drives, which stand still while friction is projected; "
                "accurate cannot hold them: take sweeps or clarabel for the subproblems"
            )
        self.problem, self.least, self.aim = problem, 0.1 * options.tolerance, 0.0
        # How exact a projection is: a tenth of the residual that the last pair left. 0.01 takes as many pairs on piles
        # and costs twice as much; the first pair is exact, because a stack is solved by one. The paper's rule looks at
        # how much the friction moves: loose projections would end it.
        self.part = 0.1 if options.stopping == "judge" else 0.0
        self.friction = friction_rows(problem)
        self.normal = np.repeat(problem.kind == Block.CONTACT, np.diff(problem.row_start)) & ~self.friction
        self.options = AccurateOptions(max_iterations=1000, even_loads=0)

    def project(self, stage, impulse):
        """Replace the impulses (K,) of one stage by the minimiser of its quadratic program, in place."""
        pressing = stage == CONTACT_STAGE
        held = np.where(self.friction if pressing else self.normal, impulse, 0.0)
        problem = self.problem.with_friction_given(held) if pressing else with_loads_given(self.problem, held)
        x = impulse - held if pressing else impulse.copy()
        accelerated.solve(problem, x, changed(self.options, tolerance=max(self.least, self.aim)))
        impulse[:] = np.where(self.friction if pressing else self.normal, held, x)
        if not pressing:
            self.aim = self.part * natural_map(self.problem, impulse)

    def sharpen(self):
        """Make the next projection as exact as the first; False where the last one was."""
        loose = self.aim > self.least
        self.aim = 0.0
        return loose


class SweepStages:
    """Both stages by conjugate gradients on Gauss-Seidel sweeps, to a natural map of a tenth of the tolerance."""

    def __init__(self, problem, tolerance, sweeps, clock):
        self.problem, self.blocks = problem, blocks_of(problem)
        # The residual is looked at after every 20 sweeps.
        self.tolerance, self.group, self.clock = 0.1 * tolerance, 20, clock
        self.groups = -(-sweeps // self.group)

    def sharpen(self):
        """See AccurateStages: every projection is as exact as the others."""
        return False

    def project(self, stage, impulse):
        """Replace the impulses (K,) of one stage by the minimiser of its quadratic program, in place."""
        run, merit = conjugate(impulse, self.problem.velocity_change(impulse)), np.empty(self.group)
        for group in range(self.groups):
            nncg_iterations(self.blocks, stage, False, run, 0.0, merit)
            error = stage_residual(self.blocks, stage, run.answer, run.answer_w)
            if error <= self.tolerance or not np.isfinite(error):
                break
            # Some groups are swept even after the time limit, so that the last projection means something.
            if group >= 5 and self.clock.expired():
                break
        impulse[:] = run.answer


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

    def sharpen(self):
        """See AccurateStages: every projection is as exact as the others."""
        return False

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
