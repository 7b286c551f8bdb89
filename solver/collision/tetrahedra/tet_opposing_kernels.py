"""PROX's default generator: contacts along the face of one tetrahedron that most opposes a face of the other.

Niebe 2013, as used in Erleben 2017. The corners of the overlap go on a plane in its middle; all get one gap, minus the
extent of the overlap along the normal. There are no contacts between tetrahedra that are apart.
"""

from ...base.vectors import along, dot, row
from ...jit import inner
from .tet_kernels import extent_along, shared_points


@inner
def opposing_normal(a, b, plane_a, plane_b):
    """(found, outward normal of the surface face of a): face 3 is the only one on the surface, see TetrahedraPool.

    The faces must face each other, and the fourth corners must not lie both behind the other's face.
    """
    n = row(plane_a, 3)
    against = dot(n, row(plane_b, 3)) < 0.0
    behind_a = dot(n, row(b, 3)) - plane_a[3, 3] < 0.0
    behind_b = dot(row(plane_b, 3), row(a, 3)) - plane_b[3, 3] < 0.0
    return against and not (behind_a and behind_b), n


@inner
def opposing_contacts(a, b, plane_a, plane_b, point, source):
    """(contacts, normal from a to b, gap) of two overlapping tetrahedra; their positions are in `point`."""
    found, n = opposing_normal(a, b, plane_a, plane_b)
    if not found:
        return 0, n, 0.0
    count = shared_points(a, b, plane_a, plane_b, point, source)
    low, high = extent_along(point, count, n)
    for k in range(count):
        p = row(point, k)
        p = along(p, n, 0.5 * (low + high) - dot(n, p))
        point[k, 0], point[k, 1], point[k, 2] = p[0], p[1], p[2]
    return count, n, low - high
