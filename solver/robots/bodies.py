"""Robots as scenes: links that nothing moves against each other are one body; impossible inertias are repaired."""

from dataclasses import dataclass, field, replace

import numpy as np

from ..base.refusal import SceneError
from ..dynamics import rotation
from ..scene import Body, Joint, Motion, Scene, Servo, Spring
from ..shapes import SHAPES, Part
from .robot import quaternion
from .urdf import read_urdf

# Density [kg/m^3] of bodies that say no mass; size [m] and mass [kg] of those that say nothing at all.
WATER, SPECK, SPECK_MASS = 1000.0, 0.005, 1e-3
TYPES = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slider", "planar": "planar"}


@dataclass
class Group:
    """Links held together, in the frame of the first of them: names, mass [kg], centre of mass (3,), inertia (3,3)
    about it, None where a link with a mass says none, parts."""

    name: str
    links: list = field(default_factory=list)
    mass: float = 0.0
    center: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray | None = field(default_factory=lambda: np.zeros((3, 3)))
    parts: list = field(default_factory=list)


def load_urdf(path, read_mesh, fixed_base=False, pose=None):
    """Scene of a URDF file in a pose {joint: value}; fixed_base: the root does not move, as one that is called `world`
    never does. See read_urdf.

    Links that are drawn into each other push each other apart, at great cost: overlaps.apart takes such pairs out.
    """
    robot = read_urdf(path, read_mesh)
    try:
        return robot_scene(robot, fixed_base, pose)
    except SceneError as error:
        raise SceneError(f"{path}: {error}") from None


def robot_scene(robot, fixed_base=False, pose=None, targets=None, stiffness=None, damping=None):
    """Scene of a Robot in a pose {joint: value}, whose joints count from there.

    targets {joint: value}: servos drive these joints there with `stiffness` [N m/rad or N/m] and `damping`, as hard as
    the joint's effort allows; targets without stiffness are refused.
    """
    if targets and stiffness is None:
        raise SceneError("targets need a stiffness; give one")
    notes = list(robot.notes)
    try:
        values = robot.values(pose)
    except KeyError as error:
        raise SceneError(f"no joint {error.args[0]!r} that moves; correct the pose") from None
    poses = robot.poses(values)
    groups, owner = merged(robot, poses)
    empty = [link.name for link in robot.links.values() if not link.mass and np.any(link.inertia)]
    notes += [f"link {name!r}: has an inertia and no mass; its inertia is left out" for name in empty]
    merged_away = sum(len(group.links) - 1 for group in groups.values())
    if merged_away:
        notes.append(f"{merged_away} links of fixed joints are parts of the body that carries them")
    still = {owner[name] for name, link in robot.links.items() if link.still}
    still |= {owner[robot.base]} if fixed_base or robot.base == "world" else set()
    bodies = tuple(_body(group, poses, notes, name in still) for name, group in groups.items())
    joints, pairs = _joints(robot, values, poses, owner, notes)
    if targets:
        joints = _driven(robot, joints, values, targets, stiffness, damping or 0.0)
    return Scene(bodies, joints=joints, excluded_pairs=pairs, name=robot.name, notes=tuple(notes))


def merged(robot, poses):
    """(Groups by the name of their first link, {link: name of its group}) of links that fixed joints hold."""
    owner = {robot.base: robot.base}
    order, below = [robot.base], {}
    for joint in robot.joints:
        below.setdefault(joint.parent, []).append(joint)
    for name in order:
        for joint in below.get(name, ()):
            owner[joint.child] = owner[name] if joint.kind == "fixed" else joint.child
            order.append(joint.child)
    groups = {}
    for name in order:
        group = groups.setdefault(owner[name], Group(owner[name]))
        _add(group, robot.links[name], *_between(poses[owner[name]], poses[name]))
    return groups, owner


def _between(first, second):
    """Position and rotation of the second pose in the first."""
    return first[1].T @ (second[0] - first[0]), first[1].T @ second[1]


def _add(group, link, place, turn):
    """Take a link at (place, turn) into a group."""
    group.links.append(link.name)
    for part in link.parts:
        spin = turn @ rotation.matrix(np.array([part.orientation], dtype=float))[0]
        where = place + turn @ np.array(part.position)
        group.parts.append(Part(part.shape, tuple(float(x) for x in where), quaternion(spin)))
    if not link.mass:
        return
    center, mass = place + turn @ link.center, group.mass + link.mass
    middle = (group.mass * group.center + link.mass * center) / mass
    if link.inertia is None:
        group.inertia = None
    elif group.inertia is not None:
        group.inertia = (_moved(group.inertia, group.mass, group.center - middle)
                         + _moved(turn @ link.inertia @ turn.T, link.mass, center - middle))  # fmt: skip
    group.mass, group.center = mass, middle


def _moved(inertia, mass, arm):
    """Inertia about a point that is -arm from the centre of mass."""
    return inertia + mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))


def possible(inertia, mass, who, notes):
    """The inertia, its smallest moments raised so that a body can have it."""
    moments, axes = np.linalg.eigh(inertia)
    least = 1e-6 * max(moments[2], mass * SPECK**2)
    repaired = np.maximum(moments, least)
    repaired[0] = max(repaired[0], repaired[2] - repaired[1])
    if np.abs(repaired - moments).max() <= 1e-9 * repaired[2]:
        return inertia
    notes.append(f"{who}: no body has moments of inertia {np.array2string(moments, precision=4)}; "
                 f"taken as {np.array2string(repaired, precision=4)} kg m^2")  # fmt: skip
    return axes @ np.diag(repaired) @ axes.T


def _body(group, poses, notes, still):
    """The Body of a group, its frame that of its first link."""
    who, parts = f"link {group.name!r}", group.parts
    collides = {} if parts else {"collides_with": ()}
    if not parts:
        parts = [Part(SHAPES["sphere"](SPECK), tuple(float(x) for x in group.center))]
    shape = SHAPES["compound"](tuple(parts))
    mass, inertia, center = group.mass, group.inertia, group.center
    position, turn = poses[group.name]
    place = {"position": tuple(float(x) for x in position), "orientation": quaternion(turn)}
    if still:
        return Body(group.name, shape, motion=Motion.STATIC, **place, **collides)
    if not mass:
        properties = shape.mass_properties()
        mass = WATER * properties.volume if group.parts else SPECK_MASS
        inertia, center = properties.inertia * (mass / properties.volume), properties.center
        notes.append(f"{who}: has no mass; {mass:.3g} kg taken from {'its shape' if group.parts else 'nothing'}")
    elif inertia is None:
        properties = shape.mass_properties()
        inertia = properties.inertia * (mass / properties.volume)
        notes.append(f"{who}: has a mass and no inertia; that of its shape taken")
    inertia = possible(0.5 * (inertia + inertia.T), mass, who, notes)
    return Body(group.name, shape, mass=float(mass), inertia=0.5 * (inertia + inertia.T),
                center_of_mass=tuple(float(x) for x in center), **place, **collides)  # fmt: skip


def on_floor(scene):
    """The scene with a floor just under its lowest body; one that brings a ground of its own as it is."""
    if any(body.motion == Motion.STATIC for body in scene.bodies):
        return scene
    lowest = min(float((body.shape.surface()[0] @ rotation.matrix(np.array([body.orientation]))[0].T)[:, 2].min())
                 + body.position[2] for body in scene.bodies)  # fmt: skip
    names = {body.name for body in scene.bodies}
    name = next(name for name in ("floor", "floor.1", "floor.2") if name not in names)
    floor = Body(name, SHAPES["box"]((20.0, 20.0, 1.0)), motion=Motion.STATIC, position=(0.0, 0.0, lowest - 0.501))
    return replace(scene, bodies=(floor, *scene.bodies))


def _joints(robot, values, poses, owner, notes):
    """(Joints, pairs of names of neighbours, which do not touch each other)."""
    found, pairs, mimics = [], [], []
    for joint in robot.joints:
        ends = owner[joint.parent], owner[joint.child]
        if joint.kind == "fixed":
            continue
        pairs.append(ends)
        if joint.kind == "floating":
            continue
        found.append(_joint(joint, values.get(joint.name, 0.0), ends, *poses[joint.child], notes))
        if joint.mimic is not None and joint.moves:
            # Both count from the pose at the start, where the offset holds already.
            mimics.append(Joint(f"{joint.name} mimic", "mimic", joints=(joint.mimic[0], joint.name),
                                ratio=joint.mimic[1]))  # fmt: skip
    return (*found, *mimics), tuple(pairs)


def _joint(joint, value, ends, place, turn, notes):
    if joint.kind == "spherical":
        if joint.damping:
            notes.append(f"joint {joint.name!r}: the damping of a spherical joint is left out")
        return Joint(joint.name, "ball", ends, tuple(float(x) for x in place), friction=joint.friction)
    values = {"axis": tuple(float(x) for x in turn @ joint.axis)}
    if joint.limits is not None:
        low, high = (end - value for end in joint.limits)
        if low > 0 or high < 0:
            raise SceneError(f"joint {joint.name!r}: {value:g} is outside its limits {list(joint.limits)}; "
                             "choose another pose")  # fmt: skip
        values["limits"] = float(low), float(high)
        if value and joint.mimic is None:
            notes.append(f"joint {joint.name!r}: begins at {value:g} and counts from there")
    if joint.kind != "planar":
        values["spring"] = Spring(0.0, joint.damping) if joint.damping > 0 else None
        values["friction"] = joint.friction
    return Joint(joint.name, TYPES[joint.kind], ends, tuple(float(x) for x in place), **values)


def _driven(robot, joints, values, targets, stiffness, damping):
    """The joints with servos on those that have a target."""
    effort = {joint.name: joint.effort for joint in robot.joints}
    unknown = [name for name in targets if name not in values]
    if unknown:
        raise SceneError(f"no joint {unknown[0]!r} that moves; correct the targets")
    return tuple(
        replace(joint, servo=Servo(targets[joint.name] - values[joint.name], stiffness, damping,
                                   effort[joint.name] or float("inf"))) if joint.name in targets else joint
        for joint in joints
    )  # fmt: skip
