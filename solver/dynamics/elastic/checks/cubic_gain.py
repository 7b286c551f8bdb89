"""What cubic functions would add to the answer of quadratic elements, one by one.

gain = 1.6 sum over b of r_b^T K_bb^-1 r_b - softness. b are the functions Li Lj (Li - Lj) of edges and Li Lj Lk of
faces, r_b the load that the answer leaves on one, K_bb its stiffness. The mean of volumes makes elements softer, not
stiffer: softness is the integral of (p* - p)(div u - its mean), p the pressure of the means, p* linear in each element,
with values at corners by a plane through those of at least 24 elements around.
"""

import numpy as np

from ....base.late import late
from ..element_kernels import POINTWISE
from ..elements import EDGES, corner_gradients, quadratic_gradients
from .tet_points import tet_points

sparse = late("scipy.sparse")

TRIANGLES = ((1, 2, 3), (0, 2, 3), (0, 1, 3), (0, 1, 2))


def cubic_gain(body, density, u):
    """The gain [J] of a Deformable of quadratic elements with displacements u (n,3) [m] under forces a volume (n,3)
    [N/m^3] at corners: so much more work would its loads do on an exact mesh."""
    places, weights = tet_points()
    corner, volume = corner_gradients(body.rest, body.elements[:, :4]), body.volume.sum(axis=1)
    pointwise = np.minimum(body.lam, POINTWISE * body.mu)
    rest = body.lam - pointwise
    own = u[body.elements]
    strain = [np.einsum("tai,taj->tij", own, quadratic_gradients(corner, at)) for at in places]
    strain = np.stack(strain, axis=1)
    trace = np.einsum("tqii->tq", strain)
    mean = trace @ weights
    stress = body.mu[:, None, None, None] * (strain + strain.transpose(0, 1, 3, 2))
    pressure = pointwise[:, None] * trace + (rest * mean)[:, None]
    for i in range(3):
        stress[:, :, i, i] += pressure
    residual, stiffness = _of_elements(body, density, stress, corner, volume, pointwise)
    gain = 0.0
    for columns, number, held in _functions(body):
        r = np.zeros((len(held), 3))
        K = np.zeros((len(held), 3, 3))
        np.add.at(r, number, residual[:, columns])
        np.add.at(K, number, stiffness[:, columns])
        gain += float(np.einsum("bi,bi->", r[~held], np.linalg.solve(K[~held], r[~held][:, :, None])[:, :, 0]))
    # What functions taken one by one leave out: fitted on 14 beams, blocks and plates, held on ten others.
    return 1.6 * gain - _softness(body, rest * mean, trace - mean[:, None], volume)


def _of_elements(body, density, stress, corner, volume, pointwise):
    """(loads (T,10,3) that stress (T,q,3,3) leaves on the functions of each element, their stiffness (T,10,3,3))."""
    places, weights = tet_points()
    value, slope = _values(places)
    sign = np.where(body.elements[:, EDGES][:, :, 0] < body.elements[:, EDGES][:, :, 1], 1.0, -1.0)
    sign = np.concatenate([sign, np.ones((len(sign), 4))], axis=1)
    gradient = np.einsum("qbk,tki->tqbi", slope, corner)
    gradient *= sign[:, None, :, None]
    at_points = np.einsum("qa,tai->tqi", places, density[body.elements[:, :4]])
    load = np.einsum("q,qb,tqi->tbi", weights, value, at_points) * sign[:, :, None]
    load -= np.einsum("q,tqij,tqbj->tbi", weights, stress, gradient)
    square = np.einsum("q,tqbi,tqbj->tbij", weights, gradient, gradient)
    mean = np.einsum("q,tqbi->tbi", weights, gradient)
    mu, rest = body.mu[:, None, None, None], (body.lam - pointwise)[:, None, None, None]
    K = mu * square.transpose(0, 1, 3, 2) + pointwise[:, None, None, None] * square
    K += rest * mean[:, :, :, None] * mean[:, :, None, :]
    K += mu * np.einsum("tbii->tb", square)[:, :, None, None] * np.eye(3)
    return load * volume[:, None, None], K * volume[:, None, None, None]


def _values(places):
    """(values (q,10), derivatives (q,10,4) by barycentric coordinates) of the functions of 6 edges and 4 faces."""
    value, slope = np.empty((len(places), 10)), np.zeros((len(places), 10, 4))
    for b, (i, j) in enumerate(EDGES):
        x, y = places[:, i], places[:, j]
        value[:, b] = x * y * (x - y)
        slope[:, b, i], slope[:, b, j] = 2.0 * x * y - y * y, x * x - 2.0 * x * y
    for b, (i, j, k) in enumerate(TRIANGLES):
        x, y, z = places[:, i], places[:, j], places[:, k]
        value[:, 6 + b] = x * y * z
        slope[:, 6 + b, i], slope[:, 6 + b, j], slope[:, 6 + b, k] = y * z, x * z, x * y
    return value, slope


def _functions(body):
    """(columns of an element's functions, numbers (T,c) of these among all, which of all (B,) lie in what is pinned),
    first of edges, then of faces."""
    tets, pinned = body.elements[:, :4], body.pinned
    for columns, corners in ((slice(0, 6), EDGES), (slice(6, 10), TRIANGLES)):
        own = np.sort(tets[:, corners], axis=2)
        every, number = np.unique(own.reshape(-1, own.shape[2]), axis=0, return_inverse=True)
        yield columns, number.reshape(len(tets), -1), pinned[every].all(axis=1)


def _softness(body, pressure, off, volume):
    """What the means of volumes make too soft [J]: pressure (T,) [Pa] of the means, off (T,q): div u less its mean."""
    if not np.any(pressure):
        return 0.0
    places, weights = tet_points()
    tets, count = body.elements[:, :4], body.node_count
    ends = tets.ravel(), np.repeat(np.arange(len(tets)), 4)
    about = sparse.csr_matrix((np.ones(tets.size), ends), (count, len(tets)))
    wide, at = (about @ about.T @ about).tocsr(), np.zeros(count)
    middle = body.rest[tets].mean(axis=1)
    for node in np.unique(tets):
        for ring in (about, wide):
            near = ring.indices[ring.indptr[node] : ring.indptr[node + 1]]
            if len(near) >= 24:
                break
        arm = middle[near] - body.rest[node]
        plane = np.column_stack([np.ones(len(near)), arm / np.abs(arm).max()])
        at[node] = np.linalg.lstsq(plane, pressure[near], rcond=1e-6)[0][0]
    differs = np.einsum("qa,ta->tq", places, at[tets]) - pressure[:, None]
    return float(np.einsum("t,q,tq,tq->", volume, weights, differs, off))
