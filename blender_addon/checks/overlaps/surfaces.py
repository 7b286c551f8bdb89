"""Bodies that are not convex, and open surfaces: how deep, by the surfaces' points."""

import numpy as np
from mathutils import Vector

# Places looked at along an edge that goes through the other body.
ALONG_EDGE = np.linspace(0.0, 1.0, 9)
MOST_TRIANGLES_CROSSED = 200
# Points of a body by which it is told on which side of a surface most of it is.
MOST_POINTS = 400
# Directions of rays that miss edges and corners of what is built along axes.
RAYS = [Vector(way).normalized() for way in ((0.911, 0.339, 0.233), (-0.271, 0.883, 0.383), (0.183, -0.419, 0.889))]
MOST_CROSSINGS = 64
# Cosine between the way to the nearest point and the normal there, above which a point is over a face and not beyond
# the rim.
OVER = 0.5
# Ways out of a body, and the cosine between two that are one.
MOST_WAYS_OUT, ALIKE = 4, 0.8
NOTHING = 0.0, np.zeros(3)


def contains(subject, point):
    """True if a point (3,) [m] is inside a closed surface: two of three rays leave it once more than they enter it."""
    return sum(_leaves(subject, Vector(point), way) > 0 for way in RAYS) >= 2


def _leaves(subject, start, way):
    """How often a ray leaves the surface, less how often it enters."""
    count, step = 0, 1e-6 * float(subject.extents[0])
    for _ in range(MOST_CROSSINGS):
        place, normal, _, _ = subject.tree.ray_cast(start, way)
        if place is None:
            break
        count += 1 if normal.dot(way) > 0 else -1
        start = place + step * way
    return count


def shifts_in_solids(a, b, least):
    """(depth [m], shifts (K,3) [m] of a) of two closed surfaces, by their points in each other; depths below `least`
    [m] do not count."""
    pairs = a.tree.overlap(b.tree)
    deepest, shifts = 0.0, [np.zeros((0, 3))]
    for one, other, sign, side in ((a, b, 1.0, 0), (b, a, -1.0, 1)):
        rows = sorted({pair[side] for pair in pairs})[:MOST_TRIANGLES_CROSSED]
        # One that crosses nothing is wholly inside, or not at all.
        points = _points(one, np.array(rows)) if pairs else one.world[:1]
        near = ((points > other.bounds[0]) & (points < other.bounds[1])).all(axis=1)
        out = _ways_out(other, points[near], least)
        deepest = max([deepest, *np.linalg.norm(out, axis=1)])
        shifts.append(sign * out)
    return deepest, np.concatenate(shifts)


def _ways_out(subject, points, least):
    """Shifts (K,3) [m] to the surface of the deepest of points (P,3) that are inside it by more than `least` [m], in
    different directions."""
    found = []
    for point in points:
        place, normal, _, distance = subject.tree.find_nearest(Vector(point))
        out = np.array(place) - point
        if distance > least and out @ np.array(normal) >= -1e-6 * distance:
            found.append((distance, out, point))
    ways = []
    for distance, out, point in sorted(found, key=lambda one: -one[0]):
        if any(out @ way > ALIKE * distance * np.linalg.norm(way) for way in ways):
            continue
        # The nearest face tells the side wrongly where an edge is nearest: rays have the last word.
        if contains(subject, point):
            ways.append(out)
        if len(ways) == MOST_WAYS_OUT:
            break
    return np.array(ways).reshape(-1, 3)


def _points(subject, rows):
    """Points (P,3) along the edges of the triangles `rows` of a subject."""
    corners = subject.world[subject.surface[1][rows]]
    start, end = corners.reshape(-1, 3), np.roll(corners, -1, axis=1).reshape(-1, 3)
    points = start[:, None] + ALONG_EDGE[None, :, None] * (end - start)[:, None]
    return np.unique(points.reshape(-1, 3), axis=0)


def depth_through_sheet(body, sheet):
    """(depth [m], way (3,) that takes `body` out) of a subject that crosses an open surface: to the side that most of
    it is on."""
    pairs = body.tree.overlap(sheet.tree)
    if not pairs:
        return NOTHING
    side, beyond = _sides(body, sheet)
    if beyond is None:
        return NOTHING
    depth, normal = beyond
    way = side * normal
    rows = np.array(sorted({pair[1] for pair in pairs})[:MOST_TRIANGLES_CROSSED])
    if not body.facts.open:
        depth = max(depth, _reach(body, _points(sheet, rows), way))
    return depth, way


def _sides(body, sheet):
    """(side of the sheet's normals that most of a body is on, (depth [m], normal (3,)) of what is beyond)."""
    corners = body.world[body.surface[1]]
    middles = corners.mean(axis=1)
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    some = slice(None, None, -(-len(middles) // MOST_POINTS))
    share = sum(part * np.sign(_height(sheet, point)[0]) for part, point in zip(area[some], middles[some], strict=True))
    side = 1.0 if share >= 0 else -1.0
    deepest, normals = 0.0, []
    for point in body.world[:: -(-len(body.world) // (5 * MOST_POINTS))]:
        height, normal, over = _height(sheet, point)
        if side * height < 0 and over:
            deepest = max(deepest, -side * height)
            normals.append(-side * height * normal)
    if not normals:
        normals = [_height(sheet, body.world.mean(axis=0))[1]]
    mean = np.sum(normals, axis=0)
    length = np.linalg.norm(mean)
    return side, (deepest, mean / length) if length > 0 else None


def _height(sheet, point):
    """(height [m] of a point over the nearest face, its normal (3,), whether the point is over it)."""
    place, normal, _, distance = sheet.tree.find_nearest(Vector(point))
    height = (Vector(point) - place).dot(normal)
    return height, np.array(normal), abs(height) >= OVER * distance


def side_of(body, sheet):
    """Side of an open surface that the middle of a body is over, 1 or -1 by its normals; 0 beyond its rim."""
    height, _, over = _height(sheet, body.world.mean(axis=0))
    return float(np.sign(height)) if over else 0.0


def side_to_come_out(body, sheet):
    """Side of an open surface that a body belongs on: of one that crosses it, that which most of it is on."""
    return _sides(body, sheet)[0] if body.tree.overlap(sheet.tree) else side_of(body, sheet)


def _reach(body, points, way):
    """How far [m] a closed body reaches beyond the points (P,3) that are inside it, against `way`."""
    near = ((points > body.bounds[0]) & (points < body.bounds[1])).all(axis=1)
    deepest = 0.0
    for point in points[near]:
        place, _, _, distance = body.tree.ray_cast(Vector(point), Vector(-way))
        if place is not None and distance > deepest and contains(body, point):
            deepest = distance
    return deepest
