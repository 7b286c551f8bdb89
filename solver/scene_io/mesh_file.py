"""Triangle meshes on disk: .obj, .ply and .stl."""

from pathlib import Path

import numpy as np

from ..base.refusal import SceneError

_PLY_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2", "ushort": "u2",
    "uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4", "float": "f4", "float32": "f4",
    "double": "f8", "float64": "f8",
}  # fmt: skip


def read_mesh(path):
    """Return vertices (V,3) and triangles (T,3) of a mesh file; polygons are fanned. SceneError if unreadable."""
    path = Path(path)
    readers = {".obj": _read_obj, ".ply": _read_ply, ".stl": _read_stl}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise SceneError(f"mesh file {path.name}: type {path.suffix!r} is not known; give .obj, .ply or .stl")
    try:
        vertices, polygons = reader(path)
        triangles = [(face[0], face[i], face[i + 1]) for face in polygons for i in range(1, len(face) - 1)]
        return np.asarray(vertices, dtype=float).reshape(-1, 3), np.asarray(triangles, dtype=np.int64).reshape(-1, 3)
    except FileNotFoundError:
        raise SceneError(f"mesh file {path}: no such file; put it beside the scene file") from None
    except IsADirectoryError:
        raise SceneError(f"mesh file {path}: is a folder; give the file in it") from None
    except OSError as error:
        raise SceneError(f"mesh file {path}: cannot be read ({error.strerror}); allow it or give another") from None
    except (ValueError, IndexError, KeyError, OverflowError) as error:
        raise SceneError(f"mesh file {path}: not readable as {path.suffix} ({error}); export it again") from None


def write_ply(path, vertices, triangles):
    """Write a binary .ply with double coordinates, which read_mesh gives back bit by bit."""
    vertices, triangles = np.asarray(vertices, dtype="<f8"), np.asarray(triangles, dtype="<i4")
    header = (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {len(vertices)}\nproperty double x\nproperty double y\n"
        f"property double z\nelement face {len(triangles)}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    faces = np.empty(len(triangles), dtype=[("count", "u1"), ("index", "<i4", 3)])
    faces["count"], faces["index"] = 3, triangles
    Path(path).write_bytes(header.encode() + vertices.tobytes() + faces.tobytes())


def _read_obj(path):
    vertices, polygons = [], []
    # Names and remarks, which are not read, may be in any coding.
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        words = line.split()
        if words and words[0] == "v":
            x, y, z = map(float, words[1:4])
            vertices.append((x, y, z))
        elif words and words[0] == "f":
            index = [int(word.split("/")[0]) for word in words[1:]]
            polygons.append([i - 1 if i > 0 else len(vertices) + i for i in index])
    return vertices, polygons


def _read_stl(path):
    raw = path.read_bytes()
    count = int.from_bytes(raw[80:84], "little") if len(raw) >= 84 else -1
    if len(raw) == 84 + 50 * count:
        record = np.dtype([("normal", "<f4", 3), ("corner", "<f4", (3, 3)), ("spare", "<u2")])
        corners = np.frombuffer(raw, dtype=record, offset=84)["corner"].reshape(-1, 3)
    else:
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            wanted = f"binary STL of {count} triangles has {84 + 50 * count} bytes, this file {len(raw)}"
            raise ValueError(wanted if count >= 0 else "too short for a binary STL") from None
        corners = np.array(
            [line.split()[1:4] for line in text.splitlines() if line.split()[:1] == ["vertex"]], dtype=float
        )
        if len(corners) == 0 or len(corners) % 3:
            raise ValueError("neither binary STL of the stated length nor text STL with whole triangles")
    # STL repeats every corner: equal corners become one vertex.
    vertices, index = np.unique(corners.astype(float), axis=0, return_inverse=True)
    return vertices, index.reshape(-1, 3)


def _ply_header(raw):
    end = raw.index(b"end_header")
    end = raw.index(b"\n", end) + 1
    lines = raw[:end].decode("ascii").split("\n")
    if lines[0].strip() != "ply":
        raise ValueError("does not begin with 'ply'")
    form = ""
    elements: list[tuple[str, int, list]] = []
    for line in lines:
        words = line.split()
        if words[:1] == ["format"]:
            form = words[1]
        elif words[:1] == ["element"]:
            elements.append((words[1], int(words[2]), []))
        elif words[:1] == ["property"]:
            elements[-1][2].append(words[1:])
    return form, elements, raw[end:]


def _read_ply(path):
    form, elements, body = _ply_header(path.read_bytes())
    if form == "ascii":
        return _ply_ascii(elements, body.decode("ascii").split())
    order = {"binary_little_endian": "<", "binary_big_endian": ">"}[form]
    return _ply_binary(elements, body, order)


def _ply_ascii(elements, words):
    vertices, polygons, at = [], [], 0
    for name, count, properties in elements:
        for _ in range(count):
            row = []
            for prop in properties:
                length = 1
                if prop[0] == "list":
                    length = int(words[at])
                    at += 1
                row.append([float(word) for word in words[at : at + length]])
                at += length
            if name == "vertex":
                vertices.append([row[i][0] for i in range(3)])
            elif name == "face":
                polygons.append([int(x) for x in row[0]])
    return vertices, polygons


def _ply_binary(elements, body, order):
    vertices: np.ndarray | list = []
    polygons: list[list[int]] = []
    at = 0
    for name, count, properties in elements:
        if all(prop[0] != "list" for prop in properties):
            record = np.dtype([(prop[1], order + _PLY_TYPES[prop[0]]) for prop in properties])
            rows = np.frombuffer(body, dtype=record, count=count, offset=at)
            at += record.itemsize * count
            if name == "vertex":
                vertices = np.column_stack([rows[axis].astype(float) for axis in "xyz"])
            continue
        for _ in range(count):
            for prop in properties:
                length = 1
                if prop[0] == "list":
                    counter = np.dtype(order + _PLY_TYPES[prop[1]])
                    length = int(np.frombuffer(body, counter, 1, at)[0])
                    at += counter.itemsize
                kind = np.dtype(order + _PLY_TYPES[prop[-2]])
                values = np.frombuffer(body, kind, length, at)
                at += kind.itemsize * length
                if name == "face" and prop[0] == "list" and prop[-1] in ("vertex_indices", "vertex_index"):
                    polygons.append(values.tolist())
    return vertices, polygons
