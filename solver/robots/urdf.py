"""URDF files as robots: links with masses and shapes, joints with limits, damping, friction and mimic; notes.

Rotations are fixed-axis roll, pitch, yaw. Of mesh files the convex hulls touch. Transmissions, gazebo's and safety's
entries are left out, and said so; bodies are made of links in ./bodies.py.
"""

from pathlib import Path

import numpy as np

from ..base.refusal import SceneError
from ..shapes import SHAPES, Part
from .collada import read_collada
from .hulls import MARGIN, hull_corners, thickened
from .robot import Link, Robot, RobotJoint, quaternion
from .urdf_text import read_xml

KINDS = ("revolute", "continuous", "prismatic", "fixed", "planar", "floating", "spherical")
LEFT_OUT = ("transmission", "gazebo", "safety_controller", "sensor")
# Width and thickness [m] of the box that a plane is.
SLAB = 200.0, 10.0
MESHES = (".obj", ".ply", ".stl", ".dae")


def read_urdf(path, read_mesh):
    """Robot of a URDF file. SceneError names file and element.

    read_mesh(path) -> (vertices (V,3), triangles (T,3)) of mesh files other than Collada's.
    """
    path = Path(path)
    root, notes = read_xml(path)
    if root.tag != "robot":
        raise SceneError(f"{path}: its root is <{root.tag}>; a URDF file has <robot>")
    links = {}
    for element in root.findall("link"):
        link = _link(element, path, read_mesh, notes)
        link.color = _color(element, root)
        if link.name in links:
            raise SceneError(f"{path}: two links are called {link.name!r}; give each its own name")
        links[link.name] = link
    if not links:
        raise SceneError(f"{path}: has no link")
    notes += [f"link {name!r}: its plane is a box {SLAB[0]:g} m wide below it, which does not move"
              for name, link in links.items() if link.still]  # fmt: skip
    joints = [_joint(element, links, path, notes) for element in root.findall("joint")
              if element.find("parent") is not None]  # fmt: skip
    base = _tree(joints, links, path)
    left = [tag for tag in LEFT_OUT if root.find(f".//{tag}") is not None]
    if left:
        notes.append(f"left out: {', '.join(left)}")
    return Robot(root.get("name", path.stem), links, tuple(joints), base, notes)


def _numbers(text, count, who):
    try:
        values = np.array([float(word) for word in text.split()])
    except ValueError:
        values = np.zeros(0)
    if values.shape != (count,) or not np.all(np.isfinite(values)):
        raise SceneError(f"{who}: is {text!r}; give {count} numbers")
    return values


def _number(element, name, who, default=None):
    text = None if element is None else element.get(name)
    return default if text is None else float(_numbers(text, 1, f"{who}, {name}")[0])


def _turned(angles):
    """Rotation (3,3) of fixed-axis roll, pitch, yaw."""
    (sx, sy, sz), (cx, cy, cz) = np.sin(angles), np.cos(angles)
    x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    return z @ y @ x


def _origin(element, who):
    """(position (3,), rotation (3,3)) of an element's origin."""
    origin = None if element is None else element.find("origin")
    if origin is None:
        return np.zeros(3), np.eye(3)
    xyz, rpy = (_numbers(origin.get(name, "0 0 0"), 3, f"{who}, origin {name}") for name in ("xyz", "rpy"))
    return xyz, _turned(rpy)


def _link(element, path, read_mesh, notes):
    name = element.get("name")
    who = f"{path}: link {name!r}"
    link, inertial = Link(name), element.find("inertial")
    if inertial is not None:
        mass = _number(inertial.find("mass"), "value", who, 0.0)
        if mass < 0:
            raise SceneError(f"{who}: mass is {mass} kg; give more than 0")
        link.mass = mass
        link.center, turn = _origin(inertial, who)
        tensor = inertial.find("inertia")
        if tensor is not None:
            xx, yy, zz, xy, xz, yz = (_number(tensor, f"i{axes}", who, 0.0) for axes in
                                      ("xx", "yy", "zz", "xy", "xz", "yz"))  # fmt: skip
            I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])  # noqa: E741
            link.inertia = turn @ I @ turn.T
    for shape in element.findall("collision") or element.findall("visual"):
        position, turn = _origin(shape, who)
        kind = shape.find("geometry/plane")
        if kind is not None:
            link.still = True
            link.parts.append(_plane(kind, position, turn, who))
            continue
        found = _shape(shape.find("geometry"), path, who, read_mesh, notes)
        if found is not None:
            link.parts.append(Part(found, tuple(position), quaternion(turn)))
    return link


def _color(element, root):
    """Color of the first material that a link is shown with; None without one."""
    material = element.find("visual/material")
    if material is None:
        return None
    found = material.find("color")
    if found is None:
        found = root.find(f"material[@name='{material.get('name')}']/color")
    values = [] if found is None else found.get("rgba", "").split()
    return tuple(float(value) for value in values) if len(values) == 4 else None


def _shape(geometry, path, who, read_mesh, notes):
    if geometry is None or len(geometry) == 0:
        raise SceneError(f"{who}: a shape has no geometry; give box, sphere, cylinder or mesh")
    kind = geometry[0]
    if kind.tag == "box":
        return SHAPES["box"](tuple(_numbers(kind.get("size", ""), 3, f"{who}, box size")))
    if kind.tag == "sphere":
        return SHAPES["sphere"](_number(kind, "radius", who))
    if kind.tag in ("cylinder", "capsule"):
        return SHAPES[kind.tag](_number(kind, "radius", who), _number(kind, "length", who))
    if kind.tag == "mesh":
        return _mesh(kind, path, who, read_mesh, notes)
    raise SceneError(f"{who}: geometry <{kind.tag}> is not known; give box, sphere, cylinder or mesh")


def _plane(kind, position, turn, who):
    """The Part of a plane through `position` (3,): a box below it."""
    normal = _numbers(kind.get("normal", "0 0 1"), 3, f"{who}, plane normal")
    if not np.linalg.norm(normal) > 0:
        raise SceneError(f"{who}, plane normal: is of length 0; give a direction")
    up = turn @ (normal / np.linalg.norm(normal))
    other = np.eye(3)[np.argmin(np.abs(up))]
    first = np.cross(other, up) / np.linalg.norm(np.cross(other, up))
    place = position - 0.5 * SLAB[1] * up
    box = SHAPES["box"]((SLAB[0], SLAB[0], SLAB[1]))
    return Part(box, tuple(place.tolist()), quaternion(np.stack((first, np.cross(up, first), up), axis=1)))


def _mesh(kind, path, who, read_mesh, notes):
    """The convex hull of a mesh file: what robots are made to touch with."""
    file = _found(kind.get("filename", ""), path, who)
    vertices, _ = read_collada(file) if file.suffix.lower() == ".dae" else read_mesh(file)
    scale = _numbers(kind.get("scale", "1 1 1"), 3, f"{who}, mesh scale")
    corners = np.asarray(vertices * scale, dtype=float)
    thick = thickened(corners)
    if thick is not None:
        notes.append(f"{who.removeprefix(f'{path}: ')}: its mesh is flat, and is made {2e3 * MARGIN:g} mm thick")
        corners = thick
    return SHAPES["convex_hull"](hull_corners(corners, who))


def _found(name, path, who):
    """The file a mesh name means: package:// is searched for upwards from the URDF file."""
    if "://" not in name:
        candidates = [path.parent / name]
    else:
        scheme, rest = name.split("://", 1)
        # Some files write package:///.
        rest = rest.lstrip("/")
        inside = rest.split("/", 1)[1] if scheme == "package" and "/" in rest else rest
        candidates = [Path("/" + rest)] if scheme == "file" else [
            folder / one for folder in path.resolve().parents for one in (rest, inside)
        ]  # fmt: skip
    for candidate in candidates:
        if candidate.is_file():
            if candidate.suffix.lower() not in MESHES:
                raise SceneError(f"{who}: mesh {candidate.name} is none of {', '.join(MESHES)}; convert it to .obj")
            return candidate
    raise SceneError(f"{who}: mesh {name!r} is not there; put it beside the URDF file or correct the name")


def _joint(element, links, path, notes):
    name, kind = element.get("name"), element.get("type")
    who = f"{path}: joint {name!r}"
    parent, child = (element.find(tag).get("link") if element.find(tag) is not None else None
                     for tag in ("parent", "child"))  # fmt: skip
    for end in (parent, child):
        if end not in links:
            raise SceneError(f"{who}: no link {end!r}; correct the name")
    if kind not in KINDS:
        raise SceneError(f"{who}: type is {kind!r}; choose one of {', '.join(KINDS)}")
    position, turn = _origin(element, who)
    values = {"axis": _axis(element, who)} if kind not in ("fixed", "floating", "spherical") else {}
    limit, dynamics, mimic = (element.find(tag) for tag in ("limit", "dynamics", "mimic"))
    if limit is not None:
        low, high = (_number(limit, key, who, 0.0) for key in ("lower", "upper"))
        limited = kind in ("revolute", "prismatic")
        values["limits"] = (low, high) if limited and low < high else None
        if limited and low > high:
            notes.append(f"joint {name!r}: its lower limit {low:g} is above its upper one {high:g}, so it has none")
        values["effort"] = _number(limit, "effort", who)
    if dynamics is not None:
        values |= {key: _number(dynamics, key, who, 0.0) for key in ("damping", "friction")}
    if mimic is not None:
        ratio, offset = _number(mimic, "multiplier", who, 1.0), _number(mimic, "offset", who, 0.0)
        values["mimic"] = mimic.get("joint"), ratio, offset
    return RobotJoint(name, kind, parent, child, position, turn, **values)


def _axis(element, who):
    axis = element.find("axis")
    along = _numbers("1 0 0" if axis is None else axis.get("xyz", "1 0 0"), 3, f"{who}, axis")
    if not np.linalg.norm(along) > 1e-9:
        raise SceneError(f"{who}: axis is {along.tolist()}, of length 0; give a direction")
    return along / np.linalg.norm(along)


def _tree(joints, links, path):
    """Name of the root; SceneError unless the joints make a tree of all links."""
    above = {}
    for joint in joints:
        if joint.child in above:
            raise SceneError(f"{path}: link {joint.child!r} has two parents; a URDF file is a tree")
        above[joint.child] = joint.parent
    roots = [name for name in links if name not in above]
    if len(roots) != 1:
        raise SceneError(f"{path}: has {len(roots)} root links ({', '.join(roots)}); join them to one")
    for name in links:
        seen = {name}
        while name in above:
            name = above[name]
            if name in seen:
                raise SceneError(f"{path}: link {name!r} is below itself; a URDF file is a tree")
            seen.add(name)
    names = {joint.name for joint in joints}
    for joint in joints:
        if joint.mimic is not None and joint.mimic[0] not in names:
            raise SceneError(f"{path}: joint {joint.name!r}: mimics no joint {joint.mimic[0]!r}; correct the name")
    return roots[0]
