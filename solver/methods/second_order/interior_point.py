"""Interior-point method in body space for Coulomb friction, the robust second-order method.

Follows the central path of the smoothed laws in interior_kernels.py, with the Coulomb coupling itself
linearised (no outer loop over a frozen cone). It needs no active set, so it takes hyperstatic, sliding piles that
stall the proximal-point method, and about twenty to eighty factorisations; it gains little from a warm start. The
idea of a primal-dual path for exact friction: Acary, Armand, Nguyen and Shpakovych 2023; Chen, Ly and Wojtan 2024.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...laws.friction_laws import FrictionLaw
from ..compact.compact import make_scratch
from ..compact.part_sweep_kernels import grade
from .block_lu_kernels import factorise
from .interior_kernels import (
    advance_inside,
    block_directions,
    body_direction,
    correct_targets,
    local_matrices,
    mean_product,
    start_inside,
    targets,
)
from .proximal_kernels import assemble, assemble_dual, body_velocity


class InteriorWork(NamedTuple):
    """Changing arrays of the interior-point iteration (R rows, B blocks, n nodes and one for none)."""

    lam: np.ndarray
    w: np.ndarray
    v: np.ndarray
    u: np.ndarray
    s: np.ndarray
    K: np.ndarray
    T: np.ndarray
    a: np.ndarray
    mu_n: np.ndarray
    mu_f: np.ndarray
    dw: np.ndarray
    dlam: np.ndarray
    du: np.ndarray
    ds: np.ndarray
    dc: np.ndarray
    bend: np.ndarray
    x: np.ndarray


def interior_fits(body):
    """True where every block of the Compact is a joint, a limit or a contact with the ellipsoid law."""
    rows = body.rows
    contact = rows.kind == 0
    known = contact | (rows.kind == 1) | (rows.kind == 2) | (rows.kind == 4)
    soft = (contact | (rows.kind == 2)) & (rows.compliant != 0)
    smooth = ~contact | (rows.law == FrictionLaw.ELLIPSOID)
    return bool(np.all(known & smooth & ~soft) and np.diff(rows.row).max(initial=0) <= 6)


class InteriorPoint:
    """The method on one Compact; islands come from ProximalNewton.island."""

    def __init__(self, body):
        self.body = body
        rows, blocks, nodes = len(body.rows.b), len(body.rows.kind), body.node_count + 1
        by_row, by_block, by_node = (lambda: np.zeros(rows)), (lambda: np.zeros(blocks)), (lambda: np.zeros((nodes, 6)))
        self.work = InteriorWork(
            lam=by_row(), w=by_node(), v=by_row(), u=by_block(), s=by_block(), K=np.zeros((blocks, 36)),
            T=np.zeros((blocks, 36)), a=by_row(), mu_n=by_block(), mu_f=by_block(), dw=by_node(), dlam=by_row(),
            du=by_block(), ds=by_block(), dc=by_block(), bend=by_block(), x=by_node(),
        )  # fmt: skip
        self.scratch = make_scratch(body.rows)
        self.local = np.zeros(16), np.zeros((16, 16))

    def start(self, island, lam, residual, barrier=1e-2):
        """Start on an island from impulses lam (R,) with the judge's residual [m/s]; returns its InteriorState.

        barrier: the first product u lambda_n as a part of A_nn lambda_n^2 of a typical loaded contact.
        """
        rows, (first, last) = self.body.rows, island.span[:2]
        row = slice(rows.row[first], rows.row[last])
        self.work.lam[row] = lam[row]
        kind = rows.kind[first:last]
        normal = lam[rows.row[first:last]][(kind == 0) | (kind == 2)]
        diagonal = rows.diagonal[rows.square[first:last]][(kind == 0) | (kind == 2)]
        loaded = normal > 1e-6 * normal.max(initial=0.0)
        if not np.any(loaded):
            return None
        mu = barrier * np.median(diagonal) * np.median(normal[loaded]) ** 2
        start_inside(rows, island.span, float(mu), self.work.lam, self.work.u, self.work.s)
        body_velocity(rows, island.span, self.work.lam, self.work.w, self.body.dual)
        return InteriorState(residual)

    def step(self, island, goal, state, best):
        """One step on the island; best (R,) gets a better iterate. Returns True at the goal [m/s].

        Mehrotra's predictor chooses how far to lower the barrier. Where steps get short (the central path of a
        non-associated law can fold back), a proximal term damps the step until the iterate has moved to where the
        path goes on.
        """
        rows, work, span = self.body.rows, self.work, island.span
        state.steps += 1
        local_matrices(rows, span, state.damping, work, self.local)
        if self.body.dual is None:
            assemble(rows, span, island.pattern.place, island.pattern.slot, work.K, *island.factors[:3])
        else:
            assemble_dual(rows, self.body.dual, island.pattern.place, work.K, *island.factors[:3])
        if not factorise(island.pattern.indptr, island.pattern.rows, *island.factors):
            state.stuck = True
            return False
        mu = mean_product(rows, span, 0.0, work)
        work.mu_n[span[0] : span[1]] = work.mu_f[span[0] : span[1]] = 0.0
        t = min(1.0, self._direction(island, state.damping))
        sigma = min(1.0, max((max(mean_product(rows, span, t, work), 0.0) / mu) ** 2, 1e-4))
        correct_targets(rows, span, (max(sigma, 0.5) if t < 0.1 else sigma) * mu, t, work)
        t = min(1.0, 0.9 * self._direction(island, state.damping))
        if not t > 0.0:
            state.stuck = True
            return False
        advance_inside(rows, span, t, work)
        body_velocity(rows, span, work.lam, work.w, self.body.dual)
        state.note(t)
        residual = grade(rows, span[0], span[1], work.lam, work.w, work.v, self.scratch)
        if not np.isfinite(residual):
            state.stuck = True
        elif residual < state.least:
            state.least = float(residual)
            row = slice(rows.row[span[0]], rows.row[span[1]])
            best[row] = work.lam[row]
        return state.least <= goal

    def _direction(self, island, damping):
        """One direction for the products in work.mu_n and work.mu_f; returns the longest step that stays inside."""
        rows, work, span = self.body.rows, self.work, island.span
        targets(rows, span, damping, work, self.local[0])
        body_velocity(rows, span, work.a, work.dw, self.body.dual)
        body_direction(span, island.pattern, island.factors, work.dw, work.x)
        return block_directions(rows, span, damping, work)


@dataclass
class InteriorState:
    """What the iteration on one island carries along.

    least [m/s]: the judge's residual of the best impulses; steps done; damping: proximal term as a part of A [1];
    short: steps in a row that hardly moved; stuck: no further step makes sense.
    """

    least: float
    steps: int = 0
    damping: float = 0.0
    short: int = 0
    stuck: bool = False

    def note(self, t):
        """Adapt the damping to the length t of a step."""
        self.short = self.short + 1 if t < 0.02 else 0
        self.stuck = self.short > 12
        if t < 0.1:
            self.damping = min(max(4.0 * self.damping, 1e-4), 1.0)
        elif t > 0.3:
            self.damping = 0.25 * self.damping if self.damping > 1e-6 else 0.0
