"""What the narrow phase reads of the pooled geometry, in few wide tables: kernels take them quicker."""

from typing import NamedTuple

import numpy as np

# Columns of index.
KIND, BODY, MESH_NUMBER, SALT = 0, 1, 2, 3
FIRST_VERTEX, LAST_VERTEX, FIRST_FACE, LAST_FACE, FIRST_LOOP, LAST_LOOP, FIRST_EDGE, LAST_EDGE = range(4, 12)
# Columns of size.
RADIUS, EXTENT, THIN, REACH, HALF = 0, 1, 2, 3, 4


class Colliders(NamedTuple):
    """index (C,12): kind, body, mesh, salt, and where the collider's vertices, faces, loops and edges begin and end;
    size (C,7) [m]: radius, extent, thin, reach, half box; loop_start, loop, edge: see Geometry."""

    index: np.ndarray
    size: np.ndarray
    loop_start: np.ndarray
    loop: np.ndarray
    edge: np.ndarray


def pack_colliders(geometry):
    """Colliders of a Geometry."""
    faces, edges, core = geometry.core_face_start, geometry.core_edge_start, geometry.core
    index = [
        geometry.kind, geometry.body, geometry.mesh, geometry.salt,
        geometry.vertex_start[:-1], geometry.vertex_start[1:], geometry.face_start[:-1], geometry.face_start[1:],
        faces[core], faces[core + 1] + 1, edges[core], edges[core + 1],
    ]  # fmt: skip
    size = [geometry.radius, geometry.extent, geometry.thin, geometry.reach, *geometry.box_half.T]
    return Colliders(
        np.ascontiguousarray(np.stack(index, axis=1), dtype=np.int64),
        np.ascontiguousarray(np.stack(size, axis=1)),
        geometry.loop_start,
        geometry.loop,
        geometry.edge,
    )
