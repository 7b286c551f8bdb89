"""Turning pairs: contacts of features that come close only at the end of the step."""

import math
from typing import NamedTuple

from ...base.inlining import inlined
from ...base.vectors import add, along, dot, norm, rotate, row, scale, sub
from ...jit import inner
from ..broadphase.colliders import EXTENT, HALF, KIND, RADIUS, REACH, THIN
from ..broadphase.geometry import CAPSULE, CYLINDER, SPHERE
from ..broadphase.placement_kernels import POSITION, ROTATION, column
from ..contact_keys import ELSEWHERE
from ..manifold.motion_kernels import closing_speed, share_of_b, slide_speed
from ..manifold.reduce_kernels import normal_of
from .box_kernels import crossed_separation, face_separation, load_frames, loaded_axes
from .clip_kernels import is_listed
from .convex_kernels import TIE
from .cylinder_kernels import Cylinder, cylinder_pair
from .hull_kernels import Hull, hull_of, push
from .pair_kernels import as_cylinder, contacts_along, convex_pair, triple, turn_around
from .round_kernels import capsule_capsule
from .scratch import Raw

# Predicted overlap, relative to the least half side of the two, beyond which the pose says nothing on how they meet.
TOO_DEEP = 0.75
# Overlap at the end, relative to the limit, by which a contact that is known must have predicted too little.
MISPREDICTED = 0.03


class Turn(NamedTuple):
    """Rigid motion of a step: rotation (rows), the point it turns about, and where that goes."""

    rows: tuple
    center: tuple
    target: tuple


@inner
def turn_of(center, velocity, spin, h):
    """Motion in h seconds with constant velocity and angular velocity (Rodrigues' formula)."""
    speed = norm(spin)
    x, y, z = scale(spin, 1.0 / speed) if speed > 0.0 else (0.0, 0.0, 1.0)
    s, c = math.sin(speed * h), math.cos(speed * h)
    k = 1.0 - c
    rows = (
        (c + k * x * x, k * x * y - s * z, k * x * z + s * y),
        (k * x * y + s * z, c + k * y * y, k * y * z - s * x),
        (k * x * z - s * y, k * y * z + s * x, c + k * z * z),
    )
    return Turn(rows, center, along(center, velocity, h))


@inner
def carried(turn, p):
    """Where the motion takes point p."""
    return add(turn.target, rotate(turn.rows, sub(p, turn.center)))


@inner
def carried_hull(hull, turn, out):
    """The hull at the end of the motion, its vertices in out[0] and its normals in out[1]."""
    for v in range(len(hull.vertex)):
        out[0, v, 0], out[0, v, 1], out[0, v, 2] = carried(turn, row(hull.vertex, v))
    for f in range(len(hull.normal)):
        out[1, f, 0], out[1, f, 1], out[1, f, 2] = rotate(turn.rows, row(hull.normal, f))
    return Hull(
        out[0, : len(hull.vertex)], out[1, : len(hull.normal)], hull.topology, hull.face_row, hull.edge_row,
        hull.edge_count, hull.extent, hull.thin,
    )  # fmt: skip


@inner
def carried_cylinder(cylinder, turn):
    """The cylinder at the end of the motion."""
    axis, across = rotate(turn.rows, cylinder.axis), rotate(turn.rows, cylinder.across)
    return Cylinder(carried(turn, cylinder.center), axis, across, cylinder.radius, cylinder.half)


@inner
def carry_frame(frame, c, turn, out):
    """Position and rotation of placed collider c at the end of the motion into out (12,)."""
    out[POSITION], out[POSITION + 1], out[POSITION + 2] = carried(turn, triple(frame, c, POSITION))
    for k in range(3):
        axis = rotate(turn.rows, column(frame[c], k))
        for i in range(3):
            out[ROTATION + 3 * i + k] = axis[i]


@inner
def load_carried(frame, a, b, motion, h, frames, boxes):
    """Load the frames (2,12) of boxes a and b after h seconds, see load_frames."""
    carry_frame(frame, a, turn_of(motion.center_a, motion.velocity_a, motion.spin_a, h), frames[0])
    carry_frame(frame, b, turn_of(motion.center_b, motion.velocity_b, motion.spin_b, h), frames[1])
    load_frames(frames, 0, 1, boxes)


@inner
def first_touch(frame, size, ends, motion, limit, work):
    """When [s] the boxes `ends`, overlapping at the end, were last apart before that; 0 if they overlap now."""
    (a, b), frames, boxes = ends, work.frames, work.boxes
    apart, overlap = 0.0, motion.h
    load_carried(frame, a, b, motion, 0.0, frames, boxes)
    axes = loaded_axes(boxes, size, a, b, limit, 0.0)
    if max(axes[0], axes[3]) <= 0.0:
        return 0.0
    # Halvings of the time in which two boxes come to overlap.
    for _ in range(6):
        middle = 0.5 * (apart + overlap)
        load_carried(frame, a, b, motion, middle, frames, boxes)
        axes = loaded_axes(boxes, size, a, b, limit, 0.0)
        if max(axes[0], axes[3]) > 0.0:
            apart = middle
        else:
            overlap = middle
    return apart


@inner
def way_in(frame, size, ends, motion, limit, tie, axes, work):
    """Axes of the boxes `ends`, which overlap at the end, with those first along which they came to do so.

    axes: those of least overlap then, see loaded_axes; the frames of then are loaded again.
    """
    (a, b), frames, boxes = ends, work.frames, work.boxes
    time = first_touch(frame, size, ends, motion, limit, work)
    load_carried(frame, a, b, motion, time, frames, boxes)
    separation, of_a, face, crossed, i, j = loaded_axes(boxes, size, a, b, limit, tie)
    load_carried(frame, a, b, motion, motion.h, frames, boxes)
    if crossed > separation + tie:
        along = crossed_separation(boxes, size, a, b, i, j)
        # The edges are asked for: no face is to be taken instead.
        # Along any face they count as ten times deeper than along the edges that met, at most.
        return (min(axes[0], 10.0 * along), of_a, face, along, i, j) if along < 0.0 else axes
    return face_separation(boxes, size, a, b, of_a, face), of_a, face, -math.inf, -1, -1


@inner
def same_axes(first, second, tie):
    """True if the better of both axes of two boxes are the same ones, see loaded_axes."""
    crossed = first[3] > first[0] + tie
    if crossed != (second[3] > second[0] + tie):
        return False
    if crossed:
        return first[4] == second[4] and first[5] == second[5]
    return first[1] == second[1] and first[2] == second[2]


@inner
def beside_box(frame, half, p):
    """How far [m] p is outside the box with a row of `frame` (12,) and these half sides, along the axis where most."""
    d = (p[0] - frame[POSITION], p[1] - frame[POSITION + 1], p[2] - frame[POSITION + 2])
    most = -math.inf
    for i in range(3):
        most = max(most, abs(dot(d, column(frame, i))) - half[i])
    return most


@inner
def drop_beside(frames, size, ends, motion, limit, raw, count):
    """Drop the contacts of the boxes `ends` in `frames` (2,12) that are beside one of them by more than the limit and
    what they slide in the step: others than the edges that met may cross then, beyond their ends. Returns how many are
    left."""
    kept = 0
    for c in range(count):
        p, n = row(raw.place, c), normal_of(raw, c)
        slack, half_gap = limit + motion.h * slide_speed(motion, p, n), scale(n, 0.5 * raw.place[c, 6])
        if beside_box(frames[0], triple(size, ends[0], HALF), sub(p, half_gap)) > slack:
            continue
        if beside_box(frames[1], triple(size, ends[1], HALF), add(p, half_gap)) > slack:
            continue
        raw.place[kept] = raw.place[c]
        raw.key[kept] = raw.key[c]
        kept += 1
    return kept


@inlined
def carried_boxes(colliders, place, ends, motion, limit, work, raw):
    """Contacts of the boxes `ends` at the end, normals from a to b; they are carried there only if their frames do
    not part them."""
    size, (a, b), h = colliders.size, ends, motion.h
    load_carried(place.frame, a, b, motion, h, work.frames, work.boxes)
    tie = TIE * min(size[a, EXTENT], size[b, EXTENT])
    axes = loaded_axes(work.boxes, size, a, b, limit, tie)
    if max(axes[0], axes[3]) > limit:
        return 0
    turn_a = turn_of(motion.center_a, motion.velocity_a, motion.spin_a, h)
    turn_b = turn_of(motion.center_b, motion.velocity_b, motion.spin_b, h)
    hull_a = carried_hull(hull_of(colliders, place, a), turn_a, work.carried[0])
    hull_b = carried_hull(hull_of(colliders, place, b), turn_b, work.carried[1])
    count = contacts_along(axes, work.frames, 0, 1, hull_a, hull_b, tie, limit, work, raw)
    # Corners that pass each other overlap least another way than the one they came.
    if max(axes[0], axes[3]) < -MISPREDICTED * limit:
        came = way_in(place.frame, size, ends, motion, limit, tie, axes, work)
        if not same_axes(axes, came, tie):
            rest = Raw(raw.place[count:], raw.key[count:])
            found = contacts_along(came, work.frames, 0, 1, hull_a, hull_b, tie, limit, work, rest)
            count += drop_beside(work.frames, size, ends, motion, limit, rest, found)
    return count


@inner
def carried_contacts(colliders, place, first, second, limit, work, raw):
    """Contacts of colliders a and b at the end of their motions, normals from a to b; first, second: each with
    its Turn.

    a is of no later kind than b, and not both are boxes.
    """
    (a, turn_a), (b, turn_b) = first, second
    kind_a, kind_b = colliders.index[a, KIND], colliders.index[b, KIND]
    hull_a = carried_hull(hull_of(colliders, place, a), turn_a, work.carried[0])
    hull_b = carried_hull(hull_of(colliders, place, b), turn_b, work.carried[1])
    radius_a, radius_b = colliders.size[a, RADIUS], colliders.size[b, RADIUS]
    if kind_b <= CAPSULE:
        p0, q0 = row(hull_a.vertex, 0), row(hull_b.vertex, 0)
        u, v = sub(row(hull_a.vertex, 1), p0), sub(row(hull_b.vertex, 1), q0)
        return capsule_capsule(p0, u, radius_a, q0, v, radius_b, raw)
    stays = (0.0, 0.0, 0.0)
    round_b = carried_cylinder(as_cylinder(place, colliders, b, stays), turn_b)
    if kind_a == CYLINDER and kind_b == CYLINDER:
        round_a = carried_cylinder(as_cylinder(place, colliders, a, stays), turn_a)
        return cylinder_pair(hull_a, round_a, hull_b, round_b, limit, work, raw)
    return convex_pair(hull_a, kind_a, hull_b, kind_b, radius_a, round_b, limit, work, raw)


@inner
def same_now(raw, count, key, p, near):
    """Which of the first `count` contacts has this key and lies near the point p; -1 for none."""
    for c in range(count):
        if raw.key[c] == key and norm(sub(row(raw.place, c), p)) < near:
            return c
    return -1


@inner
def predicted_rightly(motion, raw, c, gap, tolerance):
    """True if contact c, its gap changing evenly, tells all but `tolerance` of an overlap then, -gap."""
    predicted = raw.place[c, 6] - motion.h * closing_speed(motion, row(raw.place, c), normal_of(raw, c))
    return gap > min(predicted, 0.0) - tolerance


@inner
def off_straight(spin, reach, h):
    """How far [m] a body of that reach turns off its straight path in time h, to second order: r (w h)^2 / 2."""
    return 0.5 * reach * h * h * dot(spin, spin)


@inner
def add_predicted(colliders, place, ends, motion, limit, work, raw, count):
    """Add to the contacts of a pair of colliders, its `ends`, those it would have h seconds later, with the gaps they
    have now; the new count.

    A contact is linear in the velocities about the pose it will have: the arms are those of the end of the step,
    and its gap now is the one then plus h times the speed at which it closes.
    """
    index, (a, b), h = colliders.index, ends, motion.h
    if index[a, KIND] == SPHERE or index[b, KIND] == SPHERE:
        return count
    turn_a = turn_of(motion.center_a, motion.velocity_a, motion.spin_a, h)
    turn_b = turn_of(motion.center_b, motion.velocity_b, motion.spin_b, h)
    rest = Raw(raw.place[count:], raw.key[count:])
    if index[a, KIND] <= index[b, KIND]:
        found = carried_contacts(colliders, place, (a, turn_a), (b, turn_b), limit, work, rest)
    else:
        found = carried_contacts(colliders, place, (b, turn_b), (a, turn_a), limit, work, rest)
        turn_around(rest, found)
    return keep_predicted(colliders.size, ends, motion, limit, raw, count, rest, found)


@inlined
def add_predicted_boxes(colliders, place, ends, motion, limit, work, raw, count):
    """add_predicted for two boxes: of its own, because handing on all tables costs as much as most pairs need."""
    rest = Raw(raw.place[count:], raw.key[count:])
    found = carried_boxes(colliders, place, ends, motion, limit, work, rest)
    return keep_predicted(colliders.size, ends, motion, limit, raw, count, rest, found)


@inner
def keep_predicted(size, ends, motion, limit, raw, count, rest, found):
    """Put those of the `found` contacts in `rest` that say something new behind the first `count` ones; the new
    count."""
    (a, b), h = ends, motion.h
    share = share_of_b(motion)
    back = scale(add(scale(motion.velocity_a, 1.0 - share), scale(motion.velocity_b, share)), -h)
    deepest = -TOO_DEEP * min(size[a, THIN], size[b, THIN])
    # Distance at the end, relative to the smaller extent, within which a pair is measured there.
    near = 0.05 * min(size[a, EXTENT], size[b, EXTENT])
    bend = off_straight(motion.spin_a, size[a, REACH], h) + off_straight(motion.spin_b, size[b, REACH], h)
    turn = h * (norm(motion.spin_a) + norm(motion.spin_b))
    used = count
    for c in range(found):
        p, n, gap = add(row(rest.place, c), back), normal_of(rest, c), rest.place[c, 6]
        closing = closing_speed(motion, p, n)
        if gap > limit or gap < deepest or closing <= 0.0:
            continue
        key = rest.key[c]
        now = same_now(raw, count, key, p, near)
        if now >= 0:
            if predicted_rightly(motion, raw, now, gap, MISPREDICTED * limit):
                continue
        # What lies apart now may seem to overlap, by as much as its path bends and what it slides along turns.
        elif gap + h * closing < -bend - turn * h * slide_speed(motion, p, n):
            continue
        if is_listed(raw, count, key):
            key ^= ELSEWHERE
        used = push(raw, used, p, n, max(0.0, gap + h * closing), key)
    return used
