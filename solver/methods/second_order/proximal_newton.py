"""Proximal-point Newton method in body space, which takes turns with the sweeps.

Each proximal step r <- P(r - rho (J u + b)) with u of the new impulses is solved by a semismooth Newton method on
the body velocities, see proximal_kernels.py. The larger rho, the fewer proximal steps and the harder the Newton
iteration: rho grows while that is short and shrinks when it fails. It is the augmented-Lagrangian scheme of
convex time stepping with the non-associated Coulomb coupling differentiated instead of lagged.
"""

import numpy as np

from ..compact.compact import make_scratch
from . import proximal_newton_kernels as kernels
from .block_lu_kernels import analyse, factor_work, room

# Largest number of nodes, of blocks and of block products of a factorisation worth trying: about 350 MB, half a second.
NODE_LIMIT, FILL_LIMIT, WORK_LIMIT = 4000, 600_000, 8_000_000


def newton_fits(body):
    """True where every block of the Compact has a law the Newton method knows."""
    rows = body.rows
    return bool(np.diff(rows.row).max(initial=0) <= 6 and not np.any((rows.kind == 0) & (rows.compliant != 0)))


class ProximalNewton:
    """The method on one Compact: analyse an island once, then take proximal steps on it."""

    def __init__(self, body):
        self.body, none = body, np.zeros(len(body.rows.b))
        self.work = kernels.newton_work(len(body.rows.kind), body.node_count + 1, none, none)
        self.scratch = make_scratch(body.rows)

    def island(self, index):
        """Return the Island of number `index`, or None where its factorisation would be too large."""
        found, row = self.body.islands, self.body.rows.row
        span = (
            int(found.block_start[index]), int(found.block_start[index + 1]),
            int(found.node_start[index]), int(found.node_start[index + 1]),
        )  # fmt: skip
        blocks, nodes = span[1] - span[0], span[3] - span[2]
        pattern = self._pattern(span, nodes)
        work = np.inf if pattern is None else factor_work(pattern.indptr)
        if work > WORK_LIMIT:
            return None
        cost = kernels.newton_cost(work, blocks, nodes) / self.body.sweep
        return kernels.Island(span, (int(row[span[0]]), int(row[span[1]])), pattern, room(pattern), cost)

    def _pattern(self, span, nodes):
        """The Pattern of the island of a span of blocks and nodes, or None where it would be too large."""
        if self.body.dual is not None:
            return self.body.pattern(FILL_LIMIT)
        if nodes > NODE_LIMIT:
            return None
        node = np.minimum(self.body.rows.node[span[0] : span[1]] - span[2], nodes)
        pair = node[:, np.column_stack(np.triu_indices(node.shape[1], 1))].reshape(-1, 2)
        fits, found = analyse(np.ascontiguousarray(pair), nodes, FILL_LIMIT)
        return found if fits else None

    def run(self, island, aim, start, base, best, clock):
        """Proximal steps on an island, about three Newton steps each, until the residual is at the goal, or enough
        Newton steps are made, or too many failed, or the time is up; returns their state, see begun.

        aim: goal [m/s], Newton steps; start: residual [m/s] of the best impulses and strength of the first step.
        base (R,) holds the impulses of the last step, best those with the least residual; both are updated. The
        strength of the proximal term follows the success of the Newton iteration, the residual does not matter: a step
        at strength rho turns a mode of stiffness k into 1 / (1 + rho k) of itself, friction makes some k negative, and
        such a mode must be followed while it grows, to where other contacts slide or open.
        """
        # Where there is no limit of time, nobody has to look at the clock.
        most, how = 1 if clock.limited else 1 << 60, kernels.MADE
        state, work = kernels.begun(*start), self.work._replace(base=base, best=best)
        while how == kernels.MADE and not clock.expired():
            how = kernels.proximal_steps(
                self.body.rows, island, (*aim, most), state, work, self.scratch, self.body.dual
            )
        return state
