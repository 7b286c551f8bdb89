"""A separating direction for two surfaces that cross each other where no pair of features shows it.

Two solids intersect in closed curves. Their vector area is the rate at which the overlap's volume shrinks when
one solid moves, so it points along the shortest separating direction. How far is the longest line along it within the
overlap: the curves' extent is longer where they run down both sides of an edge over which the other surface is bent.
Where one surface is a sheet, the area points through it, and the solid comes out on the side of its centre of mass.
"""

import numpy as np

from ...base.vectors import add, along, cross, dot, norm, part, put, rotate, row, scale, sub, unrotate
from ...jit import inner
from ..contact_keys import BEYOND, CUT, EDGE_VERTEX, FACE_VERTEX, MESH_BITS, VERTEX_EDGE, VERTEX_FACE, mesh_key
from ..manifold.reduce_kernels import SHALLOW
from ..surface.mesh_faces import corners_in, corners_of, heights_over
from ..surface.mesh_pool import FIRST_VERTEX, LEAF, NORMAL, ROOT
from .inside_kernels import is_inside
from .mesh_descent import first_leaf_pairs, gather_face_pairs, next_leaf_pairs, wide_search
from .mesh_output import keep_unhidden, write_contact
from .mesh_traversal import at_rest, is_sheet, pair_at_rest

# Of the margin: a deeper overlap is of a wall that is pierced, and does not show how deep.
DEEP = 9.0


@inner
def _through_plane(p, q, r, hp, hq, hr, way):
    """Where a triangle with corners on both sides of a plane goes through it: (start, end, their places along `way`).

    hp, hq, hr: heights of its corners over the plane.
    """
    # The corner that is alone on its side comes first.
    if (hp > 0.0) == (hq > 0.0):
        p, q, r, hp, hq, hr = r, p, q, hr, hp, hq
    elif (hp > 0.0) == (hr > 0.0):
        p, q, r, hp, hq, hr = q, r, p, hq, hr, hp
    start, end = along(p, sub(q, p), hp / (hp - hq)), along(p, sub(r, p), hp / (hp - hr))
    first, last = dot(start, way), dot(end, way)
    if first > last:
        return end, start, last, first
    return start, end, first, last


@inner
def cut_of_faces(a, na, b, nb):
    """Where two triangles intersect: (True if they do, start, end), along na x nb."""
    ha, hb = heights_over(nb, b[0], a), heights_over(na, a[0], b)
    if min(ha) > 0.0 or max(ha) <= 0.0 or min(hb) > 0.0 or max(hb) <= 0.0:
        return False, a[0], a[0]
    way = cross(na, nb)
    start_a, end_a, first_a, last_a = _through_plane(a[0], a[1], a[2], ha[0], ha[1], ha[2], way)
    start_b, end_b, first_b, last_b = _through_plane(b[0], b[1], b[2], hb[0], hb[1], hb[2], way)
    start = start_a if first_a > first_b else start_b
    end = end_a if last_a < last_b else end_b
    return max(first_a, first_b) < min(last_a, last_b), start, end


@inner
def _cut_of_pair(face_real, fa, fb, rel):
    """`cut_of_faces` of face fa of a and face fb of b, in the axes of a."""
    nb = rotate(rel.rotation, part(face_real, fb, NORMAL))
    return cut_of_faces(corners_of(face_real, fa), part(face_real, fa, NORMAL), corners_in(face_real, fb, rel), nb)


@inner
def _leaves_cut(pool, rel, pairs, count, tolerance):
    """True if the faces of one of so many pairs of leaves intersect by more than a tolerance [m].

    Those of solids that stand flush on each other do by round-off.
    """
    tree, face_real = pool.tree, pool.face_real
    for q in range(count):
        fa, fb = np.int32(tree[pairs[q, 0], LEAF]), np.int32(tree[pairs[q, 1], LEAF])
        a, b = corners_of(face_real, fa), corners_in(face_real, fb, rel)
        na = part(face_real, fa, NORMAL)
        hb = heights_over(na, a[0], b)
        if min(hb) > -tolerance or max(hb) < tolerance:
            continue
        nb = rotate(rel.rotation, part(face_real, fb, NORMAL))
        ha = heights_over(nb, b[0], a)
        if min(ha) > -tolerance or max(ha) < tolerance:
            continue
        cut, start, end = cut_of_faces(a, na, b, nb)
        if cut and norm(sub(end, start)) > tolerance:
            return True
    return False


@inner
def surfaces_cut(pair, tolerance, leaves, tables):
    """True if the surfaces of a MeshPair, not both sheets, intersect now by more than a tolerance [m]; leaves:
    NearLeaves; tables: work space."""
    pair, stack, pairs = pair_at_rest(pair), tables[0], tables[1]
    wide = wide_search(pair.pool, pair.a, pair.b, pair.rel, 0.0, True)
    at, top = first_leaf_pairs(pair, leaves, 0.0, stack)
    while at < leaves.last or top > 0:
        count, at, top = next_leaf_pairs(pair, wide, leaves, 0.0, at, stack, top, pairs)
        if _leaves_cut(pair.pool, pair.rel, pairs, count, tolerance):
            return True
    return False


@inner
def _curves(pool, ia, ib, rel, stack, pairs):
    """Starts and ends (n,6) of the pieces of the curves, in the axes of a."""
    stack[0, 0], stack[0, 1] = pool.mesh_int[ia, ROOT], pool.mesh_int[ib, ROOT]
    wide, top = wide_search(pool, ia, ib, rel, 0.0, True), np.int64(1)
    pieces, count = np.empty((64, 6)), 0
    while top > 0:
        found, top = gather_face_pairs(pool, rel, wide, 0.0, stack, top, pairs)
        if count + found > len(pieces):
            larger = np.empty((2 * (count + found), 6))
            larger[:count] = pieces[:count]
            pieces = larger
        for q in range(found):
            cut, start, end = _cut_of_pair(pool.face_real, pairs[q, 0], pairs[q, 1], rel)
            if cut:
                put(pieces, count, 0, start)
                put(pieces, count, 3, end)
                count += 1
    return pieces[:count]


@inner
def _vector_area(pieces, about):
    """(vector area of the curves, their length, their middle); about: a point near them, on which the area of closed
    curves does not depend."""
    area, middle, length = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
    for k in range(len(pieces)):
        start, end = part(pieces, k, 0), part(pieces, k, 3)
        area = along(area, cross(sub(start, about), sub(end, about)), 0.5)
        piece = norm(sub(end, start))
        middle = along(middle, add(start, end), 0.5 * piece)
        length += piece
    return area, length, scale(middle, 1.0 / length) if length > 0.0 else middle


@inner
def _extent(pieces, n):
    """How far the curves extend along n [m]."""
    low, high = np.inf, -np.inf
    for k in range(len(pieces)):
        first, last = dot(part(pieces, k, 0), n), dot(part(pieces, k, 3), n)
        low, high = min(low, first, last), max(high, first, last)
    return high - low


@inner
def _is_seen_through(p, corners, n, side):
    """True if the line along n through p meets a triangle; side: sign of its normal along n."""
    for i in range(3):
        rim = sub(corners[(i + 1) % 3], corners[i])
        if side * dot(cross(rim, sub(p, corners[i])), n) < 0.0:
            return False
    return True


@inner
def _longer(depth, height, length, top):
    """Of two lines along a direction, lengths and heights of their upper ends, the longer one."""
    return (length, top) if length > depth else (depth, height)


@inner
def _line_between(a, na, b, nb, n):
    """(length [m], height along n of its upper end) of the longest line along n from triangle b up to triangle a, or
    of length 0; na, nb: their normals, na along n, nb against it.

    The length is linear where both are seen, so that it is longest at a corner of that part.
    """
    depth, height = 0.0, 0.0
    for i in range(3):
        if _is_seen_through(a[i], b, n, -1.0):
            length = dot(nb, sub(a[i], b[0])) / dot(nb, n)
            depth, height = _longer(depth, height, length, dot(a[i], n))
        if _is_seen_through(b[i], a, n, 1.0):
            length = dot(na, sub(a[0], b[i])) / dot(na, n)
            depth, height = _longer(depth, height, length, dot(b[i], n) + length)
        u = sub(a[(i + 1) % 3], a[i])
        for j in range(3):
            v, away = sub(b[(j + 1) % 3], b[j]), sub(b[j], a[i])
            turn = dot(cross(u, v), n)
            if turn == 0.0:
                continue
            s, r = dot(cross(away, v), n) / turn, dot(cross(away, u), n) / turn
            if 0.0 <= s <= 1.0 and 0.0 <= r <= 1.0:
                p, q = along(a[i], u, s), along(b[j], v, r)
                depth, height = _longer(depth, height, dot(sub(p, q), n), dot(p, n))
    return depth, height


@inner
def _longest_within(pair, n, most, tables):
    """(length [m], height along n of its middle) of the longest line along n (axes of a) within the overlap of two
    solids; 0 where there is none, `most` [m] at most.

    It enters by a face of b and leaves by one of a: lines that do not, cancel in the curves' vector area.
    """
    pool, rel, stack, pairs = pair.pool, at_rest(pair.rel), tables[0], tables[1]
    depth, height = 0.0, 0.0
    stack[0, 0], stack[0, 1] = pool.mesh_int[pair.a, ROOT], pool.mesh_int[pair.b, ROOT]
    wide, top = wide_search(pool, pair.a, pair.b, rel, most, True), np.int64(1)
    while top > 0:
        found, top = gather_face_pairs(pool, rel, wide, most, stack, top, pairs)
        for q in range(found):
            na = part(pool.face_real, pairs[q, 0], NORMAL)
            nb = rotate(rel.rotation, part(pool.face_real, pairs[q, 1], NORMAL))
            if dot(na, n) > 0.0 > dot(nb, n):
                a, b = corners_of(pool.face_real, pairs[q, 0]), corners_in(pool.face_real, pairs[q, 1], rel)
                length, end = _line_between(a, na, b, nb, n)
                depth, height = _longer(depth, height, length, end - 0.5 * length)
    return min(depth, most), height


@inner
def drop_uncut(pair, margin, tables, out, count):
    """Drop overlaps of two solids that are not where the solids are in each other; return how many are left.

    Asked are those deeper than the margin [m], and of edges beyond their ends than a shallow part of it: what has
    passed a thin lip is behind it, too. The middle of a line between edges that overlap is in both solids, and a
    vertex is in that with whose face it overlaps.
    """
    rel, (rotation, shift) = pair.rel, pair.frame
    hidden = np.zeros(count, dtype=np.bool_)
    for k in range(count):
        if out.gap[k] >= -(SHALLOW * margin if out.key[k] & BEYOND != 0 else margin):
            continue
        kind = (out.key[k] >> (2 * MESH_BITS)) & 15
        of_a, of_b = kind in (VERTEX_FACE, VERTEX_EDGE), kind in (FACE_VERTEX, EDGE_VERTEX)
        # From the middle to the vertex.
        way = 0.5 * out.gap[k] * (of_b - of_a)
        p = unrotate(rotation, sub(along(row(out.position, k), row(out.normal, k), way), shift))
        if not of_a:
            hidden[k] = not is_inside(pair.pool, pair.a, p, tables[0])
        if not hidden[k] and not of_b:
            q = unrotate(rel.rotation, sub(p, rel.shift))
            hidden[k] = not is_inside(pair.pool, pair.b, q, tables[0])
    return keep_unhidden(out, count, hidden)


@inner
def _width(pieces, middle, n):
    """How far the curves reach [m] from the line through their middle along n."""
    most = 0.0
    for k in range(len(pieces)):
        away = sub(part(pieces, k, 0), middle)
        most = max(most, norm(along(away, n, -dot(away, n))))
    return most


@inner
def _depth_behind(pair, solid, middle, n, width):
    """How deep [m] vertices of mesh `solid`, one of the pair's, are behind a plane through `middle` with normal n (axes
    of a), no further than `width` [m] from the line along n."""
    pool, rel, depth = pair.pool, pair.rel, 0.0
    first = pool.mesh_int[solid, FIRST_VERTEX]
    last = pool.mesh_int[solid + 1, FIRST_VERTEX] if solid + 1 < len(pool.mesh_int) else len(pool.vertices)
    for v in range(first, last):
        p = row(pool.vertices, v)
        if solid == pair.b:
            p = add(rotate(rel.rotation, p), rel.shift)
        away = sub(p, middle)
        height = dot(away, n)
        if -height > depth and norm(along(away, n, -height)) <= width:
            depth = -height
    return depth


@inner
def _add_way_out_of_sheet(pair, pieces, margin, out, count):
    """Write the contact that brings a solid out of the sheet it crosses, along these curves; return the new count."""
    rel, solid_first = pair.rel, is_sheet(pair.pool, pair.b)
    _, length, middle = _vector_area(pieces, rel.shift)
    # About their own middle, the area of curves that end at the sheet's rim points through the sheet, too.
    area, _, _ = _vector_area(pieces, middle)
    size = norm(area)
    if size <= 1e-3 * length * length:
        return count
    center = (0.0, 0.0, 0.0) if solid_first else rel.shift
    n = scale(area, (1.0 if dot(area, sub(center, middle)) >= 0.0 else -1.0) / size)
    depth = _depth_behind(pair, pair.a if solid_first else pair.b, middle, n, _width(pieces, middle, n))
    if depth <= SHALLOW * margin:
        return count
    normal = scale(n, -1.0 if solid_first else 1.0)
    return write_contact(out, count, pair.frame, middle, normal, -depth, mesh_key(CUT, 0, 0))


@inner
def add_separation(pair, margin, sheets, tables, out, count):
    """Write the contact that the curves of two surfaces make, if there is one; return the new count.

    sheets: 0 for two solids, 1 if one of them is a sheet.
    """
    pieces = _curves(pair.pool, pair.a, pair.b, at_rest(pair.rel), tables[0], tables[1])
    if sheets:
        return _add_way_out_of_sheet(pair, pieces, margin, out, count)
    area, length, middle = _vector_area(pieces, pair.rel.shift)
    size = norm(area)
    # Curves into a wall and out of it, for one, give no direction.
    if size <= 1e-3 * length * length:
        return count
    n = scale(area, 1.0 / size)
    depth, height = _longest_within(pair, n, _extent(pieces, n), tables)
    if depth <= SHALLOW * margin or depth > DEEP * margin:
        return count
    place = along(middle, n, height - dot(middle, n))
    return write_contact(out, count, pair.frame, place, n, -depth, mesh_key(CUT, 0, 0))
