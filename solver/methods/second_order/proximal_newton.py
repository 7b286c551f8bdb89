"""Proximal-point Newton method in body space: the second-order finisher for islands where sweeps stagnate.

Each proximal step r <- P(r - rho (J u + b)) with u of the new impulses is solved by a semismooth Newton method on
the body velocities, see proximal_kernels.py. The larger rho, the fewer proximal steps and the harder the Newton
iteration: rho grows while that is short and shrinks when it fails. It is the augmented-Lagrangian scheme of
convex time stepping with the non-associated Coulomb coupling differentiated instead of lagged.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..compact.compact import make_scratch
from ..compact.part_sweep_kernels import grade
from . import block_lu
from .proximal_kernels import body_velocity
from .proximal_newton_kernels import inner_newton

# Largest number of nodes, fill and work of a factorisation worth trying: about 350 MB, and half a second.
NODE_LIMIT = 4000
FILL_LIMIT = 600_000
WORK_LIMIT = 8_000_000
# Bounds of the strength, and Newton steps one proximal step may take.
WEAKEST, STRONGEST = 0.1, 1e8
NEWTON_LIMIT = 12


class NewtonWork(NamedTuple):
    """Changing arrays of the Newton iteration (R rows, B blocks, n nodes and one for none)."""

    lam: np.ndarray
    w: np.ndarray
    trial: np.ndarray
    K: np.ndarray
    F: np.ndarray
    dx: np.ndarray
    v: np.ndarray


def newton_fits(body):
    """True where every block of the Compact has a law the Newton method knows."""
    rows = body.rows
    return bool(np.diff(rows.row).max(initial=0) <= 6 and not np.any((rows.kind == 0) & (rows.compliant != 0)))


class ProximalNewton:
    """The method on one Compact: analyse an island once, then take proximal steps on it."""

    def __init__(self, body):
        self.body = body
        rows, nodes = len(body.rows.b), body.node_count + 1
        self.work = NewtonWork(
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

    def step(self, island, goal, state, base, best):
        """One proximal step on an island, about three Newton steps; returns True at the goal [m/s].

        base (R,) holds the impulses of the last step, best those with the least residual; both and the
        ProximalState are updated. The strength of the proximal term follows the success of the Newton iteration, the
        residual does not matter: a step at strength rho turns a mode of stiffness k into 1 / (1 + rho k) of itself,
        friction makes some k negative, and such a mode must be followed while it grows, to where other contacts slide
        or open.
        """
        rows, work, span = self.body.rows, self.work, island.span
        row = slice(rows.row[span[0]], rows.row[span[1]])
        body_velocity(rows, span, base, work.w, self.body.dual)
        solved, used = inner_newton(rows, span, island.pattern, island.factors, state.strength, goal, NEWTON_LIMIT,
                                    base, work, self.scratch, self.body.dual)  # fmt: skip
        state.newton_steps += used
        residual = self.grade(island, work.lam) if solved else np.inf
        if residual < state.least:
            state.least = residual
            best[row] = work.lam[row]
        if residual < np.inf:
            state.failures = 0
            state.present = residual
            base[row] = work.lam[row]
            factor = 5.0 if used <= 3 else (2.0 if used <= 5 else 1.0)
            state.strength = min(STRONGEST, state.ceiling, factor * state.strength)
            # Short Newton iterations show that the failure is behind: do not creep up.
            state.ceiling *= 4.0 if used <= 2 else 1.3
        else:
            state.failures += 1
            # Not up to here again soon: a failure costs as much as two steps that count.
            state.ceiling = 0.5 * state.strength
            state.strength = max(WEAKEST, 0.25 * state.strength)
        return state.least <= goal


class Island(NamedTuple):
    """One island, ready for factorisations: its range of blocks and nodes, and the pattern of its matrix."""

    span: tuple
    pattern: block_lu.Pattern
    factors: block_lu.Factors
    work: int


@dataclass
class ProximalState:
    """What the iteration on one island carries along.

    least and present [m/s]: the judge's residual of the best impulses and of base; strength: rho A of the proximal
    term [1], at most ceiling; newton_steps done; failures since the last proximal step that counted.
    """

    least: float
    strength: float = 1e3
    present: float = np.inf
    ceiling: float = STRONGEST
    newton_steps: int = 0
    failures: int = 0
