"""CPU per simulated second of the structures, beside Blender's own Bullet through bpy on the same scene.

Ours runs with the default settings at a 10 ms step. Bullet runs twice in the same run: as Blender ships it (24 frames
a second, 10 substeps, 10 iterations, its damping and deactivation on), and at 1000 Hz with 100 iterations, no
margin and no damping. Meshes are the shapes' own surfaces; Blender multiplies friction, so every body gets the root
of the pair's coefficient. "stands": no body's centre moved by more than 30 % of its size.
"""

import sys
import time
from math import sqrt

import numpy as np

from stiction.solver.model import compile_scene
from stiction.solver.scene import Motion
from stiction.solver.scenes import SCENES
from stiction.solver.simulation import options_for, simulate

SCENE_NAMES = ("stack10", "heavy100", "heavy4096", "cardhouse3", "arch20", "arch20thin", "wall85")
SECONDS = 5.0
BULLET = {
    "Bullet, as shipped": {"fps": 24, "substeps": 10, "iterations": 10, "damping": (0.04, 0.1), "deactivate": True},
    "Bullet, 1000 Hz": {"fps": 100, "substeps": 10, "iterations": 100, "damping": (0.0, 0.0), "deactivate": False},
}


def ours(scene):
    """(CPU s per simulated s, largest displacement (R,) [m])."""
    run = simulate(scene, options_for(scene, time=SECONDS))
    moved = np.linalg.norm(run.center_of_mass - run.center_of_mass[0], axis=2).max(axis=0)
    return run.header["cpu_s"] / SECONDS, moved


def add_body(bpy, world, body, mass, friction, settings):
    """One rigid body object of Blender with the body's own surface."""
    vertices, triangles = body.shape.surface()
    mesh = bpy.data.meshes.new(body.name)
    mesh.from_pydata(vertices.tolist(), [], triangles.tolist())
    ob = bpy.data.objects.new(body.name, mesh)
    ob.rotation_mode = "QUATERNION"
    ob.location, ob.rotation_quaternion = body.position, body.orientation
    bpy.context.scene.collection.objects.link(ob)
    world.collection.objects.link(ob)
    rigid = ob.rigid_body
    rigid.type = "ACTIVE" if body.motion == Motion.DYNAMIC else "PASSIVE"
    rigid.collision_shape = "BOX" if body.shape.type == "box" else "CONVEX_HULL"
    rigid.friction, rigid.restitution = sqrt(friction), 0.0
    if settings["fps"] == 100:
        rigid.use_margin, rigid.collision_margin = True, 0.0
    if body.motion == Motion.DYNAMIC:
        rigid.mass = mass
        rigid.linear_damping, rigid.angular_damping = settings["damping"]
        rigid.use_deactivation = settings["deactivate"]
    return ob


def bullet(bpy, scene, settings):
    """The same two figures from Blender's rigid bodies."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    model, _ = compile_scene(scene)
    where = bpy.context.scene
    bpy.ops.rigidbody.world_add()
    world = where.rigidbody_world
    world.collection = bpy.data.collections.new("bodies")
    world.substeps_per_frame, world.solver_iterations = settings["substeps"], settings["iterations"]
    frames = round(SECONDS * settings["fps"])
    where.render.fps, where.frame_end = settings["fps"], frames + 1
    world.point_cache.frame_end = frames + 1
    where.gravity = scene.gravity
    mu = model.mu[model.material[0], model.material[0], 0]
    objects = [add_body(bpy, world, body, model.mass[i], mu, settings) for i, body in enumerate(scene.bodies)]
    start, largest = None, np.zeros(len(objects))
    cpu = time.process_time()
    for frame in range(1, frames + 2):
        where.frame_set(frame)
        pose = np.array([ob.matrix_world.to_4x4() for ob in objects])
        centre = pose[:, :3, 3] + np.einsum("bij,bj->bi", pose[:, :3, :3], model.center_of_mass)
        start = centre if start is None else start
        largest = np.maximum(largest, np.linalg.norm(centre - start, axis=1))
    return (time.process_time() - cpu) / SECONDS, largest


def line(name, who, cpu, moved, size):
    """One row of the table."""
    verdict = "stands" if np.all(moved < 0.3 * size) else "falls"
    print(f"{name:12} {who:20} {1e3 * cpu:10.1f} ms/s  moved {1e3 * moved.max():10.3g} mm  {verdict}", flush=True)


def main():
    """Print a row a scene and engine; Bullet's are left out with a reason where bpy is not installed."""
    try:
        import bpy
    except ImportError as error:
        bpy = None
        print(f"Blender's Bullet is left out: {error}", file=sys.stderr)
    for name in sys.argv[1:] or SCENE_NAMES:
        scene = SCENES[name].build()
        model, _ = compile_scene(scene)
        moving = model.inverse_mass > 0
        cpu, moved = ours(scene)
        line(name, "Stiction, default", cpu, moved[moving], model.size[moving])
        if bpy is None:
            continue
        for who, settings in BULLET.items():
            cpu, moved = bullet(bpy, scene, settings)
            line(name, who, cpu, moved[moving], model.size[moving])


if __name__ == "__main__":
    main()
