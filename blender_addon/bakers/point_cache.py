"""PC2: positions of a mesh's vertices frame by frame, which Blender's Mesh Cache modifier plays bit for bit."""

import struct

import numpy as np


def write_pc2(path, positions):
    """Write positions (F,V,3) as a PC2 file, one sample a frame."""
    frames, count = positions.shape[:2]
    with open(path, "wb") as file:
        file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, count, 1.0, 1.0, frames))
        file.write(np.ascontiguousarray(positions, dtype="<f4").tobytes())


def play(ob, path, frame_start):
    """Give a mesh object the Mesh Cache modifier that plays `path` (of a .blend: `//...`) from a frame on."""
    modifier = ob.modifiers.new("Stiction Cache", "MESH_CACHE")
    modifier.cache_format, modifier.filepath = "PC2", path
    # The start in the file's header is ignored, and the modifier's own default is 0.
    modifier.frame_start, modifier.interpolation = frame_start, "LINEAR"
    return modifier
