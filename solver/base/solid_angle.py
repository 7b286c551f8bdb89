"""Solid angles of triangles, in numpy alone: Blender's own process loads no compiled code of ours."""

import numpy as np


def half_angles(p, q, r):
    """(sine-like, cosine-like, size) (...) of half the signed solid angle of triangles with corners p, q, r (...,3),
    seen from the origin: arctan2 of the first two; size: what both are small against where the origin is on the
    triangle or its plane (van Oosterom and Strackee 1983, (8))."""
    x, y, z = (np.linalg.norm(v, axis=-1) for v in (p, q, r))
    volume = np.einsum("...i,...i->...", p, np.cross(q, r))
    dots = [np.einsum("...i,...i->...", u, v) for u, v in ((p, q), (q, r), (r, p))]
    size = x * y * z
    return volume, size + dots[0] * z + dots[1] * x + dots[2] * y, size
