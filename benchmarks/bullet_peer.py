"""Blender's own Bullet (bpy) on our scenes.

Every body gets its shape's surface: a box is Bullet's box, a compound a compound parent with a child a part, all else
a convex hull. Blender multiplies the friction of a pair, so every body gets the root of the pair's coefficient.
"""

import time
from math import sqrt

import numpy as np

from stiction.solver.model import compile_scene
from stiction.solver.scene import Motion

# As Blender ships it; and fine, without margin and damping.
SHIPPED = {"fps": 24, "substeps": 10, "iterations": 10, "damping": (0.04, 0.1), "deactivate": True}
FINE = {"fps": 100, "substeps": 10, "iterations": 100, "damping": (0.0, 0.0), "deactivate": False, "margin": 0.0}


def bullet(bpy, scene, seconds, settings):
    """(CPU s per simulated s, times (F,) [s], poses (F,R,4,4) of the shapes) of a scene in Blender's rigid bodies."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    model, _ = compile_scene(scene)
    where = bpy.context.scene
    bpy.ops.rigidbody.world_add()
    world = where.rigidbody_world
    world.collection = bpy.data.collections.new("bodies")
    world.substeps_per_frame, world.solver_iterations = settings["substeps"], settings["iterations"]
    frames = round(seconds * settings["fps"])
    where.render.fps, where.frame_end, world.point_cache.frame_end = settings["fps"], frames + 1, frames + 1
    where.gravity = scene.gravity
    mu = model.mu[model.material[0], model.material[0], 0]
    objects = [add_body(bpy, world, body, model.mass[i], mu, settings) for i, body in enumerate(scene.bodies)]
    cpu, poses = 0.0, []
    for frame in range(1, frames + 2):
        start = time.process_time()
        where.frame_set(frame)
        cpu += time.process_time() - start
        poses.append([ob.matrix_world.to_4x4() for ob in objects])
    return cpu / seconds, np.arange(frames + 1) / settings["fps"], np.array(poses)


def add_body(bpy, world, body, mass, friction, settings):
    """The rigid body of Blender for one of ours; returns the object that moves."""
    parts = body.shape.parts if body.shape.type == "compound" else ()
    top = _add_object(bpy, world, body.name, None if parts else body.shape, body.position, body.orientation)
    children = [
        _add_object(bpy, world, f"{body.name}_{k}", part.shape, part.position, part.orientation)
        for k, part in enumerate(parts)
    ]
    for child in children:
        child.parent = top
    moves = body.motion == Motion.DYNAMIC
    for ob in (top, *children):
        rigid = ob.rigid_body
        rigid.type = "ACTIVE" if moves else "PASSIVE"
        rigid.friction, rigid.restitution = sqrt(friction), 0.0
        if "margin" in settings:
            rigid.use_margin, rigid.collision_margin = True, settings["margin"]
    if moves:
        top.rigid_body.mass = mass
        top.rigid_body.linear_damping, top.rigid_body.angular_damping = settings["damping"]
        top.rigid_body.use_deactivation = settings["deactivate"]
    return top


def _add_object(bpy, world, name, shape, position, orientation):
    """An object with the surface of a shape and a rigid body; shape None: a parent of parts."""
    mesh = bpy.data.meshes.new(name)
    if shape is not None:
        vertices, triangles = shape.surface()
        mesh.from_pydata(vertices.tolist(), [], triangles.tolist())
    ob = bpy.data.objects.new(name, mesh)
    ob.rotation_mode = "QUATERNION"
    ob.location, ob.rotation_quaternion = position, orientation
    bpy.context.scene.collection.objects.link(ob)
    world.collection.objects.link(ob)
    kind = "COMPOUND" if shape is None else "BOX" if shape.type == "box" else "CONVEX_HULL"
    ob.rigid_body.collision_shape = kind
    return ob
