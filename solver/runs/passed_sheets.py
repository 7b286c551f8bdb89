"""Finds bodies that went through an open surface: what no overlap tells once they are beyond it."""

from functools import cached_property

import numpy as np

from ..collision.broadphase.filters import may_meet
from ..dynamics.rotation import matrix
from ..meshes.mesh_prep import mesh_edges, rim_of
from ..meshes.solid_field import SolidField
from ..scene import Motion

INSIDE = 0.5  # of a turn: the winding number above which a point is inside a surface


def passed_sheets(scene, run, allowed, simulated=lambda number: number):
    """[[body, sheet, time [s] by when]] of the rigid bodies of a scene that went through its open surfaces in a
    Trajectory, the first time for each pair; allowed: PairFilter of the simulated bodies, of which body i of the scene
    is simulated(i).

    A body went through where its centre of mass did, or, of one with its centre outside, such as a ring, the point of
    its surface next to it. Past the rim is not through: within the distance of that point from the body's surface.
    """
    numbers = {body.name: i for i, body in enumerate(scene.bodies)}
    open_ones = [body for body in scene.bodies if body.motion != Motion.DYNAMIC and _is_open(body.shape)]
    free = [body for body in scene.bodies if body.motion == Motion.DYNAMIC and body.elastic is None]
    found = []
    for ground in open_ones:
        sheet = _Sheet(ground.shape)
        seen = _from_body(run, numbers[ground.name])
        for body in free:
            i = numbers[body.name]
            if not may_meet(allowed, simulated(i), simulated(numbers[ground.name])):
                continue
            frames = _present(run, body.name)
            center = np.array(run.header["center_of_mass"][i])
            if sheet.passed(seen(run, i, center)[frames]) is None:
                continue
            point, clear = _core(body.shape, center)
            frame = sheet.passed(seen(run, i, point)[frames], clear)
            if frame is not None:
                found.append([body.name, ground.name, float(run.times[frames][frame])])
    return found


def _is_open(shape):
    return shape.type == "mesh" and not shape.prepared.report.closed


def _from_body(run, ground):
    """The function that gives the path (F,3) of point p (3,) of body i as body `ground` sees it, in its shape frame."""
    turn = matrix(run.orientations[:, ground])

    def path(run, i, p):
        places = run.positions[:, i] + matrix(run.orientations[:, i]) @ p
        return np.einsum("fji,fj->fi", turn, places - run.positions[:, ground])

    return path


def _present(run, name):
    """The frames (F,) between which a body is there."""
    known = run.header.get("present", {}).get(name, (None, None))
    enters, leaves = (np.nan if time is None else time for time in known)
    return ~(run.times < enters) & ~(run.times > leaves)


def _core(shape, center):
    """(a point (3,) of a body that nothing can be in, how far [m] it is from the surface)."""
    vertices, triangles = shape.surface()
    field = SolidField(vertices, triangles)
    if field.winding(center[None])[0] > INSIDE:
        return center, float(field.distance(center[None])[0])
    return vertices[np.linalg.norm(vertices - center, axis=1).argmin()], 0.0


class _Sheet:
    """An open surface, asked by paths in its own frame."""

    def __init__(self, shape):
        self.vertices, self.triangles = shape.surface()
        self.field = SolidField(self.vertices, self.triangles)

    def passed(self, path, clear=0.0):
        """Number of the first frame by which a path (F,3) has gone through, further than `clear` [m] from the rim; None
        where it has not."""
        if len(path) < 2:
            return None
        ways = np.linalg.norm(np.diff(path, axis=0), axis=1)
        for k in np.flatnonzero(self.field.distance(path[:-1]) <= ways):
            place = self._crossing(path[k], path[k + 1])
            if place is not None and self._from_rim(place) >= clear:
                return int(k) + 1
        return None

    def _crossing(self, p, q):
        """Where the way from p to q goes through a triangle; None where it does not. What begins in a triangle does
        not go through it, what ends there does."""
        a, b, c = (self.vertices[self.triangles[:, k]] for k in range(3))
        normal = np.cross(b - a, c - a)
        height = ((p - a) * normal).sum(axis=1)
        fall = normal @ (q - p)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(fall != 0.0, -height / fall, -1.0)
        crossed = np.flatnonzero((share > 0.0) & (share <= 1.0))
        places = p + share[crossed, None] * (q - p)
        within = np.ones(len(crossed), dtype=bool)
        for start, end in ((a, b), (b, c), (c, a)):
            inward = np.cross(normal[crossed], (end - start)[crossed])
            within &= ((places - start[crossed]) * inward).sum(axis=1) >= 0.0
        return places[within][0] if within.any() else None

    @cached_property
    def _rim(self):
        """Start and end (2,E,3) of the edges that one triangle alone has."""
        return self.vertices[rim_of(self.triangles, mesh_edges(self.triangles, len(self.vertices))).T]

    def _from_rim(self, place):
        """Distance [m] of a place from the rim."""
        start, end = self._rim
        side = end - start
        share = ((place - start) * side).sum(axis=1) / (side * side).sum(axis=1)
        away = place - start - np.clip(share, 0.0, 1.0)[:, None] * side
        return float(np.linalg.norm(away, axis=1).min(initial=np.inf))
