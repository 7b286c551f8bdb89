"""Elements as compliant rows (Macklin et al. 2019, section 9 and appendix B).

With strains s of an element and its energy U(s), the force on its nodes is -J^T c, J = ds/dq and c = dU/ds. With
lambda = -c as an unknown and N = d2U/ds2 = E^-1, the equation c + lambda = 0 is at a Newton iterate, (80) and (84),

    J dq + E (lambda + c) = 0,    and with damping by the stiffness, lambda + c + beta N J u = 0.

For impulses p = h lambda and velocities u = u_k + dq/h it is a row with the compliance E / (h (h + beta)):

    J u + E p / (h (h + beta)) + (E c - h J u_k) / (h + beta) = 0.

s: the three principal stretches and the three shears in the principal axes, which are the six strains of (85) where the
body is linear. As printed (section 9.2.2), hyperelastic bodies have the stretches alone: one that is not strained yet
then yields to shear, and the iterates swing. Rows are times a length, the cube root of the element's volume, so that
their velocities are in m/s like those of contacts.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from ....laws.elastic_laws import LAWS
from .point_kernels import Points, principal_points

SHEARS = ((1, 2), (2, 0), (0, 1))


class ElementRows(NamedTuple):
    """r rows for each of the Q points of a body's elements of a nodes: J (Q,a,r,3) [1], load c (Q,r) [N], stiffness N
    (Q,r,r) [N/m] and compliance E (Q,r,r) [m/N]; nodes (Q,a)."""

    J: np.ndarray
    load: np.ndarray
    stiffness: np.ndarray
    compliance: np.ndarray
    nodes: np.ndarray

    def strain_rates(self, v):
        """Row velocities (Q,r) [m/s] of nodes with velocities v (n,3)."""
        return np.einsum("qari,qai->qr", self.J, v[self.nodes])

    def on_nodes(self, impulse, count):
        """Impulses (count,3) [N s] on the nodes, of impulses (Q,r) along the rows."""
        pushed = np.zeros((count, 3))
        np.add.at(pushed, self.nodes, np.einsum("qari,qr->qai", self.J, impulse))
        return pushed


def element_rows(body, x, stretches=False):
    """The ElementRows of a Deformable with nodes at x (n,3); stretches: without shears where it is Neo-Hookean."""
    elements, gradient, volume, mu, _ = body.tables
    shape = volume.shape
    points, count = Points(*(np.empty((*shape, 3, 3)) for _ in range(4)), np.empty((*shape, 3))), volume.size
    principal_points(body.law, x, body.tables, points)
    U, V, P, stretch, flip = (a.reshape(count, *a.shape[2:]) for a in points)
    along = np.einsum("qaj,qji->qai", gradient.reshape(count, -1, 3), V)
    seen = np.einsum("qji,qjk,qkl->qil", U, P, V)
    J = np.einsum("qki,qai->qaik", U, along)
    load = np.einsum("qii->qi", seen)
    N = np.zeros((count, 3, 3)) + stretch
    if body.law != LAWS["neo_hookean"].number or not stretches:
        J, load, N = _with_shears(U, along, seen, flip, J, load, N)
    volume = volume.ravel()
    length = np.cbrt(volume)
    # E is the inverse of a Hessian that need not be positive: no strain is softer than this part of the shear modulus.
    least = 1e-3 * np.repeat(mu, shape[1])
    N = _positive(N, least) * (volume / length**2)[:, None, None]
    nodes = np.repeat(elements, shape[1], axis=0)
    return ElementRows(
        np.ascontiguousarray(J * length[:, None, None, None]), load * (volume / length)[:, None], N, np.linalg.inv(N),
        nodes,
    )  # fmt: skip


def _with_shears(U, along, seen, flip, J, load, N):
    """J, load and N with the shears e = (e_ij + e_ji) / sqrt(2), whose stiffness is `flip`."""
    shears = [(U[:, None, :, i] * along[:, :, j, None] + U[:, None, :, j] * along[:, :, i, None]) / sqrt(2.0)
              for i, j in SHEARS]  # fmt: skip
    stress = np.stack([(seen[:, i, j] + seen[:, j, i]) / sqrt(2.0) for i, j in SHEARS], axis=1)
    whole = np.zeros((len(N), 6, 6))
    whole[:, :3, :3] = N
    whole[:, range(3, 6), range(3, 6)] = flip
    return np.concatenate([J, np.stack(shears, axis=2)], axis=2), np.concatenate([load, stress], axis=1), whole


def _positive(N, least):
    """The symmetric matrices N (Q,r,r) with no eigenvalue below `least` (Q,)."""
    values, axes = np.linalg.eigh(N)
    return np.einsum("qij,qj,qkj->qik", axes, np.maximum(values, least[:, None]), axes)
