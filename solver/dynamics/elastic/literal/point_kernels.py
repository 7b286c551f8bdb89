"""Stress and its derivative in principal axes at every point of a body's elements."""

from ....jit import kernel
from ..element_kernels import deformation_at
from ..laws.law_kernels import make_point, principal_of


@kernel
def principal_points(law, x, nodes, gradient, volume, mu, lam, U, V, P, stretch, flip):
    """Fill U, V, P [Pa], stretch [Pa] (T,q,3,3) and flip [Pa] (T,q,3), see law_kernels, of elements nodes (T,a) at node
    positions x (n,3)."""
    p = make_point()
    for e in range(nodes.shape[0]):
        for q in range(volume.shape[1]):
            deformation_at(x, nodes[e], gradient[e, q], p.F)
            principal_of(law, p, mu[e], lam[e])
            for i in range(3):
                flip[e, q, i] = p.flip[i]
                for j in range(3):
                    U[e, q, i, j], V[e, q, i, j] = p.U[i, j], p.V[i, j]
                    P[e, q, i, j], stretch[e, q, i, j] = p.P[i, j], p.stretch[i, j]
