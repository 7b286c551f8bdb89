"""PC2: positions of a mesh's vertices frame by frame, which Blender's Mesh Cache modifier plays bit for bit."""

import struct

import numpy as np

from ..base.steps import exhausted


def write_pc2(path, positions):
    """Write positions (F,V,3) as a PC2 file, one sample a frame."""
    exhausted(write_pc2_steps(path, len(positions), [positions]))


def append_pc2(path, frames, count):
    """Add frames (F,V,3) to a PC2 file that holds `count` of them, which is made where there are none."""
    with open(path, "r+b" if count else "wb") as file:
        file.write(_header(frames.shape[1], count + len(frames)))
        file.seek(0, 2)
        file.write(np.ascontiguousarray(frames, dtype="<f4").tobytes())


def _header(vertices, frames):
    return struct.pack("<12siiffi", b"POINTCACHE2\0", 1, vertices, 1.0, 1.0, frames)


def write_pc2_steps(path, frame_count, parts):
    """Generator that writes a PC2 file of so many frames from parts (F,V,3) of it, yielding after each; returns the
    first frame (V,3)."""
    first = None
    with open(path, "wb") as file:
        for part in parts:
            if first is None:
                first = part[0]
                file.write(_header(len(first), frame_count))
            file.write(np.ascontiguousarray(part, dtype="<f4").tobytes())
            yield len(part)
    return first


def play(ob, path, frame_start, name="Stiction Cache"):
    """Give a mesh object the Mesh Cache modifier that plays `path` (of a .blend: `//...`) from a frame on."""
    modifier = ob.modifiers.new(name, "MESH_CACHE")
    modifier.cache_format, modifier.filepath = "PC2", path
    # The start in the file's header is ignored, and the modifier's own default is 0.
    modifier.frame_start, modifier.interpolation = frame_start, "LINEAR"
    return modifier
