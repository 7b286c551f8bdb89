"""The same scenes in MuJoCo: as it ships (2 ms steps, soft pyramids), and as stiff as a step of 1 ms allows.

"stiff": elliptic cones, impratio 10, implicitfast, contacts with a time constant of two steps and an impedance of up to
0.9999. MuJoCo combines friction by the maximum, so a geom gets the coefficient of its pair with the first body.
"""

import time

import numpy as np

from stiction.solver.model import compile_scene
from stiction.solver.scene import Motion

SETTINGS = {
    "MuJoCo, as shipped": {"step": 0.002, "stiff": False},
    "MuJoCo, stiff, 1 ms": {"step": 0.001, "stiff": True},
}


def add_geom(mujoco, spec, body, shape, friction, settings):
    """The geom of one shape, with its surface's law."""
    if shape.type == "box":
        geom = body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.5 * edge for edge in shape.size])
    elif shape.type == "sphere":
        geom = body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[shape.radius, 0, 0])
    else:
        vertices, triangles = shape.surface()
        mesh = spec.add_mesh(name=f"mesh of {body.name}")
        mesh.uservert, mesh.userface = np.ravel(vertices), np.ravel(triangles)
        geom = body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=mesh.name)
    geom.friction, geom.condim = [friction, 0.0, 0.0], 3
    if settings["stiff"]:
        geom.solref, geom.solimp = [2 * settings["step"], 1.0], [0.99, 0.9999, 0.001, 0.5, 2.0]


def compiled(mujoco, scene, settings):
    """(MjModel, MjData) of a scene of boxes, spheres and convex hulls."""
    model, state = compile_scene(scene)
    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.gravity = settings["step"], scene.gravity
    if settings["stiff"]:
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        spec.option.impratio = 10
    friction = model.mu[model.material[0], model.material, 0]
    for i, body in enumerate(scene.bodies):
        part = spec.worldbody.add_body(name=body.name, pos=body.position, quat=body.orientation)
        if body.motion == Motion.DYNAMIC:
            part.add_freejoint()
            part.mass, part.ipos, part.explicitinertial = model.mass[i], model.center_of_mass[i], True
            tensor = model.inertia[i]
            part.fullinertia = [tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2]]
        add_geom(mujoco, spec, part, body.shape, friction[i], settings)
    spec.memory = 2**28
    made = spec.compile()
    data = mujoco.MjData(made)
    for body, twist in zip(scene.bodies, state.twist, strict=True):
        if body.motion == Motion.DYNAMIC and np.any(twist):
            raise ValueError(f"body {body.name!r}: starts moving; this comparison starts at rest")
    mujoco.mj_forward(made, data)
    return made, data


def run(mujoco, scene, settings, seconds):
    """(CPU s per simulated s, times (F,), centres of mass (F,R,3)), a frame every 10 ms."""
    made, data = compiled(mujoco, scene, settings)
    ids = [made.body(body.name).id for body in scene.bodies]
    every = round(0.01 / settings["step"])
    frames = [data.xipos[ids].copy()]
    cpu = time.process_time()
    for _ in range(round(seconds / 0.01)):
        for _ in range(every):
            mujoco.mj_step(made, data)
        mujoco.mj_kinematics(made, data)
        mujoco.mj_comPos(made, data)
        frames.append(data.xipos[ids].copy())
    cpu = (time.process_time() - cpu) / seconds
    return cpu, 0.01 * np.arange(len(frames)), np.array(frames)
