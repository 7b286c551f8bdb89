"""Tetrahedra inside a surface, from a body-centred lattice whose outer ones are cut at it.

After isosurface stuffing (Labelle and Shewchuk 2007), without its table of stencils: vertices of the lattice near the
surface are drawn onto it, and what sticks out of the other tetrahedra is cut off, quadrilaterals by the diagonal from
their least vertex, so that neighbours agree. It takes every surface that has an inside by its winding number: with
holes, crossings, doubled faces; it is deterministic and needs nothing else. Sharp edges are cut off by up to half an
element: the error of the volume says how much.
"""

from typing import NamedTuple

import numpy as np

from ..base.refusal import SceneError
from .solid_field import SolidField
from .tet_grids import tet_volumes

# How near the surface, in parts of an edge, a vertex of the lattice is drawn onto it: the bounds of the paper.
NEAR_LONG, NEAR_SHORT = 0.24999, 0.41189
# Lattices beyond this many cells would take minutes and gigabytes.
MOST_CELLS = 3_000_000
# Tetrahedra that miss more of the volume than this part do not stand for the body.
MOST_ERROR = 0.25
# Part of the volume from which on its error is said: a tenth of a percent shows it.
SAID_ERROR = 5e-4
# Where nobody says how large, a compact body is filled with some USUAL_TETS tetrahedra, of which CELL_TETS fill a cube
# of their edge: for a first result in seconds. What is to be exact says its own.
USUAL_TETS, CELL_TETS = 1000, 12


class Filling(NamedTuple):
    """vertices (v,3) [m], tets (T,4); volume [m^3] of the surface; error: of the tets' volume against that; dihedral:
    least angle between faces [degrees]; note: how it was made, before the sentence about it; in_place: whether it took
    the place of what another mesher was to make."""

    vertices: np.ndarray
    tets: np.ndarray
    volume: float
    error: float
    dihedral: float
    note: str = ""
    in_place: bool = False

    def worth_a_note(self, error=None):
        """Whether a run tells of it; error: of the volume, where that is not the tetrahedra's own."""
        return self.in_place or abs(self.error if error is None else error) >= SAID_ERROR

    def says(self):
        """A sentence about it; of the volume where it is off by what a tenth of a percent shows."""
        off = f"volume {100 * self.error:+.1f} %, " if abs(self.error) >= SAID_ERROR else ""
        count, angle = len(self.tets), self.dihedral
        return f"{self.note}filled with {count} tetrahedra, {off}least dihedral angle {angle:.0f} degrees"


def fill(vertices, triangles, size=None, volume=None):
    """Return the Filling of a surface, vertices (V,3) [m] and triangles (T,3), with edges of about `size` [m].

    volume [m^3]: of the surface where it is known; else it is sampled. Raises SceneError where nothing fits inside.
    """
    vertices, triangles = np.asarray(vertices, dtype=float), np.asarray(triangles, dtype=np.int64)
    if volume is None:
        volume = SolidField(vertices, triangles).volume
    ways = usual_ways(vertices, volume) if size is None else [(float(size), np.eye(3))]
    for way in ways:
        points, tets = _filled(vertices, triangles, *way)
        error = float(tet_volumes(points, tets).sum()) / volume - 1.0
        if abs(error) <= MOST_ERROR:
            return Filling(points, tets, float(volume), error, least_dihedral(points, tets))
    size = ways[0][0]
    if len(tets) == 0:
        raise SceneError(f"element_size is {size:g} m: no tetrahedron fits inside the body; give a smaller one")
    raise SceneError(f"element_size is {size:g} m: the tetrahedra have {100 * (1 + error):.0f} % of the body's "
                     "volume, it has walls thinner than that; give a smaller one")  # fmt: skip


def as_given(vertices, tets):
    """The Filling of tetrahedra (T,4), vertices (V,3) [m], that a body has already."""
    volume = float(np.abs(tet_volumes(vertices, tets)).sum())
    return Filling(vertices, tets, volume, 0.0, least_dihedral(vertices, tets))


def _filled(vertices, triangles, size, linear):
    """Points (v,3) and tets (T,4) of a lattice of `size` [m] that fills a surface under a linear map (3,3)."""
    field = SolidField(vertices @ linear.T, triangles)
    extent = field.high - field.low
    cells = np.ceil(extent / size).astype(np.int64) + 2
    if np.prod(cells.astype(float)) > MOST_CELLS:
        raise SceneError(f"element_size is {size:g} m: that makes a lattice of {np.prod(cells.astype(float)):.2g} "
                         f"cells for a body of {extent.max():g} m; give a larger one")  # fmt: skip
    points, tets = _lattice(0.5 * (field.low + field.high), cells, size)
    height = _heights(field, points)
    tets = tets[(height[tets] < 0.0).any(axis=1)]
    points, height = _drawn(points, height, tets, size)
    points, tets = _cut(points, height, tets)
    return points @ np.linalg.inv(linear).T, tets


def usual_ways(vertices, volume):
    """Edges [m] of the lattice and linear maps (3,3) to try one after the other in a body of vertices (V,3) [m] and a
    volume [m^3], where nobody says how large: the usual one; two elements across a plate or a rod, stretched along its
    principal axes; smaller ones, where walls are thinner than that."""
    whole = usual_size(volume, float(np.ptp(vertices, axis=0).max()))
    _, axes = np.linalg.eigh(np.cov(vertices.T))
    axes = axes * np.linalg.det(axes)
    extent, size = np.ptp(vertices @ axes, axis=0), whole
    for _ in range(2):
        stretch = np.maximum(1.0, 2.0 * size / extent)
        size = usual_size(volume * float(stretch.prod()), float(extent.max()))
    linear = stretch[:, None] * axes.T
    return [(whole, np.eye(3)), *((part * size, linear) for part in (1.0, 0.7, 0.5, 0.35))]


def usual_size(volume, longest):
    """Edge [m] of the tetrahedra in a body of a volume [m^3] and a longest side [m], where nobody says how large."""
    size = (CELL_TETS * volume / USUAL_TETS) ** (1.0 / 3.0)
    # Whole parts of the longest side: the lattice then ends where a box does.
    return longest / max(1, int(longest / size))


def _lattice(center, cells, size):
    """Corners and middles of cells (n,3), and the tets: two neighbouring middles with an edge of the face between."""
    nx, ny, nz = cells
    low = center - 0.5 * size * cells
    corner = np.stack(np.meshgrid(*(np.arange(n + 1) for n in cells), indexing="ij"), axis=-1)
    middle = np.stack(np.meshgrid(*(np.arange(n) for n in cells), indexing="ij"), axis=-1)
    points = np.concatenate([low + size * corner.reshape(-1, 3), low + size * (middle.reshape(-1, 3) + 0.5)])
    first_middle = (nx + 1) * (ny + 1) * (nz + 1)

    def corner_number(i):
        return (i[:, 0] * (ny + 1) + i[:, 1]) * (nz + 1) + i[:, 2]

    def middle_number(i):
        return first_middle + (i[:, 0] * ny + i[:, 1]) * nz + i[:, 2]

    parts = []
    for axis in range(3):
        here = middle.reshape(-1, 3)
        here = here[here[:, axis] < cells[axis] - 1]
        step = np.eye(3, dtype=np.int64)
        one, two = middle_number(here), middle_number(here + step[axis])
        u, v = step[(axis + 1) % 3], step[(axis + 2) % 3]
        ring = [corner_number(here + step[axis] + k) for k in (0 * u, u, u + v, v)]
        parts += [np.stack([one, two, ring[k], ring[(k + 1) % 4]], axis=1) for k in range(4)]
    tets = np.concatenate(parts)
    turned = tet_volumes(points, tets) < 0
    tets[turned] = tets[turned][:, [0, 2, 1, 3]]
    return points, tets


def _heights(field, points):
    """Signed distance (n,) [m] of points (n,3), negative inside."""
    inside = np.abs(field.winding(points)) > 0.5
    distance = field.distance(points)
    return np.where(inside, -distance, distance)


def _edges(tets):
    """Edges (E,2) of tets, each once, the lesser vertex first."""
    pairs = np.concatenate([tets[:, [i, j]] for i in range(4) for j in range(i + 1, 4)])
    return np.unique(np.sort(pairs, axis=1), axis=0)


def _drawn(points, height, tets, size):
    """Points and heights with vertices near the surface moved onto it."""
    edges = _edges(tets)
    a, b = height[edges].T
    cut = (a < 0.0) != (b < 0.0)
    edges, a, b = edges[cut], a[cut], b[cut]
    share = a / (a - b)
    vector = points[edges[:, 1]] - points[edges[:, 0]]
    length = np.linalg.norm(vector, axis=1)
    near = np.where(length > 0.95 * size, NEAR_LONG, NEAR_SHORT)
    # Of all cuts near a vertex the nearest.
    who = np.concatenate([edges[:, 0], edges[:, 1]])
    part = np.concatenate([share, 1.0 - share])
    place = np.tile(points[edges[:, 0]] + share[:, None] * vector, (2, 1))
    close = part < np.tile(near, 2)
    far = (part * np.tile(length, 2))[close]
    who, place = who[close], place[close]
    order = np.argsort(far, kind="stable")[::-1]
    points, height = points.copy(), height.copy()
    points[who[order]] = place[order]
    height[who] = 0.0
    return points, height


def _cut(points, height, tets):
    """Points and tets of what of the tets lies where the height is below zero."""
    inside, outside = height[tets] < 0.0, height[tets] > 0.0
    kept = inside.any(axis=1)
    tets, inside, outside = tets[kept], inside[kept], outside[kept]
    whole = ~outside.any(axis=1)
    cut = np.flatnonzero(~whole)
    edges = _edges(tets[cut])
    edges = edges[(height[edges[:, 0]] < 0.0) & (height[edges[:, 1]] > 0.0) | (height[edges[:, 0]] > 0.0)
                  & (height[edges[:, 1]] < 0.0)]  # fmt: skip
    a, b = height[edges].T
    new = points[edges[:, 0]] + (a / (a - b))[:, None] * (points[edges[:, 1]] - points[edges[:, 0]])
    number = {(int(p), int(q)): len(points) + k for k, (p, q) in enumerate(edges)}
    parts = [tets[whole]]
    for t in cut:
        parts.append(_pieces(tets[t], inside[t], outside[t], number))
    points, tets = np.concatenate([points, new]), np.concatenate(parts)
    volume = tet_volumes(points, tets)
    tets[volume < 0] = tets[volume < 0][:, [0, 2, 1, 3]]
    edge = np.linalg.norm(points[tets[:, 1]] - points[tets[:, 0]], axis=1)
    tets = tets[np.abs(volume) > 1e-9 * edge**3]
    used, renumbered = np.unique(tets, return_inverse=True)
    return points[used], renumbered.reshape(-1, 4)


def _pieces(tet, inside, outside, number):
    """Tets (p,4) of what is inside of one that is cut; number: of the cut on an edge, by its vertices ascending."""
    within, beyond = [int(v) for v in tet[inside]], [int(v) for v in tet[outside]]
    on = [int(v) for v in tet[~inside & ~outside]]

    def on_edge(i, o):
        return number[(i, o) if i < o else (o, i)]

    if len(within) == 1:
        return np.array([[within[0], *on, *(on_edge(within[0], o) for o in beyond)]])
    if len(within) == 2 and len(beyond) == 1:
        i, j = within
        return np.array(_pyramid(on[0], (i, j, on_edge(j, beyond[0]), on_edge(i, beyond[0]))))
    if len(within) == 2:
        i, j = within
        return np.array(_prism((i, *(on_edge(i, o) for o in beyond)), (j, *(on_edge(j, o) for o in beyond))))
    return np.array(_prism(within, [on_edge(i, beyond[0]) for i in within]))


def _pyramid(apex, ring):
    """Two tets of a pyramid over a quadrilateral, cut from its least vertex."""
    k = int(np.argmin(ring))
    a, b, c, d = ring[k], ring[(k + 1) % 4], ring[(k + 2) % 4], ring[(k + 3) % 4]
    return [[apex, a, b, c], [apex, a, c, d]]


def _prism(one, two):
    """Three tets of a prism between two triangles: those from its least vertex to what is across it."""
    corners = [*one, *two]
    k = int(np.argmin(corners))
    if k >= 3:
        one, two, k = two, one, k - 3
    a, b, c = (one[(k + m) % 3] for m in range(3))
    d, e, f = (two[(k + m) % 3] for m in range(3))
    # From a: the opposite triangle, and the quadrilateral b c f e across, cut from its own least vertex.
    return [[a, d, e, f], *_pyramid(a, (b, c, f, e))]


def least_dihedral(vertices, tets):
    """Least angle [degrees] between two faces of a tet."""
    corner = vertices[tets]
    faces = ((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1))
    normal = [np.cross(corner[:, b] - corner[:, a], corner[:, c] - corner[:, a]) for a, b, c in faces]
    normal = [n / np.maximum(np.linalg.norm(n, axis=1), 1e-300)[:, None] for n in normal]
    cosine = [-(normal[i] * normal[j]).sum(axis=1) for i in range(4) for j in range(i + 1, 4)]
    return float(np.degrees(np.arccos(np.clip(np.max(cosine), -1.0, 1.0))))
