"""Points of fifth order in a tetrahedron, and loads that are spread over elements."""

from functools import lru_cache
from itertools import product

import numpy as np

from ..elements import EDGES, shape_functions


@lru_cache
def tet_points():
    """(barycentric coordinates (27,4), weights (27,) that sum to 1): Gauss points of a collapsed cube."""
    places, weights = [], []
    for (a, u), (b, v), (c, w) in product(*map(_gauss_jacobi, (2, 1, 0))):
        b, c = b * (1.0 - a), c * (1.0 - b) * (1.0 - a)
        places.append((1.0 - a - b - c, a, b, c))
        weights.append(u * v * w)
    return np.array(places), np.array(weights) / sum(weights)


def _gauss_jacobi(power):
    """Three points on (0, 1), with weights that sum to 1, for integrals of (1 - x)^power times a polynomial: from
    eigenvalues of the matrix of Jacobi's polynomials, and squares of first components (Golub and Welsch 1969)."""
    k = np.arange(3)
    s = 2 * k + power
    beside = 2 * k[1:] * (k[1:] + power) / (s[1:] * np.sqrt(s[1:] ** 2 - 1.0))
    found, vectors = np.linalg.eigh(np.diag(-(power**2) / (np.maximum(s, 1) * (s + 2))) + np.diag(beside, -1))
    return list(zip((1.0 + found) / 2.0, vectors[0] ** 2, strict=True))


def spread(elements, volume, density):
    """Loads (n,3) [N] on the nodes of elements (T,4 or 10) of volumes (T,) [m^3], of forces a volume (n,3) [N/m^3] that
    are linear between corners."""
    places, weights = tet_points()
    shares = np.einsum("q,qa,qj->aj", weights, places, shape_functions(places, elements.shape[1]))
    load = np.zeros_like(density)
    np.add.at(load, elements, np.einsum("t,aj,tai->tji", volume, shares, density[elements[:, :4]]))
    return load


def density_of(body, force):
    """Forces a volume (n,3) [N/m^3] at the corners of elements, for forces (n,3) [N] on nodes: middle nodes give theirs
    to the ends of their edges. On connected pieces that nothing holds they are balanced by an even acceleration."""
    elements, at_corners = body.elements, np.where(body.pinned[:, None], 0.0, force)
    if elements.shape[1] == 10:
        edge, which = np.unique(elements[:, 4:].ravel(), return_index=True)
        ends = elements[:, EDGES].reshape(-1, 2)[which]
        for end in ends.T:
            np.add.at(at_corners, end, 0.5 * at_corners[edge])
        at_corners[edge] = 0.0
    room = np.zeros(len(force))
    np.add.at(room, elements[:, :4].ravel(), np.repeat(0.25 * body.volume.sum(axis=1), 4))
    density = at_corners / np.where(room > 0.0, room, 1.0)[:, None]
    for piece in range(int(body.piece.max(initial=-1)) + 1):
        _balance(body, density, np.unique(elements[body.piece[elements[:, 0]] == piece, :4]))
    return density


def _balance(body, density, nodes):
    """Take from density (n,3) the even acceleration of `nodes` (k,) that it gives them."""
    x = body.rest[nodes] - body.rest[nodes].mean(axis=0)
    R = np.zeros((body.node_count, 3, 6))
    R[nodes, :, :3] = np.eye(3)
    for axis in range(3):
        R[nodes, :, 3 + axis] = np.cross(np.eye(3)[axis], x)
    # Rigid motions are linear: the corners alone say what work is done on them.
    linear, volume = body.elements[:, :4], body.volume.sum(axis=1)
    loads = np.stack([spread(linear, volume, R[:, :, k]) for k in range(6)], axis=2)
    inertia = np.einsum("nia,nib->ab", R, loads)
    wrench = np.einsum("nia,ni->a", R, spread(linear, volume, density))
    density -= R @ np.linalg.solve(inertia, wrench)
