"""Collada (.dae) files: the triangles of all meshes, placed by the nodes of the scene, in metres and z up."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np

from ..base.refusal import SceneError

# Axes of the file -> ours.
UP = {
    "X_UP": np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]), "Y_UP": np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]]),
    "Z_UP": np.eye(3),
}  # fmt: skip


def read_collada(path):
    """(vertices (V,3) [m], triangles (T,3)) of a .dae file; SceneError if it is not readable."""
    path = Path(path)
    try:
        root = ElementTree.parse(path).getroot()
        for element in root.iter():
            element.tag = element.tag.rpartition("}")[2]
        return _meshes(root)
    except (ElementTree.ParseError, ValueError, KeyError, AttributeError, IndexError) as error:
        raise SceneError(f"mesh file {path}: not readable as .dae ({error}); convert it to .obj") from None


def _meshes(root):
    meter = root.find("asset/unit")
    unit = 1.0 if meter is None else float(meter.get("meter", 1.0))
    up = (root.findtext("asset/up_axis") or "Y_UP").strip()
    shapes = {element.get("id"): _geometry(element) for element in root.iter("geometry")}
    vertices, triangles, count = [], [], 0
    placed = [item for scene in root.iter("visual_scene") for node in scene.findall("node")
              for item in _instances(node, np.eye(4))]  # fmt: skip
    for key, matrix in placed or [(key, np.eye(4)) for key in shapes]:
        points, faces = shapes.get(key, (np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)))
        vertices.append(points @ matrix[:3, :3].T + matrix[:3, 3])
        triangles.append(faces + count)
        count += len(points)
    if not count:
        raise ValueError("it has no mesh")
    return unit * np.concatenate(vertices) @ UP[up].T, np.concatenate(triangles)


def _instances(node, above):
    """(geometry's id, matrix (4,4)) of what a node and those below it show."""
    matrix = above
    for step in node:
        if step.tag in STEPS:
            matrix = matrix @ STEPS[step.tag](np.array(step.text.split(), dtype=float))
    for shown in node.findall("instance_geometry"):
        yield shown.get("url")[1:], matrix
    for below in node.findall("node"):
        yield from _instances(below, matrix)


def _translated(numbers):
    matrix = np.eye(4)
    matrix[:3, 3] = numbers
    return matrix


def _rotated(numbers):
    from .robot import turned_about

    matrix = np.eye(4)
    matrix[:3, :3] = turned_about(numbers[:3] / np.linalg.norm(numbers[:3]), np.radians(numbers[3]))
    return matrix


STEPS = {
    "matrix": lambda numbers: numbers.reshape(4, 4), "translate": _translated, "rotate": _rotated,
    "scale": lambda numbers: np.diag([*numbers, 1.0]),
}  # fmt: skip


def _geometry(element):
    """(points (V,3), triangles (T,3)) of one geometry."""
    sources = {source.get("id"): source for source in element.iter("source")}
    positions = {}
    for vertices in element.iter("vertices"):
        semantic = next(one for one in vertices.findall("input") if one.get("semantic") == "POSITION")
        numbers = sources[semantic.get("source")[1:]].find("float_array").text.split()
        positions[vertices.get("id")] = np.array(numbers, dtype=float).reshape(-1, 3)
    points, faces, count = [], [], 0
    for primitive in (one for tag in ("triangles", "polylist", "polygons") for one in element.iter(tag)):
        inputs = primitive.findall("input")
        own = next(one for one in inputs if one.get("semantic") == "VERTEX")
        stride, offset = 1 + max(int(one.get("offset", 0)) for one in inputs), int(own.get("offset", 0))
        polygons = _polygons(primitive, stride, offset)
        points.append(positions[own.get("source")[1:]])
        faces += [(f[0] + count, f[i] + count, f[i + 1] + count) for f in polygons for i in range(1, len(f) - 1)]
        count += len(points[-1])
    whole = np.concatenate(points) if points else np.zeros((0, 3))
    return whole, np.array(faces, dtype=np.int64).reshape(-1, 3)


def _polygons(primitive, stride, offset):
    """Lists of numbers of vertices."""
    rows = [np.array((p.text or "").split(), dtype=np.int64)[offset::stride] for p in primitive.findall("p")]
    if primitive.tag == "polygons":
        return [row.tolist() for row in rows]
    index = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)
    if primitive.tag == "triangles":
        return index.reshape(-1, 3).tolist()
    counts = np.array(primitive.findtext("vcount").split(), dtype=np.int64)
    return [row.tolist() for row in np.split(index, np.cumsum(counts)[:-1])]
