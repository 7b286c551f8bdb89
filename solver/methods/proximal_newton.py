"""Proximal-point Newton method in body space: the second-order finisher for islands where sweeps stagnate.

Each proximal step r <- P(r - rho (J u + b)) with u of the new impulses is solved by a semismooth Newton method on
the body velocities, see proximal_kernels.py. The larger rho, the fewer proximal steps and the harder the Newton
iteration: rho grows while that is short and shrinks when it fails. It is the augmented-Lagrangian scheme of
convex time stepping with the non-associated Coulomb coupling differentiated instead of lagged.
"""

from typing import NamedTuple

import numpy as np

from . import block_lu
from . import proximal_newton_kernels as kernels

# Largest fill and work of a factorisation worth trying: about 1 GB, and half a second.
FILL_LIMIT = 1_500_000
WORK_LIMIT = 8_000_000


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
    """The method on one Compact: analyse an island once, then run it in portions."""

    def __init__(self, body):
        self.body = body
        rows, nodes = len(body.rows.b), body.node_count + 1
        self.work = NewtonWork(
            lam=np.zeros(rows), w=np.zeros((nodes, 6)), trial=np.zeros((nodes, 6)),
            K=np.zeros((len(body.rows.kind), 36)), F=np.zeros((nodes, 6)), dx=np.zeros((nodes, 6)), v=np.zeros(rows),
        )  # fmt: skip
        self.scratch = (np.zeros(16), np.zeros(16), np.zeros((3, 4)), np.zeros((16, 16)))
        self.y = np.zeros(16)

    def island(self, index):
        """Return the Island of number `index`, or None where its factorisation would be too large."""
        found = self.body.islands
        span = (
            int(found.block_start[index]), int(found.block_start[index + 1]),
            int(found.node_start[index]), int(found.node_start[index + 1]),
        )  # fmt: skip
        count = span[3] - span[2]
        pair = self.body.rows.node[span[0] : span[1]] - span[2]
        pattern = block_lu.analyse(np.minimum(pair, count), count, FILL_LIMIT)
        if pattern is None or block_lu.work(pattern) > WORK_LIMIT:
            return None
        return Island(span, pattern, block_lu.factors(pattern), block_lu.work(pattern))

    def run(self, island, goal, steps, control, base, best):
        """About `steps` Newton steps on the island; base and best (R,) are updated. Returns True at the goal [m/s]."""
        return kernels.proximal_newton(self.body.rows, island.span, island.pattern, island.factors, goal, steps,
                                       control, base, best, self.work, self.scratch, self.y)  # fmt: skip


class Island(NamedTuple):
    """One island, ready for factorisations: its range of blocks and nodes, and the pattern of its matrix."""

    span: tuple
    pattern: block_lu.Pattern
    factors: block_lu.Factors
    work: int


def start_control(residual, strength=1e3):
    """Return the control array of an island that starts with the judge's residual [m/s]."""
    control = np.zeros(4)
    control[kernels.STRENGTH], control[kernels.LEAST] = strength, residual
    return control
