"""Accelerated Gauss-Seidel: the right sweep of PROX with the momentum of NNCG, island by island, and a Newton finish.

A sweep takes the proximal step of each contact with one scalar r a friction block. Between sweeps the
non-smooth conjugate gradient step of Silcowitz-Hansen et al. 2010 (Fletcher-Reeves, restart when the gradient
grows) is carried along in body space. Where it makes no progress in 50 sweeps, the next 50 go without it,
from the best iterate. Each island stops when the judge's residual is small enough there.

An island whose sweeps would need longer than a second-order method is handed over to the proximal-point Newton
method of proximal_newton.py, and back if that fails. An iteration is a sweep; a Newton step counts as many as it
costs, so that max_iterations limits the work. The iterate with the least residual is the answer: a solve never
returns worse than it was given.

Contacts are sorted from the ground up with the points of a manifold together, see islands.py. Problems
without bodies (a Delassus matrix from a file) are swept block row by block row; what fits neither form is left to
the plain sweep of prox.py.
"""

import numpy as np

from . import accelerated_kernels as kernels
from . import delassus_kernels as local_kernels
from .base import Clock, Outcome, Status
from .compact import compact, make_scratch
from .delassus import delassus_rows
from .finisher import Finisher
from .prox import sweep_until

# Sweeps on an island between two decisions to go on or to hand over.
GROUP = 50


def solve(problem, impulse, options):
    """Solve until the judge's residual is at most options.tolerance; impulse (K,) is updated in place."""
    body = compact(problem)
    if body is not None:
        return run(Sweeper(body, impulse, options), impulse, options)
    rows = delassus_rows(problem)
    if rows is not None:
        return run(DelassusSweeper(problem, rows, impulse, options), impulse, options)
    return sweep_until(problem, impulse, options, relaxation=1.0)


def run(sweeper, impulse, options):
    """Groups of sweeps until the goal or a limit is reached; writes the best impulses back.

    The goal is the tolerance, and what is acceptable once the patience is used up.
    """
    clock, merit, done, status = Clock(options.time_limit), [], 0, None
    patience = max(GROUP, options.patience // max(1, sweeper.block_count))
    most = options.max_iterations
    if options.effort:
        most = min(most, max(GROUP, options.effort // max(1, sweeper.block_count)))
    while status is None:
        impatient = done >= patience and options.acceptable > options.tolerance
        sweeper.goal = options.acceptable if impatient else options.tolerance
        limit = most
        if options.acceptable > 0 and not impatient:
            limit = min(patience, limit)
        reached, part = sweeper.advance(min(GROUP, most - done))
        done += len(part)
        merit.append(part)
        if not reached and done < limit and not clock.expired():
            reached, part = sweeper.finish(limit - done, clock)
            done += len(part)
            merit.append(part)
        if reached:
            status = Status.ACCEPTABLE if impatient and sweeper.worst() > options.tolerance else Status.CONVERGED
        elif done >= most:
            status = Status.MAX_ITERATIONS
        elif clock.expired():
            status = Status.TIME_LIMIT
    sweeper.store(impulse)
    return Outcome(status, done, np.concatenate(merit).tolist() if options.record_history else None)


class Sweeper:
    """The changing arrays of a solve on a Compact, and the loops on them."""

    def __init__(self, body, impulse, options):
        self.body, self.options, self.goal = body, options, options.tolerance
        self.block_count = len(body.rows.kind)
        lam, w = body.load(impulse)
        self.work = kernels.Work(
            lam=lam, w=w, best=lam.copy(), p=np.zeros_like(lam), pw=np.zeros_like(w), step=np.zeros_like(lam),
            w_before=np.zeros_like(w), v=np.empty_like(lam),
            rest=np.zeros(len(body.rows.kind), dtype=np.int32),
        )  # fmt: skip
        self.scratch = make_scratch(body.rows)
        self.state = np.zeros((max(1, body.islands.count), 8))
        self.finisher = Finisher(self) if options.newton else None

    def advance(self, count):
        """Run up to `count` sweeps; return (goal reached, merit of each sweep)."""
        merit = np.zeros(count)
        before = self.state[:, kernels.SWEEPS].max()
        if self.options.siconos_tolerance > 0:
            reached = self._advance_relative(count, merit)
        else:
            found, options = self.body.islands, self.options
            self.state[:, kernels.FIRST] = self.state[:, kernels.BEST]
            left = kernels.advance(
                self.body.rows, found.block_start, found.node_start, count, self.goal, options.check_every,
                options.freeze, self.state, self.work, merit, self.scratch,
            )  # fmt: skip
            reached = left == 0
        return reached, merit[: int(self.state[:, kernels.SWEEPS].max() - before)]

    def _advance_relative(self, count, merit):
        found, options, problem = self.body.islands, self.options, self.body.problem
        every = min(options.check_every, count)
        error = kernels.advance_relative(
            self.body.rows, found.block_start, found.node_start, count // every, every, options.siconos_tolerance,
            problem.mu[found.blocks, 0], float(np.linalg.norm(problem.b)), self.state, self.work, merit,
            self.scratch,
        )  # fmt: skip
        return error <= options.siconos_tolerance

    def finish(self, budget, clock):
        """Hand islands that stagnate over to the Newton method; return (goal reached, merit of each iteration)."""
        if self.finisher is None or self.options.siconos_tolerance > 0:
            return False, np.zeros(0)
        return self.finisher.run(budget, clock)

    def worst(self):
        """The judge's residual of the best iterate [m/s], largest over islands."""
        return float(self.state[:, kernels.BEST].max())

    def restore(self, island):
        """Go back to the best iterate on an island."""
        found = self.body.islands
        kernels.restart_island(
            self.body.rows, found.block_start, found.node_start, island, self.state[island], self.work
        )

    def store(self, impulse):
        """Write the best impulses back."""
        self.body.store(self.work.best, impulse)


class DelassusSweeper:
    """The same for contacts given by their Delassus matrix."""

    def __init__(self, problem, rows, impulse, options):
        self.problem, self.rows, self.options, self.goal = problem, rows, options, options.tolerance
        self.block_count = problem.block_count
        self.scale = np.ones((problem.block_count, 3))
        self.scale[:, 1:] = problem.mu[:, :2]
        self.scale = self.scale.ravel()
        self.lam = np.divide(impulse, self.scale, out=np.zeros_like(impulse), where=self.scale > 0)
        self.best, self.p, self.step, self.v = (np.zeros_like(self.lam) for _ in range(4))
        self.state = np.zeros(6)

    def advance(self, count):
        """Run up to `count` sweeps; return (goal reached, merit of each sweep)."""
        merit, options = np.zeros(count), self.options
        relative = options.siconos_tolerance > 0
        goal = options.siconos_tolerance if relative else self.goal
        done = local_kernels.advance(self.rows, count, goal, relative, options.check_every, self.state, self.lam,
                                     self.best, self.p, self.step, self.v, merit)  # fmt: skip
        return bool(self.state[0] <= goal), merit[:done]

    def worst(self):
        """The judge's residual of the best iterate [m/s]; not known where the goal is Siconos' relative error."""
        return np.inf if self.options.siconos_tolerance > 0 else float(self.state[0])

    def finish(self, budget, clock):
        """There is no second-order method for problems without bodies here: sweeps go on."""
        return False, np.zeros(0)

    def store(self, impulse):
        """Write the best impulses back."""
        impulse[:] = self.scale * self.best
