"""Non-smooth Newton on the velocity-level problem (Macklin et al. 2019).

Signorini's law becomes phi(v_n, r lambda_n) = 0 with the Fischer-Burmeister or minimum-map function, friction
becomes phi_f = v_f + W lambda_f = 0 with the compliance W of the current iterate (equations 35, 36, 103-105).
With a = dphi/dv, s = dphi/dlambda and row velocities v as unknowns besides lambda, the Schur complement (59) is

    (a A a + S + eps) dlambda = a (v - b - A q) - phi,      q = a lambda,
    lambda <- lambda + t dlambda,      v <- v + t (A (q + a dlambda) + b - v)

Per equation (46) an inactive contact acts with a lambda, not lambda; at a solution both agree. The paper
works with positions and forces; multiplied by 1/h and h its r_i = h^2 A_ii and h A_ii both become A_ii, its
constant r = h^2 becomes 1, and its identity r = 1 becomes 1/h^2 for normals and 1/h for friction. Friction of
polygons has no W and is refused. Merit: the largest |phi| [m/s].

With the paper's constant damping the friction of sliding bodies can cycle for ever; with `patience` > 0 the steps
and the r of friction shrink when the merit does not fall. The position-level form (63) and the geometric stiffness (70)
to (74) are time stepping schemes (steppers.py): a contact problem holds no positions, its J is constant and K is zero.
"""

import numpy as np
import scipy.sparse as sp

from ...laws.friction_laws import LAWS
from ...problem import Block, ProblemError
from ..assembly import delassus_matrix, friction_rows, friction_scale
from ..loop import Group, run_groups
from ..sweep_kernels import blocks_of
from .linear_solvers import LINEAR_SOLVERS
from .newton_kernels import Functions, System, newton_terms, project_impulses


def solve(problem, impulse, options):
    """Run damped Newton iterations on `problem`; impulse (K,) is the warm start and receives the answer."""
    refuse_other_laws(problem)
    iteration = NewtonIteration(problem, impulse, options)
    return run_groups(problem, impulse, options, iteration.advance)


def refuse_other_laws(problem):
    """Raise ProblemError where a contact's friction set is neither a ball nor an interval a row: the paper's W is
    defined by lengths of vectors."""
    known = np.array([law.smooth or law.rowwise for law in LAWS])
    other = (problem.kind == Block.CONTACT) & ~known[problem.law]
    if np.any(other):
        block = int(np.flatnonzero(other)[0])
        names = " or ".join(law.key for law in LAWS if law.smooth or law.rowwise)
        raise ProblemError(
            f"problem {problem.name!r}: contact {block} has {LAWS[problem.law[block]].key} friction, which the newton "
            f"method's smooth friction cannot express; use {names}, or another method"
        )


class NewtonIteration:
    """State and constant matrices of one Newton solve; friction rows are scaled by d: lambda = d y, v_y = d v."""

    def __init__(self, problem, impulse, options):
        self.problem, self.p, self.options = problem, problem.arrays, options
        self.d = friction_scale(problem)
        scale = sp.diags(self.d)
        self.A = (scale @ delassus_matrix(problem) @ scale).tocsr()
        self.b = self.d * problem.b
        # A quasi-Newton matrix may be symmetric where the file's A is not; the residual keeps the true A.
        self.system = self.A if problem.symmetric else (0.5 * (self.A + self.A.T)).tocsr()
        self.r = preconditioner(problem, options)
        small = problem.row_count <= 3000
        name = options.linear_solver if options.linear_solver != "auto" else "direct" if small else "pcr"
        self.linear_solver = LINEAR_SOLVERS[name]
        self.damping, self.least, self.waited = options.damping, np.inf, 0
        self.friction = friction_rows(problem)
        self.shift = options.epsilon * float(np.mean(self.A.diagonal()))
        size = problem.row_count
        self.y, self.v = self._start(impulse)
        self.terms = System(*(np.zeros(size) for _ in range(4)))
        self.functions = Functions(options.ncp == "fischer_burmeister", options.least_denominator)
        self.answer = impulse.copy()

    def _start(self, impulse):
        """Impulses and row velocities of the first iterate: zero velocity (67), (68), free velocity, or warm."""
        if self.options.start == "warm":
            y = np.divide(impulse, self.d, out=np.zeros_like(impulse), where=self.d > 0)
            return y, self.A @ y + self.b
        zero = np.zeros(self.problem.row_count)
        return zero, self.b.copy() if self.options.start == "free" else zero.copy()

    def step(self):
        """One damped Newton step; returns the largest |phi| before it [m/s]."""
        o = self.options
        a, s, phi, center = self._terms(self.y, self.v)
        q = center + a * (self.y - center)
        rhs = a * (self.v - self.b - self.A @ q) - phi
        scale = sp.diags(a)
        M = (scale @ self.system @ scale + sp.diags(s + self.shift)).tocsr()
        change = self.linear_solver(M, rhs, o.linear_iterations)
        velocity_change = self.A @ (q + a * change) + self.b - self.v
        merit = float(np.max(np.abs(phi), initial=0.0))
        length = self._step_length(change, velocity_change) if o.line_search else self.damping
        self.y += length * change
        self.v += length * velocity_change
        return merit

    def _step_length(self, change, velocity_change):
        """Back-tracking on the residual's length (section 8.1): the first half, quarter, ... of the step that lowers
        it, 1/4096 at least."""
        start, length = self.residual_length(self.y, self.v), self.damping
        for _ in range(12):
            if self.residual_length(self.y + length * change, self.v + length * velocity_change) < start:
                break
            length *= 0.5
        return length

    def residual_length(self, y, v):
        """2-norm of both residuals at impulses y and velocities v: of phi, and of v = A (impulse that acts) + b."""
        a, _, phi, center = self._terms(y, v)
        acting = center + a * (y - center)
        return float(np.hypot(np.linalg.norm(phi), np.linalg.norm(v - self.b - self.A @ acting)))

    def _terms(self, y, v):
        """The System at impulses y and velocities v."""
        newton_terms(self.p, self.d, self.functions, self.r, y, v, self.terms)
        return self.terms

    def calm(self, merit):
        """Where the merit has not fallen for `patience` steps, W cycles: shorten the steps, and r in friction."""
        if merit < 0.9 * self.least:
            self.least, self.waited = merit, 0
            return
        self.waited += 1
        if self.options.patience and self.waited >= self.options.patience:
            self.waited = 0
            self.damping = max(0.85 * self.damping, min(0.3, self.options.damping))
            self.r[self.friction] *= 0.5

    def advance(self, count):
        """Run a group of `count` Newton steps; returns a Group with the impulses projected onto their sets."""
        merit = np.empty(count)
        for i in range(count):
            merit[i] = self.step()
            self.calm(merit[i])
        self.answer[:] = self.d * self.y
        if np.all(np.isfinite(self.answer)):
            project_impulses(self.p, self.answer)
        return Group(self.answer, self.problem.velocity_change(self.answer), merit)


def preconditioner(problem, options):
    """Return r (K,) for every row: effective mass A_ii (66), or one constant, identity meaning 1/h^2 and 1/h.

    A friction group takes one r: a fraction of the largest eigenvalue of D A_FF D or, with a constant, mu^2. The
    fraction 1 is the paper's; it makes W overshoot from step to step where other contacts hold the sliding body,
    or where the block is anisotropic.
    """
    steps = blocks_of(problem).r
    rows = np.diff(problem.row_start)
    block = np.repeat(np.arange(problem.block_count), rows)
    friction = friction_rows(problem)
    if options.preconditioner == "effective_mass":
        inverse = np.where(friction, steps[block, 1], steps[block, 0])
        r = np.divide(1.0, inverse, out=np.ones_like(inverse), where=inverse > 0)
        return np.where(friction, options.friction_factor * r, r)
    h = options.time_step if options.preconditioner == "identity" else 1.0
    mu = np.maximum(problem.mu.max(axis=1), np.finfo(float).tiny)[block]
    return np.where(friction, mu * mu / h, 1.0 / (h * h))
