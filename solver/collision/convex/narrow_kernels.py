"""Narrow phase: all contacts of a run of collider pairs."""

import math
from typing import NamedTuple

import numpy as np

from ...base.vectors import add, cross, dot, norm, row, scale, sub
from ...jit import inner, kernel
from ..broadphase.colliders import BODY, EXTENT, FIRST_VERTEX, KIND, LAST_VERTEX, RADIUS, REACH, SALT
from ..broadphase.geometry import BOX, CAPSULE
from ..broadphase.placement_kernels import CENTER, SPIN, VELOCITY
from ..contact_keys import ELSEWHERE, INNER_KEY, pair_salt
from ..manifold.motion_kernels import Motion, closing_speed, share_of_b
from ..manifold.patch_kernels import RING, half_way, patch_middle, rim_contact
from ..manifold.reduce_kernels import KEEP, ORDER, normal_of, reduce_contacts, sort_by_key
from .gjk_kernels import closest_points
from .pair_kernels import box_contacts, pair_contacts, triple
from .parting_kernels import are_parted, pair_limit
from .predict_kernels import add_predicted, add_predicted_boxes
from .scratch import Raw, work_for
from .sweep_kernels import time_of_impact

RELATIVE_MARGIN = 0.01
# A pair that may approach by more than this share of its smaller bounding radius in a step is swept.
FAST = 0.25
# A pair whose points may move by more than this share of it because it turns is searched again at the end of the step.
TURNING = 0.02


class Contacts(NamedTuple):
    """Output of a chunk, as in ContactSet: body_a, body_b (N,), position, normal (N,3), gap (N,), key (N,)."""

    body_a: np.ndarray
    body_b: np.ndarray
    position: np.ndarray
    normal: np.ndarray
    gap: np.ndarray
    key: np.ndarray


def allocate_contacts(capacity):
    """Contacts with room for `capacity` of them."""
    return Contacts(
        body_a=np.empty(capacity, np.int64),
        body_b=np.empty(capacity, np.int64),
        position=np.empty((capacity, 3)),
        normal=np.empty((capacity, 3)),
        gap=np.empty(capacity),
        key=np.empty(capacity, np.int64),
    )


@inner
def pair_motion(motion, a, b, h):
    """Motion of bodies a and b in h seconds from the table of Placement."""
    return Motion(
        triple(motion, a, CENTER), triple(motion, a, VELOCITY), triple(motion, a, SPIN),
        triple(motion, b, CENTER), triple(motion, b, VELOCITY), triple(motion, b, SPIN), h,
    )  # fmt: skip


@inner
def drop_open(raw, count, motion, margin):
    """Drop the contacts that stay open: gap above margin + h * closing speed."""
    kept = 0
    for c in range(count):
        gap = raw.place[c, 6]
        p, n = row(raw.place, c), normal_of(raw, c)
        if gap > margin and gap > margin + motion.h * max(0.0, closing_speed(motion, p, n)):
            continue
        for i in range(7):
            raw.place[kept, i] = raw.place[c, i]
        raw.key[kept] = raw.key[c]
        kept += 1
    return kept


@inner
def ball_radius(colliders, c):
    """Radius by which a collider's core is swollen."""
    return colliders.size[c, RADIUS] if colliders.index[c, KIND] <= CAPSULE else 0.0


@inner
def fast_contacts(colliders, place, ends, motion, margin, work, raw):
    """Contacts of a fast pair where and how it will first touch, with the gaps they have now; returns how many.

    The pair moves along straight lines, as the points closest now do; what its turning may add in the step, to
    first order, counts as touching. A pair within the margin, or overlapping, is left to the caller: -1.
    """
    index, (a, b), h = colliders.index, ends, motion.h
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
def is_fast(size, a, b, limit, margin):
    """True if the pair may approach so far that it is swept."""
    return limit - margin > FAST * min(size[a, EXTENT], size[b, EXTENT])


@inner
def turn_far(motion, size, a, b):
    """True if points of the pair may move so far because it turns that it is searched again at the end of the step."""
    turning = motion.h * (norm(motion.spin_a) * size[a, REACH] + norm(motion.spin_b) * size[b, REACH])
    return turning > TURNING * min(size[a, EXTENT], size[b, EXTENT])


@inner
def salt_and_reduce(raw, choice, count, margin, salt, frame, motion):
    """Salt the keys of one pair's contacts, sort them and mark those that stay; see reduce_contacts."""
    for c in range(count):
        raw.key[c] ^= salt
    sort_by_key(raw, choice, count)
    reduce_contacts(raw, choice, count, margin, frame, motion)


@inner
def append_contact(position, normal, gap, key, body_a, body_b, out, used):
    """Write a contact to the output if there is room; returns the rows used or needed."""
    if used < len(out.gap):
        out.body_a[used], out.body_b[used] = body_a, body_b
        out.gap[used] = gap
        out.key[used] = key
        for i in range(3):
            out.position[used, i] = position[i]
            out.normal[used, i] = normal[i]
    return used + 1


@inner
def append_kept(raw, choice, count, body_a, body_b, out, used):
    """Copy the contacts of one pair that stay to the output; returns the rows used or needed."""
    for q in range(count):
        c = choice[ORDER, q]
        if choice[KEEP, c] != 0:
            p, n = row(raw.place, c), normal_of(raw, c)
            used = append_contact(p, n, raw.place[c, 6], raw.key[c], body_a, body_b, out, used)
    return used


@inner
def append_ring(raw, choice, count, margin, frame, middle, n, gap, bodies, out, used):
    """Write the inner ring of a round patch to the output, see `patch_kernels`; returns the rows used or needed.

    By key, as all contacts of a pair: what a contact carried is found again in lists that are sorted. Two directions
    share their furthest corner where a patch is narrow, and make one contact.
    """
    ring = np.empty(RING, np.int64)
    for k in range(RING):
        ring[k] = rim_contact(raw, choice, count, margin, n, frame, k)
    last = np.int64(-1)
    for _ in range(RING):
        following = -1
        for c in ring:
            if c >= 0 and raw.key[c] > last and (following < 0 or raw.key[c] < raw.key[following]):
                following = c
        if following < 0:
            break
        last = raw.key[following]
        position, at = half_way(raw, following, middle, gap)
        used = append_contact(position, n, at, INNER_KEY | last, bodies[0], bodies[1], out, used)
    return used


@kernel
def narrow(colliders, place, pairs, first, last, h, margin, sizes):
    """Contacts of pairs[first:last], see narrow_chunk; sizes: most vertices, edges, and corners a face of a core."""
    vertices, edges, corners = sizes
    work, most_corners = work_for(vertices, edges, corners), 2 * corners + 8
    # A pair's contacts now and those predicted: corners of two faces, and vertices beside them.
    room, capacity = 3 * (most_corners + vertices), 8 * (last - first)
    while True:
        raw = Raw(np.empty((room, 7)), np.empty(room, np.int64))
        out = Contacts(np.empty(capacity, np.int64), np.empty(capacity, np.int64), np.empty((capacity, 3)),
                       np.empty((capacity, 3)), np.empty(capacity), np.empty(capacity, np.int64))  # fmt: skip
        used, most = narrow_chunk(colliders, place, pairs, first, last, h, margin, work, raw, out)
        if used <= capacity and most <= room:
            return Contacts(out.body_a[:used], out.body_b[:used], out.position[:used], out.normal[:used],
                            out.gap[:used], out.key[:used])  # fmt: skip
        room, capacity = max(room, most), max(capacity, used)


@inner
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
        ends, motion = (a, b), pair_motion(place.motion, index[a, BODY], index[b, BODY], h)
        limit = pair_limit(motion, size[a, REACH], size[b, REACH], margin)
        # Before the calls that take all tables: most pairs end here.
        if are_parted(place.frame, colliders, ends, motion, limit, margin, work.boxes):
            continue
        boxes = index[a, KIND] == BOX and index[b, KIND] == BOX
        count = -1
        if is_fast(size, a, b, limit, margin):
            count = fast_contacts(colliders, place, ends, motion, margin, work, raw)
        if count < 0:
            if boxes:
                count = box_contacts(colliders, place, a, b, limit, work, raw)
            else:
                count = pair_contacts(colliders, place, a, b, (0.0, 0.0, 0.0), limit, work, raw)
        if turn_far(motion, size, a, b):
            if boxes:
                count = add_predicted_boxes(colliders, place, ends, motion, 2.0 * margin, work, raw, count)
            else:
                count = add_predicted(colliders, place, ends, motion, 2.0 * margin, work, raw, count)
        count = drop_open(raw, count, motion, margin)
        most = max(most, count)
        if count > 0:
            salt = pair_salt(index[a, SALT], index[b, SALT])
            small = a if size[a, EXTENT] < size[b, EXTENT] else b
            salt_and_reduce(raw, choice, count, margin, salt, place.frame[small], motion)
            used = append_kept(raw, choice, count, index[a, BODY], index[b, BODY], out, used)
            found, middle, n, gap = patch_middle(raw, choice, count, margin, salt, ELSEWHERE)
            if found:
                bodies = index[a, BODY], index[b, BODY]
                used = append_ring(
                    raw, choice, count, margin, place.frame[small], middle, n, gap, bodies, out, used
                )
    return used, most
