"""Joints over the viewport: axes, limits, where they stand, and which is widest open. They move with their bodies."""

import numpy as np

from ...solver.base.refusal import SceneError
from ...solver.dynamics.joints import JOINTS
from ..base.transforms import affine_inverse, pose_matrix
from ..joints.assembly import solver_joints
from ..joints.constraints import read_constraints
from ..joints.own_reading import joint_objects, read_own
from .strokes import Stroke, crosses

AXIS, RANGE, STANDS, OPEN = (0.35, 0.75, 1.0, 1.0), (1.0, 0.8, 0.2, 0.9), (1.0, 1.0, 1.0, 1.0), (1.0, 0.15, 0.1, 1.0)
# A joint is drawn in red from this gap on, as a part of how large it is drawn.
WIDE = 1e-4
SEGMENTS = 48  # of a full circle
_known: dict = {}


def scene_joints(scene):
    """{name: (Joint in Blender's units, object)} of the joints and constraints of a scene; read anew when the scene
    changes. What is refused is left out: the list of findings says why."""
    import bpy

    from ..baking.signature import signature_lately
    from ..exporting.reader import bodies_of

    key = (scene.session_uid, signature_lately(scene))
    if key not in _known:
        _known.clear()
        # As it is: drawing must not evaluate the scene.
        graph, bodies = bpy.context.view_layer.depsgraph, bodies_of(scene)
        entries = _entries(scene, bodies, graph)
        _known[key] = {joint.name: joint for one in entries for joint in solver_joints([one], 1.0)}
    return {name: (joint, scene.objects.get(name)) for name, joint in _known[key].items()}


def _entries(scene, bodies, graph):
    found = list(read_constraints(scene, bodies, graph))
    for ob in joint_objects(scene):
        try:
            found += read_own(scene, bodies, graph, [scene.frame_current], [ob])
        except SceneError:
            continue
    return found


def _matrices(view, joints):
    """{name: matrix (4,4)} of the joints' frames: as their objects are, moved along with the first body that moves."""
    found = {}
    for name, (joint, ob) in joints.items():
        if ob is None or not joint.bodies:
            continue
        matrix = np.array(ob.matrix_world, dtype=float)
        matrix[:3, :3] /= np.maximum(np.linalg.norm(matrix[:3, :3], axis=0), 1e-300)
        if view.record is not None:
            matrix = _carried(view.record, joint, view.row) @ matrix
        found[name] = matrix
    return found


def _carried(record, joint, row):
    """How the first body of a joint has moved (4,4) until a row of the run, or the second if that one is the ground."""
    name = next((body for body in joint.bodies if body in record.names), None)
    if name is None:
        return np.eye(4)
    body = record.names.index(name)
    start, now = (
        pose_matrix(record.frames.positions[k, body] / record.unit, record.frames.orientations[k, body])
        for k in (0, row)
    )
    return now @ affine_inverse(start)


def joint_places(scene, record, row):
    """Places (J,3) [Blender units] of the joints of a run at a row; those that are gone are at the origin."""
    joints, places = scene_joints(scene), np.zeros((len(record.joint_names), 3))
    for k, name in enumerate(record.joint_names):
        joint, ob = joints.get(name, (None, None))
        if ob is None or not joint.bodies:
            continue
        place = np.append(np.array(ob.matrix_world.translation, dtype=float), 1.0)
        places[k] = (_carried(record, joint, row) @ place)[:3]
    return places


def strokes(view):
    """Strokes of all joints."""
    joints = scene_joints(view.scene)
    parts = {AXIS: [], RANGE: [], STANDS: [], OPEN: []}
    for name, matrix in _matrices(view, joints).items():
        joint, ob = joints[name]
        if view.only_selected and not ob.select_get():
            continue
        value, gap = _reading(view, name)
        radius = _radius(ob)
        _draw(parts, joint, matrix, radius, value)
        if gap > WIDE * radius:
            parts[OPEN].append(crosses(matrix[None, :3, 3], 0.5 * radius))
    widths = {AXIS: 2.0, RANGE: 1.5, STANDS: 2.5, OPEN: 4.0}
    return [Stroke(np.concatenate(found), color, widths[color]) for color, found in parts.items() if found]


def _radius(ob):
    """How large a joint is drawn: as its Empty, or as what carries it."""
    return float(ob.empty_display_size) if ob.type == "EMPTY" else 0.5 * max(ob.dimensions)


def _reading(view, name):
    """(value, gap [Blender units]) of a joint at the frame shown; zeros without a run."""
    record = view.record
    if record is None or name not in record.joint_names:
        return 0.0, 0.0
    found = record.frames.joints[view.row, record.joint_names.index(name)]
    return float(found[0]), float(found[2]) / record.unit


def _draw(parts, joint, matrix, radius, value):
    """Add the segments of one joint: its frame is `matrix`."""
    center, axes = matrix[:3, 3], _axes(joint, matrix)
    kind = JOINTS[joint.type]
    coordinates = kind.held(joint).coordinates
    if joint.positions is not None:
        parts[AXIS].append(crosses(center[None], 0.2 * radius))
        return
    if not coordinates:
        parts[AXIS].append(crosses(center[None], 0.4 * radius))
        return
    along = axes[:, 2]
    parts[AXIS].append(np.array([[center - radius * along, center + radius * along]]))
    first = next(iter(coordinates))
    low, high = _bounds(joint, first)
    if coordinates[first].angular and first in ("rz", "twist"):
        # A full circle where nothing limits it; the hand shows where the joint stands.
        start, end = (low, high) if low is not None and high is not None else (-np.pi, np.pi)
        parts[RANGE].append(_arc(center, axes, 0.7 * radius, start, end, spokes=low is not None or high is not None))
        parts[STANDS].append(_ray(center, axes, 0.85 * radius, value))
    elif first == "z":
        parts[STANDS].append(crosses((center + value * along)[None], 0.15 * radius))
        ends = [end for end in (low, high) if end is not None]
        for end in ends:
            parts[RANGE].append(_bar(center + end * along, axes, 0.3 * radius))
        if len(ends) == 2:
            parts[RANGE].append(np.array([[center + ends[0] * along, center + ends[1] * along]]))
    elif first == "swing":
        parts[RANGE].append(_cone(center, axes, radius, high))
    else:
        parts[AXIS] += [np.array([[center - radius * axis, center + radius * axis]]) for axis in axes.T[:2]]


def _axes(joint, matrix):
    """Axes s, t, z (columns) as the solver's frame has them: Z of the object, or X where Blender takes that."""
    axes = matrix[:3, :3]
    along = np.array(joint.axis, dtype=float)
    if abs(abs(along @ axes[:, 0]) - 1.0) < 1e-4 and joint.axis2 is None:
        return axes[:, [1, 2, 0]]
    return axes


def _bounds(joint, name):
    """(low, high) of the coordinate, None where there is none."""
    limits = joint.limits.get(name) if isinstance(joint.limits, dict) else joint.limits
    if limits is None:
        return None, None
    return limits if isinstance(limits, (tuple, list)) else (None, limits)


def _points(center, axes, radius, angle):
    return center + radius * (np.cos(angle)[:, None] * axes[:, 0] + np.sin(angle)[:, None] * axes[:, 1])


def _arc(center, axes, radius, start, end, spokes):
    count = max(2, int(SEGMENTS * min(abs(end - start), 2 * np.pi) / (2 * np.pi)) + 1)
    points = _points(center, axes, radius, np.linspace(start, end, count))
    segments = np.stack([points[:-1], points[1:]], axis=1)
    if spokes:
        segments = np.concatenate([segments, [[center, points[0]], [center, points[-1]]]])
    return segments


def _ray(center, axes, radius, angle):
    return np.stack([center[None], _points(center, axes, radius, np.array([angle]))], axis=1)


def _bar(center, axes, half):
    return np.array([[center - half * axes[:, 0], center + half * axes[:, 0]],
                     [center - half * axes[:, 1], center + half * axes[:, 1]]])  # fmt: skip


def _cone(center, axes, radius, angle):
    if angle is None:
        return _arc(center, axes, 0.5 * radius, -np.pi, np.pi, False)
    top = center + radius * np.cos(angle) * axes[:, 2]
    ring = _arc(top, axes, radius * np.sin(angle), -np.pi, np.pi, False)
    rays = np.stack([np.broadcast_to(center, (4, 3)), ring[:: len(ring) // 4, 0][:4]], axis=1)
    return np.concatenate([ring, rays])
