"""From the Joints of a Scene to JointTables: frames, rows, refusals."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ....base.refusal import SceneError, finite
from ....scene import WORLD
from ... import rotation
from ...joints import Part
from ..function_kernels import evaluate, row_values
from ..tables import NO_JOINTS, Blocks, Functions, JointTables, PerJoint, Role
from .checks import checked
from .row_list import RowList

SEVERAL_TURNS = (Part.EULER, Part.TURNS)
# Bodies further apart than this part of their size at the start are refused.
APART = 1e-3


class Placed(NamedTuple):
    """One joint in the bodies: its Joint and JointType, Held, ends (2,) with -1 for the world, anchors (2,3) and frames
    (2,3,3) in the bodies, length [m] that turns its angles into metres, number of its first function."""

    joint: object
    kind: object
    held: object
    ends: tuple
    anchors: np.ndarray
    frames: np.ndarray
    length: float
    first: int


def compile_joints(scene, position, orientation, size, moving):
    """Return (JointTables, pairs of numbers of bodies that do not collide) of a Scene.

    position (R,3) of centres of mass, orientation (R,4), size (R,) [m], moving (R,) bool. Raises
    SceneError naming the joint, the value and the remedy.
    """
    if not scene.joints:
        return NO_JOINTS, []
    _refuse_deformables(scene)
    number = {body.name: i for i, body in enumerate(scene.bodies)}
    number[WORLD] = -1
    # What is let go at a time moves then.
    moving = moving | np.array([bool(body.switches) for body in scene.bodies])
    placed, first = {}, 0
    for joint in scene.joints:
        kind = checked(joint, number, moving, placed)
        held = kind.held(joint)
        # A gear's load is assigned to the second bodies of its two joints.
        ends = tuple([number[n] for n in joint.bodies] if kind.bodies else [placed[n].ends[1] for n in joint.joints])
        anchors, frames = _local(joint, kind, ends, position, orientation)
        length = _length(ends, size, anchors)
        placed[joint.name] = Placed(joint, kind, held, ends, anchors, frames, length, first)
        first += _function_count(held, kind)
    tables = _tables(list(placed.values()), placed)
    tables = _closed(tables, position, orientation, size, list(placed.values()))
    ignored = {tuple(sorted(p.ends)) for p in placed.values() if p.kind.bodies and not p.joint.collide}
    return tables, sorted(pair for pair in ignored if pair[0] >= 0)


def _refuse_deformables(scene):
    soft = {body.name for body in scene.bodies if body.elastic is not None}
    for joint in scene.joints:
        for name in joint.bodies:
            if name in soft:
                raise SceneError(
                    f"joint {joint.name!r}: {name!r} is deformable; attach it to a rigid body by an attachment, and "
                    "give that body the joint"
                )


def _frame(joint):
    """Axes s, t, z (columns) of a joint in the world at the start."""
    axis = np.array(joint.axis, dtype=float)
    axis /= np.linalg.norm(axis)
    if joint.type == "universal":
        second = np.array(joint.axis2, dtype=float)
        second /= np.linalg.norm(second)
        return np.column_stack([axis, second, np.cross(axis, second)])
    across = np.eye(3)[np.argmin(np.abs(axis) > 1e-6 + np.abs(axis).min())] if joint.axis2 is None else joint.axis2
    s = np.array(across, dtype=float)
    s = s - (s @ axis) * axis
    s /= np.linalg.norm(s)
    return np.column_stack([s, np.cross(axis, s), axis])


def _local(joint, kind, ends, position, orientation):
    frame = _frame(joint) if kind.bodies else np.eye(3)
    points = joint.positions if joint.positions is not None else (joint.position, joint.position)
    anchors, frames = np.zeros((2, 3)), np.zeros((2, 3, 3))
    for side in range(2 if kind.bodies else 0):
        body, point = ends[side], np.array(points[side], dtype=float)
        R = np.eye(3) if body < 0 else rotation.matrix(orientation[body : body + 1])[0]
        anchors[side] = point if body < 0 else R.T @ (point - position[body])
        frames[side] = R.T @ frame
    return anchors, frames


def _length(ends, size, anchors):
    """What turns the angles of a joint into metres: half the size of its smaller body."""
    sizes = [size[body] for body in ends if body >= 0]
    return 0.5 * float(min(sizes)) if sizes else 1.0


def _function_count(held, kind):
    resisting = kind.resist or ()
    return len(held.features) + len(held.coordinates) + len(resisting)


def _features(p):
    return (*p.held.features, *p.held.coordinates.values(), *(p.kind.resist or ()))


def _with_first_turns(features):
    """Features (list) of a joint; those of several turns with where the first turn is from there as their j."""
    first = {f.part: k for k, f in reversed(list(enumerate(features))) if f.part in SEVERAL_TURNS and f.i == 0}
    return [f._replace(j=first[f.part] - k) if f.part in SEVERAL_TURNS else f for k, f in enumerate(features)]


def _tables(placed, by_name):
    features = [(feature, p) for p in placed for feature in _with_first_turns(_features(p))]
    functions = Functions(
        *(np.array([int(getattr(f, name)) for f, _ in features], dtype=np.int64) for name in ("part", "i", "j")),
        np.array([p.ends for _, p in features], dtype=np.int64).reshape(-1, 2),
        np.array([p.anchors for _, p in features]).reshape(-1, 2, 3),
        np.array([p.frames for _, p in features]).reshape(-1, 2, 3, 3),
    )
    rows = RowList()
    for index, p in enumerate(placed):
        rows.add_joint(index, p, by_name)
    table, block_start = rows.tables()
    counts = [_function_count(p.held, p.kind) for p in placed]
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    value = _shown(placed, starts, table)
    per_joint = PerJoint(
        function_start=starts, block_start=np.searchsorted(rows.block_joint, np.arange(len(placed) + 1)),
        value=value, angular=np.array([k >= 0 and features[k][0].angular for k in value], dtype=bool),
        ends=np.array([p.ends for p in placed], dtype=np.int64), anchor=np.array([p.anchors for p in placed]),
        frame=np.array([p.frames for p in placed]), length=np.array([p.length for p in placed]),
        breaking=np.array([np.inf if p.joint.breaking is None else p.joint.breaking for p in placed], dtype=float),
        static_ratio=np.array([p.joint.static_ratio for p in placed], dtype=float),
    )  # fmt: skip
    blocks = _blocks(table, functions, block_start, rows.block_joint)
    return JointTables(functions, table, blocks, per_joint, _coupled(blocks), tuple(p.joint.name for p in placed),
                       tuple(p.kind.key for p in placed), tuple(rows.keyed),
                       tuple(p.joint.breaking is not None or bool(p.joint.switches) for p in placed))  # fmt: skip


def _shown(placed, starts, rows):
    """Function (J,) of the coordinate of each joint that frames tell of: the one that is driven where it is one, else
    the first; -1 where there is none."""
    driven = np.isin(rows.role, (Role.MOTOR, Role.SERVO))
    shown = []
    for index, p in enumerate(placed):
        moved = np.unique(rows.function[rows.start[:-1][driven & (rows.joint == index)]])
        first = starts[index] + len(p.held.features) if p.held.coordinates else -1
        shown.append(moved[0] if len(moved) == 1 else first)
    return np.array(shown, dtype=np.int64)


def _blocks(rows, functions, block_start, joints):
    bodies, starts = [], [0]
    for k in range(len(joints)):
        terms = slice(rows.start[block_start[k]], rows.start[block_start[k + 1]])
        found = np.unique(functions.body[rows.function[terms]])
        bodies += [int(body) for body in found if body >= 0]
        starts.append(len(bodies))
    return Blocks(np.array(block_start, dtype=np.int64), np.array(joints, dtype=np.int64),
                  np.array(starts, dtype=np.int64), np.array(bodies, dtype=np.int64))  # fmt: skip


def _coupled(blocks):
    pairs = set()
    for k in range(len(blocks.joint)):
        bodies = blocks.body[blocks.body_start[k] : blocks.body_start[k + 1]]
        pairs |= {(int(a), int(b)) for a, b in zip(bodies[:-1], bodies[1:], strict=True)}
    return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)


def _closed(tables, position, orientation, size, placed):
    """The tables with the constants that the start sets; joints that are open at the start are refused."""
    f, r = tables.functions, tables.rows
    value, J, g = np.zeros(len(f.part)), np.zeros((len(f.part), 2, 6)), np.zeros(len(r.role))
    evaluate(f, position, rotation.matrix(orientation), np.zeros(len(value)), value, J)
    unset = np.isnan(r.constant)
    constant = np.where(unset, 0.0, r.constant)
    row_values(r._replace(constant=constant), value, g)
    constant[unset] = g[unset]
    row_values(r._replace(constant=constant), value, g)
    for k in np.flatnonzero((r.role == Role.HOLD) & (r.compliance == 0)):
        p = placed[r.joint[k]]
        bodies = [size[body] for body in p.ends if body >= 0]
        if abs(g[k]) > APART * min(bodies, default=1.0) and not p.joint.assemble:
            part = Part(int(f.part[r.function[r.start[k]]]))
            what = f"{abs(g[k]) * 1e3:.4g} mm apart" if part in (Part.POINT, Part.DISTANCE) else "out of its place"
            raise SceneError(
                f"joint {p.joint.name!r}: is {what} at the start; move the bodies together, or set assemble to true"
            )
    if not finite(constant):
        raise SceneError("joints: their positions are not finite; correct them")
    return replace(tables, rows=r._replace(constant=constant))
