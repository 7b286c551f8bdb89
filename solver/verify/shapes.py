"""Shapes: signed distances of points from the solids of a body, by a search of its own; surfaces and overlap."""

import numpy as np

from .mechanics import MOST_TURNED, matrix, turned

# Points of each rim of a cylinder.
ROUND = 32
# Points times triangles that are looked at together.
TOGETHER = 1 << 18
# Faces count as wider by this part of the smaller body: corners over them stay, and keep their names.
WIDER = 5e-4


def distances(solids, x):
    """Distances (n,) [m] of points x (n,3) from the union of solids as recording.json has them, negative within, all in
    the body's frame; inf without a solid."""
    return np.min([np.full(len(x), np.inf), *(_signed(solid, _in_frame(solid, x)) for solid in solids)], axis=0)


def depths(solids, x, radius):
    """How deep (n,) [m] balls of `radius` (n,) at x (n,3) are in the union of solids, in the body's frame; 0 or less
    outside."""
    found = np.full(len(x), -np.inf)
    for solid in solids:
        at, within = _in_frame(solid, x), np.ones(len(x), dtype=bool)
        if "triangles" in solid:
            box, wide = np.array(solid["vertices"]), radius[:, None]
            within = np.all((at > box.min(axis=0) - wide) & (at < box.max(axis=0) + wide), axis=1)
        found[within] = np.maximum(found[within], -_signed(solid, at[within]))
    return found + radius


def _in_frame(solid, x):
    """Points (n,3) of a body's frame in that of a solid."""
    return turned(matrix([solid["orientation"]]).transpose(0, 2, 1), x - solid["position"])


def _signed(solid, x):
    """Distances (n,) [m] of points (n,3) from a solid, in its frame, negative within: a sphere, capsule, cylinder about
    z, or triangles."""
    if "triangles" in solid:
        corners = np.array(solid["vertices"])[np.array(solid["triangles"])]
        parts = np.array_split(x, max(1, len(corners) * len(x) // TOGETHER))
        return np.concatenate([_from_triangles(corners, part) for part in parts])
    radius, half = solid["radius"], 0.5 * solid.get("length", 0.0)
    if solid["type"] != "cylinder":
        return np.linalg.norm(x - np.clip(x, [0, 0, -half], [0, 0, half]), axis=1) - radius
    beyond = np.column_stack([np.hypot(x[:, 0], x[:, 1]) - radius, np.abs(x[:, 2]) - half])
    return np.linalg.norm(np.maximum(beyond, 0.0), axis=1) + np.minimum(beyond.max(axis=1), 0.0)


def _from_triangles(corners, x):
    """Distances (n,) [m] of points x (n,3) from triangles (T,3,3), negative where these wind around them, by solid
    angles (Van Oosterom, Strackee 1983)."""
    # By corner and component, each of all points and triangles (n,T).
    corners = corners.transpose(1, 2, 0)
    arms, sides = corners[:, :, None] - x.T[:, :, None], (np.roll(corners, -1, axis=0) - corners)[:, :, None]
    normal, best, inside = np.cross(sides[0], sides[1], axis=0), np.inf, True
    above, length = _dot(arms[0], normal), [np.sqrt(_dot(arm, arm)) for arm in arms]
    for arm, side in zip(arms, sides, strict=True):
        along = np.clip(-_dot(arm, side) / np.maximum(_dot(side, side), 1e-300), 0.0, 1.0)
        nearest = arm + along * side
        best = np.minimum(best, _dot(nearest, nearest))
        inside &= _dot(arm, np.cross(side, normal, axis=0)) >= 0.0
    away = np.sqrt(np.where(inside, above**2 / np.maximum(_dot(normal, normal), 1e-300), best).min(axis=1))
    # Of the triple product of the arms, that of one and the normal is all there is.
    cosine = length[0] * length[1] * length[2]
    for k in range(3):
        cosine += _dot(arms[k], arms[k - 1]) * length[k - 2]
    angle = np.arctan2(above, cosine)
    return np.where(np.rint(angle.sum(axis=1) / (2 * np.pi)) != 0, -away, away)


def _dot(a, b):
    """Products of vectors (3,...)."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def surfaces(run):
    """The points of contacts of rigid bodies, half a gap to each side, are on the surfaces of their bodies."""
    off, soft = np.zeros(len(run.gap)), np.isin(np.arange(len(run.gap)), run.stencil_contact)
    for rows, sign in ((run.a, -0.5), (run.b, 0.5)):
        x = run.point + sign * run.gap[:, None] * run.normal - run.push.position[rows]
        x = turned(matrix(run.push.orientation[rows]).transpose(0, 2, 1), x) + run.constant("center_of_mass")[rows]
        for number in np.unique(run.body[rows][~run.deforms[run.body[rows]]]):
            own = (run.body[rows] == number) & ~soft
            off[own] = np.maximum(off[own], np.abs(distances(run.constants["shapes"][number], x[own])))
    # Those of bodies in motion are found where they will meet, until the end of the next substep at the latest.
    speed = run.speed - run.length[run.of] * np.linalg.norm(run.gravity)
    moved = 2 * (speed[run.a] + speed[run.b]) * run.horizon[run.contact_of]
    allowed = WIDER * np.minimum(run.size[run.a], run.size[run.b]) + moved
    yield "contacts lie on the surfaces of their bodies, at their gaps", "m", off, allowed, *run.meetings()


def corners(solid, sides):
    """(points (n,3) in the body's frame, a radius) whose balls reach the surface of a solid: its vertices, the ends of
    its axis, or so many points of both rims of a cylinder as it shall have `sides`."""
    half, radius = 0.5 * solid.get("length", 0.0), solid.get("radius", 0.0)
    x = np.array(solid.get("vertices", [[0.0, 0.0, -half], [0.0, 0.0, half]]), dtype=float)
    if solid["type"] == "cylinder":
        t = 2 * np.pi * np.arange(sides) / sides
        x, radius = (x[:, None] + radius * np.stack([np.cos(t), np.sin(t), 0 * t], axis=1)).reshape(-1, 3), 0.0
    return turned(matrix([solid["orientation"]]), x) + solid["position"], radius


def samples(solids):
    """(points (n,3), radii (n,1)) of balls within the union of solids that reach its surface: at its `corners`, and in
    the middle of its triangles."""
    found = []
    for solid in solids:
        x, radius = corners(solid, ROUND)
        if "triangles" in solid:
            x = np.concatenate([x, x[np.array(solid["triangles"])].mean(axis=1)])
        found.append(np.column_stack([x, np.full(len(x), radius)]))
    return np.split(np.concatenate(found), [3], axis=1)


def meeting(of, body, x, size, apart):
    """Rows a (P,) and b (P,), of one substep `of` (N,) each, of pairs of bodies that may collide and whose balls of
    `size` (N,) at x (N,3) meet; apart (R,R): bodies that never collide."""
    found = []
    for rows in np.split(np.arange(len(of)), np.flatnonzero(np.diff(of)) + 1):
        a, b = rows[np.stack(np.triu_indices(len(rows), 1))]
        near = np.linalg.norm(x[a] - x[b], axis=1) < size[a] + size[b]
        found.append((a[near], b[near]))
    a, b = np.concatenate(found, axis=1)
    able = ~apart[body[a], body[b]] & (size[a] > 0) & (size[b] > 0)
    return a[able], b[able]


def overlap(pairs, body, x, orientation, shapes, center):
    """How deep (P,) [m] `samples` of one are in the other, or 0, of pairs (2,P) of rows of bodies (N,) at poses (N,3),
    (N,4); shapes (R) and the centres (R,3) of masses in their frames."""
    R, depth = matrix(orientation), np.zeros(len(pairs[0]))
    solid = {i: samples(shapes[i]) for i in np.unique(body[pairs])}
    for one, other in (pairs, pairs[::-1]):
        for i, k in np.unique(body[[one, other]], axis=1).T:
            own = np.flatnonzero((body[one] == i) & (body[other] == k))
            p, q, (points, radius) = one[own], other[own], solid[i]
            at = ((points - center[i]) @ R[p].transpose(0, 2, 1) + (x[p] - x[q])[:, None]) @ R[q]
            deep = depths(shapes[k], at.reshape(-1, 3) + center[k], np.tile(radius[:, 0], len(own)))
            depth[own] = np.maximum(depth[own], deep.reshape(len(own), -1).max(axis=1))
    return depth


def overlaps(run):
    """Pairs that are `meeting` are no deeper at the end of a substep than was reported, and than their turning makes
    them. The end of a step is the beginning of the next one, which reports what was met there and not foreseen."""
    on, of = (np.array(run.constants[name], dtype=np.int64) for name in ("layers", "collides_with"))
    i, k = np.array(run.constants["excluded"], dtype=int).reshape(-1, 2).T
    apart = (on[:, None] & of == 0) | (of[:, None] & on == 0) | run.deforms[:, None] | run.deforms
    apart[[*i, *k], [*k, *i]] = True
    x, center = run.end.position, np.array(run.constants["center_of_mass"])
    pairs = np.array(meeting(run.of, run.body, x, np.array(run.header["size"])[run.body], apart))
    a, b = pairs = pairs[:, run.moves[pairs].any(axis=0)]
    depth = overlap(pairs, run.body, x, run.end.orientation, run.constants["shapes"], center)
    reported, step = run.steps["overlap"], run.step[run.of[a]]
    allowed = np.maximum(reported[step - 1], reported[np.minimum(step, len(reported) - 1)]) * (1 + 1e-6)
    yield ("overlap of shapes, against what is reported", "m", depth, allowed + MOST_TURNED
           * np.minimum(run.size[a], run.size[b]), *run.places(a), run.names[run.body[b]])  # fmt: skip
