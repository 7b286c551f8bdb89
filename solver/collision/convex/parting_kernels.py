"""Pairs of colliders that can be shown quickly to have no contact within a step: most end here."""

from ...base.vectors import along, cross, dot, norm, sub
from ...jit import inner
from ..broadphase.colliders import HALF, KIND, RADIUS, REACH
from ..broadphase.geometry import BOX
from ..broadphase.placement_kernels import HIGH, LOW, POSITION, column
from .box_kernels import box_axes, crossed_direction, face_direction


@inner
def pair_limit(motion, reach_a, reach_b, margin):
    """Gap beyond which two colliders cannot have a contact on their way."""
    speed = norm(sub(motion.velocity_b, motion.velocity_a))
    return margin + motion.h * (speed + norm(motion.spin_a) * reach_a + norm(motion.spin_b) * reach_b)


@inner
def boxes_apart(frame, a, b, limit):
    """True if the world boxes of the two cores are further apart than limit along an axis."""
    for i in range(3):
        if frame[a, LOW + i] > frame[b, HIGH + i] + limit or frame[b, LOW + i] > frame[a, HIGH + i] + limit:
            return True
    return False


@inner
def span_after(frame, size, c, n, center, velocity, spin, h):
    """Middle and half width along n of box c after h seconds of straight motion of its points.

    n . (x + h (v + w x r)) = n . (x + h v) + h (n x w) . r is linear in x, so the box's half sides give the width.
    """
    p = (frame[c, POSITION], frame[c, POSITION + 1], frame[c, POSITION + 2])
    m = along(n, cross(n, spin), h)
    middle = dot(n, along(center, velocity, h)) + dot(m, sub(p, center))
    half = 0.0
    for i in range(3):
        half += size[c, HALF + i] * abs(dot(m, column(frame[c], i)))
    return middle, half


@inner
def stay_parted(frame, size, ends, n, motion, margin):
    """True if boxes a and b, parted along the unit vector n from a to b, still are at the end by more than margin.

    A plane across n is then between them all the time: points move straight but for r (w h)^2 / 2.
    """
    (a, b), h = ends, motion.h
    end_a, half_a = span_after(frame, size, a, n, motion.center_a, motion.velocity_a, motion.spin_a, h)
    end_b, half_b = span_after(frame, size, b, n, motion.center_b, motion.velocity_b, motion.spin_b, h)
    turning = dot(motion.spin_a, motion.spin_a) * size[a, REACH] + dot(motion.spin_b, motion.spin_b) * size[b, REACH]
    return end_b - end_a - half_a - half_b > margin + 0.5 * h * h * turning


@inner
def are_parted(frame, colliders, ends, motion, limit, margin, boxes):
    """True if the colliders `ends` can be shown quickly to be further apart than limit, or to stay apart."""
    index, size, (a, b) = colliders.index, colliders.size, ends
    if boxes_apart(frame, a, b, limit + size[a, RADIUS] + size[b, RADIUS]):
        return True
    if index[a, KIND] != BOX or index[b, KIND] != BOX:
        return False
    separation, of_a, face, crossed, i, j = box_axes(frame, size, a, b, limit, 0.0, boxes)
    if max(separation, crossed) > limit:
        return True
    if max(separation, crossed) <= margin:
        return False
    n = face_direction(frame, a if of_a else b, face, boxes[3 if of_a else 4, face])
    if crossed > separation:
        n = crossed_direction(frame, a, b, i, j)
    return stay_parted(frame, size, ends, n, motion, margin)
