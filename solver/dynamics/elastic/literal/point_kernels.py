"""Stress and its derivative in principal axes at every point of a body's elements."""

from typing import NamedTuple

import numpy as np

from ....jit import kernel
from ..element_kernels import deformation_at, mean_of
from ..laws.law_kernels import make_point, principal_of, volumetric_at


class Points(NamedTuple):
    """U, V, P [Pa], stretch [Pa] (T,q,3,3) and flip [Pa] (T,q,3) of the points of elements, see law_kernels."""

    U: np.ndarray
    V: np.ndarray
    P: np.ndarray
    stretch: np.ndarray
    flip: np.ndarray


@kernel
def principal_points(law, x, t, out):
    """Fill Points of Elements t at node positions x (n,3). The stiffness is that of the points alone: where an
    element's mean volume has its own, forces are right, and rounds of linearisation settle on them later."""
    p = make_point()
    for e in range(t.nodes.shape[0]):
        own, rest, mean, _ = mean_of(law, p, x, t, e)
        pressure = rest * volumetric_at(law, mean)[1]
        for q in range(t.volume.shape[1]):
            deformation_at(x, t.nodes[e], t.gradient[e, q], p.F)
            principal_of(law, p, t.mu[e], t.lam[e], 0.0)
            out.stretch[e, q] = p.stretch
            principal_of(law, p, t.mu[e], own, pressure)
            out.U[e, q], out.V[e, q], out.P[e, q], out.flip[e, q] = p.U, p.V, p.P, p.flip
