"""All contacts of two surfaces that do not intersect, by brute force: every feature against every feature, float64."""

from dataclasses import dataclass

import numpy as np
from mesh_reference import point_triangle

# A direction must lie this far (sine) inside the cones to be demanded: no demands where round-off may decide.
STRICT = 1e-3
ON = 1e-6  # of a unit of length: a foot this near to a triangle stands on it


@dataclass
class Surface:
    """Vertices (V,3), triangles (T,3), unit normals, ridges (E,2): the edges that stick out, their directions into both
    faces (E,2,3), sums (V,3) of the normals at the vertices, whether it has a back (is open), and the neighbours of
    every vertex."""

    vertices: np.ndarray
    triangles: np.ndarray
    normals: np.ndarray
    edges: np.ndarray
    inward: np.ndarray
    outward: np.ndarray
    is_open: bool
    neighbours: list

    def placed(self, turn, shift):
        """The surface turned by the matrix (3,3) and shifted."""
        return Surface(
            self.vertices @ turn.T + shift, self.triangles, self.normals @ turn.T, self.edges, self.inward @ turn.T,
            self.outward @ turn.T, self.is_open, self.neighbours,
        )  # fmt: skip


def surface_of(vertices, triangles):
    """Surface of a welded mesh in which at most two triangles meet at an edge."""
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    faces = {}
    for f, triangle in enumerate(triangles):
        for k in range(3):
            ends = int(triangle[k]), int(triangle[(k + 1) % 3])
            faces.setdefault((min(ends), max(ends)), []).append((f, ends))
    edges = np.array(sorted(faces))
    inward = np.empty((len(edges), 2, 3))
    for e, ends in enumerate(map(tuple, edges)):
        for side, (f, (i, j)) in enumerate((faces[ends] * 2)[:2]):
            into = np.cross(normals[f], vertices[j] - vertices[i])
            inward[e, side] = into / np.linalg.norm(into)
    neighbours = [[] for _ in vertices]
    for i, j in edges:
        neighbours[i].append(j)
        neighbours[j].append(i)
    # The bottom of a groove has both faces on one side, too: seen from inside the solid.
    ridge = np.array([len(faces[tuple(e)]) == 1 or normals[faces[tuple(e)][0][0]] @ inward[k, 1] < 0.0
                      for k, e in enumerate(edges)])  # fmt: skip
    edges, inward = edges[ridge], inward[ridge]
    is_open = any(len(users) == 1 for users in faces.values())
    outward = np.zeros_like(vertices)
    np.add.at(outward, triangles, normals[:, None])
    return Surface(
        vertices, triangles, normals, edges, inward, outward, is_open, [np.array(n, dtype=int) for n in neighbours]
    )


def _least_at(surface, v, n):
    """True if vertex v is well below all its neighbours along n, and the solid above it."""
    side = surface.vertices[surface.neighbours[v]] - surface.vertices[v]
    if not surface.is_open and surface.outward[v] @ n >= 0.0:
        return False
    return bool(np.all(side @ n > STRICT * np.linalg.norm(side, axis=1)))


def _vertex_face(a, b, margin, reach):
    """Contacts of vertices of b over faces of a: rows of (position, normal from a to b, gap)."""
    rows = []
    corners = a.vertices[a.triangles]
    low, high = corners.min(axis=1) - reach, corners.max(axis=1) + reach
    for v in np.flatnonzero(_near_box(b.vertices, a.vertices, reach)):
        p = b.vertices[v]
        for f in np.flatnonzero(np.all((low <= p) & (p <= high), axis=1)):
            n, (q0, q1, q2) = a.normals[f], corners[f]
            height = n @ (p - q0)
            if height < 0.0 and a.is_open:
                n, height = -n, -height
            if not 0.0 < height < margin:
                continue
            inside = all(
                np.cross(v1 - v0, p - v0) @ a.normals[f] > STRICT * margin * np.linalg.norm(v1 - v0)
                for v0, v1 in ((q0, q1), (q1, q2), (q2, q0))
            )
            if inside and _least_at(b, v, n):
                rows.append((p - 0.5 * height * n, n, height))
    return rows


def _near_box(points, others, reach):
    return np.all((points >= others.min(axis=0) - reach) & (points <= others.max(axis=0) + reach), axis=1)


def _edges_near(surface, others, reach):
    ends = surface.vertices[surface.edges]
    low, high = others.min(axis=0) - reach, others.max(axis=0) + reach
    return np.flatnonzero(np.all((ends.min(axis=1) <= high) & (ends.max(axis=1) >= low), axis=1))


def _edge_edge(a, b, margin, reach):
    """Contacts of crossed edges."""
    ia, ib = _edges_near(a, b.vertices, reach), _edges_near(b, a.vertices, reach)
    if len(ia) == 0 or len(ib) == 0:
        return []
    p, q = a.vertices[a.edges[ia, 0]][:, None], b.vertices[b.edges[ib, 0]][None]
    u, v = a.vertices[a.edges[ia, 1]][:, None] - p, b.vertices[b.edges[ib, 1]][None] - q
    uu, vv, uv = (u * u).sum(-1), (v * v).sum(-1), (u * v).sum(-1)
    r = q - p
    ur, vr = (u * r).sum(-1), (v * r).sum(-1)
    den = uu * vv - uv * uv
    crossed = den > 1e-3 * uu * vv
    den = np.where(crossed, den, 1.0)
    s, t = (ur * vv - vr * uv) / den, (ur * uv - vr * uu) / den
    d = r + t[..., None] * v - s[..., None] * u
    gap = np.linalg.norm(d, axis=-1)
    inside = crossed & (gap > 1e-9) & (gap < margin) & (np.minimum(s, t) > STRICT) & (np.maximum(s, t) < 1.0 - STRICT)
    n = d / np.where(gap > 0, gap, 1.0)[..., None]
    out_a = np.einsum("eki,eqi->eqk", a.inward[ia], n).max(axis=-1) < -STRICT
    out_b = np.einsum("qki,eqi->eqk", b.inward[ib], n).min(axis=-1) > STRICT
    at = p + s[..., None] * u + 0.5 * d
    return [(at[i, j], n[i, j], gap[i, j]) for i, j in np.argwhere(inside & out_a & out_b)]


def _vertex_edge(a, b, margin, reach):
    """Contacts of vertices of b with convex edges of a."""
    rows = []
    near = _edges_near(a, b.vertices, reach)
    q, side = a.vertices[a.edges[near, 0]], a.vertices[a.edges[near, 1]] - a.vertices[a.edges[near, 0]]
    for v in np.flatnonzero(_near_box(b.vertices, a.vertices, reach)):
        away = b.vertices[v] - q
        s = (away * side).sum(-1) / (side * side).sum(-1)
        d = away - s[:, None] * side
        gap = np.linalg.norm(d, axis=1)
        for k in np.flatnonzero((s > STRICT) & (s < 1.0 - STRICT) & (gap > 1e-9) & (gap < margin)):
            n = d[k] / gap[k]
            if np.all(a.inward[near[k]] @ n < -STRICT) and _least_at(b, v, n):
                rows.append((b.vertices[v] - 0.5 * d[k], n, gap[k]))
    return rows


def _vertex_vertex(a, b, margin, reach):
    """Contacts of two vertices."""
    rows = []
    near = np.flatnonzero(_near_box(b.vertices, a.vertices, reach))
    for v in np.flatnonzero(_near_box(a.vertices, b.vertices, reach)):
        d = b.vertices[near] - a.vertices[v]
        gap = np.linalg.norm(d, axis=1)
        for k in np.flatnonzero((gap > 1e-9) & (gap < margin)):
            n = d[k] / gap[k]
            if _least_at(b, near[k], n) and _least_at(a, v, -n):
                rows.append((a.vertices[v] + 0.5 * d[k], n, gap[k]))
    return rows


def _turned(rows):
    return [(p, -n, gap) for p, n, gap in rows]


def all_contacts(a, b, margin):
    """(positions (N,3), normals (N,3) from a to b, gaps (N,)) of every pair of features closer than the margin whose
    direction lies inside the normal cones of both, for two surfaces that do not intersect."""
    rows = _vertex_face(a, b, margin, margin) + _turned(_vertex_face(b, a, margin, margin))
    rows += _edge_edge(a, b, margin, margin) + _vertex_vertex(a, b, margin, margin)
    rows += _vertex_edge(a, b, margin, margin) + _turned(_vertex_edge(b, a, margin, margin))
    position, normal = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    return position.reshape(-1, 3), normal.reshape(-1, 3), np.array([row[2] for row in rows])


def ghostly(surface, feet, normals):
    """How far (sine) each direction (N,3) points into the surface it starts from at its foot (N,3); inf where the foot
    is not on the surface, or where the direction points into the solid behind it.

    A contact is the least distance nearby: no triangle at its foot may rise along its direction.
    """
    corners = surface.vertices[surface.triangles]
    rises = np.full(len(feet), np.inf)
    for k, (foot, n, near) in enumerate(zip(feet, normals, point_triangle(feet, corners) < ON, strict=True)):
        if not near.any() or not (surface.is_open or (surface.normals[near] @ n).max() > 0.0):
            continue
        side = (corners[near] - foot).reshape(-1, 3)
        length = np.linalg.norm(side, axis=1)
        # The foot is only known to ON: nearer corners have no direction.
        far = length > ON / STRICT
        rises[k] = (side[far] @ n / length[far]).max()
    return rises


def is_inside(surface, points):
    """Which points (N,) lie inside a closed surface: its solid angle about them is all round."""
    corners = surface.vertices[surface.triangles][None] - points[:, None, None]
    a, b, c = corners[:, :, 0], corners[:, :, 1], corners[:, :, 2]
    x, y, z = (np.linalg.norm(v, axis=-1) for v in (a, b, c))
    volume = np.einsum("nti,nti->nt", a, np.cross(b, c))
    dots = [np.einsum("nti,nti->nt", u, v) for u, v in ((a, b), (b, c), (c, a))]
    angle = 2.0 * np.arctan2(volume, x * y * z + dots[0] * z + dots[1] * x + dots[2] * y)
    return angle.sum(axis=1) > 2.0 * np.pi
