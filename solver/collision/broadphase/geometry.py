"""Pooled geometry: every collider of every body in flat arrays.

A collider is a convex core (a point, a segment or a polytope) swollen by a radius, or a triangle mesh. A compound
contributes one collider a part. Colliders are numbered body by body; shapes that are used more than once share
their tables.
"""

from typing import NamedTuple

import numpy as np

from ...meshes.polytope import box_polytope, convex_polytope
from ...shapes.compound import Part

SPHERE, CAPSULE, BOX, HULL, CYLINDER, MESH = range(6)
KINDS = {"sphere": SPHERE, "capsule": CAPSULE, "box": BOX, "convex_hull": HULL, "cylinder": CYLINDER, "mesh": MESH}
CYLINDER_SIDES = 32


class Geometry(NamedTuple):
    """Constant arrays of C colliders and of the cores they share.

    Per collider: kind, body (C,); offset (C,3) [m] of its frame from the body's centre of mass and turn (C,3,3), both
    in body axes; radius, half_length (C,) [m]; box_center, box_half (C,3) [m] bounding box in its own frame;
    extent, thin (C,) [m] bounding radius and half the least side of the box; reach (C,) [m] greatest distance of its
    core from the centre of mass; core, mesh (C,) index of its core and of its surface in the mesh pool, -1 where it
    has none; vertex_start, face_start (C+1,) where its placed vertices and faces are; salt (C,) number that keeps the
    keys of the parts of one body apart.

    Per core: core_vertex_start, core_face_start into core_vertex (.,3), core_normal (.,3). topology (.,4) has one row a
    face, from core_face_row on: first and last row (exclusive) of its loop; rows of loops: corner, and the edge from it
    to the next; rows of core_edge_count edges from core_edge_row on: two vertices, two faces, see Polytope. Vertex,
    edge and face numbers count from the core's first.
    """

    kind: np.ndarray
    body: np.ndarray
    offset: np.ndarray
    turn: np.ndarray
    radius: np.ndarray
    half_length: np.ndarray
    box_center: np.ndarray
    box_half: np.ndarray
    extent: np.ndarray
    thin: np.ndarray
    reach: np.ndarray
    core: np.ndarray
    mesh: np.ndarray
    vertex_start: np.ndarray
    face_start: np.ndarray
    salt: np.ndarray
    core_vertex_start: np.ndarray
    core_vertex: np.ndarray
    core_face_start: np.ndarray
    core_normal: np.ndarray
    core_face_row: np.ndarray
    core_edge_row: np.ndarray
    core_edge_count: np.ndarray
    topology: np.ndarray


class Core(NamedTuple):
    """Tables of one shape before pooling; surface is (vertices, triangles) or None."""

    vertices: np.ndarray
    normals: np.ndarray
    loops: list
    edges: np.ndarray
    box_center: np.ndarray
    box_half: np.ndarray


def shape_identity(shape):
    """Two shapes with the same identity have the same geometry."""
    if shape.type == "mesh":
        return ("mesh", *shape.content)
    if shape.type == "convex_hull":
        return ("convex_hull", np.asarray(shape.vertices, dtype=float).tobytes())
    if shape.type == "box":
        return ("box", tuple(float(length) for length in shape.size))
    return (shape.type, float(shape.radius), float(getattr(shape, "length", 0.0)))


def cylinder_prism(radius, length):
    """Vertices of the prism that stands for a cylinder where no closed form does: circumscribed, 0.5 % larger."""
    angle = (np.arange(CYLINDER_SIDES) + 0.5) * (2.0 * np.pi / CYLINDER_SIDES)
    corner = radius / np.cos(np.pi / CYLINDER_SIDES)
    ring = corner * np.stack([np.cos(angle), np.sin(angle), np.zeros(CYLINDER_SIDES)], axis=1)
    return np.concatenate([ring - [0.0, 0.0, 0.5 * length], ring + [0.0, 0.0, 0.5 * length]])


def bounding_box(shape):
    """Centre and half size (3,) [m] of the shape's box in its own frame."""
    if shape.type in ("sphere", "capsule", "cylinder"):
        rise = {"sphere": shape.radius}.get(shape.type, 0.5 * getattr(shape, "length", 0.0))
        rise += shape.radius if shape.type == "capsule" else 0.0
        return np.zeros(3), np.array([shape.radius, shape.radius, rise], dtype=float)
    points = np.asarray(shape.surface()[0], dtype=float)
    low, high = points.min(axis=0), points.max(axis=0)
    return 0.5 * (low + high), 0.5 * (high - low)


def core_extent(shape, half):
    """Bounding radius [m] of a shape about the middle of its box with half size `half`."""
    if shape.type == "sphere":
        return float(shape.radius)
    if shape.type == "capsule":
        return float(shape.radius) + 0.5 * float(shape.length)
    return float(np.linalg.norm(half))


def core_of(shape):
    """Core of a shape that is not a compound."""
    center, half = bounding_box(shape)
    if shape.type in ("sphere", "capsule", "mesh"):
        rise = 0.5 * shape.length if shape.type == "capsule" else 0.0
        count = {"sphere": 1, "capsule": 2, "mesh": 0}[shape.type]
        points = np.array([[0.0, 0.0, -rise], [0.0, 0.0, rise]])[:count]
        return Core(points, np.zeros((0, 3)), [], np.zeros((0, 4), np.int64), center, half)
    points = cylinder_prism(shape.radius, shape.length) if shape.type == "cylinder" else shape.surface()[0]
    polytope = (box_polytope if shape.type == "box" else convex_polytope)(points)
    loops = np.split(np.stack([polytope.loop_vertex, polytope.loop_edge], axis=1), polytope.loop_start[1:-1])
    edges = np.concatenate([polytope.edge_vertex, polytope.edge_face], axis=1)
    return Core(polytope.vertices, polytope.normals, loops, edges, center, half)


def colliders_of(shapes):
    """List of (body, Part) for all shapes, compounds taken apart."""
    rows = []
    for body, shape in enumerate(shapes):
        parts = shape.parts if shape.type == "compound" else (Part(shape),)
        rows += [(body, part) for part in parts]
    return rows


def starts(counts):
    """Offsets (n+1,) of runs with the given lengths."""
    return np.concatenate([[0], np.cumsum(np.asarray(counts, dtype=np.int64))]).astype(np.int64)


def joined(arrays, columns, kind):
    """Concatenation of arrays, with the right shape when there are none."""
    arrays = [np.asarray(array, dtype=kind).reshape(-1, columns) for array in arrays]
    return np.ascontiguousarray(np.concatenate(arrays)) if arrays else np.zeros((0, columns), kind)


def topology_rows(core, first):
    """Rows (.,4) of faces, edges and loops of a core whose rows begin at `first`."""
    loop_rows = starts([len(loop) for loop in core.loops]) + first + len(core.loops) + len(core.edges)
    faces = np.zeros((len(core.loops), 4), np.int32)
    faces[:, 0], faces[:, 1] = loop_rows[:-1], loop_rows[1:]
    loops = np.zeros((int(loop_rows[-1] - loop_rows[0]), 4), np.int32)
    if len(loops):
        loops[:, :2] = np.concatenate(core.loops)
    return np.concatenate([faces, np.asarray(core.edges, dtype=np.int32), loops])


def pool_cores(cores):
    """The core part of Geometry as a dict."""
    rows, first = [], [0]
    for core in cores:
        rows.append(topology_rows(core, first[-1]))
        first.append(first[-1] + len(rows[-1]))
    face_row = np.array(first[:-1], dtype=np.int64)
    return {
        "core_vertex_start": starts([len(core.vertices) for core in cores]),
        "core_vertex": joined([core.vertices for core in cores], 3, float),
        "core_face_start": starts([len(core.normals) for core in cores]),
        "core_normal": joined([core.normals for core in cores], 3, float),
        "core_face_row": face_row,
        "core_edge_row": face_row + np.array([len(core.loops) for core in cores], dtype=np.int64),
        "core_edge_count": np.array([len(core.edges) for core in cores], dtype=np.int64),
        "topology": joined(rows, 4, np.int32),
    }


def most_corners(geometry):
    """Corners of the largest face."""
    faces = np.diff(geometry.core_face_start)
    rows = [np.arange(row, row + count) for row, count in zip(geometry.core_face_row, faces, strict=True)]
    spans = geometry.topology[np.concatenate([*rows, np.zeros(0, np.int64)]).astype(np.int64)]
    return int((spans[:, 1] - spans[:, 0]).max(initial=0))


def share_cores(rows):
    """(number (C,) of the distinct shape of each collider, distinct shapes)."""
    known, distinct, numbers = {}, [], []
    for _, part in rows:
        # The same object is the common case: no need to look at its points.
        number = known.get(id(part.shape))
        if number is None:
            number = known.setdefault(shape_identity(part.shape), len(distinct))
            known[id(part.shape)] = number
            if number == len(distinct):
                distinct.append(part.shape)
        numbers.append(number)
    return numbers, distinct


def share_surfaces(numbers, distinct, offset, turn):
    """(surface number (C,) of each collider or -1, list of (vertices, triangles) about the centre of mass, body axes).

    There are none if there is no mesh among the shapes; spheres and capsules need none.
    """
    mesh = np.full(len(numbers), -1, dtype=np.int32)
    known, surfaces = {}, []
    if all(shape.type != "mesh" for shape in distinct):
        return mesh, surfaces
    for c, number in enumerate(numbers):
        if distinct[number].type in ("sphere", "capsule"):
            continue
        pose = (number, offset[c].tobytes(), turn[c].tobytes())
        mesh[c] = known.setdefault(pose, len(surfaces))
        if mesh[c] == len(surfaces):
            vertices, triangles = distinct[number].surface()
            surfaces.append((vertices @ turn[c].T + offset[c], triangles))
    return mesh, surfaces


def build_geometry(shapes, centers):
    """Return (Geometry, surfaces): surfaces is the list of (vertices, triangles) the `mesh` numbers refer to.

    shapes: one a body; centers (R,3) [m] centre of mass in the shape frame. Surfaces are listed only if there is
    a mesh among the shapes; then boxes, hulls and cylinders have one too, for their contacts with it.
    """
    rows = colliders_of(shapes)
    numbers, distinct = share_cores(rows)
    cores = [core_of(shape) for shape in distinct]
    columns = collider_columns(rows, numbers, cores, centers)
    mesh, surfaces = share_surfaces(numbers, distinct, columns["offset"], columns["turn"])
    return Geometry(**columns, mesh=mesh, **pool_cores(cores)), surfaces


def part_salts(body):
    """One number (C,) a collider, 0 for the first of each body, spread over 62 bits for the others."""
    local = np.arange(len(body)) - np.searchsorted(body, body)
    mixed = local.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(31)
    return (mixed & np.uint64(0x3FFFFFFFFFFFFFFF)).astype(np.int64)


def collider_columns(rows, numbers, cores, centers):
    """The per-collider part of Geometry, without `mesh`, as a dict."""
    body = np.array([row[0] for row in rows], dtype=np.int32)
    parts = [row[1] for row in rows]
    offset = np.array([np.asarray(part.position, dtype=float) for part in parts]).reshape(-1, 3)
    turn = np.array([part.rotation() for part in parts]).reshape(-1, 3, 3)
    offset -= np.asarray(centers, dtype=float).reshape(-1, 3)[body]
    center = np.array([cores[number].box_center for number in numbers]).reshape(-1, 3)
    half = np.array([cores[number].box_half for number in numbers]).reshape(-1, 3)
    radius = [float(getattr(part.shape, "radius", 0.0)) for part in parts]
    extent = np.array([core_extent(part.shape, row) for part, row in zip(parts, half, strict=True)])
    half_length = np.array([0.5 * float(getattr(part.shape, "length", 0.0)) for part in parts])
    kind = np.array([KINDS[part.shape.type] for part in parts], dtype=np.int32)
    # The core of a sphere is its centre and that of a capsule a segment: turning about these moves no surface.
    swing = np.where(kind == SPHERE, 0.0, np.where(kind == CAPSULE, half_length, extent))
    middle = offset + np.einsum("cij,cj->ci", turn, center)
    return {
        "kind": kind,
        "body": body,
        "offset": offset,
        "turn": np.ascontiguousarray(turn),
        "radius": np.array(radius, dtype=float),
        "half_length": half_length,
        "box_center": center,
        "box_half": half,
        "extent": extent,
        "thin": half.min(axis=1),
        "reach": np.linalg.norm(middle, axis=1) + swing,
        "core": np.array(numbers, dtype=np.int32),
        "vertex_start": starts([len(cores[number].vertices) for number in numbers]),
        "face_start": starts([len(cores[number].normals) for number in numbers]),
        "salt": part_salts(body),
    }
