"""Shapes: signed distances of points from the solids of a body, by a search of its own."""

import numpy as np

from .mechanics import matrix, turned

# Angle [rad] between points of the rims of cylinders.
ROUND = np.pi / 16
# Points times triangles that are looked at together.
TOGETHER = 1 << 18
# Cells along each side of the box round triangles, of which those that are all outside are known.
CELLS = 24
# Parts of a solid's size by which rays along z pass beside a point: none goes through a vertex or along an edge.
BESIDE = 0.5773e-9, 0.8191e-9


def distances(solids, x):
    """Distances (n,) [m] of points x (n,3) from the union of solids as recording.json has them, negative within, all in
    the body's frame; inf without a solid."""
    found = np.full(len(x), np.inf)
    for solid in solids:
        found = np.minimum(found, _signed(solid, _in_frame(solid, x)))
    return found


def _in_frame(solid, x):
    """Points (n,3) of a body's frame in that of a solid."""
    return turned(matrix([solid["orientation"]]).transpose(0, 2, 1), x - solid["position"])


def _signed(solid, at):
    """Distances (n,) [m] of points (n,3) from a solid, in its frame, negative within."""
    return _round(solid, at) if "radius" in solid else _by_corners(_corners(solid), at)


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


class Outside:
    """Tells points (n,3) that are surely outside triangles (T,3,3) that enclose a solid: beyond the box round them, or
    in a cell of that box which no triangle's box meets and whose middle is outside."""

    def __init__(self, corners):
        lows, highs = corners.min(axis=1), corners.max(axis=1)
        self.low, self.step = lows.min(axis=0), np.ptp(corners.reshape(-1, 3), axis=0) / CELLS + 1e-300
        self.empty = np.ones((CELLS,) * 3, dtype=bool)
        first, last = (self._cell(x) for x in (lows, highs))
        for i, k in zip(first, last, strict=True):
            self.empty[tuple(slice(max(0, low - 1), high + 2) for low, high in zip(i, k, strict=True))] = False
        cells = np.argwhere(self.empty)
        self.empty[self.empty] = ~is_within(corners, self.low + (cells + 0.5) * self.step)

    def _cell(self, x):
        return np.clip((x - self.low) / self.step, 0, CELLS - 1).astype(int)

    def __call__(self, x):
        """Which of points (n,3) these are."""
        beyond = np.any((x < self.low) | (x > self.low + CELLS * self.step), axis=1)
        return beyond | self.empty[tuple(self._cell(x).T)]


class Depths:
    """How deep points are in bodies; what is outside triangles is found once for equal ones."""

    def __init__(self):
        self._known = {}

    def _outside(self, solid):
        key = np.array(solid["vertices"]).tobytes(), np.array(solid["triangles"]).tobytes()
        if key not in self._known:
            self._known[key] = Outside(_corners(solid))
        return self._known[key]

    def __call__(self, solids, x, radius):
        """Depths (n,) [m] of balls of `radius` (n,) at x (n,3), in the frame of the body of these solids; 0 or less
        outside."""
        found = np.full(len(x), -np.inf)
        for solid in solids:
            at = _in_frame(solid, x)
            if "radius" in solid or radius.any():
                found = np.maximum(found, -_signed(solid, at))
                continue
            near, corners = np.flatnonzero(~self._outside(solid)(at)), _corners(solid)
            near = near[is_within(corners, at[near])]
            found[near] = np.maximum(found[near], -_by_corners(corners, at[near]))
        return found + radius


def overlaps(run):
    """(depths (P,) [m], rows a and b (P,)) of pairs that are `meeting`: how deep `samples` of one body are in the other
    at the end of a substep."""
    (a, b), deep = meeting(run), Depths()
    shapes, center, size = (run.constants["shapes"], np.array(run.constants["center_of_mass"]), run.header["size"])
    turn, depth = matrix(run.end.orientation), np.zeros(len(a))
    for one, other in ((a, b), (b, a)):
        for i, k in np.unique(run.body[np.stack([one, other])], axis=1).T:
            own = np.flatnonzero((run.body[one] == i) & (run.body[other] == k))
            points, radius = samples(shapes[i])
            x = (points - center[i]) @ turn[one[own]].transpose(0, 2, 1)
            x = (x + (run.end.position[one[own]] - run.end.position[other[own]])[:, None]) @ turn[other[own]]
            within, near = np.full(x.shape[:2], -np.inf), np.linalg.norm(x, axis=2) < size[k] + radius[:, 0]
            reach = np.broadcast_to(radius[:, 0], near.shape)[near]
            within[near] = deep(shapes[k], x[near] + center[k], reach)
            depth[own] = np.maximum(depth[own], within.max(axis=1))
    return depth, a, b


def _round(solid, x):
    """Of a sphere, a capsule, a cylinder about z."""
    radius, half = solid["radius"], 0.5 * solid.get("length", 0.0)
    if solid["type"] != "cylinder":
        return np.linalg.norm(x - np.clip(x, [0, 0, -half], [0, 0, half]), axis=1) - radius
    beyond = np.column_stack([np.hypot(x[:, 0], x[:, 1]) - radius, np.abs(x[:, 2]) - half])
    return np.linalg.norm(np.maximum(beyond, 0.0), axis=1) + np.minimum(beyond.max(axis=1), 0.0)


def _corners(solid):
    return np.array(solid["vertices"])[np.array(solid["triangles"])]


def _by_corners(corners, x):
    return np.concatenate([_near(corners, some) for some in _in_parts(corners, x)])


def _in_parts(corners, x):
    step = max(1, TOGETHER // len(corners))
    return [x[k : k + step] for k in range(0, max(len(x), 1), step)]


def is_within(corners, x):
    """Which of points x (n,3) triangles (T,3,3) wind around: those that a ray along z leaves and enters above x, with
    signs, do not cancel."""
    return np.concatenate([_winding(corners, some) for some in _in_parts(corners, x)]) != 0


def _winding(corners, x):
    beside = x[:, :2] + np.ptp(corners.reshape(-1, 3), axis=0).max() * np.array(BESIDE)
    over, (px, py) = np.zeros((len(x), len(corners)), dtype=bool), beside.T[:, :, None]
    for k in range(3):
        ends = np.stack([corners[:, k, :2], corners[:, (k + 1) % 3, :2]])
        # From the same end for both triangles of an edge, so that round-off lets no ray through between them.
        first = (ends[0, :, 0] < ends[1, :, 0]) | ((ends[0, :, 0] == ends[1, :, 0]) & (ends[0, :, 1] < ends[1, :, 1]))
        u, v = np.where(first[:, None], ends, ends[::-1])
        slope = np.divide(v[:, 0] - u[:, 0], v[:, 1] - u[:, 1], out=np.zeros(len(u)), where=v[:, 1] != u[:, 1])
        over ^= ((u[:, 1] > py) != (v[:, 1] > py)) & (px < u[:, 0] + (py - u[:, 1]) * slope)
    point, triangle = np.nonzero(over)
    a, b, c = (corners[triangle, k] for k in range(3))
    normal = np.cross(b - a, c - a)
    side = ((x[point] - a) * normal).sum(axis=1) * normal[:, 2]
    found = np.zeros(len(x))
    np.add.at(found, point, np.where(side < 0.0, np.sign(normal[:, 2]), 0.0))
    return found


def _near(corners, x):
    """Distances (n,) of x from triangles (T,3,3), negative where these wind around x."""
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
    return np.sqrt(best.min(axis=1)) * np.where(_winding(corners, x) != 0, -1.0, 1.0)
