"""What a mesh holds, as bytes: its vertices and faces, weights, attributes, shape keys."""

import hashlib

import numpy as np

from ..base.geometry import corners_of, vertices_of

# How the values of an attribute are read: name of the field, numbers in it, kind of number.
FIELDS = {
    "FLOAT": ("value", 1, np.float32), "INT": ("value", 1, np.int32), "INT8": ("value", 1, np.int32),
    "BOOLEAN": ("value", 1, bool), "FLOAT_VECTOR": ("vector", 3, np.float32), "FLOAT2": ("vector", 2, np.float32),
    "FLOAT_COLOR": ("color", 4, np.float32), "BYTE_COLOR": ("color", 4, np.float32),
    "INT32_2D": ("value", 2, np.int32), "QUATERNION": ("value", 4, np.float32),
}  # fmt: skip


def mesh_bytes(mesh):
    """Fingerprint of the vertices and faces of a mesh, or of its edges where it has none."""
    around, starts = corners_of(mesh), np.empty(len(mesh.polygons), dtype=np.int32)
    mesh.polygons.foreach_get("loop_start", starts)
    content = hashlib.blake2b(vertices_of(mesh), digest_size=16)
    content.update(around)
    content.update(starts)
    if not len(around):
        # What has no faces collides by its edges.
        edges = np.empty(2 * len(mesh.edges), dtype=np.int32)
        mesh.edges.foreach_get("vertices", edges)
        content.update(edges)
    return content.digest()


def mesh_layers(ob, mesh):
    """What else modifiers read of the mesh of an object: weights of vertex groups, and attributes, without what is only
    selected."""
    groups = {group.index: group.name for group in ob.vertex_groups}
    if groups:
        yield repr([[(groups.get(entry.group), entry.weight) for entry in vertex.groups]
                    for vertex in mesh.vertices]).encode()  # fmt: skip
    for attribute in mesh.attributes:
        field = FIELDS.get(attribute.data_type)
        if field is None or attribute.name.startswith(".") and attribute.name != ".edge_verts":
            continue
        name, size, kind = field
        values = np.empty(size * len(attribute.data), dtype=kind)
        attribute.data.foreach_get(name, values)
        yield repr((attribute.name, attribute.domain)).encode() + values.tobytes()


def shape_key_bytes(keys):
    """Generator of bytes that stand for shape keys, and for their values where nothing animates those."""
    for block in keys.key_blocks:
        places = np.empty(3 * len(block.data), dtype=np.float32)
        block.data.foreach_get("co", places)
        yield repr((block.mute, block.slider_min, block.slider_max)).encode() + places.tobytes()
    if keys.animation_data is None:
        yield repr([block.value for block in keys.key_blocks]).encode()
