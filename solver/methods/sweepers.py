"""The changing arrays of a solve and the loops on them: for rigid bodies, and for contacts without bodies.

Both offer the same to accelerated.py and finisher.py: body, options, goal [m/s], block_count, state (I,8), best,
error and first_error (Siconos' measure), advance, measure, worst, restore and store.
"""

import numpy as np

from . import accelerated_kernels as kernels
from . import delassus_kernels as local_kernels
from .compact import make_scratch
from .delassus import LocalBody


class Sweeper:
    """Sweeps on a Compact."""

    def __init__(self, body, impulse, options):
        self.body, self.options, self.goal = body, options, options.tolerance
        self.block_count = len(body.rows.kind)
        lam, w = body.load(impulse)
        self.work = kernels.Work(
            lam=lam, w=w, best=lam.copy(), p=np.zeros_like(lam), pw=np.zeros_like(w), step=np.zeros_like(lam),
            w_before=np.zeros_like(w), v=np.empty_like(lam), rest=np.zeros(len(body.rows.kind), dtype=np.int32),
        )  # fmt: skip
        self.scratch = make_scratch(body.rows)
        self.state = np.zeros((max(1, body.islands.count), 8))
        self.error = self.first_error = np.inf

    @property
    def best(self):
        """Scaled impulses (R,) with the least residual."""
        return self.work.best

    def advance(self, count):
        """Run up to `count` sweeps; return (goal reached, merit of each sweep)."""
        merit = np.zeros(count)
        before = self.state[:, kernels.SWEEPS].max()
        if self.options.siconos_tolerance > 0:
            self._advance_relative(count, merit)
            reached = self.error <= self.options.siconos_tolerance
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
        found, problem = self.body.islands, self.body.problem
        every = min(self.options.check_every, count)
        self.first_error = self.error
        self.error = kernels.advance_relative(
            self.body.rows, found.block_start, found.node_start, count // every, every, self.error,
            self.options.siconos_tolerance, problem.mu[found.blocks, 0], float(np.linalg.norm(problem.b)), self.state,
            self.work, merit, self.scratch,
        )  # fmt: skip

    def measure(self):
        """Siconos' relative error of the best impulses."""
        found, problem, w = self.body.islands, self.body.problem, self.body.velocities(self.best)
        return kernels.siconos_measure(self.body.rows, problem.mu[found.blocks, 0], float(np.linalg.norm(problem.b)),
                                       self.best, w, self.work.v, self.scratch)  # fmt: skip

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
        self.body.store(self.best, impulse)


class DelassusSweeper:
    """Sweeps on contacts given by their Delassus matrix; one island."""

    def __init__(self, problem, rows, impulse, options):
        self.rows, self.options, self.goal = rows, options, options.tolerance
        self.block_count = problem.block_count
        scale = np.ones((problem.block_count, 3))
        scale[:, 1:] = problem.mu[:, :2]
        self.scale = scale.ravel()
        lam = np.divide(impulse, self.scale, out=np.zeros_like(impulse), where=self.scale > 0)
        w = np.zeros((0, 6))
        self.work = kernels.Work(
            lam=lam, w=w, best=lam.copy(), p=np.zeros_like(lam), pw=w, step=np.zeros_like(lam), w_before=w,
            v=np.empty_like(lam), rest=np.zeros(0, dtype=np.int32),
        )  # fmt: skip
        self.state = np.zeros((1, 8))
        self.error = self.first_error = np.inf
        self._body = None

    @property
    def best(self):
        """Scaled impulses (R,) with the least residual."""
        return self.work.best

    @property
    def body(self):
        """The form second-order methods take; made when it is asked for."""
        if self._body is None:
            self._body = LocalBody(self.rows)
        return self._body

    def advance(self, count):
        """Run up to `count` sweeps; return (goal reached, merit of each sweep)."""
        merit, options = np.zeros(count), self.options
        relative = options.siconos_tolerance > 0
        goal = options.siconos_tolerance if relative else self.goal
        state = self.state[0]
        state[kernels.FIRST] = state[kernels.BEST]
        done = local_kernels.advance(self.rows, count, goal, relative, options.check_every, state, self.work, merit)
        self.first_error, self.error = state[kernels.FIRST], state[kernels.BEST]
        return bool(state[kernels.BEST] <= goal), merit[:done]

    def measure(self):
        """Siconos' relative error of the best impulses."""
        return local_kernels.siconos_measure(self.rows, self.best, self.work.v)

    def worst(self):
        """The judge's residual of the best iterate [m/s]; not known where the goal is Siconos' relative error."""
        return np.inf if self.options.siconos_tolerance > 0 else float(self.state[0, kernels.BEST])

    def restore(self, island):
        """Go back to the best iterate."""
        self.work.lam[:] = self.best
        self.state[0, [kernels.SQUARE, kernels.PENDING, kernels.SINCE, kernels.PLAIN]] = 0.0
        if self.options.siconos_tolerance > 0:
            self.state[0, kernels.BEST] = self.error

    def store(self, impulse):
        """Write the best impulses back."""
        impulse[:] = self.scale * self.best
