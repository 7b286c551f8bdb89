"""Convex polytopes: from points to vertices, polygon faces and edges."""

from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

# Facets whose normals differ by less than this [rad] are one face.
FLAT_ANGLE = 1e-4
# Faces of a box, in the order of `convex_polytope`, whose corners are numbered 4 x + 2 y + z by their sides 0 or 1.
BOX_LOOPS = np.array([[0, 2, 6, 4], [0, 4, 5, 1], [4, 6, 7, 5], [0, 1, 3, 2], [2, 3, 7, 6], [1, 5, 7, 3]])


class Polytope(NamedTuple):
    """A convex polytope.

    vertices (V,3) [m]; normals (F,3) outward unit; loop_start (F+1,), loop_vertex and loop_edge (L,): face f has the
    corners loop_vertex[loop_start[f]:loop_start[f+1]] counter-clockwise seen from outside, and loop_edge[k] is the
    edge from corner k to the next; edge_vertex (E,2); edge_face (E,2): the face in which the edge runs from its
    first to its second vertex, and the other one.
    """

    vertices: np.ndarray
    normals: np.ndarray
    loop_start: np.ndarray
    loop_vertex: np.ndarray
    loop_edge: np.ndarray
    edge_vertex: np.ndarray
    edge_face: np.ndarray

    def triangles(self):
        """Fans of the faces as triangles (T,3), outward."""
        rows = []
        for first, last in zip(self.loop_start[:-1], self.loop_start[1:], strict=True):
            loop = self.loop_vertex[first:last]
            rows += [(loop[0], loop[k], loop[k + 1]) for k in range(1, len(loop) - 1)]
        return np.array(rows, dtype=np.int64)


def convex_polytope(points):
    """Return the Polytope spanned by points (n,3) [m]; interior points are dropped. Equal points have one Polytope,
    which must not be changed.

    Raises ValueError if the points have no volume: fewer than four, or all within 1e-9 of the cloud's extent
    of one plane.
    """
    return _spanned(np.asarray(points, dtype=float).tobytes())


# A scene is read, checked and compiled from the same few shapes, whose hulls are found once a process.
@lru_cache(maxsize=64)
def _spanned(points):
    # Imported on first use: Blender reads this package at start and must not wait for scipy there.
    from scipy.spatial import ConvexHull as QuickHull
    from scipy.spatial import QhullError

    points = np.frombuffer(points).reshape(-1, 3)
    extent = float(np.ptp(points, axis=0).max()) if len(points) else 0.0
    if len(points) < 4 or extent <= 0.0:
        raise ValueError("the points enclose no volume")
    center = 0.5 * (points.min(axis=0) + points.max(axis=0))
    scaled = (points - center) / extent
    if np.linalg.svd(scaled - scaled.mean(axis=0), compute_uv=False)[2] < 1e-9 * np.sqrt(len(points)):
        raise ValueError("the points lie in one plane")
    try:
        hull = QuickHull(scaled)
    except QhullError:
        raise ValueError("the points lie in one plane") from None
    used = np.unique(hull.simplices)
    number = np.full(len(points), -1)
    number[used] = np.arange(len(used))
    vertices = points[used]
    for labels in (_flat_groups(hull), list(range(len(hull.simplices)))):
        polytope = _assemble(vertices, number[hull.simplices], hull.equations[:, :3], labels)
        if polytope is not None:
            return polytope
    raise ValueError("the hull of the points has no consistent surface")


def box_polytope(corners):
    """The Polytope that `convex_polytope` makes of the corners (8,3) [m] of a box, without the search for it."""
    return _unit_box()._replace(vertices=np.asarray(corners, dtype=float))


def plate_polytope(corners):
    """The Polytope of no thickness that is a flat convex polygon (n,3) [m], counter-clockwise: its two sides, and
    between them one face without height along every side of the polygon, of two corners."""
    corners = np.asarray(corners, dtype=float)
    count = len(corners)
    here, following = np.arange(count), np.roll(np.arange(count), -1)
    up = _newell(corners)
    along = corners[following] - corners
    outward = np.cross(along / np.linalg.norm(along, axis=1)[:, None], up)
    # Edges 0 to n - 1 go round the upper side, and n to 2 n - 1, of the same corners, back round the lower one.
    loops = [here, following[::-1], *np.stack([following, here], axis=1)]
    loop_edge = [here, count + here[::-1], *np.stack([here, count + here], axis=1)]
    forth, back = np.stack([here, following], axis=1), np.stack([following, here], axis=1)
    faces = np.concatenate([np.stack([np.full(count, side), 2 + here], axis=1) for side in (0, 1)])
    return Polytope(
        corners, np.concatenate([[up], [-up], outward]), np.cumsum([0] + [len(loop) for loop in loops]),
        np.concatenate(loops), np.concatenate(loop_edge), np.concatenate([forth, back]), faces,
    )  # fmt: skip


@cache
def _unit_box():
    corners = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
    return _link(corners, list(BOX_LOOPS))


def _flat_groups(hull):
    """Label of the flat face each facet belongs to: facets joined across neighbours with equal normals."""
    normals, labels = hull.equations[:, :3], list(range(len(hull.simplices)))
    bend = ((normals[hull.neighbors] - normals[:, None]) ** 2).sum(axis=2)
    # Both are as flat as the first facet of their face: who bends further to all neighbours is a face alone.
    near = [facets[flat] for facets, flat in zip(hull.neighbors, bend < 4.1 * FLAT_ANGLE**2, strict=True)]
    free = [len(facets) > 0 for facets in near]
    for seed in np.flatnonzero(free):
        if not free[seed]:
            continue
        free[seed], todo = False, [seed]
        while todo:
            for other in near[todo.pop()]:
                difference = normals[other] - normals[seed]
                if free[other] and difference @ difference < FLAT_ANGLE**2:
                    labels[other], free[other] = int(seed), False
                    todo.append(other)
    return labels


def _assemble(vertices, triangles, facet_normals, labels):
    """Polytope from hull triangles grouped into faces, or None if the groups do not close."""
    faces = {}
    for label, triangle in zip(labels, _oriented(vertices, triangles, facet_normals).tolist(), strict=True):
        faces.setdefault(label, []).append(triangle)
    loops = [_boundary_loop(faces[label]) for label in sorted(faces)]
    if any(loop is None for loop in loops):
        return None
    # Corners inside a merged face's boundary or interior are no vertices any more.
    used = np.unique(np.concatenate(loops))
    number = np.full(len(vertices), -1)
    number[used] = np.arange(len(used))
    return _link(vertices[used], [number[loop] for loop in loops])


def _oriented(vertices, triangles, normals):
    """Triangles turned so that their winding agrees with the outward normals."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), normals) < 0.0
    turned = triangles.copy()
    turned[inward] = turned[inward][:, ::-1]
    return turned


def _boundary_loop(triangles):
    """The one closed boundary of a patch of triangles, or None."""
    directed = {edge for a, b, c in triangles for edge in ((a, b), (b, c), (c, a))}
    following = {}
    for start, end in directed:
        if (end, start) not in directed:
            if start in following:
                return None
            following[start] = end
    if not following:
        return None
    first = min(following)
    loop, current = [first], following[first]
    while current != first:
        if len(loop) > len(following) or current not in following:
            return None
        loop.append(current)
        current = following[current]
    return np.array(loop) if len(loop) == len(following) and len(loop) >= 3 else None


def _link(vertices, loops):
    """Polytope with edges shared by two faces each, or None if an edge is not."""
    edges, edge_vertex, edge_face, loop_edge = {}, [], [], []
    for face, corners in enumerate(map(np.ndarray.tolist, loops)):
        for start, end in zip(corners, corners[1:] + corners[:1], strict=True):
            if (end, start) in edges:
                index = edges[(end, start)]
                if edge_face[index][1] >= 0:
                    return None
                edge_face[index][1] = face
            else:
                index = len(edge_vertex)
                if (start, end) in edges:
                    return None
                edges[(start, end)] = index
                edge_vertex.append((start, end))
                edge_face.append([face, -1])
            loop_edge.append(index)
    edge_face = np.array(edge_face, dtype=np.int64)
    if (edge_face < 0).any():
        return None
    lengths = np.array([len(loop) for loop in loops])
    normals = np.empty((len(loops), 3))
    for length in np.unique(lengths):
        alike = np.flatnonzero(lengths == length)
        normals[alike] = _newell(vertices[np.array([loops[face] for face in alike])])
    starts = np.cumsum(np.append(0, lengths))
    return Polytope(
        vertices, normals, starts, np.concatenate(loops), np.array(loop_edge), np.array(edge_vertex), edge_face
    )


def _newell(corners):
    """Unit normals (...,3) of polygons (...,n,3), counter-clockwise seen from their tips."""
    first = corners[..., :1, :]
    normals = np.cross(corners - first, np.roll(corners, -1, axis=-2) - first).sum(axis=-2)
    return normals / np.linalg.norm(normals, axis=-1, keepdims=True)
