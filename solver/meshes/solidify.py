"""An open sheet, or the skin of a closed mesh, made a solid of a stated thickness, half on either side.

Every sheet has one: where more than two faces meet, where a sheet has one side, and where it bends more sharply than
its thickness allows, it is cut into pieces that are thickened one by one and lie in each other along the cut.
"""

import numpy as np

from ..base.connected import connected
from .integrals import triangle_areas
from .mesh_prep import THIN_VOLUME, grouping_order, mesh_edges, prepare_mesh, rim_of

STRETCH = 3.0  # corners move at most this many times half the thickness, however sharp
# Part of a triangle's height that the thickened side may lose at a bend before the sheet is cut there.
MOST_REACH = 0.3
# Bends [degrees] from which on a sheet is cut, one after the other until its volume is right: from 0 on it always is.
BENDS = (120.0, 60.0, 20.0, 0.0)
# Perimeter squared of its widest hole over the area, from which on a mesh is a sheet or an open shell and no solid with
# a hole: 16 is a square, 3.2 a box without its lid, 1.4 a glass twice as high as wide, 0.3 Suzanne.
SHEET = 1.0
# A size of less is none [m].
LEAST = 1e-300
# Cosines above this are those of faces in one plane.
PLANE = 1.0 - 1e-9


def vertex_normals(vertices, triangles):
    """Directions (V,3) whose product with the normal of each face around is 1 where that is possible, at most STRETCH.

    The mean of the faces' normals, weighted by their angles at the vertex, and stretched so that the faces keep
    their distance from the sheet.
    """
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normals, axis=1)
    normals = normals / np.where(length > 0.0, length, 1.0)[:, None]
    total, weight, cosine = np.zeros_like(vertices), np.zeros(len(vertices)), np.zeros(len(vertices))
    for k in range(3):
        one, two = corners[:, (k + 1) % 3] - corners[:, k], corners[:, (k + 2) % 3] - corners[:, k]
        angle = np.arctan2(np.linalg.norm(np.cross(one, two), axis=1), np.einsum("ij,ij->i", one, two))
        np.add.at(total, triangles[:, k], angle[:, None] * normals)
        np.add.at(weight, triangles[:, k], angle)
    length = np.linalg.norm(total, axis=1)
    unit = total / np.where(length > 0.0, length, 1.0)[:, None]
    for k in range(3):
        one, two = corners[:, (k + 1) % 3] - corners[:, k], corners[:, (k + 2) % 3] - corners[:, k]
        angle = np.arctan2(np.linalg.norm(np.cross(one, two), axis=1), np.einsum("ij,ij->i", one, two))
        np.add.at(cosine, triangles[:, k], angle * np.einsum("ij,ij->i", unit[triangles[:, k]], normals))
    cosine /= np.where(weight > 0.0, weight, 1.0)
    return unit / np.maximum(cosine, 1.0 / STRETCH)[:, None]


def solidify(vertices, triangles, thickness):
    """Vertices (2V,3) [m] and outward triangles of the sheet thickened by `thickness` [m], its rim closed."""
    away = 0.5 * thickness * vertex_normals(vertices, triangles)
    count = len(vertices)
    start, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    key, back = start * count + end, end * count + start
    rim = ~np.isin(key, back)
    a, b = start[rim], end[rim]
    wall = np.concatenate((np.stack((b, a, a + count), axis=1), np.stack((b, a + count, b + count), axis=1)))
    return np.concatenate((vertices + away, vertices - away)), np.concatenate(
        (triangles, triangles[:, ::-1] + count, wall)
    )


def sheet_tets(prepared, thickness):
    """Vertices (2V,3) [m] and tetrahedra (3T,4) of a PreparedMesh whose skin is `thickness` [m] thick: three in the
    prism of each triangle, cut at the same diagonals as those of its neighbours."""
    vertices, triangles, report = prepared
    if report.closed and is_sheet(prepared):
        vertices, triangles, _ = prepare_mesh(vertices, one_side(vertices, triangles))
    away, count = 0.5 * thickness * vertex_normals(vertices, triangles), len(vertices)
    a, b, c = np.sort(triangles, axis=1).T
    tets = np.stack([(a, b, c, c + count), (a, b, b + count, c + count), (a, a + count, b + count, c + count)])
    return np.concatenate((vertices - away, vertices + away)), tets.transpose(2, 0, 1).reshape(-1, 4)


def cut_sheet(vertices, triangles, thickness, bend):
    """Vertices (V,3) [m] and triangles of a sheet whose pieces are joined only where it can be made `thickness` [m]
    thick as one: at edges of two faces that pass it in opposite directions and bend by no more than `bend` [degrees],
    and little enough for the thickness."""
    edges = mesh_edges(triangles, len(vertices))
    order = grouping_order(edges.edge, len(edges.uses))
    first = np.concatenate(([0], np.cumsum(edges.uses)[:-1]))[edges.uses == 2]
    one, other = order[first], order[first + 1]
    joined = edges.forward[one] != edges.forward[other]
    one, other = one[joined], other[joined]
    one, other = (half[_bends_little(vertices, triangles, one, other, thickness, bend)] for half in (one, other))
    # Half-edge h leads from corner h of the triangles to the next one of its face, and back on the other side.
    following = np.arange(3 * len(triangles)).reshape(-1, 3)[:, [1, 2, 0]].ravel()
    rows = np.concatenate((one, following[one]))
    columns = np.concatenate((following[other], other))
    count = 3 * len(triangles)
    corner = connected(rows, columns, count)
    places = np.empty((corner.max() + 1, 3))
    places[corner] = vertices[triangles.ravel()]
    return places, corner.reshape(-1, 3).astype(np.int64)


def _bends_little(vertices, triangles, one, other, thickness, bend):
    """Which edges (E,), given by their half-edges, leave enough of both faces beside them when they are thickened."""
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(normals, axis=1)
    normals = normals / np.where(area > 0.0, area, 1.0)[:, None]
    ends = np.roll(corners, -1, axis=1).reshape(-1, 3)
    length = np.linalg.norm(ends[one] - corners.reshape(-1, 3)[one], axis=1)
    height = np.minimum(area[one // 3], area[other // 3]) / np.where(length > 0.0, length, np.inf)
    cosine = np.einsum("ij,ij->i", normals[one // 3], normals[other // 3])
    # tan(bend / 2) = sin / (1 + cos), written so that a fold flat on itself gives infinity and no division by zero.
    sine = np.sqrt(np.maximum(0.0, 1.0 - cosine * cosine))
    reaches = 0.5 * thickness * sine <= MOST_REACH * height * (1.0 + cosine)
    return reaches & (cosine >= min(np.cos(np.radians(bend)), PLANE))


def is_sheet(prepared):
    """True if a PreparedMesh is a sheet, an open shell or a surface folded flat: no solid that lost a few faces."""
    vertices, triangles, report = prepared
    if report.closed:
        return report.volume <= THIN_VOLUME * report.size**3
    start, end = rim_of(triangles, mesh_edges(triangles, len(vertices))).T
    if not len(start):
        return False
    count = len(vertices)
    hole = connected(start, end, count)
    perimeter = np.bincount(hole[start], weights=np.linalg.norm(vertices[end] - vertices[start], axis=1))
    return bool(perimeter.max() ** 2 >= SHEET * triangle_areas(vertices, triangles).sum())


def one_side(vertices, triangles):
    """Triangles of a closed surface without volume, equal places being one vertex and each place covered once: what
    another triangle lies on is left out."""
    size = max(float(np.ptp(vertices, axis=0).max()), LEAST)
    _, first, place = np.unique(np.round(vertices / size, 9), axis=0, return_index=True, return_inverse=True)
    triangles = first[place.ravel()][triangles]
    a, b, c = triangles.T
    triangles = triangles[(a != b) & (b != c) & (c != a)]
    _, once = np.unique(np.sort(triangles, axis=1), axis=0, return_index=True)
    if len(once) < len(triangles):
        return triangles[np.sort(once)]
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return triangles[normals @ normals[np.argmax(np.linalg.norm(normals, axis=1))] > 0.0]
