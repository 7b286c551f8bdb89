"""An open sheet made a solid of a stated thickness, half on either side."""

import numpy as np

STRETCH = 3.0  # corners move at most this many times half the thickness, however sharp


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
