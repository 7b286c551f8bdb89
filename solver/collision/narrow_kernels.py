"""Narrow phase: all contacts of a run of collider pairs."""

import math
from typing import NamedTuple

import numpy as np

from ..jit import inner, kernel
from .box_kernels import box_axes, column, crossed_direction, face_direction
from .colliders import BODY, EXTENT, FIRST_VERTEX, HALF, KIND, LAST_VERTEX, RADIUS, REACH, SALT
from .convex_kernels import TIE, best_box_contacts, polytope_contacts
from .cylinder_kernels import Cylinder, cylinder_sides, polytope_cylinder, sphere_cylinder
from .geometry import BOX, CAPSULE, CYLINDER, SPHERE
from .gjk_kernels import closest_points
from .hull_kernels import ROUND, Hull, feature_key, hull_of
from .mesh_vectors import add, cross, dot, norm, row, scale, sub
from .placement_kernels import CENTER, HIGH, LOW, POSITION, SPIN, VELOCITY
from .reduce_kernels import KEEP, ORDER, normal_of, reduce_contacts, sort_by_key
from .round_kernels import capsule_capsule, capsule_polytope, nearest_on_segment, push_balls, sphere_polytope
from .sweep_kernels import shift_vertices, time_of_impact

RELATIVE_MARGIN = 0.01
# A pair that may approach by more than this share of its smaller bounding radius in a step is swept.
FAST = 0.25


class Contacts(NamedTuple):
    """Output of a chunk: pair (N,) row of the pair list, position, normal (N,3), gap (N,), key (N,)."""

    pair: np.ndarray
    position: np.ndarray
    normal: np.ndarray
    gap: np.ndarray
    key: np.ndarray


def allocate_contacts(capacity):
    """Contacts with room for `capacity` of them."""
    return Contacts(
        pair=np.empty(capacity, np.int64),
        position=np.empty((capacity, 3)),
        normal=np.empty((capacity, 3)),
        gap=np.empty(capacity),
        key=np.empty(capacity, np.int64),
    )


class Motion(NamedTuple):
    """How the two bodies of a pair move: centres of mass, velocities of these and angular velocities."""

    center_a: tuple
    velocity_a: tuple
    spin_a: tuple
    center_b: tuple
    velocity_b: tuple
    spin_b: tuple


@inner
def triple(table, i, k):
    """Three numbers of row i from column k."""
    return table[i, k], table[i, k + 1], table[i, k + 2]


@inner
def pair_motion(motion, a, b):
    """Motion of bodies a and b from the table of Placement."""
    return Motion(
        triple(motion, a, CENTER), triple(motion, a, VELOCITY), triple(motion, a, SPIN),
        triple(motion, b, CENTER), triple(motion, b, VELOCITY), triple(motion, b, SPIN),
    )  # fmt: skip


@inner
def closing_speed(motion, p, n):
    """Speed at which the two bodies' material at p approaches along n (from a to b) [m/s]."""
    va = add(motion.velocity_a, cross(motion.spin_a, sub(p, motion.center_a)))
    vb = add(motion.velocity_b, cross(motion.spin_b, sub(p, motion.center_b)))
    return dot(sub(va, vb), n)


@inner
def drop_open(raw, count, motion, h, margin):
    """Drop the contacts that stay open for the next h seconds: gap above margin + h * closing speed."""
    kept = 0
    for c in range(count):
        gap = raw.place[c, 6]
        p, n = row(raw.place, c), normal_of(raw, c)
        if gap > margin and gap > margin + h * max(0.0, closing_speed(motion, p, n)):
            continue
        for i in range(7):
            raw.place[kept, i] = raw.place[c, i]
        raw.key[kept] = raw.key[c]
        kept += 1
    return kept


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
    """Contacts of two colliders, the second a polytope, the first of the same or an earlier kind; returns how many.

    ball: radius of a where it is a sphere or capsule; round_b: b as a cylinder, where it is one.
    """
    if kind_a == SPHERE:
        if kind_b == CYLINDER:
            return sphere_cylinder(row(a.vertex, 0), ball, round_b, raw)
        return sphere_polytope(a.vertex, ball, b, limit, work.simplex, raw)
    if kind_a == CAPSULE:
        return capsule_polytope(a.vertex, ball, b, limit, work.simplex, raw)
    if kind_a != CYLINDER and kind_b == CYLINDER:
        return polytope_cylinder(a, b, round_b, limit, work, raw)
    return polytope_contacts(a, b, limit, work, raw)


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
def boxes_apart(frame, a, b, limit):
    """True if the world boxes of the two cores are further apart than limit along an axis."""
    for i in range(3):
        if frame[a, LOW + i] > frame[b, HIGH + i] + limit or frame[b, LOW + i] > frame[a, HIGH + i] + limit:
            return True
    return False


@inner
def pair_limit(motion, reach_a, reach_b, h, margin):
    """Gap beyond which two colliders cannot have a contact within h seconds."""
    speed = norm(sub(motion.velocity_b, motion.velocity_a))
    return margin + h * (speed + norm(motion.spin_a) * reach_a + norm(motion.spin_b) * reach_b)


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
    if kind_a == BOX and kind_b == BOX and not moves:
        return box_contacts(colliders, place, a, b, limit, work, raw)
    hull_a, hull_b = hull_of(colliders, place, a), hull_of(colliders, place, b)
    if moves:
        hull_b = moved_hull(hull_b, shift, work.moved)
    stays = (0.0, 0.0, 0.0)
    if kind_a <= kind_b:
        ball = colliders.size[a, RADIUS]
        round_b = as_cylinder(place, colliders, b, shift)
        if kind_a == CYLINDER and kind_b == CYLINDER:
            count = cylinder_sides(as_cylinder(place, colliders, a, stays), round_b, raw)
            if count > 0:
                return count
        return convex_pair(hull_a, kind_a, hull_b, kind_b, ball, round_b, limit, work, raw)
    round_a = as_cylinder(place, colliders, a, stays)
    count = convex_pair(hull_b, kind_b, hull_a, kind_a, size[b, RADIUS], round_a, limit, work, raw)
    turn_around(raw, count)
    return count


@inner
def box_contacts(colliders, place, a, b, limit, work, raw):
    """Contacts of two boxes: their tables are read only if their frames do not part them."""
    tie = TIE * min(colliders.size[a, EXTENT], colliders.size[b, EXTENT])
    separation, of_a, face, crossed, i, j = box_axes(place.frame, colliders.size, a, b, limit, tie, work.boxes)
    if max(separation, crossed) > limit:
        return 0
    frame = place.frame
    n = face_direction(frame, a if of_a else b, face, work.boxes[3 if of_a else 4, face])
    axis = n
    if crossed > separation:
        axis = crossed_direction(frame, a, b, i, j)
    ends = (column(frame[a], max(i, 0)), column(frame[b], max(j, 0)))
    hull_a, hull_b = hull_of(colliders, place, a), hull_of(colliders, place, b)
    return best_box_contacts(hull_a, hull_b, separation, of_a, n, crossed, axis, ends, tie, limit, work, raw)


@inner
def ball_radius(colliders, c):
    """Radius by which a collider's core is swollen."""
    return colliders.size[c, RADIUS] if colliders.index[c, KIND] <= CAPSULE else 0.0


@inner
def fast_contacts(colliders, place, a, b, motion, h, margin, work, raw):
    """Contacts of a fast pair where and how it will first touch, with the gaps they have now; returns how many.

    The pair moves along straight lines, as the points closest now do; what its turning may add in the step, to
    first order, counts as touching. A pair within the margin, or overlapping, is left to the caller: -1.
    """
    index = colliders.index
    vertex_a = place.vertex[index[a, FIRST_VERTEX] : index[a, LAST_VERTEX]]
    vertex_b = place.vertex[index[b, FIRST_VERTEX] : index[b, LAST_VERTEX]]
    radius = ball_radius(colliders, a) + ball_radius(colliders, b)
    distance, pa, pb = closest_points(vertex_a, vertex_b, math.inf, work.simplex)
    if distance <= radius + margin:
        return -1
    velocity = sub(
        add(motion.velocity_b, cross(motion.spin_b, sub(pb, motion.center_b))),
        add(motion.velocity_a, cross(motion.spin_a, sub(pa, motion.center_a))),
    )
    turning = norm(motion.spin_a) * colliders.size[a, REACH] + norm(motion.spin_b) * colliders.size[b, REACH]
    near = margin + h * turning
    time = time_of_impact(vertex_a, vertex_b, radius, velocity, h, near, work)
    if time > h:
        return 0
    count = pair_contacts(colliders, place, a, b, scale(velocity, time), 2.0 * near, work, raw)
    put_back(raw, count, velocity, time, share_of_b(motion))
    return count


@inner
def share_of_b(motion):
    """Part of the approach that is b's own motion: 1 if a rests, 0 if b does."""
    speed_a, speed_b = norm(motion.velocity_a), norm(motion.velocity_b)
    return speed_b / (speed_a + speed_b) if speed_a + speed_b > 0.0 else 0.5


@inner
def put_back(raw, count, velocity, time, share):
    """Contacts found after b moved `velocity` * time, as they are before: the gap opens along the normal.

    Across the normal the points of a and b that will meet lie apart, but a contact has one place for both: it is
    given to the body that moves, whose lever arm counts.
    """
    for c in range(count):
        n = normal_of(raw, c)
        approach = time * dot(velocity, n)
        raw.place[c, 6] -= approach
        for i in range(3):
            raw.place[c, i] -= 0.5 * approach * n[i] + share * (time * velocity[i] - approach * n[i])


@inner
def are_parted(frame, index, size, a, b, limit, boxes):
    """True if colliders a and b are quickly seen to be further apart than limit."""
    if boxes_apart(frame, a, b, limit + size[a, RADIUS] + size[b, RADIUS]):
        return True
    if index[a, KIND] != BOX or index[b, KIND] != BOX:
        return False
    separation, _, _, crossed, _, _ = box_axes(frame, size, a, b, limit, 0.0, boxes)
    return max(separation, crossed) > limit


@inner
def moving_contacts(colliders, place, a, b, motion, limit, h, margin, work, raw):
    """Contacts of colliders a and b that may close within h seconds, normals from a to b; returns how many."""
    size = colliders.size
    count = -1
    if limit - margin > FAST * min(size[a, EXTENT], size[b, EXTENT]):
        count = fast_contacts(colliders, place, a, b, motion, h, margin, work, raw)
    if count < 0:
        count = pair_contacts(colliders, place, a, b, (0.0, 0.0, 0.0), limit, work, raw)
    return drop_open(raw, count, motion, h, margin)


@inner
def append_kept(raw, choice, count, salt, pair, out, used):
    """Sort, reduce and copy the contacts of one pair to the output; returns the rows used or needed."""
    for c in range(count):
        raw.key[c] ^= salt
    sort_by_key(raw, choice, count)
    reduce_contacts(raw, choice, count)
    for q in range(count):
        c = choice[ORDER, q]
        if choice[KEEP, c] == 0:
            continue
        if used < len(out.gap):
            out.pair[used] = pair
            out.gap[used] = raw.place[c, 6]
            out.key[used] = raw.key[c]
            for i in range(3):
                out.position[used, i] = raw.place[c, i]
                out.normal[used, i] = raw.place[c, 3 + i]
        used += 1
    return used


@kernel
def narrow_chunk(colliders, place, pairs, first, last, h, given_margin, work, raw, out):
    """Contacts of pairs[first:last] into out. A margin below zero stands for 1 % of the smaller bounding radius.

    Returns (contacts, most raw contacts of a pair). If either is more than there is room for, what was written is
    incomplete and the call must be repeated with more.
    """
    index, size = colliders.index, colliders.size
    used, most = 0, 0
    choice = np.empty((3, len(raw.key)), np.int64)
    for p in range(first, last):
        a, b = np.int64(pairs[p, 0]), np.int64(pairs[p, 1])
        margin = given_margin if given_margin >= 0.0 else RELATIVE_MARGIN * min(size[a, EXTENT], size[b, EXTENT])
        motion = pair_motion(place.motion, index[a, BODY], index[b, BODY])
        limit = pair_limit(motion, size[a, REACH], size[b, REACH], h, margin)
        # Before the calls that take all tables: most pairs end here.
        if are_parted(place.frame, index, size, a, b, limit, work.boxes):
            continue
        count = moving_contacts(colliders, place, a, b, motion, limit, h, margin, work, raw)
        most = max(most, count)
        if count > 0:
            used = append_kept(raw, choice, count, index[a, SALT] ^ (index[b, SALT] >> 1), p, out, used)
    return used, most
