"""Brute-force geometry of triangle meshes: every feature against every feature, in numpy."""

import numpy as np


def rotation(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def random_quaternion(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def axis_quaternion(axis, angle):
    axis = np.asarray(axis, dtype=float)
    return np.concatenate(([np.cos(0.5 * angle)], np.sin(0.5 * angle) * axis / np.linalg.norm(axis)))


def edges_of(triangles):
    return np.unique(np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0)


def _dot(a, b):
    return np.einsum("...i,...i->...", a, b)


def _length(a):
    return np.sqrt(_dot(a, a))


def point_segment(p, a, b):
    d = b - a
    t = np.clip(_dot(p - a, d) / np.maximum(_dot(d, d), 1e-300), 0.0, 1.0)
    return _length(p - a - t[..., None] * d)


def point_triangle(points, corners):
    """Distances (P,T) from points (P,3) to triangles (T,3,3)."""
    p = points[:, None, :]
    a, b, c = (corners[None, :, k] for k in range(3))
    n = np.cross(b - a, c - a)
    n /= np.linalg.norm(n, axis=-1)[..., None]
    inside = np.ones((len(points), len(corners)), dtype=bool)
    best = np.full(inside.shape, np.inf)
    for u, v in ((a, b), (b, c), (c, a)):
        inside &= _dot(np.cross(n, v - u), p - u) >= 0.0
        best = np.minimum(best, point_segment(p, u, v))
    return np.where(inside, np.abs(_dot(p - a, n)), best)


def segment_segment(p0, p1, q0, q1):
    """Distances (P,Q) between segments (P) and (Q), end to inside cases included."""
    p0, p1, q0, q1 = p0[:, None], p1[:, None], q0[None], q1[None]
    u, v, r = p1 - p0, q1 - q0, q0 - p0
    uu, vv, uv, ur, vr = _dot(u, u), _dot(v, v), _dot(u, v), _dot(u, r), _dot(v, r)
    den = uu * vv - uv * uv
    ok = den > 1e-12 * uu * vv
    safe = np.where(ok, den, 1.0)
    s, t = (ur * vv - vr * uv) / safe, (ur * uv - vr * uu) / safe
    ok &= (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1)
    across = _length(r + t[..., None] * v - s[..., None] * u)
    ends = np.minimum.reduce(
        [point_segment(p0, q0, q1), point_segment(p1, q0, q1), point_segment(q0, p0, p1), point_segment(q1, p0, p1)]
    )
    return np.where(ok, np.minimum(across, ends), ends)


def _near(vertices, triangles, other, reach):
    """Triangles whose box comes within reach of the box of the other mesh's vertices."""
    corners = vertices[triangles]
    low, high = other.min(axis=0) - reach, other.max(axis=0) + reach
    return triangles[np.all((corners.min(axis=1) <= high) & (corners.max(axis=1) >= low), axis=1)]


def mesh_distance(va, ta, vb, tb, reach=np.inf):
    """Least distance between two meshes that do not intersect, or `reach` if that is less."""
    na, nb = _near(va, ta, vb, reach), _near(vb, tb, va, reach)
    if len(na) == 0 or len(nb) == 0:
        return reach
    pa, pb = va[np.unique(na)], vb[np.unique(nb)]
    ea, eb = edges_of(na), edges_of(nb)
    return min(
        reach,
        point_triangle(pa, vb[nb]).min(),
        point_triangle(pb, va[na]).min(),
        segment_segment(va[ea[:, 0]], va[ea[:, 1]], vb[eb[:, 0]], vb[eb[:, 1]]).min(),
    )


def _pierces(va, ta, vb, tb):
    e = edges_of(ta)
    p, d = va[e[:, 0]][:, None], (va[e[:, 1]] - va[e[:, 0]])[:, None]
    a, b, c = (vb[tb][None, :, k] for k in range(3))
    ab, ac = b - a, c - a
    h = np.cross(d, ac)
    det = _dot(ab, h)
    safe = np.where(np.abs(det) > 1e-300, det, 1.0)
    s = p - a
    u = _dot(s, h) / safe
    q = np.cross(s, ab)
    v = _dot(d, q) / safe
    t = _dot(ac, q) / safe
    return bool(np.any((np.abs(det) > 1e-300) & (u >= 0) & (v >= 0) & (u + v <= 1) & (t >= 0) & (t <= 1)))


def meshes_intersect(va, ta, vb, tb):
    """True if an edge of one mesh passes through a triangle of the other."""
    na, nb = _near(va, ta, vb, 0.0), _near(vb, tb, va, 0.0)
    return len(na) > 0 and len(nb) > 0 and (_pierces(va, na, vb, nb) or _pierces(vb, nb, va, na))


def surface_distance(points, vertices, triangles):
    """Distance (P,) of points to a mesh's surface."""
    return point_triangle(np.atleast_2d(points), vertices[triangles]).min(axis=1)
