"""URDF files as scenes: links as bodies, joints with limits, damping, friction and mimic; notes on what was changed.

Rotations are fixed-axis roll, pitch, yaw. Links joined by fixed joints stay bodies of their own, held together. Links
without a mass take it from their collision shape at WATER; one without shape and mass gets a small sphere. Inertias
that no body can have are raised to the least that one can. Transmissions, gazebo's and safety's entries are left out.
"""

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ..base.refusal import SceneError
from ..dynamics import rotation
from ..scene import Body, Joint, Motion, Scene, Spring
from ..shapes import SHAPES, Part

# Density [kg/m^3] of links that say no mass; size [m] and mass [kg] of links that say nothing at all.
WATER, SPECK, SPECK_MASS = 1000.0, 0.005, 1e-3
TYPES = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slider", "fixed": "fixed", "planar": "planar"}
LEFT_OUT = ("transmission", "gazebo", "safety_controller", "sensor")


@dataclass
class Link:
    """A link as read: pose of its frame in the world, centre of mass and inertia in its frame, shapes (Part)."""

    name: str
    mass: float | None = None
    center: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray | None = None
    parts: list = field(default_factory=list)
    position: np.ndarray = field(default_factory=lambda: np.zeros(3))
    turn: np.ndarray = field(default_factory=lambda: np.eye(3))


def load_urdf(path, read_mesh, fixed_base=False):
    """Scene of a URDF file at its zero pose; fixed_base: the root link does not move. SceneError names file and
    element.

    read_mesh(path) -> (vertices (V,3), triangles (T,3)) of mesh files; of these the convex hulls touch.
    """
    path, notes = Path(path), []
    try:
        root = ElementTree.parse(path).getroot()
    except FileNotFoundError:
        raise SceneError(f"{path}: no such file") from None
    except ElementTree.ParseError as error:
        raise SceneError(f"{path}: not well-formed XML ({error}); correct that place") from None
    if root.tag != "robot":
        raise SceneError(f"{path}: its root is <{root.tag}>; a URDF file has <robot>")
    links = {}
    for element in root.findall("link"):
        link = _link(element, path, notes, read_mesh)
        if link.name in links:
            raise SceneError(f"{path}: two links are called {link.name!r}; give each its own name")
        links[link.name] = link
    if not links:
        raise SceneError(f"{path}: has no link")
    elements = [element for element in root.findall("joint") if element.find("parent") is not None]
    base = _place(elements, links, path)
    bodies = tuple(_body(link, path, notes, link.name == base and fixed_base) for link in links.values())
    joints, pairs = _joints(elements, links, path, notes)
    left = [tag for tag in LEFT_OUT if root.find(f".//{tag}") is not None]
    if left:
        notes.append(f"left out: {', '.join(left)}")
    return Scene(bodies, joints=joints, excluded_pairs=pairs, name=root.get("name", path.stem), notes=tuple(notes))


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


def _quaternion(R):
    """w, x, y, z of a rotation matrix."""
    K = np.array([
        [R[0, 0] - R[1, 1] - R[2, 2], 0, 0, 0], [R[0, 1] + R[1, 0], R[1, 1] - R[0, 0] - R[2, 2], 0, 0],
        [R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], R[2, 2] - R[0, 0] - R[1, 1], 0],
        [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], np.trace(R)],
    ])  # fmt: skip
    x, y, z, w = np.linalg.eigh(K)[1][:, -1]
    return tuple(np.array([w, x, y, z]) * (1.0 if w >= 0 else -1.0))


def _link(element, path, notes, read_mesh):
    name = element.get("name")
    who = f"{path}: link {name!r}"
    link, inertial = Link(name), element.find("inertial")
    if inertial is not None:
        mass = _number(inertial.find("mass"), "value", who, 0.0)
        if mass < 0:
            raise SceneError(f"{who}: mass is {mass} kg; give more than 0")
        link.mass = mass or None
        link.center, turn = _origin(inertial, who)
        tensor = inertial.find("inertia")
        if tensor is not None and mass:
            xx, yy, zz, xy, xz, yz = (_number(tensor, f"i{axes}", who, 0.0) for axes in
                                      ("xx", "yy", "zz", "xy", "xz", "yz"))  # fmt: skip
            I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])  # noqa: E741
            link.inertia = turn @ _possible(I, mass, who, notes) @ turn.T
    for shape in element.findall("collision") or element.findall("visual"):
        position, turn = _origin(shape, who)
        found = _shape(shape.find("geometry"), path, who, read_mesh)
        if found is not None:
            link.parts.append(Part(found, tuple(position), _quaternion(turn)))
    return link


def _possible(inertia, mass, who, notes):
    """The inertia, its smallest moments raised so that a body can have it."""
    moments, axes = np.linalg.eigh(inertia)
    least = 1e-6 * max(moments[2], mass * SPECK**2)
    repaired = np.maximum(moments, least)
    repaired[0] = max(repaired[0], repaired[2] - repaired[1])
    if np.abs(repaired - moments).max() > 1e-9 * repaired[2]:
        notes.append(f"{who}: no body has moments of inertia {np.array2string(moments, precision=3)}; "
                     f"taken as {np.array2string(repaired, precision=3)} kg m^2")  # fmt: skip
    return axes @ np.diag(repaired) @ axes.T


def _shape(geometry, path, who, read_mesh):
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
        return _mesh(kind, path, who, read_mesh)
    raise SceneError(f"{who}: geometry <{kind.tag}> is not known; give box, sphere, cylinder or mesh")


def _mesh(kind, path, who, read_mesh):
    """The convex hull of a mesh file: what robots are made to touch with."""
    file = _found(kind.get("filename", ""), path, who)
    vertices, _ = read_mesh(file)
    scale = _numbers(kind.get("scale", "1 1 1"), 3, f"{who}, mesh scale")
    return SHAPES["convex_hull"](np.unique(vertices * scale, axis=0))


def _found(name, path, who):
    """The file a mesh name means: package:// is looked for upwards from the URDF file."""
    if "://" not in name:
        candidates = [path.parent / name]
    else:
        scheme, rest = name.split("://", 1)
        inside = rest.split("/", 1)[1] if scheme == "package" and "/" in rest else rest
        candidates = [Path("/" + rest)] if scheme == "file" else [
            folder / one for folder in path.resolve().parents for one in (rest, inside)
        ]  # fmt: skip
    for candidate in candidates:
        if candidate.is_file():
            if candidate.suffix.lower() not in (".obj", ".ply", ".stl"):
                raise SceneError(f"{who}: mesh {candidate.name} is no .obj, .ply or .stl; convert it to .obj")
            return candidate
    raise SceneError(f"{who}: mesh {name!r} is not there; put it beside the URDF file or correct the name")


def _place(elements, links, path):
    """Give every link its pose in the world at the zero pose; returns the name of the root."""
    children = {}
    for element in elements:
        ends = [element.find(tag).get("link") for tag in ("parent", "child")]
        for name in ends:
            if name not in links:
                raise SceneError(f"{path}: joint {element.get('name')!r}: no link {name!r}; correct the name")
        if ends[1] in {child for entries in children.values() for child, _ in entries}:
            raise SceneError(f"{path}: link {ends[1]!r} has two parents; a URDF file is a tree")
        children.setdefault(ends[0], []).append((ends[1], element))
    below = {child for entries in children.values() for child, _ in entries}
    roots = [name for name in links if name not in below]
    if len(roots) != 1:
        raise SceneError(f"{path}: has {len(roots)} root links ({', '.join(roots)}); join them to one")
    left = [roots[0]]
    while left:
        name = left.pop()
        for child, element in children.get(name, ()):
            position, turn = _origin(element, f"{path}: joint {element.get('name')!r}")
            links[child].position = links[name].position + links[name].turn @ position
            links[child].turn = links[name].turn @ turn
            left.append(child)
    return roots[0]


def _body(link, path, notes, still):
    """The Body of a link, its frame at the centre of mass."""
    who, parts = f"{path}: link {link.name!r}", link.parts
    collides = {} if parts else {"collides_with": ()}
    if not parts:
        parts = [Part(SHAPES["sphere"](SPECK), tuple(link.center))]
    shape = SHAPES["compound"](tuple(parts))
    properties = shape.mass_properties()
    mass, inertia, center = link.mass, link.inertia, link.center
    if mass is None:
        mass = WATER * properties.volume if link.parts else SPECK_MASS
        inertia, center = properties.inertia * (mass / properties.volume), properties.center
        notes.append(f"{who}: has no mass; {mass:.3g} kg taken from {'its shape' if link.parts else 'nothing'}")
    elif inertia is None:
        inertia = properties.inertia * (mass / properties.volume)
    place = {"position": tuple(link.position), "orientation": _quaternion(link.turn)}
    shape = SHAPES["compound"](tuple(parts))
    if still:
        return Body(link.name, shape, motion=Motion.STATIC, **place, **collides)
    return Body(
        link.name, shape, mass=float(mass), inertia=0.5 * (inertia + inertia.T),
        center_of_mass=tuple(float(x) for x in center), **place, **collides,
    )  # fmt: skip


def on_floor(scene):
    """The scene with a floor just under its lowest body."""
    lowest = min(float((body.shape.surface()[0] @ rotation.matrix(np.array([body.orientation]))[0].T)[:, 2].min())
                 + body.position[2] for body in scene.bodies)  # fmt: skip
    names = {body.name for body in scene.bodies}
    name = next(name for name in ("floor", "floor.1", "floor.2") if name not in names)
    floor = Body(name, SHAPES["box"]((20.0, 20.0, 1.0)), motion=Motion.STATIC, position=(0.0, 0.0, lowest - 0.501))
    return replace(scene, bodies=(floor, *scene.bodies))


def _joints(elements, links, path, notes):
    """(Joints, pairs of names of neighbours, which do not touch each other)."""
    found, pairs, mimics = [], [], []
    for element in elements:
        name, kind = element.get("name"), element.get("type")
        who = f"{path}: joint {name!r}"
        ends = tuple(element.find(tag).get("link") for tag in ("parent", "child"))
        pairs.append(ends)
        if kind == "floating":
            continue
        if kind not in TYPES:
            raise SceneError(f"{who}: type is {kind!r}; choose one of {', '.join([*TYPES, 'floating'])}")
        found.append(_joint(element, name, kind, ends, links[ends[1]], who))
        mimic = element.find("mimic")
        if mimic is not None:
            ratio, offset = _number(mimic, "multiplier", who, 1.0), _number(mimic, "offset", who, 0.0)
            if offset:
                notes.append(f"{who}: its offset {offset:g} is not that of the zero pose, and is left out")
            mimics.append(Joint(f"{name} mimic", "mimic", joints=(mimic.get("joint"), name), ratio=ratio))
    return (*found, *mimics), tuple(pairs)


def _joint(element, name, kind, ends, child, who):
    values = {}
    if kind != "fixed":
        axis = element.find("axis")
        along = _numbers("1 0 0" if axis is None else axis.get("xyz", "1 0 0"), 3, f"{who}, axis")
        if not np.linalg.norm(along) > 1e-9:
            raise SceneError(f"{who}: axis is {along.tolist()}, of length 0; give a direction")
        values["axis"] = tuple(child.turn @ (along / np.linalg.norm(along)))
    limit, dynamics = element.find("limit"), element.find("dynamics")
    if kind in ("revolute", "prismatic") and limit is not None:
        low, high = (_number(limit, key, who, 0.0) for key in ("lower", "upper"))
        if low < high:
            values["limits"] = (low, high)
    if dynamics is not None and kind not in ("fixed", "planar"):
        damping, friction = (_number(dynamics, key, who, 0.0) for key in ("damping", "friction"))
        values["spring"] = Spring(0.0, damping) if damping > 0 else None
        values["friction"] = friction
    return Joint(name, TYPES[kind], ends, tuple(child.position), **values)
