"""How far two surfaces are through each other: where edges of one pass through faces of the other."""

import numpy as np

from ..jit import inner, kernel
from .colliders import BODY, MESH_NUMBER
from .mesh_pool import CORNERS, NORMAL, OWN_EDGES, ROOT, SHEET
from .mesh_traversal import STACK, gather_face_pairs, relative_motion
from .mesh_vectors import add, along, cross, dot, norm, part, quaternion_rows, rotate, sub
from .placement_kernels import CENTER

BATCH = 64
# Cosine between an edge and a face's plane below which it lies in the plane.
IN_PLANE = 1e-9


@inner
def crossing_of(p, side, a, b, c, n):
    """Where the segment from p along `side` crosses the triangle: (parameter, below 0 for nowhere; slope).

    slope [m]: how far the whole segment rises along the face's normal.
    """
    slope = dot(side, n)
    if abs(slope) <= IN_PLANE * norm(side):
        return -1.0, slope
    t = dot(sub(a, p), n) / slope
    if t < 0.0 or t > 1.0:
        return -1.0, slope
    q = along(p, side, t)
    if dot(cross(sub(b, a), sub(q, a)), n) < 0.0 or dot(cross(sub(c, b), sub(q, b)), n) < 0.0:
        return -1.0, slope
    return (t if dot(cross(sub(a, c), sub(q, c)), n) >= 0.0 else -1.0), slope


@inner
def write_crossings(edges, f, corners, other, n, side_of_pair, hits, count):
    """Add the crossings of face f's own edges with the triangle `other`; hits (n,3): edge, parameter, slope [m]."""
    for k in range(3):
        e = edges[f, OWN_EDGES + k]
        if e < 0:
            continue
        p = corners[k]
        t, slope = crossing_of(p, sub(corners[(k + 1) % 3], p), other[0], other[1], other[2], n)
        if t >= 0.0:
            if count < len(hits):
                hits[count, 0], hits[count, 1], hits[count, 2] = 2.0 * e + side_of_pair, t, slope
            count += 1
    return count


@inner
def deepest_of_edge(hits, order, first, last, sheet):
    """Depth [m] of one edge, whose crossings are order[first:last] by their parameter.

    Inside a solid it is the stretch between a way in and the way out, or an end of the edge, seen along the normal of
    the face it is shorter by; at a sheet, the shorter piece of the edge.
    """
    deepest = 0.0
    entry, slope_in = 0.0, 0.0
    inside = hits[order[first], 2] > 0.0
    for k in range(first, last):
        t, slope = hits[order[k], 1], hits[order[k], 2]
        if sheet:
            deepest = max(deepest, min(t, 1.0 - t) * abs(slope))
        elif slope < 0.0 and not inside:
            inside, entry, slope_in = True, t, slope
        elif slope > 0.0 and inside:
            least = slope if slope_in == 0.0 else min(slope, -slope_in)
            deepest = max(deepest, (t - entry) * least)
            inside = False
    if inside and slope_in < 0.0:
        deepest = max(deepest, (1.0 - entry) * -slope_in)
    return deepest


@inner
def deepest_of(hits, count, sheet_a, sheet_b):
    """Depth [m] of all crossings of a pair; edges of a have even numbers and meet b."""
    order = np.argsort(2.0 * hits[:count, 0] + hits[:count, 1])
    deepest, first = 0.0, 0
    for k in range(1, count + 1):
        if k == count or hits[order[k], 0] != hits[order[first], 0]:
            sheet = sheet_a if np.int64(hits[order[first], 0]) % 2 else sheet_b
            deepest = max(deepest, deepest_of_edge(hits, order, first, k, sheet))
            first = k
    return deepest


@inner
def corners_in(face_real, f, rel):
    """The three corners of a face of b in the axes of a."""
    return (
        add(rotate(rel.rotation, part(face_real, f, CORNERS)), rel.shift),
        add(rotate(rel.rotation, part(face_real, f, CORNERS + 3)), rel.shift),
        add(rotate(rel.rotation, part(face_real, f, CORNERS + 6)), rel.shift),
    )


@inner
def find_crossings(pool, ia, ib, rel, stack, pairs, hits):
    """Fill hits with the crossings of both meshes; returns how many there are."""
    stack[0, 0], stack[0, 1] = pool.mesh_int[ia, ROOT], pool.mesh_int[ib, ROOT]
    top, count = np.int64(1), np.int64(0)
    real = pool.face_real
    while top > 0:
        found, top = gather_face_pairs(pool.tree, rel, 0.0, stack, top, pairs)
        for q in range(found):
            fa, fb = pairs[q, 0], pairs[q, 1]
            a = (part(real, fa, CORNERS), part(real, fa, CORNERS + 3), part(real, fa, CORNERS + 6))
            b = corners_in(real, fb, rel)
            na, nb = part(real, fa, NORMAL), rotate(rel.rotation, part(real, fb, NORMAL))
            count = write_crossings(pool.face_int, fa, a, b, nb, 0.0, hits, count)
            count = write_crossings(pool.face_int, fb, b, a, na, 1.0, hits, count)
    return count


@kernel
def piercing_depths(pool, index, motion, orientation, pairs, depth):
    """depth (P,) [m] to which edges of the surfaces of collider pairs (P,2) are through faces of the other.

    index: of Colliders; motion (R,9): centres of mass first; orientation (R,4) w,x,y,z. An edge that passes through a
    wall is at least as deep as the wall is thick. Zero for surfaces that do not cross, one inside the other included.
    """
    stack = np.empty((STACK, 2), dtype=np.int32)
    faces = np.empty((BATCH, 3), dtype=np.int32)
    hits = np.empty((256, 3))
    still = np.zeros(6)
    for p in range(len(pairs)):
        a, b = pairs[p, 0], pairs[p, 1]
        i, j = index[a, BODY], index[b, BODY]
        ia, ib = index[a, MESH_NUMBER], index[b, MESH_NUMBER]
        ra, rb = quaternion_rows(orientation[i]), quaternion_rows(orientation[j])
        xa, xb = motion[i, CENTER : CENTER + 3], motion[j, CENTER : CENTER + 3]
        rel = relative_motion(xa, ra, still, xb, rb, still, 0.0)
        count = find_crossings(pool, ia, ib, rel, stack, faces, hits)
        if count > len(hits):
            hits = np.empty((count, 3))
            count = find_crossings(pool, ia, ib, rel, stack, faces, hits)
        depth[p] = deepest_of(hits, count, pool.mesh_int[ia, SHEET] > 0, pool.mesh_int[ib, SHEET] > 0)
