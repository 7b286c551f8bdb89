"""Contacts of a cylinder in closed form: with a sphere, side by side with a capsule or another cylinder, and with the
face of a polytope it stands, leans or rolls on.

All other contacts of a cylinder with what is no mesh are those of the prism that stands for it (see `Cylinder.form`).
"""

import math
from typing import NamedTuple

from ...base.vectors import add, along, cross, dot, norm, part, put, row, scale, sub
from ...jit import inner
from ..contact_keys import feature_key
from .clip_kernels import side_plane
from .convex_kernels import SLACK, polytope_contacts
from .hull_kernels import EDGES, ROUND, VERTEX_B, face_loop, face_point, push_between
from .round_kernels import PARALLEL, any_direction, clip_segment, parallel_capsules, push_balls, segment_parameters

# Numbers of a cylinder's features in keys, above those of its prism: the lowest points of its rims, and points fixed
# to its rims.
LOWEST, RIM, RIM_POINTS = 1000, 1010, 8


class Cylinder(NamedTuple):
    """Placed cylinder: center, unit vector along the axis, one across it fixed to the body, radius, half length."""

    center: tuple
    axis: tuple
    across: tuple
    radius: float
    half: float


@inner
def sphere_cylinder(p, radius, cylinder, raw):
    """The contact of the ball about p (body a) and a cylinder (body b)."""
    d = sub(p, cylinder.center)
    z = dot(d, cylinder.axis)
    outward = sub(d, scale(cylinder.axis, z))
    rho = norm(outward)
    outward = scale(outward, 1.0 / rho) if rho > 0.0 else any_direction(cylinder.axis)
    upward = scale(cylinder.axis, 1.0 if z >= 0.0 else -1.0)
    above, outside = abs(z) - cylinder.half, rho - cylinder.radius
    if above > 0.0 and outside > 0.0:
        gap = math.hypot(above, outside)
        away = add(scale(upward, above / gap), scale(outward, outside / gap))
    elif above > outside:
        gap, away = above, upward
    else:
        gap, away = outside, outward
    n = scale(away, -1.0)
    return push_between(raw, 0, add(p, scale(n, radius)), n, gap - radius, feature_key(ROUND, 0, 0))


@inner
def cylinder_sides(a, b, ends_round, raw):
    """Contacts of the curved sides of two cylinders: two along a common line, one where they cross; else none.

    None where rims or caps meet first; that is left to the prisms. ends_round: a is a capsule, whose ends are balls.
    """
    u, v = scale(a.axis, 2.0 * a.half), scale(b.axis, 2.0 * b.half)
    p, q = sub(a.center, scale(u, 0.5)), sub(b.center, scale(v, 0.5))
    if norm(cross(a.axis, b.axis)) < PARALLEL:
        d = sub(b.center, a.center)
        ahead = dot(d, a.axis)
        outside = norm(sub(d, scale(a.axis, ahead)))
        count = 0
        if a.half + b.half - abs(ahead) >= a.radius + b.radius - outside:
            count = parallel_capsules(p, u, a.radius, q, v, b.radius, raw)
        if count > 0 or not ends_round:
            return count
    s, t = segment_parameters(p, u, q, v)
    if not (ends_round or 0.0 < s < 1.0) or not 0.0 < t < 1.0:
        return 0
    pa, pb = add(p, scale(u, s)), add(q, scale(v, t))
    apart = norm(sub(pb, pa))
    if apart < 0.5 * min(a.radius, b.radius) or ends_round and abs(2.0 * t - 1.0) * b.half - b.half > apart - b.radius:
        return 0
    return push_balls(pa, a.radius, pb, b.radius, u, feature_key(ROUND, 0, 0), raw, 0)


@inner
def lowest_rim(cylinder, n):
    """(unit vector from the axis to the points of the rims lowest along n, sine of the angle of axis and n)."""
    outward = sub(scale(cylinder.axis, dot(n, cylinder.axis)), n)
    sine = norm(outward)
    # Sine of the angle of axis and normal below which all points of a rim are equally low.
    return (scale(outward, 1.0 / sine), sine) if sine > 1e-12 else (cylinder.across, 0.0)


@inner
def flat_height(extent):
    """How much higher [m] the far side of a rim may be where the cap lies flat on a face; extent [m]: see EXTENT."""
    return 0.01 * extent


@inner
def cylinder_over_faces(hull, cylinder, limit):
    """The face of a hull that a cylinder is farthest from: (separation, face). Stops at the first beyond `limit`."""
    best, found = -math.inf, 0
    for face in range(len(hull.normal)):
        n = row(hull.normal, face)
        cosine = dot(n, cylinder.axis)
        reach = cylinder.half * abs(cosine) + cylinder.radius * math.sqrt(max(0.0, 1.0 - cosine * cosine))
        separation = dot(n, sub(cylinder.center, face_point(hull, face))) - reach
        if separation > best:
            best, found = separation, face
            if separation > limit:
                break
    return best, found


@inner
def over_face(hull, face, n, p, slack):
    """True if p lies in the prism over a face, widened by slack."""
    first, last = face_loop(hull, face)
    for k in range(first, last):
        side, offset = side_plane(hull, first, last, k, n)
        if dot(side, p) > offset + slack:
            return False
    return True


@inner
def push_above(p, n, offset, key, raw, count):
    """Append the contact of point p of b with the plane n . x = offset of a."""
    gap = dot(n, p) - offset
    return push_between(raw, count, sub(p, scale(n, gap)), n, gap, key)


@inner
def line_contacts(hull, face, n, offset, cylinder, outward, slack, raw):
    """Contacts at both ends of the part over the face of the cylinder's lowest line; returns how many."""
    rim = add(cylinder.center, scale(outward, cylinder.radius))
    p0, p1 = sub(rim, scale(cylinder.axis, cylinder.half)), add(rim, scale(cylinder.axis, cylinder.half))
    start, end, clip0, clip1 = clip_segment(hull, face, p0, p1, slack)
    if start > end:
        return 0
    for side in range(2):
        s, clip = (start, clip0) if side == 0 else (end, clip1)
        key = feature_key(VERTEX_B, 0, LOWEST + side) if clip < 0 else feature_key(EDGES, clip, LOWEST)
        push_above(add(p0, scale(sub(p1, p0), s)), n, offset, key, raw, side)
    return 2


@inner
def cap_contacts(hull, face, n, offset, cylinder, slack, raw):
    """Contacts at eight points fixed to the rim of the cap that faces the face; 0 if not all lie over it."""
    down = dot(cylinder.axis, n) > 0.0
    middle = sub(cylinder.center, scale(cylinder.axis, cylinder.half if down else -cylinder.half))
    other = cross(cylinder.axis, cylinder.across)
    for k in range(RIM_POINTS):
        angle = 2.0 * math.pi * k / RIM_POINTS
        outward = add(scale(cylinder.across, math.cos(angle)), scale(other, math.sin(angle)))
        p = add(middle, scale(outward, cylinder.radius))
        if not over_face(hull, face, n, p, slack):
            return 0
        number = RIM + k + (0 if down else RIM_POINTS)
        push_above(p, n, offset, feature_key(VERTEX_B, 0, number), raw, k)
    return RIM_POINTS


@inner
def within_rim(cylinder, extent, sign, raw, count):
    """Bring contacts of the prism that stands for a cylinder, body b for sign 1 and a for -1, in to the rim of a cap
    that lies flat; extent [m]: see EXTENT."""
    for c in range(count):
        n = scale(part(raw.place, c, 3), sign)
        _, sine = lowest_rim(cylinder, n)
        gap = raw.place[c, 6]
        x = along(part(raw.place, c, 0), n, 0.5 * gap)
        outward = sub(x, cylinder.center)
        outward = along(outward, cylinder.axis, -dot(outward, cylinder.axis))
        reach = norm(outward)
        beyond = reach - cylinder.radius
        if beyond <= 0.0 or 2.0 * cylinder.radius * sine >= flat_height(extent):
            continue
        inwards = scale(outward, -beyond / reach)
        gap += dot(n, inwards)
        put(raw.place, c, 0, along(add(x, inwards), n, -0.5 * gap))
        raw.place[c, 6] = gap


@inner
def cylinder_pair(a, round_a, b, round_b, limit, work, raw):
    """Contacts of two cylinders whose prisms are the hulls a and b; returns how many."""
    count = cylinder_sides(round_a, round_b, False, raw)
    if count == 0:
        count = polytope_contacts(a, b, limit, work, raw)
        within_rim(round_a, a.extent, -1.0, raw, count)
        within_rim(round_b, b.extent, 1.0, raw, count)
    return count


@inner
def polytope_cylinder(a, b, cylinder, limit, work, raw):
    """Contacts of hull a and a cylinder, whose prism is hull b; returns how many."""
    separation, face = cylinder_over_faces(a, cylinder, limit)
    if separation > limit:
        return 0
    thin = min(a.thin, b.thin)
    # Overlap of a rim point with the face it is over, relative to the extent, up to which no other axis is tried.
    if separation > -0.1 * b.extent:
        n, offset = row(a.normal, face), dot(row(a.normal, face), face_point(a, face))
        outward, sine = lowest_rim(cylinder, n)
        if 2.0 * cylinder.radius * sine < flat_height(b.extent):
            count = cap_contacts(a, face, n, offset, cylinder, SLACK * thin, raw)
        else:
            count = line_contacts(a, face, n, offset, cylinder, outward, SLACK * thin, raw)
        for c in range(count):
            # The lowest point is over the face: the face gives the distance.
            # How much higher than the lowest point a contact may be, relative to the thinner body, to tell the
            # distance.
            if raw.place[c, 6] <= separation + 1e-3 * thin:
                return count
    count = polytope_contacts(a, b, limit, work, raw)
    within_rim(cylinder, b.extent, 1.0, raw, count)
    return count
