"""Pooled geometry: every collider of every body in flat arrays.

A collider is a convex core (a point, a segment or a polytope) swollen by a radius, or a triangle mesh. A compound
contributes one collider a part. Colliders are numbered body by body; shapes that are used more than once share
their tables.
"""

from typing import NamedTuple

import numpy as np

from ...meshes.polytope import box_polytope, convex_polytope, plate_polytope
from ...shapes.compound import Part
from ...shapes.form import Form

SPHERE, CAPSULE, BOX, HULL, CYLINDER, MESH = range(6)
KINDS = {"sphere": SPHERE, "capsule": CAPSULE, "box": BOX, "convex_hull": HULL, "plate": HULL, "cylinder": CYLINDER,
         "mesh": MESH}  # fmt: skip
POLYTOPES = {"box": box_polytope, "plate": plate_polytope}


class Geometry(NamedTuple):
    """Constant arrays of C colliders and of the cores they share.

    Per collider: kind, body (C,); offset (C,3) [m] of its frame from the body's centre of mass and turn (C,3,3), both
    in body axes; radius, half_length (C,) [m]; box_center, box_half (C,3) [m] bounding box in its own frame;
    extent, thin (C,) [m] bounding radius and half the least side of the box, infinite for plates; reach (C,) [m]
    greatest distance of its core from the centre of mass; core, mesh (C,) index of its core and of its surface in the
    mesh pool, -1 where it has none; vertex_start, face_start (C+1,) where its placed vertices and faces are; salt (C,)
    number that keeps the keys of the parts of one body apart.

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
    form: Form


def core_of(form):
    """Core of a solid's Form."""
    if form.family in ("sphere", "capsule", "mesh"):
        return Core(form.points, np.zeros((0, 3)), [], np.zeros((0, 4), np.int64), form)
    polytope = POLYTOPES.get(form.family, convex_polytope)(form.points)
    loops = np.split(np.stack([polytope.loop_vertex, polytope.loop_edge], axis=1), polytope.loop_start[1:-1])
    edges = np.concatenate([polytope.edge_vertex, polytope.edge_face], axis=1)
    return Core(polytope.vertices, polytope.normals, loops, edges, form)


def colliders_of(shapes):
    """List of (body, Part) for all shapes, compounds taken apart."""
    rows = []
    for body, shape in enumerate(shapes):
        parts = getattr(shape, "parts", None) or (Part(shape),)
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
        # The same object is the common case: no need to compare its points.
        number = known.get(id(part.shape))
        if number is None:
            number = known.setdefault(part.shape.identity(), len(distinct))
            known[id(part.shape)] = number
            if number == len(distinct):
                distinct.append(part.shape)
        numbers.append(number)
    return numbers, distinct


def share_surfaces(numbers, distinct, cores, offset, turn):
    """(surface number (C,) of each collider or -1, list of (vertices, triangles) about the centre of mass, body axes).

    There are none if there is no mesh among the shapes; spheres and capsules need none.
    """
    mesh = np.full(len(numbers), -1, dtype=np.int32)
    known, surfaces = {}, []
    if all(core.form.family != "mesh" for core in cores):
        return mesh, surfaces
    for c, number in enumerate(numbers):
        if not cores[number].form.surface:
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
    cores = [core_of(shape.form()) for shape in distinct]
    columns = collider_columns(rows, numbers, cores, centers)
    mesh, surfaces = share_surfaces(numbers, distinct, cores, columns["offset"], columns["turn"])
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
    forms = [cores[number].form for number in numbers]
    center = np.array([form.middle for form in forms]).reshape(-1, 3)
    half = np.array([form.half for form in forms]).reshape(-1, 3)
    radius, extent, half_length = (
        np.array([getattr(form, name) for form in forms], dtype=float) for name in ("radius", "extent", "half_length")
    )
    kind = np.array([KINDS[form.family] for form in forms], dtype=np.int32)
    # The core of a sphere is its centre and that of a capsule a segment: turning about these moves no surface.
    swing = np.where(kind == SPHERE, 0.0, np.where(kind == CAPSULE, half_length, extent))
    middle = offset + np.einsum("cij,cj->ci", turn, center)
    return {
        "kind": kind,
        "body": body,
        "offset": offset,
        "turn": np.ascontiguousarray(turn),
        "radius": radius,
        "half_length": half_length,
        "box_center": center,
        "box_half": half,
        "extent": extent,
        # A plate has no thickness that anything could lose its way in.
        "thin": np.where([form.family == "plate" for form in forms], np.inf, half.min(axis=1)),
        "reach": np.linalg.norm(middle, axis=1) + swing,
        "core": np.array(numbers, dtype=np.int32),
        "vertex_start": starts([len(cores[number].vertices) for number in numbers]),
        "face_start": starts([len(cores[number].normals) for number in numbers]),
        "salt": part_salts(body),
    }
