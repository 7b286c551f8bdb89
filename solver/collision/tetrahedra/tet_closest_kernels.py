"""PROX's closest points: features of two tetrahedra nearer than twice its collision envelope.

The generator of the Temple scene of Erleben 2017. Corners over faces, then crossed edges, then edges through faces; of
each tetrahedron only face 3, which is on the surface, with its corners and edges. A contact between features that are
apart has the gap 0: PROX gives it `envelope minus distance`, which no part of it uses, and stops all approach. A corner
beneath a face gives none. PROX's program takes the normal of crossed edges from one edge and the line to the start of
the other; that slip is not repeated here.
"""

from ...base.vectors import add, along, cross, dot, norm, row, scale, sub
from ...jit import inner
from ..contact_generators import ENVELOPE

CORNERS_A, CORNERS_B, EDGES, PIERCED_A, PIERCED_B = 0, 3, 8, 24, 32


@inner
def over_face_3(corner, n, p):
    """True if p is inside the prism over face 3 with normal n."""
    for k in range(3):
        q = row(corner, k)
        if dot(cross(n, sub(row(corner, (k + 1) % 3), q)), sub(p, q)) < 0.0:
            return False
    return True


@inner
def corners_over_face(corner, other, plane, sign, first, used, out, count):
    """Append contacts of the corners of one face 3 over the face 3 of the other; `sign` turns its normal to b."""
    n = row(plane, 3)
    for i in range(3):
        used[i] = False
        p = row(corner, i)
        distance = dot(n, p) - plane[3, 3]
        if 0.0 < distance <= ENVELOPE and over_face_3(other, n, p):
            count = write(out, count, along(p, n, -0.5 * distance), scale(n, sign), 0.0, first + i)
            used[i] = True
    return count


@inner
def write(out, count, p, n, gap, source):
    """Append a contact to the buffers point, normal, gap, source of TetWork."""
    for k in range(3):
        out.point[count, k] = p[k]
        out.normal[count, k] = n[k]
    out.gap[count] = gap
    out.source[count] = source
    return count + 1


@inner
def line_meeting(p, u, q, v):
    """(crossed, s, t): parameters in (0, 1) of the closest points p + s u, q + t v of two segments."""
    r = sub(q, p)
    uu, vv, uv, ur, vr = dot(u, u), dot(v, v), dot(u, v), dot(u, r), dot(v, r)
    den = uu * vv - uv * uv
    # Squared sine between edges without a common normal.
    if den <= 1e-12 * uu * vv:
        return False, 0.0, 0.0
    s, t = (ur * vv - vr * uv) / den, (ur * uv - vr * uu) / den
    return 0.0 < s < 1.0 and 0.0 < t < 1.0, s, t


@inner
def crossed_edges(a, b, work, count):
    """Append contacts of the edges of both faces 3; an edge is used once, and not if both its corners are."""
    for i in range(3):
        if work.used_a[i] and work.used_a[(i + 1) % 3]:
            continue
        p = row(a, i)
        u = sub(row(a, (i + 1) % 3), p)
        for j in range(3):
            if work.edge_b[j] or work.edge_a[i] or (work.used_b[j] and work.used_b[(j + 1) % 3]):
                continue
            q = row(b, j)
            v = sub(row(b, (j + 1) % 3), q)
            crossed, s, t = line_meeting(p, u, q, v)
            if not crossed:
                continue
            x, y = along(p, u, s), along(q, v, t)
            between = sub(y, x)
            if not 0.0 < norm(between) <= ENVELOPE:
                continue
            n = cross(u, v)
            n = scale(n, (1.0 if dot(n, between) > 0.0 else -1.0) / norm(n))
            count = write(work, count, scale(add(x, y), 0.5), n, 0.0, EDGES + 4 * i + j)
            work.edge_a[i], work.edge_b[j] = True, True
    return count


@inner
def pierced_face(corner, other, plane, sign, first, used, work, count):
    """Append contacts of unused edges of one face 3 through the face 3 of the other, as deep as their lower end."""
    n = row(plane, 3)
    for i in range(3):
        p, q = row(corner, i), row(corner, (i + 1) % 3)
        d0, d1 = dot(n, p) - plane[3, 3], dot(n, q) - plane[3, 3]
        if used[i] or d0 * d1 >= 0.0:
            continue
        x = along(p, sub(q, p), d0 / (d0 - d1))
        if over_face_3(other, n, x):
            count = write(work, count, x, scale(n, sign), min(d0, d1), first + i)
    return count


@inner
def closest_contacts(a, b, plane_a, plane_b, work):
    """Number of contacts of two tetrahedra; position, normal from a to b, gap and source are in `work`."""
    for k in range(3):
        work.edge_a[k], work.edge_b[k] = False, False
    count = corners_over_face(a, b, plane_b, -1.0, CORNERS_A, work.used_a, work, 0)
    count = corners_over_face(b, a, plane_a, 1.0, CORNERS_B, work.used_b, work, count)
    count = crossed_edges(a, b, work, count)
    count = pierced_face(a, b, plane_b, -1.0, PIERCED_A, work.edge_a, work, count)
    return pierced_face(b, a, plane_a, 1.0, PIERCED_B, work.edge_b, work, count)
