"""Shapes: signed distances of points from the solids of a body, by a search of its own; overlap."""

import numpy as np

from .mechanics import MOST_TURNED, matrix, turned

# Points of each rim of a cylinder.
ROUND = 32
# Points times triangles that are looked at together.
TOGETHER = 1 << 18


def depths(solids, x, radius):
    """How deep (n,) [m] balls of `radius` (n,) at x (n,3) are in the union of solids, in the body's frame; less than 0
    outside."""
    found = np.full(len(x), -np.inf)
    for solid in solids:
        box, within = corners(solid, ROUND)[0], np.ones(len(x), dtype=bool)
        if "triangles" in solid:
            within = np.all((x > box.min(axis=0) - radius[:, None]) & (x < box.max(axis=0) + radius[:, None]), axis=1)
        found[within] = np.maximum(found[within], -distances(solid, x[within]))
    return found + radius


def distances(solid, x):
    """Distances (n,) [m] of points x (n,3) from a solid as recording.json has it, negative within, in the body's
    frame."""
    parts = np.array_split(x, max(1, len(solid.get("triangles", ())) * len(x) // TOGETHER))
    return np.concatenate([faces(solid, part)[0] for part in parts])


def faces(solid, x):
    """(distances (n,) [m] of points x (n,3) from a solid, negative within; how far (n,K) they are from its faces; the
    normals (n,K,3) of these there; points (K,k,3) and a radius: balls there hold them), in the body's frame. A sphere
    or capsule has one face, a cylinder a side and the end that is nearer; triangles are one each."""
    points, radius = corners(solid, ROUND)
    if "triangles" in solid:
        points = points[np.array(solid["triangles"])]
        normal = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
        normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None]
        return *_from_triangles(points, x), np.broadcast_to(normal, (len(x), *normal.shape)), points, 0.0
    half, axis = 0.5 * solid.get("length", 0.0), matrix([solid["orientation"]])[0][:, 2]
    x = x - solid["position"]
    along = x @ axis
    out = x - along[:, None] * axis
    if solid["type"] != "cylinder":
        out = out + (along - np.clip(along, -half, half))[:, None] * axis
    rho = np.linalg.norm(out, axis=1)
    normal = out / np.maximum(rho, 1e-300)[:, None]
    if solid["type"] != "cylinder":
        return rho - radius, np.abs(rho - radius)[:, None], normal[:, None], points[None], radius
    beyond = np.column_stack([rho - solid["radius"], np.abs(along) - half])
    signed = np.linalg.norm(np.maximum(beyond, 0.0), axis=1) + np.minimum(beyond.max(axis=1), 0.0)
    normal = np.stack([normal, np.sign(along)[:, None] * axis], axis=1)
    return signed, np.hypot(beyond, np.maximum(beyond[:, ::-1], 0.0)), normal, np.stack([points, points]), 0.0


def _from_triangles(corners, x):
    """Distances (n,) [m] of points x (n,3) from triangles (T,3,3), negative where these wind around them, by solid
    angles (Van Oosterom, Strackee 1983), and from each of them (n,T)."""
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
    away = np.sqrt(np.where(inside, above**2 / np.maximum(_dot(normal, normal), 1e-300), best))
    # Of the triple product of the arms, that of one and the normal is all there is.
    cosine = length[0] * length[1] * length[2]
    for k in range(3):
        cosine += _dot(arms[k], arms[k - 1]) * length[k - 2]
    angle = np.arctan2(above, cosine)
    return np.where(np.rint(angle.sum(axis=1) / (2 * np.pi)) != 0, -1.0, 1.0) * away.min(axis=1), away


def _dot(a, b):
    """Products of vectors (3,...)."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


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


def reported(run, substeps):
    """The overlap (n,) [m] that is reported of substeps (n,). The end of a step is the beginning of the next one, which
    reports what was met there and not foreseen."""
    told, step = run.steps["overlap"], run.step[substeps]
    return np.maximum(told[step - 1], told[np.minimum(step, len(told) - 1)]) * (1 + 1e-6)


def overlaps(run):
    """Pairs that are `meeting` end a substep no deeper than was reported, and than their turning makes them."""
    on, of = (np.array(run.constants[name], dtype=np.int64) for name in ("layers", "collides_with"))
    i, k = np.array(run.constants["excluded"], dtype=int).reshape(-1, 2).T
    apart = (on[:, None] & of == 0) | (of[:, None] & on == 0) | run.deforms[:, None] | run.deforms
    apart[[*i, *k], [*k, *i]] = True
    x, center = run.end.position, np.array(run.constants["center_of_mass"])
    pairs = np.array(meeting(run.of, run.body, x, np.array(run.header["size"])[run.body], apart))
    a, b = pairs = pairs[:, run.moves[pairs].any(axis=0)]
    depth = overlap(pairs, run.body, x, run.end.orientation, run.constants["shapes"], center)
    allowed = reported(run, run.of[a]) + MOST_TURNED * np.minimum(run.size[a], run.size[b])
    # Pairs that begin too deep in each other for contacts are named, and their overlap is not told.
    names = run.names[run.body[pairs]].T
    allowed[[sorted(pair) in [sorted(own) for own in run.header.get("sunk", [])] for pair in names]] = np.inf
    yield "overlap of shapes, against what is reported", "m", depth, allowed, *run.places(a), names[:, 1]
