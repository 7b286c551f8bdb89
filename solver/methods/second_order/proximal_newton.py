"""Proximal-point Newton method in body space: the second-order finisher for islands where sweeps stagnate.

Each proximal step r <- P(r - rho (J u + b)) with u of the new impulses is solved by a semismooth Newton method on
the body velocities, see proximal_kernels.py. The larger rho, the fewer proximal steps and the harder the Newton
iteration: rho grows while that is short and shrinks when it fails. It is the augmented-Lagrangian scheme of
convex time stepping with the non-associated Coulomb coupling differentiated instead of lagged.
"""

from typing import NamedTuple

import numpy as np

from ..compact.compact import make_scratch
from ..compact.part_sweep_kernels import grade
from . import block_lu
from . import proximal_newton_kernels as kernels
from .proximal_kernels import body_velocity

# Largest number of nodes, fill and work of a factorisation worth trying: about 350 MB, and half a second.
NODE_LIMIT = 4000
FILL_LIMIT = 600_000
WORK_LIMIT = 8_000_000


def newton_fits(body):
    """True where every block of the Compact has a law the Newton method knows."""
    rows = body.rows
    return bool(np.diff(rows.row).max(initial=0) <= 6 and not np.any((rows.kind == 0) & (rows.compliant != 0)))


class ProximalNewton:
    """The method on one Compact: analyse an island once, then take proximal steps on it."""

    def __init__(self, body):
        self.body = body
        rows, nodes = len(body.rows.b), body.node_count + 1
        self.work = kernels.NewtonWork(
            lam=np.zeros(rows), w=np.zeros((nodes, 6)), trial=np.zeros((nodes, 6)),
            K=np.zeros((len(body.rows.kind), 36)), F=np.zeros((nodes, 6)), dx=np.zeros((nodes, 6)), v=np.zeros(rows),
        )  # fmt: skip
        self.scratch = make_scratch(body.rows)

    def island(self, index):
        """Return the Island of number `index`, or None where its factorisation would be too large."""
        found = self.body.islands
        span = (
            int(found.block_start[index]), int(found.block_start[index + 1]),
            int(found.node_start[index]), int(found.node_start[index + 1]),
        )  # fmt: skip
        if self.body.dual is not None:
            return self._whole(span)
        count = span[3] - span[2]
        if count > NODE_LIMIT:
            return None
        pair = self.body.rows.node[span[0] : span[1]] - span[2]
        pattern = block_lu.analyse(np.minimum(pair, count), count, FILL_LIMIT)
        if pattern is None or block_lu.work(pattern) > WORK_LIMIT:
            return None
        return Island(span, pattern, block_lu.factors(pattern), block_lu.work(pattern))

    def _whole(self, span):
        """The one island of contacts without bodies."""
        pattern = self.body.pattern(FILL_LIMIT)
        if pattern is None or block_lu.work(pattern) > WORK_LIMIT:
            return None
        return Island(span, pattern, block_lu.factors(pattern), block_lu.work(pattern))

    def grade(self, island, lam):
        """The judge's residual of impulses lam (R,) on an island [m/s]."""
        rows, work, span = self.body.rows, self.work, island.span
        body_velocity(rows, span, lam, work.w, self.body.dual)
        return float(grade(rows, span[0], span[1], lam, work.w, work.v, self.scratch))

    def run(self, island, goal, steps, patience, clock, state, base, best):
        """Proximal steps on an island, about three Newton steps each, until the residual is at most `goal` [m/s], or
        `steps` Newton steps are made, or `patience` of them lead nowhere, or the time is up.

        base (R,) holds the impulses of the last step, best those with the least residual; both and the
        ProximalState are updated. The strength of the proximal term follows the success of the Newton iteration, the
        residual does not matter: a step at strength rho turns a mode of stiffness k into 1 / (1 + rho k) of itself,
        friction makes some k negative, and such a mode must be followed while it grows, to where other contacts slide
        or open.
        """
        # Where there is no limit of time, nobody has to look at the clock.
        most, how = 1 if clock.limited else 1 << 60, kernels.MADE
        while how == kernels.MADE and not clock.expired():
            how = kernels.proximal_steps(
                self.body.rows, island.span, island.pattern, island.factors, goal, steps, patience, most,
                state.numbers, base, best, self.work, self.scratch, self.body.dual,
            )  # fmt: skip


class Island(NamedTuple):
    """One island, ready for factorisations: its range of blocks and nodes, and the pattern of its matrix."""

    span: tuple
    pattern: block_lu.Pattern
    factors: block_lu.Factors
    work: int


class ProximalState:
    """What the iteration on one island carries along, in `numbers` for kernels.

    least and present [m/s]: the judge's residual of the best impulses and of base; strength: rho A of the proximal
    term [1], at most ceiling; newton_steps done; failures since the last proximal step that counted; mark and since:
    residual and Newton steps where there was progress last.
    """

    def __init__(self, residual, strength):
        self.numbers = kernels.begun(residual, strength)

    @property
    def least(self):
        """Residual of the best impulses [m/s]."""
        return float(self.numbers[kernels.LEAST])

    @property
    def strength(self):
        """Strength of the next proximal step."""
        return float(self.numbers[kernels.STRENGTH])

    @property
    def newton_steps(self):
        """Newton steps done."""
        return int(self.numbers[kernels.STEPS])

    @property
    def failed(self):
        """Whether too many steps failed for it to go on from here."""
        return self.numbers[kernels.FAILURES] >= kernels.FAILING
