"""Objects that their parents' uneven scale shears, at the first frame or as they turn in it: no rigid body and no
keyframe can have such a pose."""

import numpy as np
from mathutils import Euler, Matrix, Quaternion

from ...solver.base.wording import counted
from ..baking.record import remove_own_curve
from ..base.curves import curves_of
from ..base.transforms import closest_rotation
from ..exporting.assembly import SCALE_LIMIT
from ..exporting.export import frame_range
from ..rigid_body.switching import moves
from ..settings.motion import is_deformable
from .base import REFUSED, Check, Finding
from .forms.by_worker import said_of

# What the worker says of a body whose size something else than keys of it changes.
CHANGES = "its scale changes by"
# Places of the film at which it is asked whether an Animated body is still of the shape of the first frame.
ASKED = 25
PLACE = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "delta_location",
         "delta_rotation_euler", "delta_rotation_quaternion", "scale", "delta_scale")  # fmt: skip


def find(scan):
    """Yield a Finding for every sheared object."""
    for ob, subject in scan.with_parts():
        whose = f"the scale of its parent {ob.parent.name!r}" if ob.parent else "its scale"
        if subject.shear:
            yield Finding((ob.name,), f"sheared by {whose}", REFUSED)
        elif _follows(ob) and _turns_sheared(ob, *frame_range(scan.scene)):
            yield Finding((ob.name,), f"sheared by {whose} as it turns", REFUSED)
        yield None
    name, text = said_of(scan.subjects, scan.scene)
    if CHANGES in text:
        yield Finding((name,), text.partition(";")[0], REFUSED)


def _follows(ob):
    """Whether a rigid body follows its animation, at any time."""
    return ob.stiction.type != "NONE" and ob.stiction.kinematic and not is_deformable(ob.stiction)


def _turns_sheared(ob, start, end):
    """Whether F-curves turn an object, or its ancestors, in the uneven scale of one above so that its shape changes."""
    if ob.parent is None or not any(np.ptp(np.abs(one.scale)) > SCALE_LIMIT for one in _above(ob)):
        return False
    linear = np.array([_linear_at(ob, frame) for frame in np.linspace(start, end, ASKED)])
    change = linear @ np.linalg.inv(linear[0])
    return bool(np.abs(np.swapaxes(change, 1, 2) @ change - np.eye(3)).max() > 2.0 * SCALE_LIMIT)


def _above(ob):
    while ob.parent is not None:
        ob = ob.parent
        yield ob


def _linear_at(ob, frame):
    """Linear part (3,3) of an object's world matrix as its own F-curves and its ancestors' turn it at a frame; its size
    is that of now."""
    own = np.array(ob.matrix_basis.to_3x3())
    turn = _rotation_at(ob, frame)
    if turn is not None:
        own = turn @ np.diag(np.array(ob.scale) * ob.delta_scale)
    if ob.parent is None or ob.parent_type != "OBJECT":
        return own if ob.parent is None else np.array((ob.matrix_world @ ob.matrix_basis.inverted()).to_3x3()) @ own
    return _linear_at(ob.parent, frame) @ np.array(ob.matrix_parent_inverse.to_3x3()) @ own


def _rotation_at(ob, frame):
    """Rotation (3,3) by an object's own F-curves at a frame, None where these do not turn it."""
    path = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(
        ob.rotation_mode, "rotation_euler")  # fmt: skip
    curves = [curve for curve in curves_of(ob.animation_data) if curve.data_path == path]
    if not curves:
        return None
    values = list(getattr(ob, path))
    for curve in curves:
        values[curve.array_index] = curve.evaluate(frame)
    if ob.rotation_mode == "QUATERNION":
        return np.array((ob.delta_rotation_quaternion @ Quaternion(values).normalized()).to_matrix())
    if ob.rotation_mode == "AXIS_ANGLE":
        return np.array(Matrix.Rotation(values[0], 3, values[1:]))
    return np.array(ob.delta_rotation_euler.to_matrix() @ Euler(values, ob.rotation_mode).to_matrix())


def apply_shape(scene, objects, _scan):
    """Take the objects from their parents, but for parts of compounds, and put scale and shear into their meshes: what
    one sees at the first frame stays; Animated ones get keys of the place and the turn they have at every frame."""
    ways = _ways(scene, [ob for ob in objects if _follows(ob) and moves(ob)])
    for ob in objects:
        _apply(ob)
    for ob, way in ways.items():
        _key(ob, way, frame_range(scene)[0])
    return f"scale and shear of {counted(len(objects), 'object')} applied to the mesh; parents let go but of compounds"


def _ways(scene, objects):
    """{object: world matrices (F,4,4) at the frames of the film}; the scene is left at the first one."""
    start, end = frame_range(scene)
    ways = {ob: [] for ob in objects}
    for frame in [*range(start, end + 1), start] if objects else []:
        scene.frame_set(frame)
        for ob, way in ways.items():
            way.append(np.array(ob.matrix_world))
    return {ob: np.array(way[:-1]) for ob, way in ways.items()}


def _key(ob, way, start):
    """Key the rigid motion closest to world matrices (F,4,4) instead of what moved an object without a parent."""
    for constraint in ob.constraints:
        constraint.mute = True
    for path, index in [(one.data_path, one.array_index) for one in curves_of(ob.animation_data)]:
        if path in PLACE:
            remove_own_curve(ob, path, index)
    for path in PLACE:
        ob.driver_remove(path)
    first, ob.scale = np.array(ob.matrix_world)[:3, :3], (1, 1, 1)
    turns = closest_rotation(way[:, :3, :3] @ np.linalg.inv(way[0, :3, :3])) @ first
    ob.rotation_mode, before = "QUATERNION", None
    for frame, (place, turn) in enumerate(zip(way[:, :3, 3], turns, strict=True), start):
        now = Matrix(turn.tolist()).to_quaternion()
        if before is not None:
            now.make_compatible(before)
        ob.location, ob.rotation_quaternion, before = place, now, now
        ob.keyframe_insert("location", frame=frame)
        ob.keyframe_insert("rotation_quaternion", frame=frame)


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
