"""The changing arrays of a solve and the loops on them: for rigid bodies, for contacts without bodies, for the rest.

All offer the same to accelerated.py and newton_turns.py: begin, body, options, aims (Aims) and sizes (I,) blocks of the
islands, state (I,8), spent (I,): Newton steps in sweeps, best and lam (R,) scaled, advance, open, used, residuals,
restore and store. What depends on the problem alone is made once; `begin` starts a solve with a first group of sweeps.
"""

import numpy as np

from ...residuals import natural_map
from ..assembly import friction_scale
from ..compact import accelerated_kernels as kernels
from ..compact.compact import make_scratch
from ..compact.part_sweep_kernels import Parts, Sweep, loaded
from ..compact.team import HELPERS
from ..delassus import delassus_kernels as local_kernels
from ..delassus.delassus import paired
from ..second_order.local_body import contact_body, fits, local_body
from ..second_order.wide_body import WideBody, few_unknowns
from ..sweep_kernels import blocks_of
from .general_kernels import GeneralWork, advance_general
from .turn_kernels import GROUP


class Swept:
    """What all sweepers do alike: with their state (I,8), spent (I,) and aims."""

    def open(self):
        """Which islands (I,) have not reached their goal."""
        return self.state[:, kernels.BEST] > self.aims.goal

    def used(self):
        """Sweeps (I,) done on each island, Newton steps counted as those they cost."""
        return self.state[: len(self.spent), kernels.SWEEPS] + self.spent

    def residuals(self):
        """The judge's residual (I,) of the best iterate of each island [m/s]."""
        return self.state[:, kernels.BEST]

    def begin_state(self):
        """Make the state of a solve that begins."""
        self.state, self.spent = np.zeros((len(self.sizes), 8)), np.zeros(len(self.sizes))

    def left(self, count):
        """How many of `count` sweeps the limit of the only island leaves, and its goal."""
        return min(count, max(0, int(self.aims.limit[0] - self.used()[0]))), self.aims.goal[0]

    def forget(self):
        """Forget the search direction of the only island."""
        self.state[0, [kernels.TIME, kernels.SINCE, kernels.PLAIN]] = 0.0
        self.state[0, kernels.JUMP] = -1.0


class Sweeper(Swept):
    """Sweeps on a Compact."""

    def __init__(self, body, options, aims):
        self.body, self.options, self.aims, self.sizes = body, options, aims, body.sizes()[0]
        self.scratch = make_scratch(body.rows)
        found = body.islands
        self.parts = Parts(found.part_start, found.part_node, found.part_block)
        # Most parts of an island: one where none is divided.
        count = len(found.part_start) - 1
        self.most = 1 if found.part_start[-1] == count else int(np.diff(found.part_start).max())

    def begin(self, impulse):
        """Start from impulses (K,); what `advance` returns for the first sweeps."""
        body = self.body
        self.work = loaded(body.problem.arrays, body.rows, body.islands, impulse)
        self.begin_state()
        return self.advance(GROUP)

    def resume(self, work, state):
        """Go on from what a kernel has done, see plain_kernels.Solve."""
        self.work, self.state, self.spent = work, state, np.zeros(len(self.sizes))

    @property
    def best(self):
        """Scaled impulses (R,) with the least residual."""
        return self.work.best

    @property
    def lam(self):
        """Scaled impulses (R,) of the last sweep."""
        return self.work.lam

    def advance(self, count):
        """Run up to `count` sweeps; return (goal reached, merit of each sweep)."""
        merit, every, rows = np.zeros(count), self.options.check_every, self.body.rows

        def sweep(team):
            limit = self.aims.limit - self.spent
            return kernels.advance(self._sweep(team), self.aims.goal, limit, every, self.state, merit, self.scratch)

        left, most = HELPERS.run(sweep, self.most, self.options.threads,
                                 lambda team: (self._sweep(team), make_scratch(rows)))  # fmt: skip
        return left == 0, merit[:most]

    def _sweep(self, team):
        return Sweep(self.body.rows, self.parts, self.work, team)

    def restore(self, island):
        """Go back to the best iterate on an island."""
        kernels.restart_island(self.body.rows, self.parts, island, self.state[island], self.work)

    def store(self, impulse):
        """Write the best impulses back."""
        self.body.store(self.best, impulse)


class DelassusSweeper(Swept):
    """Sweeps on contacts given by their Delassus matrix; one island."""

    def __init__(self, problem, rows, options, aims):
        self.problem, self.options, self.aims, self.given = problem, options, aims, rows
        self.sizes = np.array([problem.block_count])

    def begin(self, impulse):
        """Start from impulses (K,); what `advance` returns for the first sweeps."""
        self.rows, self.order, self._body = self.given, None, None
        self.work = np.zeros((5, len(impulse)))
        self.begin_state()
        local_kernels.load(self.rows, impulse, self.work)
        return self.advance(GROUP)

    def advance(self, count):
        """Run up to `count` sweeps; return (goal reached, merit of each sweep)."""
        count, goal = self.left(count)
        merit = np.empty(count)
        done, error = local_kernels.advance(
            self.rows, count, goal, self.options.check_every, self.state[0], self.work, merit
        )
        return error <= goal, merit[:done]

    @property
    def best(self):
        """Scaled impulses (R,) with the least residual."""
        return self.work[local_kernels.BEST_LAM]

    @property
    def lam(self):
        """Scaled impulses (R,) of the last sweep."""
        return self.work[local_kernels.LAM]

    @property
    def body(self):
        """The form second-order methods take; made when it is asked for. From then on contacts have its order."""
        if self._body is None:
            self.rows, order, first = paired(self.given)
            self.order = (3 * order[:, None] + np.arange(3)).ravel()
            self.work = np.take(self.work, self.order, axis=1)
            self._body = contact_body(self.problem, self.rows, first)
        return self._body

    def restore(self, island):
        """Go back to the best iterate."""
        self.lam[:] = self.best
        self.forget()

    def store(self, impulse):
        """Write the best impulses back."""
        if self.order is None:
            np.multiply(self.rows.scale, self.best, out=impulse)
        else:
            impulse[self.order] = self.rows.scale * self.best


class GeneralSweeper(Swept):
    """Sweeps on blocks of every kind that fit no Compact: no bodies, or more than two a block; one island."""

    def __init__(self, problem, options, aims):
        self.problem, self.options, self.aims = problem, options, aims
        self.sizes = np.array([problem.block_count])
        self.scale, self.blocks, self._body = friction_scale(problem), blocks_of(problem), None

    def begin(self, impulse):
        """Start from impulses (K,); what `advance` returns for the first sweeps."""
        problem = self.problem
        w = problem.velocity_change(impulse)
        self.work = GeneralWork(impulse.copy(), w, *(np.zeros_like(x) for x in (impulse, w) * 2))
        self.best = np.divide(impulse, self.scale, out=np.zeros_like(impulse), where=self.scale > 0)
        self.begin_state()
        self.state[0, [kernels.BEST, kernels.FIRST]] = natural_map(problem, impulse, w)
        return self.advance(GROUP)

    @property
    def lam(self):
        """Scaled impulses (R,) of the last sweep."""
        return np.divide(self.work.impulse, self.scale, out=np.zeros_like(self.scale), where=self.scale > 0)

    @property
    def body(self):
        """The form second-order methods take, None where there is none; made when it is asked for."""
        if self._body is None and fits(self.problem):
            self._body = WideBody(self.problem) if few_unknowns(self.problem) else local_body(self.problem)
        return self._body

    def advance(self, count):
        """Run up to `count` sweeps; return (goal reached, merit of each sweep)."""
        count, goal = self.left(count)
        state, merit, done = self.state[0], np.zeros(count), 0
        while done < count and state[kernels.BEST] > goal:
            part = merit[done : done + self.options.check_every]
            advance_general(self.blocks, state, self.work, part)
            done += len(part)
            residual = natural_map(self.problem, self.work.impulse, self.work.w)
            if kernels.progress(residual, state):
                self.best[:] = self.lam
            kernels.change_over(state)
        return state[kernels.BEST] <= goal, merit[:done]

    def restore(self, island):
        """Go back to the best iterate."""
        self.work.impulse[:] = self.scale * self.best
        self.work.w[:] = self.problem.velocity_change(self.work.impulse)
        self.forget()

    def store(self, impulse):
        """Write the best impulses back."""
        impulse[:] = self.scale * self.best
