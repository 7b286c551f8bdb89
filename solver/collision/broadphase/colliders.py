"""What the narrow phase reads of the pooled geometry, in few wide tables: kernels take them quicker."""

from typing import NamedTuple

import numpy as np

# Columns of index.
KIND, BODY, MESH_NUMBER, SALT = 0, 1, 2, 3
FIRST_VERTEX, LAST_VERTEX, FIRST_FACE, LAST_FACE, FACE_ROW, EDGE_ROW, EDGE_COUNT = range(4, 11)
# Columns of size.
RADIUS, EXTENT, THIN, REACH, HALF = 0, 1, 2, 3, 4


class Colliders(NamedTuple):
    """What narrow_chunk gets.

    index (C,11): kind, body, mesh, salt, where the collider's vertices and faces begin and end, and the first rows of
    its faces and edges in topology (see Geometry); size (C,7) [m]: radius, extent, thin, reach, half box.
    """

    index: np.ndarray
    size: np.ndarray
    topology: np.ndarray


def pack_colliders(geometry):
    """Colliders of a Geometry."""
    core = geometry.core
    index = [
        geometry.kind, geometry.body, geometry.mesh, geometry.salt,
        geometry.vertex_start[:-1], geometry.vertex_start[1:], geometry.face_start[:-1], geometry.face_start[1:],
        geometry.core_face_row[core], geometry.core_edge_row[core], geometry.core_edge_count[core],
    ]  # fmt: skip
    size = [geometry.radius, geometry.extent, geometry.thin, geometry.reach, *geometry.box_half.T]
    return Colliders(
        np.ascontiguousarray(np.stack(index, axis=1), dtype=np.int64),
        np.ascontiguousarray(np.stack(size, axis=1)),
        geometry.topology,
    )
