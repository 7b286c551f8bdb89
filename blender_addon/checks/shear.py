"""Objects that their parents' uneven scale shears: no rigid body and no keyframe can have such a pose."""

import numpy as np
from mathutils import Matrix

from ...solver.base.wording import counted
from ..base.transforms import closest_rotation
from .base import REFUSED, Check, Finding


def find(scan):
    """Yield a Finding for every sheared object."""
    for ob, subject in scan.with_parts():
        if subject.shear:
            whose = f"the scale of its parent {ob.parent.name!r}" if ob.parent else "its scale"
            yield Finding((ob.name,), f"sheared by {whose}", REFUSED)


def apply_shape(_scene, objects, _scan):
    """Take the objects from their parents, but for parts of compounds, and put scale and shear into their meshes: what
    one sees stays."""
    for ob in objects:
        _apply(ob)
    return f"scale and shear of {counted(len(objects), 'object')} applied to the mesh; parents let go but of compounds"


def _apply(ob):
    world, children = ob.matrix_world.copy(), [(child, child.matrix_world.copy()) for child in ob.children]
    linear = np.array(world)[:3, :3]
    turn = closest_rotation(linear * np.sign(np.linalg.det(linear)))
    rigid = Matrix.Translation(world.translation) @ Matrix(turn.tolist()).to_4x4()
    if ob.data.users > 1:
        ob.data = ob.data.copy()
    ob.data.transform(rigid.inverted() @ world)
    if np.linalg.det(linear) < 0:
        ob.data.flip_normals()
    if ob.parent is not None and ob.parent.stiction.shape == "COMPOUND":
        ob.parent_type, ob.matrix_parent_inverse = "OBJECT", ob.parent.matrix_world.inverted()
    else:
        ob.parent = None
    ob.delta_location, ob.delta_scale = (0, 0, 0), (1, 1, 1)
    ob.delta_rotation_euler, ob.delta_rotation_quaternion = (0, 0, 0), (1, 0, 0, 0)
    ob.matrix_world = rigid
    for child, matrix in children:
        child.matrix_parent_inverse = rigid.inverted()
        child.matrix_basis = matrix


CHECK = Check("shear", "Shear", find, "Apply Parent and Scale", apply_shape)
