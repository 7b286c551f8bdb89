"""Contacts of a cylinder's curved side with a mesh, from those of the prism that the mesh meets.

The prism has its corners on the cylinder, so that what rolls on it would fall from side to side. Where its corners,
sides and the edges between these meet faces, corners and edges of the mesh, the contact is put onto the cylinder:
two on a face, at the ends of the lowest line, one on an edge or corner.
"""

from ...base.vectors import add, along, cross, dot, norm, part, put, quaternion_rows, rotate, row, scale, sub
from ...jit import inner
from ..contact_keys import EDGE_EDGE, FACE_VERTEX, MESH_BITS, VERTEX_FACE, mesh_key
from ..convex.cylinder_kernels import lowest_rim
from ..manifold.reduce_kernels import SHALLOW
from ..surface.mesh_patch_kernels import is_on_surface
from ..surface.mesh_pool import FIRST_EDGE, SIDE, START
from .mesh_output import drop_repeated

# Numbers of the cylinder's features in keys, above those of its prism: the lowest points of its rims, its lowest line,
# and its side.
RIMS, LINE, ROUND_SIDE = 1000, 1002, 1003


@inner
def on_rim(cylinder, flat, x, m):
    """(feature, the lowest point of the rim that a corner x of the prism is on, over a face with normal m); feature -1
    where the cap lies flat on the face: corners of the prism are on the rim."""
    outward, sine = lowest_rim(cylinder, m)
    if 2.0 * cylinder.radius * sine < flat:
        return -1, x
    end = dot(sub(x, cylinder.center), cylinder.axis) > 0.0
    middle = along(cylinder.center, cylinder.axis, cylinder.half if end else -cylinder.half)
    return RIMS + int(end), along(middle, outward, cylinder.radius)


@inner
def on_line(cylinder, x, y, m, start, side):
    """(feature, point of the cylinder, of the edge) where its side passes the edge from `start` along `side`, square to
    m; feature -1 where it does not, or a rim does."""
    across = cross(cylinder.axis, m)
    slope = dot(side, across)
    # Cosine of what is square, but for rounding.
    if abs(dot(cylinder.axis, m)) > 1e-7 or slope == 0.0:
        return -1, x, y
    share = -dot(sub(start, cylinder.center), across) / slope
    at = along(start, side, share)
    far = dot(sub(at, cylinder.center), cylinder.axis)
    if share < 0.0 or share > 1.0 or abs(far) > cylinder.half:
        return -1, x, y
    return LINE, along(along(cylinder.center, cylinder.axis, far), m, -cylinder.radius), at


@inner
def on_side(cylinder, x, y, m):
    """(feature, point of the cylinder, unit vector from y to it) where a corner y meets its side; -1: meets a cap."""
    away = sub(y, cylinder.center)
    far = dot(away, cylinder.axis)
    outward = along(away, cylinder.axis, -far)
    distance = norm(outward)
    # Deeper than half of the radius a corner has passed the middle of a side, as far as anyone knows.
    if abs(dot(cylinder.axis, m)) > 0.5 or distance < 0.5 * cylinder.radius:
        return -1, x, m
    outward = scale(outward, 1.0 / distance)
    middle = along(cylinder.center, cylinder.axis, far)
    return ROUND_SIDE, along(middle, outward, cylinder.radius), scale(outward, -1.0)


@inner
def put_on_cylinder(pool, mesh, first, cylinder, flat, out, count):
    """Put the contacts of a mesh and a prism onto the cylinder; returns how many are left.

    mesh: its number, orientation and centre of its body; first: whether the cylinder is the pair's first; flat [m]: how
    much higher the far side of a rim may be where its cap lies on a face. The lowest point of a rim may be beside the
    face that a corner is over, or beyond an edge: it counts where there is a surface under it.
    """
    (number, q, center), mask = mesh, (1 << MESH_BITS) - 1
    rows = quaternion_rows(q)
    sign = -1.0 if first else 1.0
    for k in range(count):
        kind = (out.key[k] >> (2 * MESH_BITS)) & 15
        of_a, of_b = (out.key[k] >> MESH_BITS) & mask, out.key[k] & mask
        foreign = of_b if first else of_a
        m, p = scale(row(out.normal, k), sign), row(out.position, k)
        x, y = along(p, m, 0.5 * out.gap[k]), along(p, m, -0.5 * out.gap[k])
        feature = -1
        if kind == (VERTEX_FACE if first else FACE_VERTEX):
            feature, lowest = on_rim(cylinder, flat, x, m)
            foot = along(lowest, m, dot(m, sub(y, lowest)))
            if feature >= 0 and not is_on_surface(pool, number, center, q, foot, m, SHALLOW * flat):
                continue
            x = lowest
        elif kind == EDGE_EDGE:
            edge = pool.mesh_int[number, FIRST_EDGE] + foreign
            start = add(center, rotate(rows, part(pool.edge_real, edge, START)))
            feature, x, y = on_line(cylinder, x, y, m, start, rotate(rows, part(pool.edge_real, edge, SIDE)))
        elif kind == (FACE_VERTEX if first else VERTEX_FACE):
            feature, x, m = on_side(cylinder, x, y, m)
        if feature < 0:
            continue
        gap = dot(m, sub(x, y))
        put(out.position, k, 0, along(x, m, -0.5 * gap))
        put(out.normal, k, 0, scale(m, sign))
        out.gap[k] = gap
        out.key[k] = mesh_key(kind, feature, foreign) if first else mesh_key(kind, foreign, feature)
    return drop_repeated(out, count)
