"""Stress and its derivative in principal axes at every point of a body's elements."""

from ....jit import kernel
from ..element_kernels import deformation_at, mean_of
from ..laws.law_kernels import make_point, principal_of, volumetric_at


@kernel
def principal_points(law, x, nodes, gradient, volume, mu, lam, U, V, P, stretch, flip):
    """Fill U, V, P [Pa], stretch [Pa] (T,q,3,3) and flip [Pa] (T,q,3), see law_kernels, of elements nodes (T,a) at node
    positions x (n,3). The stiffness is that of the points alone: where an element's mean volume has its own, forces are
    right, and rounds of linearisation settle on them later."""
    p = make_point()
    for e in range(nodes.shape[0]):
        own, rest, mean, _ = mean_of(law, p, x, nodes[e], gradient[e], volume[e], mu[e], lam[e])
        pressure = rest * volumetric_at(law, mean)[1]
        for q in range(volume.shape[1]):
            deformation_at(x, nodes[e], gradient[e, q], p.F)
            principal_of(law, p, mu[e], lam[e], 0.0)
            for i in range(3):
                for j in range(3):
                    stretch[e, q, i, j] = p.stretch[i, j]
            principal_of(law, p, mu[e], own, pressure)
            for i in range(3):
                flip[e, q, i] = p.flip[i]
                for j in range(3):
                    U[e, q, i, j], V[e, q, i, j] = p.U[i, j], p.V[i, j]
                    P[e, q, i, j] = p.P[i, j]
