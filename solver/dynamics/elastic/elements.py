"""Tetrahedra with 4 nodes (linear) and 10 (quadratic): shape functions, masses, surfaces."""

from functools import lru_cache
from itertools import combinations, permutations
from math import factorial

import numpy as np

from ...base.connected import connected
from ...base.refusal import SceneError

# Corners of the edges that bear the middle nodes 4 to 9.
EDGES = ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))
# Faces, outward: corners, and the middle nodes on the edges from one corner to the next.
FACES = ((1, 2, 3, 5, 9, 8), (0, 3, 2, 7, 9, 6), (0, 1, 3, 4, 8, 7), (0, 2, 1, 6, 5, 4))
# Barycentric coordinates of the four points of second order.
NEAR, FAR = 0.58541019662496852, 0.13819660112501052
# Masses of corners and middle nodes in parts of the element's: the diagonal of the consistent matrix, scaled.
CORNER_MASS, MIDDLE_MASS = 1.0 / 36.0, 4.0 / 27.0
# Volume of a bent element at each of its points, at least, in parts of that of the straight one.
LEAST = 0.3


def edge_matrices(vertices, tets):
    """Edge vectors (T,3,3) from corner 0, one a column."""
    return np.transpose(vertices[tets[:, 1:4]] - vertices[tets[:, :1]], (0, 2, 1))


def signed_volumes(vertices, tets):
    """Signed volumes (T,) [m^3]."""
    return np.linalg.det(edge_matrices(vertices, tets)) / 6.0


def oriented(vertices, tets):
    """The tets with positive volume: two corners exchanged where it was negative."""
    tets = np.array(tets, dtype=np.int64)
    turned = signed_volumes(vertices, tets) < 0
    tets[turned] = tets[turned][:, [0, 2, 1, 3]]
    return tets


def with_middle_nodes(vertices, tets):
    """(nodes (n,3), elements (T,10)): every edge gets a node in its middle."""
    pairs = np.concatenate([np.sort(tets[:, list(edge)], axis=1) for edge in EDGES])
    ends, number = np.unique(pairs, axis=0, return_inverse=True)
    middle = len(vertices) + number.ravel().reshape(len(EDGES), -1).T
    return np.concatenate([vertices, vertices[ends].mean(axis=1)]), np.concatenate([tets, middle], axis=1)


def corner_gradients(vertices, tets):
    """Gradients (T,4,3) [1/m] of the barycentric coordinates."""
    inverse = np.linalg.inv(edge_matrices(vertices, tets))
    return np.concatenate([-inverse.sum(axis=1, keepdims=True), inverse], axis=1)


def quadratic_gradients(corner, weights):
    """Gradients (T,10,3) of the quadratic shape functions at barycentric coordinates `weights` (4,)."""
    gradient = np.empty((len(corner), 10, 3))
    for i in range(4):
        gradient[:, i] = (4.0 * weights[i] - 1.0) * corner[:, i]
    for k, (i, j) in enumerate(EDGES):
        gradient[:, 4 + k] = 4.0 * (weights[i] * corner[:, j] + weights[j] * corner[:, i])
    return gradient


def shape_functions(weights, count):
    """Values (P,count) of the 4 or 10 shape functions at barycentric coordinates (P,4)."""
    if count == 4:
        return weights
    middle = np.stack([4.0 * weights[:, i] * weights[:, j] for i, j in EDGES], axis=1)
    return np.concatenate([weights * (2.0 * weights - 1.0), middle], axis=1)


def point_tables(vertices, elements):
    """(gradient (T,q,a,3) [1/m], volume (T,q) [m^3]) of the points of all elements (T,a). The edges of quadratic
    elements are bent where their middle nodes lie beside the middle; SceneError where one is bent inside out."""
    tets = elements[:, :4]
    corner, volume = corner_gradients(vertices, tets), signed_volumes(vertices, tets)
    if elements.shape[1] == 4:
        return np.ascontiguousarray(corner[:, None]), volume[:, None].copy()
    points = [quadratic_gradients(corner, np.where(np.arange(4) == q, NEAR, FAR)) for q in range(4)]
    gradient, volume = np.stack(points, axis=1), np.repeat(0.25 * volume[:, None], 4, axis=1)
    bent = np.flatnonzero(_is_bent(vertices, elements))
    if len(bent):
        # The straight element is the reference that the bent one is mapped from.
        mapped = np.einsum("tai,tqaj->tqij", vertices[elements[bent]], gradient[bent])
        stretch = np.linalg.det(mapped)
        if np.any(stretch <= 0.0):
            raise SceneError(f"element {bent[np.argmin(stretch.min(axis=1))]} is bent inside out; use smaller elements")
        gradient[bent] = np.einsum("tqaj,tqji->tqai", gradient[bent], np.linalg.inv(mapped))
        volume[bent] *= stretch
    return np.ascontiguousarray(gradient), volume


def gradients_in_corners(vertices, elements):
    """Gradients (T,4,10,3) [1/m] of quadratic elements in their corners; (T,0,4,3) of linear ones, which are even."""
    if elements.shape[1] == 4:
        return np.zeros((len(elements), 0, 4, 3))
    corner = corner_gradients(vertices, elements[:, :4])
    gradient = np.stack([quadratic_gradients(corner, weights) for weights in np.eye(4)], axis=1)
    mapped = np.einsum("tai,tqaj->tqij", vertices[elements], gradient)
    return np.ascontiguousarray(np.einsum("tqaj,tqji->tqai", gradient, np.linalg.inv(mapped)))


def _is_bent(vertices, elements):
    """Which quadratic elements (T,) have a middle node beside the middle of its edge."""
    bent = np.zeros(len(elements), dtype=bool)
    for k, (i, j) in enumerate(EDGES):
        a, b, middle = (vertices[elements[:, c]] for c in (i, j, 4 + k))
        bent |= np.abs(2.0 * middle - a - b).max(axis=1) > 1e-9 * np.abs(b - a).max(axis=1)
    return bent


def bent_onto(nodes, elements, wanted):
    """Places (n,3) of nodes (n,3) of straight elements (T,10) whose middle ones go where they are wanted (n,3), as far
    as each element keeps LEAST of its volume at each of its points."""
    places = wanted.copy()
    while True:
        narrow = np.flatnonzero((_stretches(places, elements) < LEAST).any(axis=1))
        if len(narrow) == 0:
            return places
        back = np.unique(elements[narrow, 4:])
        places[back] = 0.5 * (places[back] + nodes[back])


def _stretches(nodes, elements):
    """Volumes (T,q) at the points of quadratic elements (T,10) in parts of those of straight ones."""
    corner = corner_gradients(nodes, elements[:, :4])
    points = [quadratic_gradients(corner, np.where(np.arange(4) == q, NEAR, FAR)) for q in range(4)]
    return np.linalg.det(np.einsum("tai,tqaj->tqij", nodes[elements], np.stack(points, axis=1)))


def lumped_masses(elements, volume, density, count):
    """Mass (count,) [kg] of each node; volume (T,q) [m^3] of the elements' points; density [kg/m^3], one or one an
    element."""
    whole = density * volume.sum(axis=1)
    shares = np.full(4, 0.25) if elements.shape[1] == 4 else np.repeat([CORNER_MASS, MIDDLE_MASS], [4, 6])
    mass = np.zeros(count)
    np.add.at(mass, elements.ravel(), (whole[:, None] * shares).ravel())
    return mass


def boundary_faces(elements):
    """Outward faces of the surface: three corners each (F,3), of quadratic elements six nodes (F,6), the middle ones on
    the edges from one corner to the next."""
    corners = np.concatenate([elements[:, face[:3]] for face in FACES])
    key = np.sort(corners, axis=1)
    _, first, uses = np.unique(key, axis=0, return_index=True, return_counts=True)
    if np.any(uses > 2):
        raise SceneError("a face belongs to more than two tetrahedra; remove doubled tetrahedra")
    own = np.sort(first[uses == 1])
    if elements.shape[1] == 4:
        return corners[own]
    return np.concatenate([elements[:, face] for face in FACES])[own]


def boundary_triangles(elements):
    """Outward triangles (F,3) of the surface; the faces of quadratic elements are four each, by the middle nodes."""
    faces = boundary_faces(elements)
    if faces.shape[1] == 3:
        return faces
    a, b, c, ab, bc, ca = faces.T
    parts = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    return np.stack([np.stack(part, axis=1) for part in parts], axis=1).reshape(-1, 3)


def cavity_faces(vertices, faces):
    """Those of the outward faces (F,3 or 6) of a solid that bound its cavities: connected parts of the surface whose
    normals point inwards, so that they enclose a negative volume."""
    count, triangles = len(vertices), faces[:, :3]
    ends = np.concatenate([triangles[:, :2], triangles[:, 1:]])
    part = connected(*ends.T, count)[triangles[:, 0]]
    a, b, c = np.transpose(vertices[triangles] - vertices[triangles[:1, :1]], (1, 0, 2))
    volume = np.bincount(part, np.einsum("fi,fi->f", a, np.cross(b, c)), minlength=count)
    return np.ascontiguousarray(faces[volume[part] < 0.0])


@lru_cache
def volume_terms(count):
    """(triple (K,3), share (K,)): the volume between the origin and a face of `count` (3 or 6) nodes x is the sum of
    share det(x_a, x_b, x_c), a < b < c: the integral of x . (dx/dr x dx/ds) / 3 over its shape functions."""
    if count == 3:
        return np.array([[0, 1, 2]]), np.array([1.0 / 6.0])
    # Polynomials in r and s, [i, j]: of r^i s^j.
    corner = np.array([[[1.0, -1.0], [-1.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [0.0, 0.0]]])
    shape = [2.0 * _product(one, one) - np.pad(one, (0, 1)) for one in corner]
    shape += [4.0 * _product(corner[i], corner[j]) for i, j in ((0, 1), (1, 2), (2, 0))]
    along_r = [np.arange(1.0, 3.0)[:, None] * one[1:] for one in shape]
    along_s = [np.arange(1.0, 3.0) * one[:, 1:] for one in shape]
    whole = np.array([[factorial(i) * factorial(j) / factorial(i + j + 2) for j in range(6)] for i in range(6)])
    triple, share = [], []
    for nodes in combinations(range(count), 3):
        total = 0.0
        for a, b, c in permutations(range(3)):
            sign = np.linalg.det(np.eye(3)[[a, b, c]])
            i, j, k = nodes[a], nodes[b], nodes[c]
            term = _product(shape[i], _product(along_r[j], along_s[k]))
            total += sign / 3.0 * float((term * whole[: term.shape[0], : term.shape[1]]).sum())
        if abs(total) > 1e-12:
            triple.append(nodes)
            share.append(total)
    return np.array(triple), np.array(share)


def _product(p, q):
    """Coefficients of the product of two polynomials in r and s."""
    out = np.zeros(np.add(p.shape, q.shape) - 1)
    for i, j in np.ndindex(*p.shape):
        out[i : i + q.shape[0], j : j + q.shape[1]] += p[i, j] * q
    return out
