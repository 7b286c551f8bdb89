"""Mass properties of a closed mesh whose parts overlap: the union, not the sum.

Signed tetrahedra count space twice where two parts overlap. Along parallel lines the winding number is known
exactly from the crossings with the surface; what it exceeds one by is integrated over a grid of lines and taken off
the exact sum. Only the overlap is sampled: without one the answer stays exact.
"""

import numpy as np

from .integrals import inertia_from_second_moments, solid_properties
from .mass_properties import MassProperties

LINES = 192  # lines to a side of a square cross section
OFFSET = (0.5137, 0.4909)  # of a cell: keeps lines off vertices that lie on a regular grid


def _cells_under(corners, low, cell, shape):
    """Line numbers and triangles (both (n,)) of all lines through the boxes of triangles, corners (T,3,3)."""
    first = np.ceil((corners.min(axis=1)[:, :2] - low) / cell - OFFSET).astype(np.int64)
    last = np.floor((corners.max(axis=1)[:, :2] - low) / cell - OFFSET).astype(np.int64)
    first, last = np.maximum(first, 0), np.minimum(last, np.array(shape) - 1)
    span = np.maximum(last - first + 1, 0)
    count = span[:, 0] * span[:, 1]
    triangle = np.repeat(np.arange(len(corners)), count)
    within = np.arange(len(triangle)) - np.repeat(np.cumsum(count) - count, count)
    i = first[triangle, 0] + within // np.maximum(span[triangle, 1], 1)
    j = first[triangle, 1] + within % np.maximum(span[triangle, 1], 1)
    return i, j, triangle


def _crossings(corners, low, cell, shape):
    """Where lines along z cross triangles: line indices i, j (n,), heights (n,), change of winding number (n,)."""
    i, j, triangle = _cells_under(corners, low, cell, shape)
    point = low + cell * (np.stack((i, j), axis=1) + OFFSET)
    a, b, c = (corners[triangle, k] for k in range(3))
    areas = [
        (q[:, 0] - point[:, 0]) * (r[:, 1] - point[:, 1]) - (q[:, 1] - point[:, 1]) * (r[:, 0] - point[:, 0])
        for q, r in ((b, c), (c, a), (a, b))
    ]
    total = areas[0] + areas[1] + areas[2]
    hit = (total != 0.0) & np.all([area * total >= 0.0 for area in areas], axis=0)
    weight = np.stack(areas, axis=1)[hit] / total[hit, None]
    z = weight[:, 0] * a[hit, 2] + weight[:, 1] * b[hit, 2] + weight[:, 2] * c[hit, 2]
    return i[hit], j[hit], z, np.where(total[hit] > 0.0, -1, 1)


def _overlaps(corners, low, size):
    """Stretches of lines (through the rectangle low, size of the xy plane) whose winding number is not 0 or 1.

    Returns (x, y, bottom, top, excess (n,) each, the area of a line's cell).
    """
    cell = np.sqrt(size[0] * size[1]) / LINES
    shape = tuple(np.maximum(np.ceil(size / cell).astype(int), 1))
    i, j, z, change = _crossings(corners, low, cell, shape)
    line = i * shape[1] + j
    order = np.lexsort((z, line))
    line, z, winding = line[order], z[order], np.cumsum(change[order])
    excess = (winding - (winding >= 1))[:-1]
    use = (line[1:] == line[:-1]) & (excess != 0)
    x = low[0] + cell * (i[order][:-1][use] + OFFSET[0])
    y = low[1] + cell * (j[order][:-1][use] + OFFSET[1])
    return x, y, z[:-1][use], z[1:][use], excess[use], cell**2


def _excess(corners):
    """Integrals of 1, x, x x^T over space, weighted by what the winding number exceeds 1 by (or lacks below 0)."""
    low, high = corners.min(axis=(0, 1))[:2], corners.max(axis=(0, 1))[:2]
    x, y, *_, area = _overlaps(corners, low, high - low)
    if len(x):
        # Once more with all lines where there is something to see.
        edge = np.sqrt(area)
        low, high = np.array((x.min(), y.min())) - edge, np.array((x.max(), y.max())) + edge
    x, y, bottom, top, excess, area = _overlaps(corners, low, high - low)
    length = top - bottom
    mass = area * excess * length
    middle = np.stack((x, y, 0.5 * (bottom + top)), axis=1)
    own = np.array([area * mass.sum(), area * mass.sum(), float(mass @ length**2)]) / 12.0
    return mass.sum(), mass @ middle, np.einsum("i,ij,ik->jk", mass, middle, middle) + np.diag(own)


def union_properties(vertices, triangles):
    """Volume, centre and inertia at density 1 of the union of the parts of a closed, outward oriented mesh.

    vertices (V,3) [m], triangles (T,3). The overlap is sampled by LINES^2 lines along the longest side of the box:
    its own error is about a thousandth.
    """
    origin = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    turn = np.roll(np.arange(3), -1 - int(np.argmax(np.ptp(vertices, axis=0))))
    turned = (vertices - origin)[:, turn]
    volume, center, inertia = solid_properties(turned, triangles)
    second = 0.5 * np.trace(inertia) * np.eye(3) - inertia + volume * np.outer(center, center)
    mass, first, square = _excess(turned[triangles])
    center = (volume * center - first) / (volume - mass)
    volume -= mass
    inertia = inertia_from_second_moments(second - square - volume * np.outer(center, center))
    back = np.argsort(turn)
    return MassProperties(float(volume), center[back] + origin, inertia[np.ix_(back, back)])
