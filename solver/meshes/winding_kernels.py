"""Compiled questions about a triangle surface: winding number, distance, and where it crosses itself.

All take `corners` (T,3,3) in the order of the tree's leaves (T >= 1) and the tree of `build_tree`.
"""

import math

import numpy as np

from ..base.vectors import add, along, cross, dot, norm, scale, sub
from ..jit import inner, kernel

NEAR = 3.0  # radii of a node within which its triangles are summed one by one


@inner
def corner(corners, f, k):
    """Corner k of triangle f."""
    return corners[f, k, 0], corners[f, k, 1], corners[f, k, 2]


@kernel
def dipoles(corners, box, child, leaf, area, table):
    """What every node contributes from afar, into table (N,7): centre weighted by area, sum of the area normals, radius
    about it. area (N,): work space.
    """
    for node in range(len(child) - 1, -1, -1):
        if child[node] < 0:
            a, b, c = corner(corners, leaf[node], 0), corner(corners, leaf[node], 1), corner(corners, leaf[node], 2)
            normal = scale(cross(sub(b, a), sub(c, a)), 0.5)
            center = scale(add(add(a, b), c), 1.0 / 3.0)
            area[node] = norm(normal)
        else:
            one, two = child[node], child[node] + 1
            area[node] = area[one] + area[two]
            share = area[one] / area[node] if area[node] > 0.0 else 0.5
            p = (table[one, 0], table[one, 1], table[one, 2])
            q = (table[two, 0], table[two, 1], table[two, 2])
            center = add(scale(p, share), scale(q, 1.0 - share))
            normal = add((table[one, 3], table[one, 4], table[one, 5]), (table[two, 3], table[two, 4], table[two, 5]))
        far = 0.0
        for i in range(3):
            table[node, i], table[node, 3 + i] = center[i], normal[i]
            far += (abs(center[i] - box[node, i]) + box[node, 3 + i]) ** 2
        table[node, 6] = math.sqrt(far)


@inner
def half_solid_angle(q, a, b, c):
    """Half the solid angle of a triangle seen from q, signed, as what its cosine and its sine are proportional to (van
    Oosterom and Strackee 1983)."""
    a, b, c = sub(a, q), sub(b, q), sub(c, q)
    la, lb, lc = norm(a), norm(b), norm(c)
    along_all = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
    return along_all, dot(a, cross(b, c))


@inner
def solid_angle(q, a, b, c):
    """Half the solid angle of a triangle seen from q, signed."""
    cosine, sine = half_solid_angle(q, a, b, c)
    return math.atan2(sine, cosine)


@kernel
def winding_numbers(points, corners, child, leaf, far):
    """Winding number (P,) of the surface about points (P,3) (Barill et al. 2018, first order; 0.01 off at most)."""
    result = np.empty(len(points))
    stack = np.empty(128, dtype=np.int64)
    for i in range(len(points)):
        q = (points[i, 0], points[i, 1], points[i, 2])
        total = 0.0
        stack[0] = 0
        top = 1
        while top > 0:
            top -= 1
            node = stack[top]
            away = sub((far[node, 0], far[node, 1], far[node, 2]), q)
            distance = norm(away)
            if distance > NEAR * far[node, 6]:
                normal = (far[node, 3], far[node, 4], far[node, 5])
                total += dot(away, normal) / (4.0 * math.pi * distance**3)
            elif child[node] >= 0:
                stack[top], stack[top + 1] = child[node], child[node] + 1
                top += 2
            else:
                f = leaf[node]
                angle = solid_angle(q, corner(corners, f, 0), corner(corners, f, 1), corner(corners, f, 2))
                total += angle / (2.0 * math.pi)
        result[i] = total
    return result


@inner
def segment_distance2(q, a, b):
    """Squared distance of q from the segment a b."""
    side, to_q = sub(b, a), sub(q, a)
    length2 = dot(side, side)
    s = min(1.0, max(0.0, dot(to_q, side) / length2)) if length2 > 0.0 else 0.0
    away = along(to_q, side, -s)
    return dot(away, away)


@inner
def triangle_distance2(q, a, b, c):
    """Squared distance of q from a triangle, which may have no area."""
    n = cross(sub(b, a), sub(c, a))
    n2 = dot(n, n)
    if n2 > 0.0:
        over = dot(cross(n, sub(b, a)), sub(q, a)) >= 0.0 and dot(cross(n, sub(c, b)), sub(q, b)) >= 0.0
        if over and dot(cross(n, sub(a, c)), sub(q, c)) >= 0.0:
            height = dot(n, sub(q, a))
            return height * height / n2
    return min(segment_distance2(q, a, b), segment_distance2(q, b, c), segment_distance2(q, c, a))


@inner
def box_distance2(box, node, q):
    """Squared distance of q from a node's box."""
    total = 0.0
    for i in range(3):
        total += max(0.0, abs(q[i] - box[node, i]) - box[node, 3 + i]) ** 2
    return total


@kernel
def distances(points, corners, box, child, leaf):
    """Distance (P,) of points (P,3) from the surface."""
    result = np.empty(len(points))
    stack = np.empty(128, dtype=np.int64)
    for i in range(len(points)):
        q = (points[i, 0], points[i, 1], points[i, 2])
        best = np.inf
        stack[0] = 0
        top = 1
        while top > 0:
            top -= 1
            node = stack[top]
            if box_distance2(box, node, q) >= best:
                continue
            if child[node] < 0:
                f = leaf[node]
                a, b, c = corner(corners, f, 0), corner(corners, f, 1), corner(corners, f, 2)
                best = min(best, triangle_distance2(q, a, b, c))
                continue
            one = child[node]
            # The nearer child is visited first: it is put on top.
            if box_distance2(box, one, q) < box_distance2(box, one + 1, q):
                stack[top], stack[top + 1] = one + 1, one
            else:
                stack[top], stack[top + 1] = one, one + 1
            top += 2
        result[i] = math.sqrt(best)
    return result


@inner
def pierces(p, q, a, b, c, slack):
    """True if the segment p q goes through the triangle, its ends further from the plane than `slack`."""
    n = cross(sub(b, a), sub(c, a))
    length = norm(n)
    above, below = dot(n, sub(p, a)), dot(n, sub(q, a))
    if min(abs(above), abs(below)) <= slack * length or (above > 0.0) == (below > 0.0):
        return False
    x = along(p, sub(q, p), above / (above - below))
    # A point within the slack of the rim only touches.
    for u, v in ((a, b), (b, c), (c, a)):
        side = sub(v, u)
        if dot(cross(n, side), sub(x, u)) <= slack * length * norm(side):
            return False
    return True


@inner
def faces_cross(corners, triangles, f, g, slack):
    """True if triangles f and g go through each other; corners that they share do not count."""
    shared_f, shared_g, shared = -1, -1, 0
    for i in range(3):
        for j in range(3):
            if triangles[f, i] == triangles[g, j]:
                shared_f, shared_g = i, j
                shared += 1
    if shared > 1:
        return False
    for k in range(3):
        if shared == 0 or k == (shared_f + 1) % 3:
            p, q = corner(corners, f, k), corner(corners, f, (k + 1) % 3)
            if pierces(p, q, corner(corners, g, 0), corner(corners, g, 1), corner(corners, g, 2), slack):
                return True
        if shared == 0 or k == (shared_g + 1) % 3:
            p, q = corner(corners, g, k), corner(corners, g, (k + 1) % 3)
            if pierces(p, q, corner(corners, f, 0), corner(corners, f, 1), corner(corners, f, 2), slack):
                return True
    return False


@inner
def boxes_apart(box, one, two):
    """True if two nodes' boxes have no point in common."""
    apart = False
    for i in range(3):
        apart |= abs(box[one, i] - box[two, i]) > box[one, 3 + i] + box[two, 3 + i]
    return apart


@kernel
def crossing_faces(corners, triangles, box, child, leaf, slack, most):
    """Number of pairs of triangles that go through each other, counted up to `most`.

    triangles (T,3): numbers of the corners' vertices; slack [m]: what only touches.
    """
    found = 0
    stack = np.empty((512, 2), dtype=np.int64)
    stack[0, 0] = stack[0, 1] = 0
    top = 1
    while top > 0 and found < most:
        top -= 1
        one, two = stack[top, 0], stack[top, 1]
        if one == two:
            if child[one] >= 0:
                left, right = child[one], child[one] + 1
                stack[top, 0], stack[top, 1] = left, left
                stack[top + 1, 0], stack[top + 1, 1] = right, right
                stack[top + 2, 0], stack[top + 2, 1] = left, right
                top += 3
            continue
        if boxes_apart(box, one, two):
            continue
        if child[one] < 0 and child[two] < 0:
            if faces_cross(corners, triangles, leaf[one], leaf[two], slack):
                found += 1
            continue
        split = one
        if child[one] < 0 or (child[two] >= 0 and box[two, 3:6].sum() > box[one, 3:6].sum()):
            split = two
        other = two if split == one else one
        stack[top, 0], stack[top, 1] = child[split], other
        stack[top + 1, 0], stack[top + 1, 1] = child[split] + 1, other
        top += 2
    return found
