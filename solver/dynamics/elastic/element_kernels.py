"""Elastic energy, forces and stiffness of tetrahedra with 4 or 10 nodes.

An element has a nodes and q points; gradient (T,q,a,3) [1/m] holds the derivatives of its shape functions in the rest
pose, volume (T,q) [m^3] what each point stands for. Stiffness blocks are kept once a pair of nodes, see Pattern.

Quadratic elements resist the change of volume at their points with lambda up to POINTWISE mu; what lambda exceeds that
by, k, acts on the mean of the law's measure of volume: V k h(mean) in place of sum of volume k h(measure). So they do
not lock, and no shape of theirs is free (docs/laws.md has figures).
"""

from typing import NamedTuple

import numpy as np

from ...jit import inner, kernel
from .laws.law_kernels import (
    energy_at,
    make_point,
    make_positive,
    measure_at,
    measure_slope_at,
    principal_of,
    stress_of,
    volumetric_at,
)
from .laws.tensor_kernels import add_moment, det3, invert_inertia, is_positive, put_moved

# lambda over mu up to which a point's own volume is resisted: that of Poisson's ratio 0.3.
POINTWISE = 1.5


class Elements(NamedTuple):
    """T elements as kernels take them: nodes (T,a), gradient (T,q,a,3) [1/m], volume (T,q) [m^3], mu, lam (T,) [Pa]."""

    nodes: np.ndarray
    gradient: np.ndarray
    volume: np.ndarray
    mu: np.ndarray
    lam: np.ndarray


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


@inner
def mean_of(law, p, x, t, e):
    """(lambda of the points, rest k of it [Pa], mean of the law's measure of volume, volume V [m^3]) of element e."""
    pointwise = POINTWISE * t.mu[e]
    if t.nodes.shape[1] == 4 or t.lam[e] <= pointwise:
        return t.lam[e], 0.0, 0.0, 0.0
    whole, total = 0.0, 0.0
    for q in range(t.volume.shape[1]):
        deformation_at(x, t.nodes[e], t.gradient[e, q], p.F)
        total += t.volume[e, q] * measure_at(law, p)
        whole += t.volume[e, q]
    return pointwise, t.lam[e] - pointwise, total / whole, whole


@kernel
def elastic_energy(law, x, t):
    """(energy [J], least det F) of Elements at node positions x (n,3)."""
    p = make_point()
    total, worst = 0.0, np.inf
    for e in range(t.nodes.shape[0]):
        own, rest, mean, whole = mean_of(law, p, x, t, e)
        if rest > 0.0:
            total += whole * rest * volumetric_at(law, mean)[0]
        for q in range(t.volume.shape[1]):
            deformation_at(x, t.nodes[e], t.gradient[e, q], p.F)
            worst = min(worst, det3(p.F))
            total += t.volume[e, q] * energy_at(law, p, t.mu[e], own)
    return total, worst


@kernel
def least_stretch(x, t):
    """Least det F of Elements at node positions x (n,3)."""
    F, worst = np.empty((3, 3)), np.inf
    for e in range(t.nodes.shape[0]):
        for q in range(t.volume.shape[1]):
            deformation_at(x, t.nodes[e], t.gradient[e, q], F)
            worst = min(worst, det3(F))
    return worst


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


@inner
def _add_block(s, B, blocks):
    """Add the block B of a pair of nodes where its slot s says."""
    if s >= 0:
        for i in range(3):
            for j in range(3):
                blocks[s, i, j] += B[i, j]
    else:
        for i in range(3):
            for j in range(3):
                blocks[-1 - s, j, i] += B[i, j]


@inner
def _add_slope(M, g, volume, slope):
    """slope (a,3) += volume M grad N_a."""
    for a in range(slope.shape[0]):
        for i in range(3):
            slope[a, i] += volume * (M[i, 0] * g[a, 0] + M[i, 1] * g[a, 1] + M[i, 2] * g[a, 2])


@inner
def _add_mean_stiffness(factor, slope, slot, B, blocks):
    """Add factor slope slope^T to the blocks of an element."""
    pair = 0
    for a in range(slope.shape[0]):
        for b in range(a, slope.shape[0]):
            for i in range(3):
                for j in range(3):
                    B[i, j] = factor * slope[a, i] * slope[b, j]
            _add_block(slot[pair], B, blocks)
            pair += 1


@kernel
def elastic_forces(law, project, x, t, slot, force, blocks):
    """Add the elastic forces -dPsi/dx [N] of Elements to force (n,3), the stiffness d2Psi/dx2 [N/m] to blocks (s,3,3).

    project: keep the stiffness of every point positive semidefinite. slot (T, a(a+1)/2): where the block of each pair
    of nodes (i <= j, row by row) goes, -1 - where if it is to be transposed; see Pattern. Returns the least det F.
    """
    p, nodes, count = make_point(), t.nodes, t.nodes.shape[1]
    turned, k, B = np.empty((count, 3)), np.empty((3, 3)), np.empty((3, 3))
    slope = np.empty((count, 3))
    worst = np.inf
    for e in range(nodes.shape[0]):
        own, rest, mean, whole = mean_of(law, p, x, t, e)
        _, pressure, bend = volumetric_at(law, mean)
        for a in range(count):
            for i in range(3):
                slope[a, i] = 0.0
        for q in range(t.volume.shape[1]):
            g, volume = t.gradient[e, q], t.volume[e, q]
            deformation_at(x, nodes[e], g, p.F)
            worst = min(worst, det3(p.F))
            principal_of(law, p, t.mu[e], own, rest * pressure)
            _add_forces(p, nodes[e], g, volume, force)
            if rest > 0.0:
                measure_slope_at(law, p, k)
                _add_slope(k, g, volume, slope)
            if project:
                make_positive(p)
            for a in range(count):
                for i in range(3):
                    turned[a, i] = p.V[0, i] * g[a, 0] + p.V[1, i] * g[a, 1] + p.V[2, i] * g[a, 2]
            pair = 0
            for a in range(count):
                for b in range(a, count):
                    _block(p, turned[a], turned[b], volume, k, B)
                    _add_block(slot[e, pair], B, blocks)
                    pair += 1
        if rest > 0.0:
            bend = max(bend, 0.0) if project else bend
            _add_mean_stiffness(rest * bend / whole, slope, slot[e], B, blocks)
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
def strains(law, x, t, stretch, von_mises):
    """Largest principal stretch and von Mises' Cauchy stress [Pa] of each of Elements (T,), means over its points."""
    p, sigma, volume = make_point(), np.empty((3, 3)), t.volume
    for e in range(t.nodes.shape[0]):
        stretch[e] = von_mises[e] = whole = 0.0
        for q in range(volume.shape[1]):
            deformation_at(x, t.nodes[e], t.gradient[e, q], p.F)
            # Pressures are no part of von Mises' stress: no mean is needed.
            stress_of(law, p, t.mu[e], t.lam[e], 0.0)
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
def nodal_forces(law, x, t, force):
    """Add the elastic forces -dPsi/dx [N] to force (n,3): those of elastic_forces, without the stiffness."""
    p = make_point()
    for e in range(t.nodes.shape[0]):
        own, rest, mean, _ = mean_of(law, p, x, t, e)
        pressure = rest * volumetric_at(law, mean)[1]
        for q in range(t.volume.shape[1]):
            deformation_at(x, t.nodes[e], t.gradient[e, q], p.F)
            stress_of(law, p, t.mu[e], own, pressure)
            _add_forces(p, t.nodes[e], t.gradient[e, q], t.volume[e, q], force)


@kernel
def least_volumes(law, x, t, limit, least, past):
    """Lower least (T,) to the least det F of each of Elements at the points of its gradient, and set past (T,) where
    one of them is past the limit point of its law: pressed below limit (T,), 0 for none, where the pressures that hold
    it no longer grow whichever way it gives."""
    p = make_point()
    for e in range(t.nodes.shape[0]):
        for q in range(t.gradient.shape[1]):
            deformation_at(x, t.nodes[e], t.gradient[e, q], p.F)
            least[e] = min(least[e], det3(p.F))
            if limit[e] > 0.0:
                principal_of(law, p, t.mu[e], t.lam[e], 0.0)
                if p.s[2] < limit[e] and not is_positive(p.stretch):
                    past[e] = True


@kernel
def rigid_part(mass, x, v, which, twist):
    """Fill twist (6,) with the rigid motion of nodes at x (n,3) that has the momenta of v (n,3); returns how fast
    `which` (s,) of them move relative to it at most."""
    whole, center, arm = 0.0, np.zeros(3), np.empty(3)
    second, inverse, moments = np.zeros((3, 3)), np.empty((3, 3)), np.zeros(6)
    for n in range(mass.size):
        whole += mass[n]
        for i in range(3):
            center[i] += mass[n] * x[n, i]
    for i in range(3):
        center[i] /= whole
    for n in range(mass.size):
        for i in range(3):
            arm[i] = x[n, i] - center[i]
        add_moment(mass[n], arm, v[n], moments)
        for i in range(3):
            for j in range(3):
                second[i, j] += mass[n] * arm[i] * arm[j]
    invert_inertia(second, np.empty((3, 3)), np.empty((3, 3)), np.empty(3), inverse)
    for i in range(3):
        twist[i] = moments[i] / whole
        twist[3 + i] = inverse[i, 0] * moments[3] + inverse[i, 1] * moments[4] + inverse[i, 2] * moments[5]
    fastest, way = 0.0, np.empty(3)
    for n in which:
        for i in range(3):
            arm[i] = x[n, i] - center[i]
        put_moved(twist, arm, 1.0, way)
        fastest = max(fastest, (v[n, 0] - way[0]) ** 2 + (v[n, 1] - way[1]) ** 2 + (v[n, 2] - way[2]) ** 2)
    return np.sqrt(fastest)
