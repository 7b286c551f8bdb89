"""Contacts and forces of a run as meshes with attributes, for render and geometry nodes.

All frames are in one mesh, of which geometry nodes leave the frame shown: no handler, nothing to install, to render it.
"""

import bpy
import numpy as np

from ..base.nodes import named_attribute, new_group
from ..overlay.forces import FLIGHT, chain_links
from ..overlay.joints import joint_places

MARK = "stiction_inside"
FORCES, CHAINS, MOTION = "Stiction Contact Forces", "Stiction Force Chains", "Stiction Velocities"
JOINTS = "Stiction Joint Forces"
WIDEST, THIN = 0.12, 0.02  # radius of the widest tube, and of all velocities, as parts of a body's size


def build(scene, record):
    """Make (or make anew) the meshes from a Record; returns their objects. Without contacts only the velocities."""
    clear(scene)
    size = _size(record)
    parts = [(MOTION, _motion(record), THIN * size)]
    if record.has_contacts:
        widest = WIDEST * size
        forces, chains = _forces(record), _chains(record, range(record.frame_count))
        parts = [
            (FORCES, forces, widest * _share(forces["force"], record.largest_force)),
            (CHAINS, chains, widest * _share(chains["force"], record.largest_pair_force)), *parts,
        ]  # fmt: skip
    if record.joint_names:
        joints = _joints(scene, record)
        largest = float(np.percentile(joints["force"], 99)) if len(joints["force"]) else 0.0
        parts.append((JOINTS, joints, WIDEST * size * _share(joints["force"], largest)))
    return [_object(scene, name, edges, width) for name, edges, width in parts]


def build_chains(scene, record, largest, rows, levels):
    """Make the mesh of force chains of some rows (F,) alone; returns its object. largest [N]: what the widest tube
    carries; levels (F,): factors on the width of each row's tubes."""
    edges = _chains(record, rows)
    factor = np.asarray(levels)[np.searchsorted(rows, edges["frame"] - record.frame_start)]
    return _object(scene, CHAINS, edges, WIDEST * _size(record) * factor * _share(edges["force"], largest))


def _share(force, largest):
    """Widths (E,) of tubes as parts of the widest: their sections are as the forces."""
    return np.sqrt(np.clip(force / largest, 0, 1)) if largest else np.zeros(len(force))


def _motion(record):
    """Edges from the centres of mass along the velocities, with what is known of each body's motion."""
    parts = []
    for frame, row in _frames(record):
        center, (velocity, spin) = record.centers(row), record.velocities(row)
        count = len(center)
        parts.append({
            "ends": np.stack([center, center + FLIGHT * velocity], axis=1), "frame": np.full(count, frame),
            "body": np.arange(count), "velocity": velocity, "speed": np.linalg.norm(velocity, axis=1),
            "angular_velocity": spin, "at_rest": record.at_rest(row).astype(int),
        })  # fmt: skip
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _size(record):
    moving = np.array([motion != "static" for motion in record.motion])
    return float(np.median(record.size[moving])) if moving.any() else 1.0


def _frames(record):
    """(Blender's frame, row) of every frame."""
    return [(record.frame_start + row, row) for row in range(record.frame_count)]


def _forces(record):
    """Edges from contacts along the force on the second body, with what is known of each contact."""
    length = 2.0 * _size(record) / record.largest_force if record.largest_force else 0.0
    parts = []
    for frame, row in _frames(record):
        found = record.contacts(row)
        force = found.normal_force[:, None] * found.normal + found.friction
        parts.append({
            "ends": np.stack([found.position, found.position + length * force], axis=1),
            "frame": np.full(len(found), frame), "force": np.linalg.norm(force, axis=1),
            "normal_force": found.normal_force, "friction": found.friction, "normal_direction": found.normal,
            "gap": found.gap, "body_a": found.body[:, 0], "body_b": found.body[:, 1],
        })  # fmt: skip
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _joints(scene, record):
    """Edges from the joints along the force on the second body, with what is known of each joint."""
    found, count = record.frames.joints, len(record.joint_names)
    force = found[:, :, 4:7]
    size = np.linalg.norm(force, axis=2)
    large = float(np.percentile(size, 99)) if size.size else 0.0
    length = 2.0 * _size(record) / large if large else 0.0
    start = np.stack([joint_places(scene, record, row) for _, row in _frames(record)])
    frame = np.repeat([frame for frame, _ in _frames(record)], count)
    return {
        "ends": np.stack([start, start + length * force], axis=2).reshape(-1, 2, 3), "frame": frame,
        "force": size.ravel(), "force_vector": force.reshape(-1, 3), "torque": found[:, :, 7:10].reshape(-1, 3),
        "gap": found[:, :, 2].ravel() / record.unit, "angle": found[:, :, 3].ravel(), "value": found[:, :, 0].ravel(),
        "rate": found[:, :, 1].ravel(), "power": found[:, :, 10].ravel(),
        "joint": np.tile(np.arange(count), len(found)),
    }  # fmt: skip


def _chains(record, rows):
    """Edges between bodies that touch at some rows, with the force between them."""
    parts = []
    for row in rows:
        frame = record.frame_start + row
        pairs, force, ends = chain_links(record, record.contacts(row), row)
        parts.append({"ends": ends.reshape(-1, 2, 3), "frame": np.full(len(force), frame), "force": force,
                      "body_a": pairs[:, 0], "body_b": pairs[:, 1]})  # fmt: skip
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _object(scene, name, edges, width):
    """An object of edges {attribute: (E,...)} with their "ends" (E,2,3) and the radius of their tubes."""
    mesh = bpy.data.meshes.new(name)
    count = len(edges["ends"])
    mesh.vertices.add(2 * count)
    mesh.edges.add(count)
    mesh.attributes["position"].data.foreach_set("vector", edges.pop("ends").astype(np.float32).ravel())
    mesh.edges.foreach_set("vertices", np.arange(2 * count, dtype=np.int32))
    edges["width"] = np.broadcast_to(np.asarray(width, dtype=float), count)
    for key, values in edges.items():
        _attribute(mesh, key, np.repeat(values, 2, axis=0))
    ob = bpy.data.objects.new(name, mesh)
    ob[MARK] = True
    scene.collection.objects.link(ob)
    modifier = ob.modifiers.new("Stiction Frame", "NODES")
    modifier.node_group = _group(name)
    mesh.update()
    return ob


def _attribute(mesh, name, values):
    whole = values.dtype.kind == "i"
    kind, field = ("INT", "value") if whole else ("FLOAT_VECTOR", "vector") if values.ndim == 2 else ("FLOAT", "value")
    values = np.ascontiguousarray(values, dtype=np.int32 if whole else np.float32)
    mesh.attributes.new(name, kind, "POINT").data.foreach_set(field, values.ravel())


def _group(name):
    """Node group: of the mesh's edges those of the frame shown, as tubes of the attribute `width`."""
    group, source, target = new_group(name)
    new, link = group.nodes.new, group.links.new
    frame, width = named_attribute(group, "frame"), named_attribute(group, "width")
    time, other = new("GeometryNodeInputSceneTime"), new("ShaderNodeMath")
    other.operation = "SUBTRACT"
    link(frame, other.inputs[0])
    link(time.outputs["Frame"], other.inputs[1])
    far = new("ShaderNodeMath")
    far.operation = "ABSOLUTE"
    link(other.outputs[0], far.inputs[0])
    compare = new("ShaderNodeMath")
    compare.operation, compare.inputs[1].default_value = "GREATER_THAN", 0.5
    link(far.outputs[0], compare.inputs[0])
    delete = new("GeometryNodeDeleteGeometry")
    delete.domain = "POINT"
    link(source.outputs[0], delete.inputs["Geometry"])
    link(compare.outputs[0], delete.inputs["Selection"])
    curve, tube = new("GeometryNodeMeshToCurve"), new("GeometryNodeCurveToMesh")
    circle = new("GeometryNodeCurvePrimitiveCircle")
    circle.inputs["Resolution"].default_value, circle.inputs["Radius"].default_value = 8, 1.0
    link(delete.outputs[0], curve.inputs[0])
    radius = new("GeometryNodeSetCurveRadius")
    link(curve.outputs[0], radius.inputs["Curve"])
    link(width, radius.inputs["Radius"])
    link(radius.outputs[0], tube.inputs["Curve"])
    link(circle.outputs[0], tube.inputs["Profile Curve"])
    if "Scale" in tube.inputs:
        link(named_attribute(group, "width"), tube.inputs["Scale"])
    tube.inputs["Fill Caps"].default_value = True
    link(tube.outputs[0], target.inputs[0])
    for number, node in enumerate(group.nodes):
        node.location = (190 * (number % 7), -220 * (number // 7))
    return group


def clear(scene):
    """Remove what `build` made."""
    for ob in [ob for ob in scene.objects if ob.get(MARK)]:
        mesh, groups = ob.data, [modifier.node_group for modifier in ob.modifiers if modifier.type == "NODES"]
        bpy.data.objects.remove(ob)
        bpy.data.meshes.remove(mesh)
        for group in groups:
            bpy.data.node_groups.remove(group)
