"""Where two solids may push each other: points, normals and gaps of their features, by one routine for faces and one
for edges. Round solids are axes with a radius; cylinders count as prisms."""

from copy import copy

import numpy as np

from .mechanics import matrix
from .shapes import corners

# Sides of the prism that a cylinder counts as.
SIDES = 48


class Features:
    """What can touch of a solid, in its body's frame: radius [m]; corners (c,3), the ends of an axis; spokes
    [(corner, other corner)] of edges; edges (e,2,3), and wings (e,2,3): what is beside them; faces (f,3,3)."""

    def __init__(self, solid):
        self.corners, self.radius = corners(solid, SIDES)
        self.faces, self.spokes = np.zeros((0, 3, 3)), np.zeros((2, 0), dtype=int)
        triangles = solid.get("triangles")
        if solid["type"] == "cylinder":
            k, top, after = np.arange(SIDES), np.full(SIDES, SIDES), (np.arange(SIDES) + 1) % SIDES
            side = [(k, after, after + top), (k, after + top, k + top), (0 * k, after, k), (top, k + top, after + top)]
            triangles = np.concatenate([np.stack(one, axis=1) for one in side])
        if self.radius:
            low, high = self.corners
            self.edges = np.array([[low, high], [low, low], [high, high]][: 3 if np.any(low != high) else 1])
            self.wings = np.full((len(self.edges), 2, 3), np.nan)
        else:
            self._of_triangles(np.array(triangles, dtype=int))
        self.size = np.linalg.norm(self.corners, axis=1).max() + self.radius

    def _of_triangles(self, triangles):
        faces = self.corners[triangles]
        wide = np.linalg.norm(np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0]), axis=1) > 0
        triangles, self.faces = triangles[wide], faces[wide]
        beside = {(a, b): c for tri in triangles.tolist() for a, b, c in (tri, tri[1:] + tri[:1], tri[2:] + tri[:2])}
        pairs = [(a, b, c, beside[b, a]) for (a, b), c in beside.items() if (b, a) in beside and a < b]
        a, b, c, d = np.array(pairs, dtype=int).reshape(-1, 4).T
        self.spokes = np.hstack([[a, b], [b, a]])
        p = self.corners
        # Edges within a flat face, or in a fold inwards, touch nothing that faces and corners do not.
        n = np.cross(p[b] - p[a], p[c] - p[a])
        over = p[d] - p[a]
        sharp = (n * over).sum(axis=1) < -1e-6 * np.linalg.norm(n, axis=1) * np.linalg.norm(over, axis=1)
        self.edges, self.wings = np.stack([p[a], p[b]], 1)[sharp], np.stack([p[c], p[d]], 1)[sharp]

    def at(self, position, orientation):
        """The same features at a pose of the body."""
        moved, R = copy(self), matrix(orientation[None])[0]
        for name in ("corners", "edges", "wings", "faces"):
            setattr(moved, name, getattr(self, name) @ R.T + position)
        return moved


def touching(a, b, reach):
    """(points (k,3), normals (k,3) from a to b, gaps (k,)) where features of a and b that face each other are no
    further apart than `reach` [m], nor deeper in each other, and all beside them is behind them, but for as much."""
    found = [_on_faces(b, a, reach), _on_faces(a, b, reach), _on_edges(b, a, reach)]
    found[1][1] *= -1.0
    return [np.concatenate(every) for every in zip(*found, strict=True)]


def _on_faces(one, other, reach):
    """Corners of `one` before faces of the other; normals are those of the faces."""
    near = _near(other.faces, one, reach)
    faces, x = other.faces[near], one.corners
    sides = np.roll(faces, -1, axis=1) - faces
    n = np.cross(sides[:, 0], sides[:, 1])
    n /= np.linalg.norm(n, axis=1, keepdims=True)
    gap = np.einsum("cfi,fi->cf", x[:, None] - faces[:, 0], n) - one.radius
    able = np.abs(gap) <= reach
    for k in range(3):
        inwards = np.cross(n, sides[:, k])
        inwards /= np.linalg.norm(inwards, axis=1, keepdims=True)
        able &= np.einsum("cfi,fi->cf", x[:, None] - faces[:, k], inwards) >= -(0.0 if one.radius else reach)
    # All that a corner joins is before the face, too.
    corner, end = one.spokes
    lowest = np.full(able.shape, np.inf)
    np.minimum.at(lowest, corner, (x[end] - x[corner]) @ n.T)
    c, f = np.nonzero(able & (lowest >= -reach))
    gap = gap[c, f]
    return [x[c] - (one.radius + 0.5 * gap)[:, None] * n[f], n[f], gap]


def _on_edges(one, other, reach):
    """Edges of `one` that pass edges of the other, or axes of round solids; normals point to `one`."""
    i, j = (side.ravel() for side in np.meshgrid(
        _near(one.edges, other, reach + one.radius), _near(other.edges, one, reach + other.radius)))
    (p, p_end), (q, q_end) = one.edges[i].swapaxes(0, 1), other.edges[j].swapaxes(0, 1)
    d, e, r = p_end - p, q_end - q, p - q
    dd, ee, de, dr, er = ((u * v).sum(axis=1) for u, v in ((d, d), (e, e), (d, e), (d, r), (e, r)))
    # The nearest points of two segments (Ericson, Real-Time Collision Detection, 5.1.9).
    across = dd * ee - de**2
    crossing = across > 1e-6 * dd * ee
    s = np.where(crossing, np.clip((de * er - dr * ee) / np.where(crossing, across, 1.0), 0, 1), 0.0)
    t = np.clip((de * s + er) / np.where(ee > 0, ee, 1.0), 0, 1)
    s = np.clip((de * t - dr) / np.where(dd > 0, dd, 1.0), 0, 1)
    x, y = p + s[:, None] * d, q + t[:, None] * e
    radii, apart = one.radius + other.radius, np.linalg.norm(x - y, axis=1)
    if radii:
        n, crossing = (x - y) / np.maximum(apart, 1e-300)[:, None], apart > 0
    else:
        n = np.cross(d, e)
        n *= np.sign((n * (one.wings[i].mean(axis=1) - other.wings[j].mean(axis=1))).sum(axis=1))[:, None]
        n /= np.maximum(np.linalg.norm(n, axis=1), 1e-300)[:, None]
        crossing &= (s > 0) & (s < 1) & (t > 0) & (t < 1)
    gap = (n * (x - y)).sum(axis=1) - radii
    # What is beside an edge is on its own side; round solids have nothing there.
    above = np.einsum("kwi,ki->kw", one.wings[i] - x[:, None], n).min(axis=1)
    below = np.einsum("kwi,ki->kw", other.wings[j] - y[:, None], n).max(axis=1)
    own = crossing & (np.abs(gap) <= reach) & ~(above < -reach) & ~(below > reach)
    n, gap = n[own], gap[own]
    return [y[own] + (other.radius + 0.5 * gap)[:, None] * n, n, gap]


def _near(features, other, reach):
    """Which features (f,k,3) have boxes that come as near as `reach` to the box of another solid."""
    low, high = other.corners.min(axis=0) - other.radius - reach, other.corners.max(axis=0) + other.radius + reach
    return np.flatnonzero(np.all((features.min(axis=1) <= high) & (features.max(axis=1) >= low), axis=1))
