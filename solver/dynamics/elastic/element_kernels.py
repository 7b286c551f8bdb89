"""Elastic energy, forces and stiffness of tetrahedra with 4 or 10 nodes.

An element has a nodes and q points; gradient (T,q,a,3) [1/m] holds the derivatives of its shape functions in the rest
pose, volume (T,q) [m^3] what each point stands for. Stiffness blocks are kept once a pair of nodes, see Pattern.
"""

import numpy as np

from ...jit import inner, kernel
from .laws.law_kernels import energy_at, make_point, make_positive, principal_of
from .laws.tensor_kernels import det3


@inner
def deformation_at(x, nodes, g, F):
    """F = sum of x_a g_a^T."""
    for i in range(3):
        for j in range(3):
            F[i, j] = 0.0
    for a in range(nodes.size):
        for i in range(3):
            xi = x[nodes[a], i]
            for j in range(3):
                F[i, j] += xi * g[a, j]


@kernel
def elastic_energy(law, x, nodes, gradient, volume, mu, lam):
    """(energy [J], least det F) of elements nodes (T,a) at node positions x (n,3); mu, lam (T,) [Pa]."""
    p = make_point()
    total, worst = 0.0, np.inf
    for e in range(nodes.shape[0]):
        for q in range(volume.shape[1]):
            deformation_at(x, nodes[e], gradient[e, q], p.F)
            worst = min(worst, det3(p.F))
            total += volume[e, q] * energy_at(law, p, mu[e], lam[e])
    return total, worst


@inner
def _add_forces(p, nodes, g, volume, force):
    for a in range(nodes.size):
        for i in range(3):
            force[nodes[a], i] -= volume * (p.P[i, 0] * g[a, 0] + p.P[i, 1] * g[a, 1] + p.P[i, 2] * g[a, 2])


@inner
def _block(p, x, y, volume, k, B):
    """B = volume U k U^T, the stiffness of nodes whose gradients in the axes V are x and y; k: work."""
    for c in range(3):
        for d in range(3):
            k[c, d] = p.stretch[c, d] * x[c] * y[d]
    for m in range(3):
        i, j = (m + 1) % 3, (m + 2) % 3
        even, odd = 0.5 * (p.flip[m] + p.twist[m]), 0.5 * (p.flip[m] - p.twist[m])
        k[i, i] += even * x[j] * y[j]
        k[j, j] += even * x[i] * y[i]
        k[i, j] += odd * x[j] * y[i]
        k[j, i] += odd * x[i] * y[j]
    for c in range(3):
        k0 = volume * (p.U[c, 0] * k[0, 0] + p.U[c, 1] * k[1, 0] + p.U[c, 2] * k[2, 0])
        k1 = volume * (p.U[c, 0] * k[0, 1] + p.U[c, 1] * k[1, 1] + p.U[c, 2] * k[2, 1])
        k2 = volume * (p.U[c, 0] * k[0, 2] + p.U[c, 1] * k[1, 2] + p.U[c, 2] * k[2, 2])
        for d in range(3):
            B[c, d] = k0 * p.U[d, 0] + k1 * p.U[d, 1] + k2 * p.U[d, 2]


@kernel
def elastic_forces(law, project, x, nodes, gradient, volume, mu, lam, slot, force, blocks):
    """Add the elastic forces -dPsi/dx [N] to force (n,3) and the stiffness d2Psi/dx2 [N/m] to blocks (s,3,3).

    project: keep the stiffness of every point positive semidefinite. slot (T, a(a+1)/2): where the block of each pair
    of nodes (i <= j, row by row) goes, -1 - where if it is to be transposed; see Pattern. Returns the least det F.
    """
    p, count = make_point(), nodes.shape[1]
    turned, k, B = np.empty((count, 3)), np.empty((3, 3)), np.empty((3, 3))
    worst = np.inf
    for e in range(nodes.shape[0]):
        for q in range(volume.shape[1]):
            g = gradient[e, q]
            deformation_at(x, nodes[e], g, p.F)
            worst = min(worst, det3(p.F))
            principal_of(law, p, mu[e], lam[e])
            _add_forces(p, nodes[e], g, volume[e, q], force)
            if project:
                make_positive(p)
            for a in range(count):
                for i in range(3):
                    turned[a, i] = p.V[0, i] * g[a, 0] + p.V[1, i] * g[a, 1] + p.V[2, i] * g[a, 2]
            pair = 0
            for a in range(count):
                for b in range(a, count):
                    _block(p, turned[a], turned[b], volume[e, q], k, B)
                    s = slot[e, pair]
                    pair += 1
                    if s >= 0:
                        for i in range(3):
                            for j in range(3):
                                blocks[s, i, j] += B[i, j]
                    else:
                        for i in range(3):
                            for j in range(3):
                                blocks[-1 - s, j, i] += B[i, j]
    return worst


@kernel
def add_product(rows, columns, blocks, factor, v, out):
    """out (n,3) += factor K v with K's blocks (s,3,3) once a pair (rows >= columns in elimination order)."""
    for s in range(rows.size):
        r, c = rows[s], columns[s]
        for i in range(3):
            for j in range(3):
                out[r, i] += factor * blocks[s, i, j] * v[c, j]
        if r != c:
            for i in range(3):
                for j in range(3):
                    out[c, i] += factor * blocks[s, j, i] * v[r, j]


@kernel
def strains(x, nodes, gradient, volume, law, mu, lam, stretch, von_mises):
    """Largest principal stretch and von Mises' Cauchy stress [Pa] of each element (T,), means over its points."""
    p, sigma = make_point(), np.empty((3, 3))
    for e in range(nodes.shape[0]):
        stretch[e] = von_mises[e] = whole = 0.0
        for q in range(volume.shape[1]):
            deformation_at(x, nodes[e], gradient[e, q], p.F)
            principal_of(law, p, mu[e], lam[e])
            J = max(abs(det3(p.F)), 1e-12)
            trace, square = 0.0, 0.0
            for i in range(3):
                for j in range(3):
                    sigma[i, j] = (p.P[i, 0] * p.F[j, 0] + p.P[i, 1] * p.F[j, 1] + p.P[i, 2] * p.F[j, 2]) / J
                trace += sigma[i, i]
            for i in range(3):
                for j in range(3):
                    d = sigma[i, j] - (trace / 3.0 if i == j else 0.0)
                    square += d * d
            widest = 0.0
            for k in range(3):
                widest = max(widest, p.F[0, k] ** 2 + p.F[1, k] ** 2 + p.F[2, k] ** 2)
            stretch[e] += volume[e, q] * np.sqrt(widest)
            von_mises[e] += volume[e, q] * np.sqrt(1.5 * square)
            whole += volume[e, q]
        stretch[e] /= whole
        von_mises[e] /= whole


@kernel
def nodal_forces(law, x, nodes, gradient, volume, mu, lam, force):
    """Add the elastic forces -dPsi/dx [N] to force (n,3): those of elastic_forces, without the stiffness."""
    p = make_point()
    for e in range(nodes.shape[0]):
        for q in range(volume.shape[1]):
            deformation_at(x, nodes[e], gradient[e, q], p.F)
            principal_of(law, p, mu[e], lam[e])
            _add_forces(p, nodes[e], gradient[e, q], volume[e, q], force)
