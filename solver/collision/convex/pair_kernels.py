"""Contacts of two placed colliders that are not meshes, by their kinds."""

from ...base.inlining import inlined
from ...base.vectors import add, norm, row, scale, sub
from ...jit import inner
from ..broadphase.colliders import EXTENT, FIRST_VERTEX, HALF, KIND, LAST_VERTEX, RADIUS
from ..broadphase.geometry import CAPSULE, CYLINDER, SPHERE
from ..broadphase.placement_kernels import POSITION, column
from ..contact_keys import feature_key
from .box_kernels import box_axes, crossed_direction, face_direction
from .convex_kernels import TIE, best_box_contacts, polytope_contacts
from .cylinder_kernels import Cylinder, cylinder_pair, cylinder_sides, polytope_cylinder, sphere_cylinder
from .hull_kernels import ROUND, Hull, hull_of
from .round_kernels import (
    any_direction,
    capsule_capsule,
    capsule_polytope,
    nearest_on_segment,
    push_balls,
    sphere_polytope,
)  # fmt: skip
from .sweep_kernels import shift_vertices


@inner
def triple(table, i, k):
    """Three numbers of row i from column k."""
    return table[i, k], table[i, k + 1], table[i, k + 2]


@inner
def round_pair(vertex, a, last_a, radius_a, b, last_b, radius_b, shift, raw):
    """Contacts of two spheres or capsules with vertices a to last_a and b to last_b, the second moved by shift."""
    p0, q0 = row(vertex, a), add(row(vertex, b), shift)
    u, v = sub(row(vertex, last_a), p0), sub(row(vertex, last_b), row(vertex, b))
    if last_a > a and last_b > b:
        return capsule_capsule(p0, u, radius_a, q0, v, radius_b, raw)
    if last_a > a:
        p0 = nearest_on_segment(q0, p0, u)
    elif last_b > b:
        q0 = nearest_on_segment(p0, q0, v)
    return push_balls(p0, radius_a, q0, radius_b, add(u, v), feature_key(ROUND, 0, 0), raw, 0)


@inner
def convex_pair(a, kind_a, b, kind_b, ball, round_b, limit, work, raw):
    """Contacts of two colliders, the second a polytope, the first of an earlier kind or the same, which no cylinder is;
    returns how many.

    ball: radius of a where it is a sphere or capsule; round_b: b as a cylinder, where it is one.
    """
    if kind_a == SPHERE:
        if kind_b == CYLINDER:
            return sphere_cylinder(row(a.vertex, 0), ball, round_b, raw)
        return sphere_polytope(a.vertex, ball, b, limit, work.simplex, raw)
    if kind_a == CAPSULE:
        if kind_b == CYLINDER:
            count = cylinder_sides(capsule_as_cylinder(a.vertex, ball), round_b, True, raw)
            if count > 0:
                return count
        return capsule_polytope(a.vertex, ball, b, limit, work.simplex, raw)
    if kind_b == CYLINDER:
        return polytope_cylinder(a, b, round_b, limit, work, raw)
    return polytope_contacts(a, b, limit, work, raw)


@inner
def capsule_as_cylinder(vertex, radius):
    """The capsule between the two vertices as a Cylinder, which its balls go beyond at both ends."""
    u = sub(row(vertex, 1), row(vertex, 0))
    axis = scale(u, 1.0 / norm(u))
    return Cylinder(add(row(vertex, 0), scale(u, 0.5)), axis, any_direction(axis), radius, 0.5 * norm(u))


@inner
def as_cylinder(place, colliders, c, shift):
    """Collider c, moved by shift, as a Cylinder: its axes, radius and half length."""
    frame, size = place.frame[c], colliders.size
    return Cylinder(
        add(triple(place.frame, c, POSITION), shift), column(frame, 2), column(frame, 0), size[c, RADIUS],
        size[c, HALF + 2],
    )  # fmt: skip


@inner
def moved_hull(hull, shift, out):
    """The hull moved by shift, its vertices in `out`."""
    vertex = shift_vertices(hull.vertex, shift, out)
    return Hull(
        vertex, hull.normal, hull.topology, hull.face_row, hull.edge_row, hull.edge_count, hull.extent, hull.thin
    )


@inner
def turn_around(raw, count):
    """Reverse the normals of the pair's contacts."""
    for c in range(count):
        for i in range(3, 6):
            raw.place[c, i] = -raw.place[c, i]


@inner
def pair_contacts(colliders, place, a, b, shift, limit, work, raw):
    """Contacts of collider a and collider b moved by shift, normals from a to b; returns how many."""
    index, size = colliders.index, colliders.size
    kind_a, kind_b = index[a, KIND], index[b, KIND]
    if kind_a <= CAPSULE and kind_b <= CAPSULE:
        return round_pair(
            place.vertex, index[a, FIRST_VERTEX], index[a, LAST_VERTEX] - 1, size[a, RADIUS],
            index[b, FIRST_VERTEX], index[b, LAST_VERTEX] - 1, size[b, RADIUS], shift, raw,
        )  # fmt: skip
    moves = shift[0] != 0.0 or shift[1] != 0.0 or shift[2] != 0.0
    hull_a, hull_b = hull_of(colliders, place, a), hull_of(colliders, place, b)
    if moves:
        hull_b = moved_hull(hull_b, shift, work.moved)
    stays = (0.0, 0.0, 0.0)
    if kind_a <= kind_b:
        ball = colliders.size[a, RADIUS]
        round_b = as_cylinder(place, colliders, b, shift)
        if kind_a == CYLINDER and kind_b == CYLINDER:
            return cylinder_pair(hull_a, as_cylinder(place, colliders, a, stays), hull_b, round_b, limit, work, raw)
        return convex_pair(hull_a, kind_a, hull_b, kind_b, ball, round_b, limit, work, raw)
    round_a = as_cylinder(place, colliders, a, stays)
    count = convex_pair(hull_b, kind_b, hull_a, kind_a, size[b, RADIUS], round_a, limit, work, raw)
    turn_around(raw, count)
    return count


@inlined
def box_contacts(colliders, place, a, b, limit, work, raw):
    """pair_contacts of two boxes: their tables are read only if their frames do not part them."""
    tie = TIE * min(colliders.size[a, EXTENT], colliders.size[b, EXTENT])
    axes = box_axes(place.frame, colliders.size, a, b, limit, tie, work.boxes)
    if max(axes[0], axes[3]) > limit:
        return 0
    hull_a, hull_b = hull_of(colliders, place, a), hull_of(colliders, place, b)
    return contacts_along(axes, place.frame, a, b, hull_a, hull_b, tie, limit, work, raw)


@inlined
def contacts_along(axes, frame, a, b, hull_a, hull_b, tie, limit, work, raw):
    """Contacts of two boxes in rows a and b of `frame`, along the best of their axes, see loaded_axes."""
    separation, of_a, face, crossed, i, j = axes
    n = face_direction(frame, a if of_a else b, face, work.boxes[3 if of_a else 4, face])
    axis = n
    if crossed > separation:
        axis = crossed_direction(frame, a, b, i, j)
    ends = (column(frame[a], max(i, 0)), column(frame[b], max(j, 0)))
    return best_box_contacts(hull_a, hull_b, separation, of_a, n, crossed, axis, ends, tie, limit, work, raw)
