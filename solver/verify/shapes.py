"""Shapes: signed distances of points from the solids of a body, by a search of its own."""

import numpy as np

from .mechanics import matrix, turned

# Angle [rad] between points of the rims of cylinders.
ROUND = np.pi / 16
# Points times triangles that are looked at together.
TOGETHER = 1 << 18


def distances(solids, x):
    """Distances (n,) [m] of points x (n,3) from the union of solids as recording.json has them, negative within, all in
    the body's frame; inf without a solid."""
    found = np.full(len(x), np.inf)
    for solid in solids:
        R = matrix([solid["orientation"]])
        at = turned(R.transpose(0, 2, 1), x - solid["position"])
        found = np.minimum(found, _round(solid, at) if "radius" in solid else _by_triangles(solid, at))
    return found


def off_surfaces(run):
    """How far (C,) [m] the points of contacts, half a gap to each side, are from the surfaces of their
    bodies, both rigid."""
    off, soft = np.zeros(len(run.gap)), np.isin(np.arange(len(run.gap)), run.stencil_contact)
    for rows, sign in ((run.a, -0.5), (run.b, 0.5)):
        x = run.point + sign * run.gap[:, None] * run.normal - run.push.position[rows]
        x = turned(matrix(run.push.orientation[rows]).transpose(0, 2, 1), x) + run.constant("center_of_mass")[rows]
        for number in np.unique(run.body[rows][~run.deforms[run.body[rows]]]):
            own = (run.body[rows] == number) & ~soft
            off[own] = np.maximum(off[own], np.abs(distances(run.constants["shapes"][number], x[own])))
    return off


def samples(solids):
    """(points (n,3), radii (n,1)) of balls within the union of solids that reach its surface: at its vertices, in the
    middle of its triangles, at the ends of capsules, round the rims of cylinders."""
    found = []
    for solid in solids:
        half, radius = 0.5 * solid.get("length", 0.0), 0.0 if solid["type"] == "cylinder" else solid.get("radius", 0.0)
        x = np.array(solid.get("vertices", [[0.0, 0.0, -half], [0.0, 0.0, half]]))
        if "triangles" in solid:
            x = np.concatenate([x, x[np.array(solid["triangles"])].mean(axis=1)])
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


def overlaps(run):
    """(depths (P,) [m], rows a and b (P,)) of pairs that are `meeting`: how deep `samples` of one body are in the other
    at the end of a substep."""
    a, b = meeting(run)
    shapes, center, size = (run.constants["shapes"], np.array(run.constants["center_of_mass"]), run.header["size"])
    turn, depth = matrix(run.end.orientation), np.zeros(len(a))
    for one, other in ((a, b), (b, a)):
        for i, k in np.unique(run.body[np.stack([one, other])], axis=1).T:
            own = np.flatnonzero((run.body[one] == i) & (run.body[other] == k))
            points, radius = samples(shapes[i])
            x = (points - center[i]) @ turn[one[own]].transpose(0, 2, 1)
            x = (x + (run.end.position[one[own]] - run.end.position[other[own]])[:, None]) @ turn[other[own]]
            within, near = np.full(x.shape[:2], -np.inf), np.linalg.norm(x, axis=2) < size[k] + radius[:, 0]
            within[near] = -distances(shapes[k], x[near] + center[k])
            depth[own] = np.maximum(depth[own], (within + radius[:, 0]).max(axis=1))
    return depth, a, b


def _round(solid, x):
    """Of a sphere, a capsule, a cylinder about z."""
    radius, half = solid["radius"], 0.5 * solid.get("length", 0.0)
    if solid["type"] != "cylinder":
        return np.linalg.norm(x - np.clip(x, [0, 0, -half], [0, 0, half]), axis=1) - radius
    beyond = np.column_stack([np.hypot(x[:, 0], x[:, 1]) - radius, np.abs(x[:, 2]) - half])
    return np.linalg.norm(np.maximum(beyond, 0.0), axis=1) + np.minimum(beyond.max(axis=1), 0.0)


def _by_triangles(solid, x):
    corners = np.array(solid["vertices"])[np.array(solid["triangles"])]
    step = max(1, TOGETHER // len(corners))
    return np.concatenate([_near(corners, x[k : k + step]) for k in range(0, max(len(x), 1), step)])


def _near(corners, x):
    """Distances (n,) of x from triangles (T,3,3), negative where these close round x, by the sum of solid angles."""
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
    a, b, c = np.moveaxis(arms, 2, 0)
    lengths = np.linalg.norm(arms, axis=3)
    dots = sum((u * v).sum(axis=2) * lengths[..., k] for u, v, k in ((a, b, 2), (b, c, 0), (c, a, 1)))
    angle = 2.0 * np.arctan2((a * np.cross(b, c)).sum(axis=2), lengths.prod(axis=2) + dots).sum(axis=1)
    return np.sqrt(best.min(axis=1)) * np.where(np.abs(angle) > 2.0 * np.pi, -1.0, 1.0)
