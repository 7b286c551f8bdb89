"""Accelerated Gauss-Seidel: the right sweep of PROX with the momentum of NNCG, island by island.

A sweep takes the proximal step of each contact with one scalar r a friction block. Between sweeps the
non-smooth conjugate gradient step of Silcowitz-Hansen et al. 2010 (Fletcher-Reeves, restart when the gradient
grows) is carried along in body space. Where it makes no progress in 50 sweeps, the next 50 go without it,
from the best iterate. Each island stops when the judge's residual is small enough there. The iterate with the
least residual is the answer, so a solve never returns worse than it was given.

Contacts are sorted from the ground up with the points of a manifold together, see islands.py. Problems
without bodies (a Delassus matrix from a file) are swept block row by block row; what fits neither form is left to
the plain sweep of prox.py.
"""

import numpy as np

from . import accelerated_kernels as kernels
from . import delassus_kernels as local_kernels
from .base import Clock, Outcome, Status
from .compact import compact
from .delassus import delassus_rows
from .prox import sweep_until

# Sweeps over all contacts between two looks at the clock, in contact sweeps: about 10 ms.
_CLOCK_WORK = 200_000


def solve(problem, impulse, options):
    """Solve until the judge's residual is at most options.tolerance; impulse (K,) is updated in place."""
    body = compact(problem)
    if body is not None:
        return run_sweeps(Sweeper(body, impulse, options), impulse, options)
    rows = delassus_rows(problem)
    if rows is not None:
        return run_sweeps(DelassusSweeper(problem, rows, impulse, options), impulse, options)
    return sweep_until(problem, impulse, options, relaxation=1.0)


def run_sweeps(sweeper, impulse, options):
    """Groups of sweeps until the goal or a limit is reached; writes the best impulses back."""
    clock, merit, done, status = Clock(options.time_limit), [], 0, None
    group = max(options.check_every, _CLOCK_WORK // max(1, sweeper.contact_count))
    while status is None:
        count = min(group, options.max_iterations - done)
        reached, part = sweeper.advance(count)
        done += len(part)
        merit.append(part)
        if reached:
            status = Status.CONVERGED
        elif done >= options.max_iterations:
            status = Status.MAX_ITERATIONS
        elif clock.expired():
            status = Status.TIME_LIMIT
    sweeper.store(impulse)
    return Outcome(status, done, np.concatenate(merit).tolist() if options.record_history else None)


class Sweeper:
    """The changing arrays of a solve on a Compact, and the loops on them."""

    def __init__(self, body, impulse, options):
        self.body, self.options = body, options
        self.contact_count = len(body.rows.kind)
        lam, w = body.load(impulse)
        self.work = kernels.Work(
            lam=lam, w=w, best=lam.copy(), p=np.zeros_like(lam), pw=np.zeros_like(w), step=np.zeros_like(lam),
            w_before=np.zeros_like(w), v=np.empty_like(lam), y=np.zeros(16),
            rest=np.zeros(self.contact_count, dtype=np.int32),
        )  # fmt: skip
        self.state = np.zeros((max(1, body.islands.count), 8))

    def advance(self, count):
        """Run up to `count` sweeps; return (goal reached, merit of each sweep)."""
        merit = np.zeros(count)
        if self.options.siconos_tolerance > 0:
            return self._advance_relative(count, merit)
        before = self.state[:, kernels.SWEEPS].max()
        found, options = self.body.islands, self.options
        left = kernels.advance(
            self.body.rows, found.block_start, found.node_start, count, options.tolerance, options.check_every,
            options.freeze, self.state, self.work, merit,
        )  # fmt: skip
        done = int(self.state[:, kernels.SWEEPS].max() - before)
        return left == 0, merit[:done]

    def _advance_relative(self, count, merit):
        found, options, problem = self.body.islands, self.options, self.body.problem
        every = min(options.check_every, max(1, count))
        target, before = options.siconos_tolerance, self.state[:, kernels.SWEEPS].max()
        error = kernels.advance_relative(
            self.body.rows, found.block_start, found.node_start, count // every, every, target,
            problem.mu[found.blocks, 0], float(np.linalg.norm(problem.b)), self.state, self.work, merit,
        )  # fmt: skip
        return error <= target, merit[: int(self.state[:, kernels.SWEEPS].max() - before)]

    def store(self, impulse):
        """Write the best impulses back."""
        self.body.store(self.work.best, impulse)


class DelassusSweeper:
    """The same for contacts given by their Delassus matrix."""

    def __init__(self, problem, rows, impulse, options):
        self.problem, self.rows, self.options = problem, rows, options
        self.contact_count = problem.block_count
        self.scale = np.ones((self.contact_count, 3))
        self.scale[:, 1:] = problem.mu[:, :2]
        self.scale = self.scale.ravel()
        self.lam = np.divide(impulse, self.scale, out=np.zeros_like(impulse), where=self.scale > 0)
        self.best, self.p, self.step, self.v = (np.zeros_like(self.lam) for _ in range(4))
        self.state = np.zeros(6)

    def advance(self, count):
        """Run up to `count` sweeps; return (goal reached, merit of each sweep)."""
        merit, options = np.zeros(count), self.options
        relative = options.siconos_tolerance > 0
        goal = options.siconos_tolerance if relative else options.tolerance
        done = local_kernels.advance(self.rows, count, goal, relative, options.check_every, self.state, self.lam,
                                     self.best, self.p, self.step, self.v, merit)  # fmt: skip
        return bool(self.state[0] <= goal), merit[:done]

    def store(self, impulse):
        """Write the best impulses back."""
        impulse[:] = self.scale * self.best
