"""Shapes: signed distances of points from the solids of a body, by a search of its own; surfaces and overlap."""

import numpy as np

from .mechanics import MOST_TURNED, matrix, turned

# Angle [rad] between points of the rims of cylinders.
ROUND = np.pi / 16
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
        at, near = _in_frame(solid, x), np.arange(len(x))
        if "radius" in solid or radius.any():
            deep = -_signed(solid, at)
        else:
            # Of points alone only those within are asked how deep they are.
            for test in (_between, _winding):
                near = near[_in_parts(test, _corners(solid), at[near]) != 0]
            deep = _in_parts(_from_triangles, _corners(solid), at[near])
        found[near] = np.maximum(found[near], deep)
    return found + radius


def _in_frame(solid, x):
    """Points (n,3) of a body's frame in that of a solid."""
    return turned(matrix([solid["orientation"]]).transpose(0, 2, 1), x - solid["position"])


def _corners(solid):
    return np.array(solid["vertices"])[np.array(solid["triangles"])]


def _signed(solid, x):
    """Distances (n,) [m] of points (n,3) from a solid, in its frame, negative within: a sphere, capsule, cylinder about
    z, or triangles."""
    if "triangles" in solid:
        away, within = (_in_parts(one, _corners(solid), x) for one in (_from_triangles, _winding))
        return np.where(within != 0, -away, away)
    radius, half = solid["radius"], 0.5 * solid.get("length", 0.0)
    if solid["type"] != "cylinder":
        return np.linalg.norm(x - np.clip(x, [0, 0, -half], [0, 0, half]), axis=1) - radius
    beyond = np.column_stack([np.hypot(x[:, 0], x[:, 1]) - radius, np.abs(x[:, 2]) - half])
    return np.linalg.norm(np.maximum(beyond, 0.0), axis=1) + np.minimum(beyond.max(axis=1), 0.0)


def _in_parts(function, corners, x):
    """What a function of triangles (T,3,3) and points (n,3) gives (n,), of some points at a time."""
    step = max(1, TOGETHER // len(corners))
    return np.concatenate([function(corners, x[k : k + step]) for k in range(0, max(len(x), 1), step)])


def _between(corners, x):
    """Which points x (n,3) have boxes of triangles (T,3,3) above and below them: others are outside, and quickly so."""
    low, high = corners.min(axis=1), corners.max(axis=1)
    beside = (x[:, None, :2] < low[:, :2]) | (x[:, None, :2] > high[:, :2])
    over, z = ~(beside[..., 0] | beside[..., 1]), x[:, None, 2]
    return (over & (z <= high[:, 2])).any(axis=1) & (over & (z >= low[:, 2])).any(axis=1)


def _winding(corners, x):
    """How often (n,) triangles (T,3,3) wind around points x (n,3), by solid angles (Van Oosterom, Strackee 1983)."""
    a, b, c = (corners[:, k] - x[:, None] for k in range(3))
    (da, db, dc), (ab, bc, ca) = np.linalg.norm([a, b, c], axis=3), np.einsum("kntj,kntj->knt", [a, b, c], [b, c, a])
    angle = np.arctan2((a * np.cross(b, c)).sum(axis=2), da * db * dc + ab * dc + bc * da + ca * db)
    return np.rint(angle.sum(axis=1) / (2 * np.pi))


def _from_triangles(corners, x):
    """Distances (n,) [m] of points x (n,3) from triangles (T,3,3)."""
    arms = corners - x[:, None, None]
    best = np.full(arms.shape[:2], np.inf)
    sides = np.roll(corners, -1, axis=1) - corners
    normal = np.cross(sides[:, 0], sides[:, 1])
    above, inside = (arms[:, :, 0] * normal).sum(axis=2), True
    for k in range(3):
        side, arm = sides[:, k], arms[:, :, k]
        along = np.clip(-(arm * side).sum(axis=2) / np.maximum((side**2).sum(axis=1), 1e-300), 0.0, 1.0)
        best = np.minimum(best, ((arm + along[..., None] * side) ** 2).sum(axis=2))
        inside &= (np.cross(side, -arm) * normal).sum(axis=2) >= 0.0
    best = np.where(inside, above**2 / np.maximum((normal**2).sum(axis=1), 1e-300), best)
    return np.sqrt(best.min(axis=1))


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


def samples(solids):
    """(points (n,3), radii (n,1)) of balls within the union of solids that reach its surface: at its vertices, in the
    middle of its triangles, at the ends of capsules, round the rims of cylinders."""
    found = []
    for solid in solids:
        half, radius = 0.5 * solid.get("length", 0.0), 0.0 if solid["type"] == "cylinder" else solid.get("radius", 0.0)
        x = np.array(solid.get("vertices", [[0.0, 0.0, -half], [0.0, 0.0, half]]))
        if "triangles" in solid:
            x = np.concatenate([x, _corners(solid).mean(axis=1)])
        if solid["type"] == "cylinder":
            x = np.array([[*(solid["radius"] * np.array([np.cos(t), np.sin(t)])), z] for z in (-half, half)
                          for t in np.arange(0.0, 2.0 * np.pi, ROUND)])  # fmt: skip
        x = turned(matrix([solid["orientation"]]), x) + solid["position"]
        found.append(np.column_stack([x, np.full(len(x), radius)]))
    return np.split(np.concatenate(found), [3], axis=1)


def meeting(run):
    """Rows a (P,) and b (P,) of pairs of rigid bodies that may collide and whose balls meet at the end of a substep."""
    size, ends = np.array(run.header["size"])[run.body], np.searchsorted(run.of, np.arange(1, len(run.step)))
    found = []
    for rows in np.split(np.arange(len(run.of)), ends):
        a, b = rows[np.stack(np.triu_indices(len(rows), 1))]
        near = np.linalg.norm(run.end.position[a] - run.end.position[b], axis=1) < size[a] + size[b]
        found.append((a[near], b[near]))
    a, b = np.concatenate(found, axis=1)
    i, k = np.sort([run.body[a], run.body[b]], axis=0)
    on, of = (np.array(run.constants[name], dtype=np.int64) for name in ("layers", "collides_with"))
    low, high = np.sort(np.array(run.constants["excluded"], dtype=int).reshape(-1, 2)).T
    able = (on[i] & of[k] != 0) & (on[k] & of[i] != 0) & (run.moves[a] | run.moves[b])
    able &= ~(run.deforms[i] | run.deforms[k] | np.isin(i * len(on) + k, low * len(on) + high))
    return a[able], b[able]


def deepest(inner, outer, poses_inner, poses_outer):
    """How deep (n,) [m] samples of one body are in another at n poses: inner is (points about its centre, radii), outer
    (solids, its centre in their frame, its size); poses are (positions (n,3), matrices (n,3,3))."""
    (points, radius), (solids, center, size), (x, turn), (y, back) = inner, outer, poses_inner, poses_outer
    x = (points @ turn.transpose(0, 2, 1) + (x - y)[:, None]) @ back
    within, near = np.full(x.shape[:2], -np.inf), np.linalg.norm(x, axis=2) < size + radius[:, 0]
    within[near] = depths(solids, x[near] + center, np.broadcast_to(radius[:, 0], near.shape)[near])
    return within.max(axis=1)


def overlaps(run):
    """Pairs that are `meeting`, `samples` of one in the other, are no deeper at the end of a substep than was reported,
    and than their turning makes them. The end of a step is the beginning of the next one, which reports what was met
    there and not foreseen."""
    (a, b), shapes, size = meeting(run), run.constants["shapes"], run.header["size"]
    turn, center, depth = matrix(run.end.orientation), np.array(run.constants["center_of_mass"]), np.zeros(len(a))
    for one, other in ((a, b), (b, a)):
        for i, k in np.unique(run.body[np.stack([one, other])], axis=1).T:
            own = np.flatnonzero((run.body[one] == i) & (run.body[other] == k))
            points, radius = samples(shapes[i])
            poses = [(run.end.position[rows[own]], turn[rows[own]]) for rows in (one, other)]
            deep = deepest((points - center[i], radius), (shapes[k], center[k], size[k]), *poses)
            depth[own] = np.maximum(depth[own], deep)
    reported, step = run.steps["overlap"], run.step[run.of[a]]
    allowed = np.maximum(reported[step - 1], reported[np.minimum(step, len(reported) - 1)]) * (1 + 1e-6)
    yield ("overlap of shapes, against what is reported", "m", depth, allowed + MOST_TURNED
           * np.minimum(run.size[a], run.size[b]), *run.places(a), run.names[run.body[b]])  # fmt: skip
