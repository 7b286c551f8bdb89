"""Contacts of a sphere or a capsule with a triangle mesh.

A sphere is a point, a capsule a segment, each swollen by its radius. The point or segment is tested against
the faces, edges and vertices of the mesh like a feature of a mesh (see `mesh_features`): only inside the
normal cones, so that a ball rolling over a triangulated plane has one contact with the plane's own normal.
All is computed in the axes of the mesh's body.
"""

import math
from typing import NamedTuple

import numpy as np

from ...base.vectors import add, along, cross, dot, norm, part, quaternion_rows, row, scale, sub, unrotate
from ...jit import inner, kernel
from ..contact_keys import MESH_BITS, mesh_key
from ..surface.mesh_faces import corners_of
from ..surface.mesh_pool import (
    CHILD,
    DEPTH,
    EDGE_DEPTH,
    FLAT_ANGLE,
    INWARD,
    LEAF,
    NORMAL,
    OWN_EDGES,
    OWN_VERTICES,
    ROOT,
    SHEET,
    SIDE,
    START,
    TREE_STACK,
)
from .mesh_edges import common_normal, edges_meet, in_both_cones, out_of_edge
from .mesh_features import (
    EDGE,
    FACE,
    FAR_CONE,
    INSIDE,
    NEAR_CONE,
    THICKNESS,
    VERTEX,
    in_vertex_cone,
    over_face,
    point_and_edge,
    point_and_vertex,
    rims_from_behind,
    rims_of,
)
from .mesh_output import Contacts, feature_number, keep_unhidden, write_contact
from .mesh_traversal import is_sheet
from .pierce_kernels import crossing_of

ROUND_FACE, ROUND_EDGE, ROUND_VERTEX = 8, 9, 10  # kinds of contacts in keys
MIDDLE = 2  # second number in keys: 0 and 1 are the ends of the segment
TOUCHES, MISSES, OUT_OF_REACH = 0, 1, 2


class Round(NamedTuple):
    """Segment from start to start + axis (axis zero: a point), swollen by radius, in the axes of the mesh.

    A point p fixed to it moves by slide + turn x p within the step. margin [m]: see `capsule_mesh`;
    frame: rotation (rows) and centre of the mesh's body.
    """

    start: tuple
    axis: tuple
    radius: float
    slide: tuple
    turn: tuple
    margin: float
    frame: tuple


@inner
def hit_share(away, move, radius):
    """Share of the step after which a point at `away` from another and moving by `move` is within the radius.

    2 if it is never within it, or is so already.
    """
    a, b, c = dot(move, move), dot(away, move), dot(away, away) - radius * radius
    if c <= 0.0 or b >= 0.0 or a == 0.0:
        return 2.0
    root = b * b - a * c
    return c / (-b + math.sqrt(root)) if root >= 0.0 else 2.0


@inner
def _round_key(pool, i, kind, feature, section):
    """Key of a contact of a feature of mesh i with an end of the segment or its middle (`section`)."""
    code = ROUND_FACE if kind == FACE else (ROUND_EDGE if kind == EDGE else ROUND_VERTEX)
    return mesh_key(code, feature_number(pool, kind, feature, i), section)


@inner
def _write_round(body, key, p, n, gap, m, out):
    """Write a contact once: point p of the segment, normal n towards it; return the new count."""
    for k in range(min(m, len(out.key))):
        if out.key[k] == key:
            return m
    position = along(p, n, -body.radius - 0.5 * gap)
    return write_contact(out, m, body.frame, position, n, gap, key)


@inner
def _end_on_face(pool, f, sheet, p, move, axis, radius, margin):
    """One end of the segment over face f, now or when it gets there.

    Returns (TOUCHES, MISSES or OUT_OF_REACH also for all that the face owns; normal; gap).
    """
    face = pool.face_real
    a, b, c = corners_of(face, f)
    n = part(face, f, NORMAL)
    rims = rims_of(pool, f)
    height = dot(n, sub(p, a))
    if sheet and height < 0.0:
        n, height = scale(n, -1.0), -height
        b, c = c, b
        rims = rims_from_behind(rims)
    gap, approach = height - radius, dot(n, move)
    if height < -radius - margin or (gap > margin and gap + approach > 0.0):
        return OUT_OF_REACH, n, gap
    if height < -0.5 * THICKNESS * face[f, DEPTH]:
        return MISSES, n, gap
    if gap <= margin and over_face(rims, a, b, c, n, p, height, radius + margin) == INSIDE:
        return TOUCHES if dot(axis, n) >= -NEAR_CONE * norm(axis) else OUT_OF_REACH, n, gap
    if gap > 0.0 and gap + approach <= 0.0 and dot(axis, n) >= -FAR_CONE * norm(axis):
        meeting = along(p, move, gap / -approach)
        if over_face(rims, a, b, c, n, meeting, height, margin) == INSIDE:
            return TOUCHES, n, gap
    return MISSES, n, gap


@inner
def _end_on_rim(pool, kind, feature, p, move, axis, radius, margin):
    """One end of the segment at an edge or vertex, now or when it gets there: (True if it is, normal, gap)."""
    edge = kind == EDGE
    if edge:
        near, n, distance = point_and_edge(pool, feature, p, radius + margin)
        away, travel = sub(p, part(pool.edge_real, feature, START)), move
        side = part(pool.edge_real, feature, SIDE)
        length2 = dot(side, side)
        away = along(away, side, -dot(away, side) / length2)
        travel = along(move, side, -dot(move, side) / length2)
    else:
        near, n, distance = point_and_vertex(pool, feature, p, radius + margin)
        away, travel = sub(p, row(pool.vertices, feature)), move
    if near:
        return dot(axis, n) >= 0.0, n, distance - radius
    share = hit_share(away, travel, radius)
    if share > 1.0:
        return False, n, 0.0
    meeting = along(p, move, share)
    if edge:
        near, n, distance = point_and_edge(pool, feature, meeting, radius + margin)
    else:
        near, n, distance = point_and_vertex(pool, feature, meeting, radius + margin)
    gap = -share * dot(n, move)
    return near and gap > 0.0 and dot(axis, n) >= -FAR_CONE * norm(axis), n, gap


@inner
def _middle_on_edge(pool, i, e, body):
    """The segment crossing edge e of mesh i: (True if it does, share of the segment, normal, gap)."""
    zero = (0.0, 0.0, 0.0)
    p0, u = part(pool.edge_real, e, START), part(pool.edge_real, e, SIDE)
    left, right = part(pool.edge_real, e, INWARD), part(pool.edge_real, e, INWARD + 3)
    n, distance = common_normal(p0, u, body.start, body.axis, left, right, zero, zero)
    flat = abs(dot(add(left, right), n)) < 0.5 * FLAT_ANGLE and not is_sheet(pool, i)
    if flat and out_of_edge(u, left, right, n) < 0.0:
        # Between faces in one plane.
        n, distance = scale(n, -1.0), -distance
    gap, margin = distance - body.radius, body.margin
    if distance == np.inf or distance < -pool.edge_real[e, EDGE_DEPTH]:
        return False, 0.0, n, gap
    if not in_both_cones(n, left, right, zero, zero, NEAR_CONE if gap <= margin else FAR_CONE):
        return False, 0.0, n, gap
    meet, p = edges_meet((p0, u, body.start, body.axis), n, gap, body.slide, body.turn, margin)
    return meet, dot(sub(p, body.start), body.axis) / dot(body.axis, body.axis), n, gap


@inner
def _middle_on_vertex(pool, v, body):
    """The segment's inside at vertex v, now or when it gets there: (True if it is, share, normal, gap)."""
    vertex = row(pool.vertices, v)
    length2 = dot(body.axis, body.axis)
    away = sub(body.start, vertex)
    t = -dot(away, body.axis) / length2
    across = along(away, body.axis, t)
    distance = norm(across)
    gap = distance - body.radius
    if gap > body.margin:
        move = add(body.slide, cross(body.turn, vertex))
        share = hit_share(across, along(move, body.axis, -dot(move, body.axis) / length2), body.radius)
        if share > 1.0:
            return False, t, across, gap
        away = along(away, move, share)
        t = -dot(away, body.axis) / length2
        across = along(away, body.axis, t)
        distance = body.radius
        gap = -share * dot(across, move) / distance
    # Nearer to the axis than this part of the radius, a vertex has no direction from it.
    if t <= 0.0 or t >= 1.0 or distance < 1e-9 * body.radius:
        return False, t, across, gap
    n = scale(across, 1.0 / distance)
    return in_vertex_cone(pool.star_start, pool.star, v, scale(n, -1.0), NEAR_CONE), t, n, gap


@inner
def _ends_on_face(pool, i, f, section, body, m, out):
    """Contacts of one end of the segment with face f of mesh i and what it owns; return the new count."""
    p, axis, margin = body.start, body.axis, body.margin
    if section == 1:
        p, axis = add(p, axis), scale(axis, -1.0)
    move = add(body.slide, cross(body.turn, p))
    state, n, gap = _end_on_face(pool, f, pool.mesh_int[i, SHEET] > 0, p, move, axis, body.radius, margin)
    if state == OUT_OF_REACH:
        return m
    kind = FACE
    feature = np.int64(f)
    touches = state == TOUCHES
    for k in range(7):
        if k > 0:
            kind = EDGE if k < 4 else VERTEX
            feature = np.int64(pool.face_int[f, OWN_EDGES + k - 1 if k < 4 else OWN_VERTICES + k - 4])
            touches = False
            if feature >= 0:
                touches, n, gap = _end_on_rim(pool, kind, feature, p, move, axis, body.radius, margin)
        if touches:
            m = _write_round(body, _round_key(pool, i, kind, feature, section), p, n, gap, m, out)
            if k == 0 and gap <= margin:
                return m
    return m


@inner
def _middle_on_face(pool, i, f, body, m, out):
    """Contacts of the segment's inside with the edges and vertices that face f owns; return the new count."""
    for k in range(6):
        kind = EDGE if k < 3 else VERTEX
        feature = np.int64(pool.face_int[f, OWN_EDGES + k if k < 3 else OWN_VERTICES + k - 3])
        if feature < 0:
            continue
        if k < 3:
            touches, share, n, gap = _middle_on_edge(pool, i, feature, body)
        else:
            touches, share, n, gap = _middle_on_vertex(pool, feature, body)
        if touches:
            p = along(body.start, body.axis, min(max(share, 0.0), 1.0))
            m = _write_round(body, _round_key(pool, i, kind, feature, MIDDLE), p, n, gap, m, out)
    return m


@inner
def _drop_behind(out, count, radius):
    """Drop face contacts of a centre behind the face if something nearer sees it outside; return how many are left."""
    hidden, of_section = np.zeros(count, dtype=np.bool_), (1 << MESH_BITS) - 1
    for k in range(count):
        behind = -radius - out.gap[k]
        if behind > 0.0:
            section = out.key[k] & of_section
            for j in range(count):
                outside = out.gap[j] + radius
                if 0.0 <= outside < behind and out.key[j] & of_section == section:
                    hidden[k] = True
    return keep_unhidden(out, count, hidden)


@inner
def _out_of_sheet(pool, i, f, body, m, out):
    """Contact of the shorter end of a segment that goes through face f of the sheet i, in place of all others of that
    end, which may be far beyond: out on the side that the segment's middle is on. Returns the new count."""
    a, _, _ = corners_of(pool.face_real, f)
    n = part(pool.face_real, f, NORMAL)
    height = dot(n, sub(along(body.start, body.axis, 0.5), a))
    if height < 0.0:
        n, height = scale(n, -1.0), -height
    # Along the normal, one end is beyond the face.
    section = np.int64(0 if dot(body.axis, n) >= 0.0 else 1)
    p = body.start if section == 0 else add(body.start, body.axis)
    hidden, of_section = np.zeros(m, dtype=np.bool_), (1 << MESH_BITS) - 1
    for k in range(m):
        hidden[k] = out.key[k] & of_section == section
    m = keep_unhidden(out, m, hidden)
    gap = dot(n, sub(p, a)) - body.radius
    return _write_round(body, _round_key(pool, i, FACE, f, section), p, n, gap, m, out)


@inner
def _drop_beyond_edges(out, count, radius):
    """Drop contacts of a segment that is beyond an edge of a sheet it goes through nowhere: it is on the other side,
    for which the edge is concave. Returns how many are left."""
    hidden, of_section = np.zeros(count, dtype=np.bool_), (1 << MESH_BITS) - 1
    for k in range(count):
        hidden[k] = out.gap[k] < -radius and out.key[k] & of_section == MIDDLE
    return keep_unhidden(out, count, hidden)


@inner
def _goes_through(pool, f, body):
    """True if the segment goes through face f."""
    a, b, c = corners_of(pool.face_real, f)
    return crossing_of(body.start, body.axis, a, b, c, part(pool.face_real, f, NORMAL))[0] >= 0.0


@inner
def _is_beyond(d, size, spread, reach):
    """True if a box (its middle at d from another's, half size) is further than reach from that of half size spread."""
    x = max(abs(d[0]) - size[0] - spread[0], 0.0)
    y = max(abs(d[1]) - size[1] - spread[1], 0.0)
    z = max(abs(d[2]) - size[2] - spread[2], 0.0)
    return x * x + y * y + z * z > reach * reach


@inner
def _is_beside(d, size, half, reach):
    """True if the ball round a box (its middle at d from a segment's) is further than reach from that -+ half."""
    t = min(max(dot(d, half) / dot(half, half), -1.0), 1.0)
    return norm(along(d, half, -t)) > norm(size) + reach


@inner
def round_mesh(pool, i, pose, capsule, h, margin, out):
    """Contacts of a mesh with a capsule or sphere, see `capsule_mesh`; pose: x, q, u; capsule: center, half_axis,
    radius, uc."""
    (x, q, u), (center, half_axis, radius, uc) = pose, capsule
    r = quaternion_rows(q)
    middle = unrotate(r, (center[0] - x[0], center[1] - x[1], center[2] - x[2]))
    half = unrotate(r, half_axis)
    turn_c = unrotate(r, (h * uc[3], h * uc[4], h * uc[5]))
    turn = sub(turn_c, unrotate(r, (h * u[3], h * u[4], h * u[5])))
    travel = unrotate(r, (h * (uc[0] - u[0]), h * (uc[1] - u[1]), h * (uc[2] - u[2])))
    slide = sub(travel, cross(turn_c, middle))
    frame = (r, (x[0], x[1], x[2]))
    body = Round(sub(middle, half), scale(half, 2.0), radius, slide, turn, margin, frame)
    sweep = scale(add(slide, cross(turn, middle)), 0.5)
    reach = radius + margin + norm(turn) * norm(half)
    center_of_box = add(middle, sweep)
    spread = (abs(half[0]) + abs(sweep[0]), abs(half[1]) + abs(sweep[1]), abs(half[2]) + abs(sweep[2]))
    stack = np.empty(TREE_STACK, dtype=np.int32)
    stack[0] = pool.mesh_int[i, ROOT]
    top, m = np.int64(1), np.int64(0)
    long, travelled = norm(half) > 0.0, norm(sweep)
    sheet, pierced = long and is_sheet(pool, i), np.int64(-1)
    while top > 0:
        top -= 1
        node = stack[top]
        d = sub(part(pool.tree, node, 0), center_of_box)
        size = part(pool.tree, node, 3)
        if _is_beyond(d, size, spread, reach) or (long and _is_beside(d, size, half, reach + travelled)):
            continue
        child = np.int32(pool.tree[node, CHILD])
        if child < 0:
            f = np.int32(pool.tree[node, LEAF])
            for section in range(2 if long else 1):
                m = _ends_on_face(pool, i, f, section, body, m, out)
            if long:
                m = _middle_on_face(pool, i, f, body, m, out)
            if sheet and pierced < 0 and _goes_through(pool, f, body):
                pierced = np.int64(f)
        else:
            stack[top] = child
            stack[top + 1] = child + 1
            top += 2
    if m > len(out.gap):
        return m
    m = _drop_behind(out, m, radius)
    if pierced >= 0:
        return _out_of_sheet(pool, i, pierced, body, m, out)
    return _drop_beyond_edges(out, m, radius) if sheet else m


@kernel
def capsule_mesh(
    pool, i, x, q, u, center, half_axis, radius, uc, h, margin, out_position, out_normal, out_gap, out_key
):
    """Contacts between mesh i of the pool and a capsule; return how many there are.

    x (3,), q (4,), u (6,): position, orientation w,x,y,z and twist of the mesh's body at x; center (3,) middle of
    the capsule, half_axis (3,) from there to the centre of one cap, radius, uc (6,) twist at the middle; h [s]
    the step, margin [m]. Written as far as there is room: positions, normals from the mesh to the capsule, gaps,
    keys. If the count returned is larger than the room, call again with more.
    """
    out = Contacts(out_position, out_normal, out_gap, out_key)
    axis = (half_axis[0], half_axis[1], half_axis[2])
    return round_mesh(pool, i, (x, q, u), (center, axis, radius, uc), h, margin, out)
