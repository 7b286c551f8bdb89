"""A robot's URDF file as objects: bodies in a collection of their own, joints on Empties, colours as materials."""

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from ..base.enums import identifier

SIZE = 0.3  # of a joint's Empty, as a part of its second body's size


def import_robot(scene, path, fixed_base=True, self_collision=False):
    """Objects of a URDF file at the 3D cursor; returns (bodies, joints, notes). SceneError names file and element."""
    # Late: it loads the compiler.
    from ...solver.base.refusal import SceneError
    from ...solver.robots.bodies import robot_scene
    from ...solver.robots.urdf import read_urdf
    from ...solver.scene_io.mesh_file import read_mesh
    from ..exporting.export import unit_length

    robot = read_urdf(path, read_mesh)
    try:
        made = robot_scene(robot, fixed_base)
    except SceneError as error:
        raise SceneError(f"{path}: {error}") from None
    unit = unit_length(scene)
    collection = bpy.data.collections.new(made.name)
    scene.collection.children.link(collection)
    place = Matrix.Translation(scene.cursor.location) @ Matrix.Scale(1.0 / unit, 4)
    colors = {name: link.color for name, link in robot.links.items()}
    bodies = {body.name: _body(collection, body, place, unit, colors[body.name]) for body in made.bodies}
    if not self_collision:
        for ob in bodies.values():
            ob.stiction.ignore = collection
    effort = {joint.name: joint.effort for joint in robot.joints}
    joints = {}
    for joint in made.joints:
        joints[joint.name] = _joint(collection, joint, bodies, joints, place, unit, effort.get(joint.name))
    return list(bodies.values()), list(joints.values()), list(made.notes)


def _posed(place, body, unit):
    """World matrix of a body without scale: `place` brings metres into Blender units."""
    turn = Quaternion(body.orientation).to_matrix().to_4x4()
    return Matrix.Translation(place @ Vector(body.position)) @ turn


def _body(collection, body, place, unit, color):
    parts = body.shape.parts
    matrix, single = _posed(place, body, unit), len(parts) == 1
    ob = _mesh_object(collection, body.name, parts[0] if single else None, unit, color)
    ob.matrix_world, ob.rotation_mode = matrix, "QUATERNION"
    ob.matrix_world = matrix
    own = ob.stiction
    own.type = "PASSIVE" if body.motion == "static" else "ACTIVE"
    own.shape = "AUTO" if single else "COMPOUND"
    if not single:
        for number, part in enumerate(parts):
            child = _mesh_object(collection, f"{body.name} {number + 1}", part, unit, color)
            child.parent = ob
    if body.collides_with == ():
        own.collides_with = [False] * len(own.collides_with)
    if body.mass is not None:
        own.use_mass = own.use_inertia = True
        own.mass, own.center = body.mass, Vector(body.center_of_mass) / unit
        I = body.inertia  # noqa: E741
        own.inertia = [float(I[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    return ob


def _mesh_object(collection, name, part, unit, color):
    """An object with the surface of a part where it belongs in the body's frame; empty without a part."""
    mesh = bpy.data.meshes.new(name)
    if part is not None:
        vertices, triangles = part.shape.surface()
        turn = np.array(Quaternion(part.orientation).to_matrix())
        mesh.from_pydata(((vertices @ turn.T + part.position) / unit).tolist(), [], triangles.tolist())
    if color is not None:
        mesh.materials.append(_material(color))
    ob = bpy.data.objects.new(name, mesh)
    if color is not None:
        ob.color = color
    collection.objects.link(ob)
    return ob


def _material(color):
    name = "Robot " + " ".join(f"{value:.2g}" for value in color)
    material = bpy.data.materials.get(name)
    if material is None:
        material = bpy.data.materials.new(name)
        material.diffuse_color = color
    return material


def _joint(collection, joint, bodies, joints, place, unit, effort):
    ob = bpy.data.objects.new(joint.name, None)
    collection.objects.link(ob)
    own = ob.stiction_joint
    own.type = identifier(joint.type)
    if joint.joints:
        own.joint1, own.joint2, own.ratio = joints[joint.joints[0]], joints[joint.joints[1]], joint.ratio
        return ob
    own.object1, own.object2 = (bodies[name] for name in joint.bodies)
    turn = Vector((0, 0, 1)).rotation_difference(Vector(joint.axis)).to_matrix().to_4x4()
    ob.matrix_world = Matrix.Translation(place @ Vector(joint.position)) @ turn
    ob.empty_display_type = "SINGLE_ARROW"
    ob.empty_display_size = SIZE * (max(own.object2.dimensions) or 0.1 / unit)
    if joint.type == "ball":
        own.friction = float(joint.friction or 0.0) / unit**2
    if joint.type in ("planar", "ball"):
        return ob
    group, length = (own.z, 1.0 / unit) if joint.type == "slider" else (own.rz, 1.0)
    if joint.limits is not None:
        group.use_low = group.use_high = True
        group.low, group.high = (end * length for end in joint.limits)
    # Forces in Blender's units of length, torques in their squares: what the export multiplies with.
    force = 1.0 / unit if joint.type == "slider" else 1.0 / unit**2
    group.friction = float(joint.friction or 0.0) * force
    if joint.spring is not None:
        group.drive, group.stiffness = "SPRING", 0.0
        group.damping = joint.spring.damping * (1.0 if joint.type == "slider" else force)
    group.strength = (effort or 0.0) * force
    return ob
