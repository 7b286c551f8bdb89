"""Preparing a triangle mesh: weld, orient, name the defects.

The surface of a solid is closed: every edge is passed as often in one direction as in the other. Meshes from
modelling programs often fail this only by accident (vertices doubled along seams, faces turned over), and
that much is repaired here without moving a vertex by more than WELD of the size. What cannot be repaired without
a choice of the user (holes, faces that meet three at an edge) is counted and named.
"""

from typing import NamedTuple

import numpy as np

from ..base.connected import connected
from ..base.late import late
from ..base.refusal import SceneError
from .integrals import corner_columns, cross_columns, dot_columns, six_volumes

sparse, spatial = late("scipy.sparse"), late("scipy.spatial")

WELD = 1e-5  # of the size: vertices nearer than this are one vertex
THIN_VOLUME = 1e-10  # of the size cubed: less volume than this is none
SLIVER = 1e-6  # of the longest edge squared: a triangle of less area is a sliver
MOST_NESTED_PARTS = 500
FEW_TO_SORT = 4096  # below that numpy's sort is done before scipy.sparse is loaded


class MeshReport(NamedTuple):
    """What preparation found: counts, and crossing_parts: the boxes of two parts cross, they may overlap."""

    vertices: int
    triangles: int
    unused_vertices: int
    merged_vertices: int
    collapsed_triangles: int
    duplicate_triangles: int
    flipped_triangles: int
    slivers: int
    boundary_edges: int
    nonmanifold_edges: int
    unorientable_parts: int
    parts: int
    nested_parts: int
    crossing_parts: bool
    size: float
    volume: float
    closed: bool

    def defects(self):
        """Return the defects that are left, one plain phrase each; an empty list for a clean solid."""
        found = []
        if self.boundary_edges:
            found.append(f"holes ({self.boundary_edges} boundary edges)")
        if self.nonmanifold_edges and not self.closed:
            found.append(f"{self.nonmanifold_edges} edges where more than two faces meet")
        if self.unorientable_parts:
            found.append(f"{self.unorientable_parts} one-sided parts (they have no outside)")
        if self.closed and self.volume <= THIN_VOLUME * self.size**3:
            found.append("zero thickness (it encloses no volume)")
        return found

    def repairs(self):
        """Return what preparation repaired, one plain phrase each."""
        counts = (
            (self.unused_vertices, "unused vertices dropped"),
            (self.merged_vertices, "doubled vertices merged"),
            (self.collapsed_triangles, "collapsed triangles dropped"),
            (self.duplicate_triangles, "duplicate triangles dropped"),
            (self.flipped_triangles, "triangles turned over"),
        )
        return [f"{count} {what}" for count, what in counts if count]


class PreparedMesh(NamedTuple):
    """Vertices (V,3) [m], triangles (T,3) turned outward, and the report."""

    vertices: np.ndarray
    triangles: np.ndarray
    report: MeshReport


class _Edges(NamedTuple):
    """Undirected edges: for each of the 3 T half-edges its edge and direction; for each edge its counts."""

    edge: np.ndarray
    forward: np.ndarray
    uses: np.ndarray
    balance: np.ndarray


def mesh_size(vertices):
    """Diagonal of the bounding box of vertices (V,3)."""
    return float(np.linalg.norm(vertices.max(axis=0) - vertices.min(axis=0)))


def grouping_order(group, count):
    """`np.argsort(group, kind="stable")` of numbers in 0..count-1 by counting: a fifth of the time for a million; few
    are not worth the quarter of a second in which scipy.sparse is loaded."""
    n = len(group)
    if n < FEW_TO_SORT:
        return np.argsort(group, kind="stable").astype(np.int32)
    entries = (np.ones(n, dtype=np.int8), np.asarray(group, dtype=np.int32), np.arange(n + 1, dtype=np.int32))
    return sparse.csc_matrix(entries, shape=(count, n)).tocsr().indices


def mesh_edges(triangles, vertex_count):
    """Return the half-edges of triangles (T,3) grouped into undirected edges."""
    start = triangles.ravel()
    end = np.roll(triangles, -1, axis=1).ravel()
    key = np.minimum(start, end) * np.int64(vertex_count) + np.maximum(start, end)
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    new = np.ones(len(key), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    edge = np.empty(len(key), dtype=np.int64)
    edge[order] = np.cumsum(new) - 1
    uses = np.diff(np.append(np.flatnonzero(new), len(key)))
    forward = start < end
    balance = 2 * np.bincount(edge[forward], minlength=len(uses)) - uses
    return _Edges(edge, forward, uses, balance)


def rim_of(triangles, edges):
    """Start and end (E,2), numbers of vertices, of the half-edges that one triangle alone has; edges: `mesh_edges`."""
    alone = edges.uses[edges.edge] == 1
    return np.stack((triangles.ravel()[alone], np.roll(triangles, -1, axis=1).ravel()[alone]), axis=1)


def _without_unused(vertices, triangles):
    used = np.zeros(len(vertices), dtype=bool)
    used[triangles] = True
    if used.all():
        return vertices, triangles
    renumber = np.cumsum(used) - 1
    return vertices[used], renumber[triangles]


def corner_boxes(vertices, triangles):
    """Low and high corners (T,3) of the triangles' boxes."""
    a, b, c = corner_columns(vertices, triangles)
    low, high = np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)
    return np.ascontiguousarray(low.T), np.ascontiguousarray(high.T)


def _merge(vertices, triangles, labels):
    """Give every label 0 to k-1 one vertex (the first that bears it)."""
    first = np.empty(labels.max() + 1, dtype=np.int64)
    # Of several values for one place the last is kept.
    first[labels[::-1]] = np.arange(len(labels))[::-1]
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(first), dtype=np.int64)
    rank[order] = np.arange(len(first))
    return vertices[first[order]], rank[labels][triangles]


def _merge_equal(vertices, triangles):
    x = np.sort(vertices[:, 0])
    # Most often that is all there is to ask: to sort by three columns takes four times as long.
    if not np.any(x[1:] == x[:-1]):
        return vertices, triangles
    order = np.lexsort(vertices.T)
    ordered = vertices[order]
    labels = np.empty(len(order), dtype=np.int64)
    labels[order[0]] = 0
    labels[order[1:]] = np.cumsum((ordered[1:] != ordered[:-1]).any(axis=1))
    return _merge(vertices, triangles, labels)


def _merge_near(vertices, triangles, distance):
    # Used once: a tree that is quickly built serves it best.
    tree = spatial.cKDTree(vertices, balanced_tree=False, compact_nodes=False)
    pairs = tree.query_pairs(distance, output_type="ndarray")
    if len(pairs) == 0:
        return vertices, triangles
    return _merge(vertices, triangles, connected(*pairs.T, len(vertices)))


def _without_collapsed(triangles):
    a, b, c = triangles.T
    return triangles[(a != b) & (b != c) & (c != a)]


def _without_duplicates(triangles):
    _, first = np.unique(np.sort(triangles, axis=1), axis=0, return_index=True)
    return triangles[np.sort(first)]


def _evenly_used(edges):
    return len(edges.uses) > 0 and bool(np.all(edges.uses % 2 == 0))


def _weld(vertices, triangles, size):
    """Merge vertices in two stages, no further than it takes to close the surface; a stage that merges none hands its
    vertices back.

    Returns (vertices, triangles, their edges, doubled triangles that were dropped).
    """
    triangles = _without_collapsed(triangles)
    edges = mesh_edges(triangles, len(vertices))
    for stage in (_merge_equal, lambda v, t: _merge_near(v, t, WELD * size)):
        if _evenly_used(edges):
            return _of_each_once(vertices, triangles, edges)
        merged, triangles = stage(vertices, triangles)
        if merged is vertices:
            continue
        vertices, triangles = merged, _without_collapsed(triangles)
        edges = mesh_edges(triangles, len(vertices))
    before = len(triangles)
    if before and not _evenly_used(edges):
        triangles = _without_duplicates(triangles)
        edges = mesh_edges(triangles, len(vertices))
    if before > len(triangles):
        return vertices, triangles, edges, before - len(triangles)
    return _of_each_once(vertices, triangles, edges)


def _of_each_once(vertices, triangles, edges):
    """What `_weld` returns of a surface with one of each two triangles where all are there twice, alike or turned over,
    and one of each closes: nothing else tells which part such a triangle belongs to. Else it stays as it is."""
    x, here = np.sort(vertices[:, 0]), (vertices, triangles, edges, 0)
    twice = len(edges.uses) > 0 and edges.uses.min() >= 4
    if not twice and (len(x) % 2 or np.any(x[::2] != x[1::2])):
        return here
    vertices, found = _merge_equal(vertices, triangles)
    once = _without_duplicates(found)
    edges = mesh_edges(once, len(vertices))
    if 2 * len(once) != len(found) or not _evenly_used(edges):
        return here
    return vertices, once, edges, len(once)


def _orient(triangles, edges):
    """Turn neighbours alike by the fewest faces.

    Every face is put in the graph twice, as it is and turned over; faces that meet two at an edge are linked
    so that they pass it in opposite directions. A part is then two mirrored components of this graph.
    Returns (flip (T,) bool, part (T,), number of parts that have no two sides).
    """
    count = len(triangles)
    order = grouping_order(edges.edge, len(edges.uses))
    first = np.concatenate(([0], np.cumsum(edges.uses)[:-1]))[edges.uses == 2]
    half_a, half_b = order[first], order[first + 1]
    face_a, face_b = half_a // 3, half_b // 3
    turned = (edges.forward[half_a] == edges.forward[half_b]).astype(np.int64)
    if not turned.any():
        return np.zeros(count, dtype=bool), connected(face_a, face_b, count).astype(np.int64), 0
    rows = np.concatenate((face_a, face_a + count))
    columns = np.concatenate((face_b + count * turned, face_b + count * (1 - turned)))
    label = connected(rows, columns, 2 * count)
    here, mirror = label[:count], label[count:]
    _, part = np.unique(np.minimum(here, mirror), return_inverse=True)
    part = part.ravel()
    flip = here > mirror
    majority = np.bincount(part, weights=flip) > 0.5 * np.bincount(part)
    unorientable = len(np.unique(part[here == mirror]))
    return flip ^ majority[part], part, unorientable


def _solid_angle_sum(point, corners):
    """Winding number of triangles with corners (T,3,3) about a point (van Oosterom and Strackee 1983)."""
    a, b, c = (corners[:, k] - point for k in range(3))
    la, lb, lc = (np.linalg.norm(x, axis=1) for x in (a, b, c))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    along = la * lb * lc + np.einsum("ij,ij->i", a, b) * lc + np.einsum("ij,ij->i", b, c) * la
    along += np.einsum("ij,ij->i", c, a) * lb
    return float(np.arctan2(volume, along).sum() / (2.0 * np.pi))


def _containers(corners, part, part_count):
    """For every part the outermost part that holds it wholly, or -1."""
    holder = np.full(part_count, -1)
    if part_count == 1 or part_count > MOST_NESTED_PARTS:
        return holder
    low, high = _part_boxes(corners, part, part_count)
    extent = np.argsort(-np.prod(np.maximum(high - low, 0.0), axis=1), kind="stable")
    faces = [np.flatnonzero(part == k) for k in range(part_count)]
    for place, inner in enumerate(extent):
        for outer in extent[:place]:
            if holder[outer] >= 0 or np.any(low[outer] >= low[inner]) or np.any(high[outer] <= high[inner]):
                continue
            probes = corners[faces[inner], 0]
            probes = probes[:: max(1, len(probes) // 8)]
            if all(abs(_solid_angle_sum(p, corners[faces[outer]])) > 0.5 for p in probes):
                holder[inner] = outer
                break
    return holder


def _part_boxes(corners, part, part_count):
    low = np.full((part_count, 3), np.inf)
    high = np.full((part_count, 3), -np.inf)
    np.minimum.at(low, part, corners.min(axis=1))
    np.maximum.at(high, part, corners.max(axis=1))
    return low, high


def _parts_cross(vertices, triangles, part):
    """True if the boxes of two parts overlap and neither holds the other (or if there are too many parts to tell)."""
    count = int(part.max()) + 1
    if count == 1:
        return False
    if count > MOST_NESTED_PARTS:
        return True
    low, high = _part_boxes(vertices[triangles], part, count)
    for k in range(count - 1):
        a, b = slice(k, k + 1), slice(k + 1, None)
        meet = np.all((low[a] < high[b]) & (low[b] < high[a]), axis=1)
        holds = np.all((low[a] < low[b]) & (high[a] > high[b]), axis=1)
        held = np.all((low[a] > low[b]) & (high[a] < high[b]), axis=1)
        if np.any(meet & ~holds & ~held):
            return True
    return False


def _turn_outward(vertices, triangles, part):
    """Flip whole parts so that solids have positive volume; a hollow inside keeps its sense against its hull."""
    middle = 0.5 * (vertices.max(axis=0) + vertices.min(axis=0))
    volume = np.bincount(part, weights=six_volumes(*corner_columns(vertices, triangles, middle)))
    holder = _containers(vertices[triangles] - middle, part, len(volume)) if len(volume) > 1 else np.array([-1])
    deciding = np.where(holder >= 0, holder, np.arange(len(volume)))
    return (volume[deciding] < 0.0)[part], int(np.count_nonzero(holder >= 0))


def _open_parts(edges, part):
    """Which parts are not closed by themselves: turned over, they would no longer meet the others as they do."""
    count = part.max() + 1
    # Two faces at an edge are of one part, whose balance there is the edge's.
    half = np.flatnonzero(((edges.uses != 2) | (edges.balance != 0))[edges.edge])
    key, at = np.unique(edges.edge[half] * np.int64(count) + part[half // 3], return_inverse=True)
    balance = np.bincount(at.ravel(), weights=np.where(edges.forward[half], 1.0, -1.0), minlength=len(key))
    found = np.zeros(count, dtype=bool)
    found[(key % count)[balance != 0.0]] = True
    return found


def _flipped(triangles, flip):
    return np.where(flip[:, None], triangles[:, ::-1], triangles) if flip.any() else triangles


def _sliver_count(corners):
    """Triangles of next to no area for their longest edge; corners: three (3,T)."""
    a, b, c = (corners[k] - corners[k - 1] for k in range(3))
    longest = np.maximum.reduce([dot_columns(side, side) for side in (a, b, c)])
    normal = cross_columns(a, b)
    return int(np.count_nonzero(np.sqrt(dot_columns(normal, normal)) <= 2.0 * SLIVER * longest))


def prepare_mesh(vertices, triangles):
    """Weld and orient vertices (V,3) [m] and triangles (T,3); return a PreparedMesh.

    Numbers must be finite and indices in range (`Mesh.check`). Nothing is refused here: the report says
    what is wrong. Parts that are closed are turned so that their volume is positive.
    """
    vertices = np.ascontiguousarray(vertices, dtype=float)
    triangles = np.ascontiguousarray(triangles, dtype=np.int64)
    given_vertices, given_triangles = len(vertices), len(triangles)
    vertices, triangles = _without_unused(vertices, triangles)
    unused = given_vertices - len(vertices)
    size = mesh_size(vertices)
    vertices, triangles, edges, duplicates = _weld(vertices, triangles, size)
    if len(triangles) == 0:
        raise SceneError("the mesh has no triangle with three different corners; give it a surface")
    flip, part, unorientable = _orient(triangles, edges)
    if flip.any():
        triangles = _flipped(triangles, flip)
        edges = mesh_edges(triangles, len(vertices))
    closed = not np.any(edges.balance)
    nested = 0
    if closed or np.any(edges.uses == 2):
        outward, nested = _turn_outward(vertices, triangles, part)
        outward &= ~_open_parts(edges, part)[part]
        triangles = _flipped(triangles, outward)
        flip = flip ^ outward
    middle = 0.5 * (vertices.max(axis=0) + vertices.min(axis=0))
    corners = corner_columns(vertices, triangles, middle)
    report = MeshReport(
        vertices=len(vertices),
        triangles=len(triangles),
        unused_vertices=unused,
        merged_vertices=given_vertices - unused - len(vertices),
        collapsed_triangles=given_triangles - duplicates - len(triangles),
        duplicate_triangles=duplicates,
        flipped_triangles=int(np.count_nonzero(flip)),
        slivers=_sliver_count(corners),
        boundary_edges=int(np.count_nonzero(edges.uses == 1)),
        nonmanifold_edges=int(np.count_nonzero(edges.uses > 2)),
        unorientable_parts=unorientable,
        parts=int(part.max()) + 1,
        nested_parts=nested,
        crossing_parts=_parts_cross(vertices, triangles, part),
        size=size,
        volume=float(six_volumes(*corners).sum() / 6.0) if closed else 0.0,
        closed=closed,
    )
    return PreparedMesh(vertices, np.ascontiguousarray(triangles), report)
