"""Interior-point method in body space for Coulomb friction, the robust second-order method.

Follows the central path of the smoothed laws in interior_kernels.py, with the Coulomb coupling itself
linearised (no outer loop over a frozen cone). It needs no active set, so it takes hyperstatic, sliding piles that
stall the proximal-point method, and about twenty to eighty factorisations; it gains little from a warm start. The
idea of a primal-dual path for exact friction: Acary, Armand, Nguyen and Shpakovych 2023; Chen, Ly and Wojtan 2024.
"""

from typing import NamedTuple

import numpy as np

from ..friction import FrictionLaw
from . import interior_point_kernels as kernels
from .interior_kernels import start_inside


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
        self.scratch = (np.zeros(16), np.zeros(16), np.zeros((3, 4)), np.zeros((16, 16)))
        self.y = np.zeros(16)

    def start(self, island, lam, residual, barrier=1e-2):
        """Start on an island from impulses lam (R,) with the judge's residual [m/s]; returns its control array.

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
        control = np.zeros(4)
        control[kernels.LEAST] = residual
        return control

    def run(self, island, goal, steps, control, best):
        """Up to `steps` steps on the island; best (R,) gets better iterates. Returns True at the goal [m/s]."""
        return kernels.interior_point(self.body.rows, island.span, island.pattern, island.factors, goal, steps,
                                      control, best, self.work, self.scratch, self.y)  # fmt: skip
