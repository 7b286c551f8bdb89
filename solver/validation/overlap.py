"""Overlap of bodies measured from their exact shapes, without any code of the simulator's collision search.

Depth of a pair is the shortest translation that separates the two convex pieces. For polytopes it is attained
along a face normal of either piece or a cross product of two edges (faces of the Minkowski difference), so the
smallest overlap over these directions is exact. Cylinders count as prisms of 64 sides.
"""


import numpy as np
from scipy.spatial import ConvexHull as Hull

from ..base.records import record
from ..dynamics import rotation
from ..shapes import Box, Capsule, Compound, Cylinder, Part, Sphere

CYLINDER_SIDES = 64


@record
class Polytope:
    """A convex piece in its body's frame: vertices (V,3), face normals (F,3) and edge directions (E,3), no repeats."""

    vertices: np.ndarray
    normals: np.ndarray
    edges: np.ndarray


@record
class Ball:
    """A sphere in its body's frame."""

    center: np.ndarray
    radius: float


def distinct_lines(directions):
    """Unit directions (n,3) without repeats, v and -v being one."""
    directions = directions / np.linalg.norm(directions, axis=1)[:, None]
    kept = []
    for d in directions:
        if all(abs(d @ k) < 1 - 1e-12 for k in kept):
            kept.append(d)
    return np.array(kept)


def polytope(vertices):
    """The Polytope spanned by points (n,3); diagonals of flat faces among the edges do no harm."""
    hull = Hull(vertices)
    ends = np.concatenate([hull.simplices[:, [0, 1]], hull.simplices[:, [1, 2]], hull.simplices[:, [2, 0]]])
    edges = []
    flat = {}
    for i, triangle in enumerate(hull.simplices):
        for pair in ((0, 1), (1, 2), (2, 0)):
            flat.setdefault(frozenset(triangle[list(pair)]), []).append(i)
    for edge, (a, b) in flat.items():
        if hull.equations[a, :3] @ hull.equations[b, :3] < 1 - 1e-10:
            p, q = edge
            edges.append(vertices[q] - vertices[p])
    directions = np.array(edges) if edges else vertices[ends[:, 1]] - vertices[ends[:, 0]]
    return Polytope(vertices[hull.vertices], distinct_lines(hull.equations[:, :3]), distinct_lines(directions))


def convex_piece(shape):
    """Polytope or Ball of one convex shape, in the shape's frame."""
    if isinstance(shape, Sphere):
        return Ball(np.zeros(3), shape.radius)
    if isinstance(shape, Box):
        corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
        return Polytope(corners * np.asarray(shape.size), np.eye(3), np.eye(3))
    if isinstance(shape, Cylinder):
        angles = 2 * np.pi * np.arange(CYLINDER_SIDES) / CYLINDER_SIDES
        ring = shape.radius * np.c_[np.cos(angles), np.sin(angles)]
        half = np.full((CYLINDER_SIDES, 1), shape.length / 2)
        return polytope(np.r_[np.hstack([ring, half]), np.hstack([ring, -half])])
    if isinstance(shape, Capsule):
        return polytope(_caps(shape))
    return polytope(np.asarray(shape.vertices, dtype=float))


def _caps(shape, rings=8):
    """Points on the two caps of a capsule: their hull lies in it."""
    angles = 2 * np.pi * np.arange(CYLINDER_SIDES) / CYLINDER_SIDES
    heights = 0.5 * np.pi * np.arange(rings) / rings
    around = np.array([[np.cos(h) * np.cos(a), np.cos(h) * np.sin(a), np.sin(h)] for h in heights for a in angles])
    around = shape.radius * np.vstack([around, [0.0, 0.0, 1.0]]) + (0.0, 0.0, shape.length / 2)
    return np.vstack([around, around * (1, 1, -1)])


def pieces(shape):
    """All convex pieces of a shape, in the shape's frame."""
    parts = shape.parts if isinstance(shape, Compound) else (Part(shape),)
    found = []
    for part in parts:
        piece, turn, shift = convex_piece(part.shape), part.rotation(), np.asarray(part.position, dtype=float)
        found.append(_placed(piece, turn, shift))
    return found


def _placed(piece, turn, shift):
    if isinstance(piece, Ball):
        return Ball(turn @ piece.center + shift, piece.radius)
    return Polytope(piece.vertices @ turn.T + shift, piece.normals @ turn.T, piece.edges @ turn.T)


def _bounds(piece):
    if isinstance(piece, Ball):
        return piece.center - piece.radius, piece.center + piece.radius
    return piece.vertices.min(axis=0), piece.vertices.max(axis=0)


def depth(a, b):
    """Depth [m] of two placed pieces; 0 or less where they do not overlap (then not the distance)."""
    if isinstance(a, Ball) and isinstance(b, Ball):
        return a.radius + b.radius - float(np.linalg.norm(a.center - b.center))
    if isinstance(a, Ball):
        return ball_depth(a, b)
    if isinstance(b, Ball):
        return ball_depth(b, a)
    crosses = np.cross(a.edges[:, None, :], b.edges[None, :, :]).reshape(-1, 3)
    length = np.linalg.norm(crosses, axis=1)
    crosses = crosses[length > 1e-6] / length[length > 1e-6, None]
    axes = np.concatenate([a.normals, b.normals, crosses])
    on_a, on_b = a.vertices @ axes.T, b.vertices @ axes.T
    overlap = np.minimum(on_a.max(axis=0) - on_b.min(axis=0), on_b.max(axis=0) - on_a.min(axis=0))
    return float(overlap.min())


def ball_depth(ball, solid):
    """Depth [m] of a ball in a polytope that is a box (three face directions)."""
    if len(solid.normals) != 3:
        raise NotImplementedError("a ball against a polytope other than a box")
    middle = solid.vertices.mean(axis=0)
    half = (solid.vertices - middle) @ solid.normals.T
    half = half.max(axis=0)
    local = (ball.center - middle) @ solid.normals.T
    outside = np.abs(local) - half
    if np.all(outside <= 0):
        return ball.radius - float(outside.max())
    return ball.radius - float(np.linalg.norm(np.maximum(outside, 0.0)))


def deepest_overlap(scene, position, orientation):
    """Return (depth [m], name, name) of the deepest pair; poses (R,3), (R,4) of the shape frames.

    Pairs of two bodies that do not move are left out.
    """
    placed, owner = [], []
    for i, body in enumerate(scene.bodies):
        turn = rotation.matrix(np.asarray(orientation[i], dtype=float)[None])[0]
        for piece in pieces(body.shape):
            placed.append(_placed(piece, turn, position[i]))
            owner.append(i)
    owner = np.array(owner)
    fixed = np.array([scene.bodies[i].motion != "dynamic" for i in owner])
    low, high = (np.array(side) for side in zip(*map(_bounds, placed), strict=True))
    order = np.argsort(low[:, 0], kind="stable")
    worst, names = 0.0, ("", "")
    for k, i in enumerate(order):
        later = order[k + 1 :]
        later = later[low[later, 0] <= high[i, 0]]
        meets = np.all((low[later] <= high[i]) & (high[later] >= low[i]), axis=1)
        meets &= (owner[later] != owner[i]) & ~(fixed[later] & fixed[i])
        for j in later[meets]:
            found = depth(placed[i], placed[j])
            if found > worst:
                worst, names = found, (scene.bodies[owner[i]].name, scene.bodies[owner[j]].name)
    return worst, *names
