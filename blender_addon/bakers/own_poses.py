"""Poses of bodies -> location and rotation of their objects, for many objects without a parent at once."""

import numpy as np

from ..base import transforms
from ..base.euler import euler_angles


class OwnPoses:
    """What stands between the poses of bodies and the channels of their objects: pairs of (Link, object), unit metres
    in a Blender unit. Objects with a parent have no place here."""

    def __init__(self, pairs, unit):
        self.unit = unit
        offset = np.array([link.offset for link, _ in pairs], dtype=float).reshape(-1, 4, 4)
        signs = [np.sign(np.array(ob.scale) * np.array(ob.delta_scale)) for _, ob in pairs]
        rotation, _, self.shear = transforms.split_scale(offset[:, :3, :3], np.array(signs).reshape(-1, 3))
        self._offset, self._turn = offset[:, :3, 3], transforms.quaternion_of_matrix(rotation)
        self._delta = np.array([tuple(ob.delta_location) for _, ob in pairs]).reshape(-1, 3)
        self._delta_turn = np.array([delta_rotation(ob) for _, ob in pairs]).reshape(-1, 4)

    def at(self, positions, orientations):
        """(locations (F,N,3), quaternions (F,N,4) without deltas) of shape frames at positions (F,N,3) [m] with
        orientations (F,N,4)."""
        place = positions / self.unit + transforms.turned(orientations, self._offset) - self._delta
        turn = transforms.multiply(orientations, self._turn)
        if (self._delta_turn != [1.0, 0.0, 0.0, 0.0]).any():
            turn = transforms.multiply(transforms.conjugate(self._delta_turn), turn)
        return place, turn


def delta_rotation(ob):
    """Quaternion of the delta rotation; with axis and angle Blender has none that can be set."""
    if ob.rotation_mode == "QUATERNION":
        return np.array(ob.delta_rotation_quaternion)
    if ob.rotation_mode == "AXIS_ANGLE":
        return np.array([1.0, 0.0, 0.0, 0.0])
    return np.array(ob.delta_rotation_euler.to_quaternion())


def rotation_values(objects, quaternions):
    """Values (F,k) of each of N objects' rotation mode for sign-continuous quaternions (F,N,4); Euler angles stay close
    to their neighbours, those of the first frame to the object's own."""
    found = [None] * len(objects)
    modes = [ob.rotation_mode for ob in objects]
    for mode in dict.fromkeys(modes):
        rows = [row for row, own in enumerate(modes) if own == mode]
        values = _in_mode(mode, [objects[row] for row in rows], quaternions[:, rows])
        for column, row in enumerate(rows):
            found[row] = values[:, column]
    return found


def _in_mode(mode, objects, quaternions):
    if mode == "QUATERNION":
        return quaternions
    if mode == "AXIS_ANGLE":
        return np.stack([transforms.axis_angle(q) for q in np.moveaxis(quaternions, 1, 0)], axis=1)
    near = np.array([tuple(ob.rotation_euler) for ob in objects])
    return euler_angles(transforms.matrix_of_quaternion(quaternions), mode, near)
