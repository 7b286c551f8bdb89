"""Jacks in a funnel, ours beside Blender's own Bullet (bpy) in one run: CPU per simulated second and overlap.

    python benchmarks/bench_funnel.py [scene [seconds [threads]]]

scene: funnel2000j (default) or funnel500j, each jack a compound of three boxes. Ours runs with the default settings at
a 10 ms step; Bullet as Blender ships it (24 frames a second, 10 substeps, 10 iterations), jacks as compound parents
with box children. Overlap: how deep two convex parts are in each other in the last frame, by the same measuring tool
for both (solver/validation/overlap.py).
"""

import sys
import time
from math import sqrt

import numpy as np

from stiction.solver.model import compile_scene
from stiction.solver.scene import Motion
from stiction.solver.scenes import SCENES
from stiction.solver.simulation import options_for, simulate
from stiction.solver.validation.overlap import deepest_overlap

FRAMES, SUBSTEPS, ITERATIONS = 24, 10, 10


def ours(scene, seconds, threads):
    """(CPU s per simulated s, last positions (R,3) of the shapes, last orientations (R,4))."""
    run = simulate(scene, options_for(scene, time=seconds, threads=threads))
    return run.header["cpu_s"] / seconds, run.positions[-1], run.orientations[-1]


def add_object(bpy, world, name, shape, position, orientation):
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
    ob.rigid_body.collision_shape = "COMPOUND" if shape is None else "BOX"
    return ob


def add_body(bpy, world, body, mass, friction):
    """The rigid body of Blender for a box or a compound of boxes; returns the object that moves."""
    compound = body.shape.type == "compound"
    shape = None if compound else body.shape
    top = add_object(bpy, world, body.name, shape, body.position, body.orientation)
    parts = []
    for k, part in enumerate(body.shape.parts if compound else ()):
        child = add_object(bpy, world, f"{body.name}_{k}", part.shape, part.position, part.orientation)
        child.parent = top
        parts.append(child)
    for ob in (top, *parts):
        ob.rigid_body.type = "ACTIVE" if body.motion == Motion.DYNAMIC else "PASSIVE"
        # Blender multiplies the friction of a pair.
        ob.rigid_body.friction, ob.rigid_body.restitution = sqrt(friction), 0.0
    if body.motion == Motion.DYNAMIC:
        top.rigid_body.mass = mass
    return top


def bullet(bpy, scene, seconds):
    """The same three from Blender's rigid bodies."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    model, _ = compile_scene(scene)
    where = bpy.context.scene
    bpy.ops.rigidbody.world_add()
    world = where.rigidbody_world
    world.collection = bpy.data.collections.new("bodies")
    world.substeps_per_frame, world.solver_iterations = SUBSTEPS, ITERATIONS
    frames = round(seconds * FRAMES)
    where.render.fps, where.frame_end, world.point_cache.frame_end = FRAMES, frames + 1, frames + 1
    where.gravity = scene.gravity
    mu = model.mu[model.material[0], model.material[0], 0]
    objects = [add_body(bpy, world, body, model.mass[i], mu) for i, body in enumerate(scene.bodies)]
    cpu = time.process_time()
    for frame in range(1, frames + 2):
        where.frame_set(frame)
    cpu = (time.process_time() - cpu) / seconds
    turns = np.array([tuple(ob.matrix_world.to_quaternion()) for ob in objects])
    places = np.array([tuple(ob.matrix_world.translation) for ob in objects])
    return cpu, places, turns


def line(who, scene, cpu, places, turns):
    """One row of the table."""
    depth = deepest_overlap(scene, places, turns)[0]
    print(f"{scene.name:12} {who:20} CPU {cpu:7.2f} s/s, deepest overlap {1e3 * depth:7.3f} mm", flush=True)


def main(name="funnel2000j", seconds=3.0, threads=1):
    """Print a row an engine; Bullet's is left out with a reason where bpy is not installed."""
    scene = SCENES[name].build()
    line("Stiction, default", scene, *ours(scene, seconds, threads))
    try:
        import bpy
    except ImportError as error:
        print(f"Blender's Bullet is left out: {error}", file=sys.stderr)
        return
    line("Bullet, as shipped", scene, *bullet(bpy, scene, seconds))


if __name__ == "__main__":
    words = sys.argv[1:]
    main(*words[:1], *(float(word) for word in words[1:2]), *(int(word) for word in words[2:3]))
