"""A robot as read from a file: links and the joints of their tree; forward kinematics."""

from dataclasses import dataclass, field

import numpy as np

from ..base.records import record


@dataclass
class Link:
    """A link: mass [kg] (None or 0: not said), in its frame centre of mass (3,), inertia (3,3) about it and shapes
    (Part); color (r, g, b, a) of what is shown; still: nothing moves it, as a plane."""

    name: str
    mass: float | None = None
    center: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray | None = None
    parts: list = field(default_factory=list)
    color: tuple | None = None
    still: bool = False


@record
class RobotJoint:
    """A joint: position (3,) and turn (3,3) of the child's frame in the parent's at value 0, axis (3,) in the child's
    frame; limits (low, high) [rad or m]; effort [N m or N] the most that drives it; mimic: (joint, ratio, offset)."""

    name: str
    kind: str
    parent: str
    child: str
    position: np.ndarray
    turn: np.ndarray
    axis: np.ndarray | None = None
    limits: tuple | None = None
    effort: float | None = None
    damping: float = 0.0
    friction: float = 0.0
    mimic: tuple | None = None

    @property
    def moves(self):
        """Whether one number says where it stands."""
        return self.kind in ("revolute", "continuous", "prismatic")


@record
class Robot:
    """links by name, joints, name of the root link, notes on what was left out."""

    name: str
    links: dict
    joints: tuple
    base: str
    notes: list = field(default_factory=list)

    def values(self, pose=None):
        """{joint: value} of a pose {joint: value}: 0 where it says nothing, at the nearest limit where 0 is outside,
        mimics as their joints say."""
        pose = pose or {}
        unknown = [name for name in pose if name not in {joint.name for joint in self.joints if joint.moves}]
        if unknown:
            raise KeyError(unknown[0])
        values = {}
        for joint in self.joints:
            if joint.moves:
                low, high = joint.limits or (-np.inf, np.inf)
                values[joint.name] = float(pose.get(joint.name, np.clip(0.0, low, high)))
        for joint in self.joints:
            if joint.moves and joint.mimic is not None and joint.name not in pose:
                values[joint.name] = self._followed(joint, values)
        return values

    def _followed(self, joint, values):
        """What a joint that mimics another stands at; that one may mimic a third."""
        by_name, factor, offset, seen = {one.name: one for one in self.joints}, 1.0, 0.0, set()
        while joint.mimic is not None and joint.name not in seen:
            seen.add(joint.name)
            name, ratio, shift = joint.mimic
            offset, factor = offset + factor * shift, factor * ratio
            joint = by_name[name]
        return factor * values.get(joint.name, 0.0) + offset

    def poses(self, values):
        """{link: (position (3,), rotation (3,3))} in the root's frame, with the joints at `values`."""
        found, left = {self.base: (np.zeros(3), np.eye(3))}, [self.base]
        below = {}
        for joint in self.joints:
            below.setdefault(joint.parent, []).append(joint)
        while left:
            name = left.pop()
            p, R = found[name]
            for joint in below.get(name, ()):
                place, turn = p + R @ joint.position, R @ joint.turn
                value = values.get(joint.name, 0.0)
                if joint.kind == "prismatic":
                    place = place + turn @ (value * joint.axis)
                elif joint.moves:
                    turn = turn @ turned_about(joint.axis, value)
                found[joint.child] = place, turn
                left.append(joint.child)
        return found


def turned_about(axis, angle):
    """Rotation (3,3) by an angle [rad] about a unit axis (3,)."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)


def quaternion(R):
    """w, x, y, z of a rotation matrix."""
    K = np.array([
        [R[0, 0] - R[1, 1] - R[2, 2], 0, 0, 0], [R[0, 1] + R[1, 0], R[1, 1] - R[0, 0] - R[2, 2], 0, 0],
        [R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], R[2, 2] - R[0, 0] - R[1, 1], 0],
        [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], np.trace(R)],
    ])  # fmt: skip
    x, y, z, w = np.linalg.eigh(K)[1][:, -1]
    return tuple(float(n) for n in np.array([w, x, y, z]) * (1.0 if w >= 0 else -1.0))
