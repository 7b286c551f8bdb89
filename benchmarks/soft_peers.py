"""A soft cube on a slope in MuJoCo (flex) and PyBullet (FEM), as bench_soft.py asks for it.

Each takes (friction, young [Pa], step [s], seconds) and returns (times (n,), mean place down the slope (n,) [m], CPU
[ms] a step). The cube has sides of 0.2 m, 1000 kg/m^3, nu 0.3 and 4 cells along each; the slope is the floor, and
gravity leans by 30 degrees. Settings are the peers' own defaults but for what is said.
"""

import os
import tempfile
import time

import numpy as np

from stiction.solver.meshes.tet_grids import box_grid

SIDE, CELLS, MASS, POISSON = 0.2, 4, 8.0, 0.3
DOWN, ONTO = 9.81 * 0.5, 9.81 * np.cos(np.pi / 6)


def mujoco_slope(friction, young, step, seconds):
    """MuJoCo's flex with the integrator that it asks for; 100 iterations at most."""
    import mujoco

    count, spacing = " ".join([str(CELLS + 1)] * 3), " ".join([str(SIDE / CELLS)] * 3)
    model = mujoco.MjModel.from_xml_string(f"""
    <mujoco><option timestep="{step}" gravity="{DOWN} 0 {-ONTO}" integrator="discrete" iterations="100"/>
    <size memory="200M"/><worldbody>
    <geom type="plane" size="5 5 .1" friction="{friction} 0 0" condim="3"/>
    <flexcomp type="grid" count="{count}" spacing="{spacing}" pos="0 0 {0.5 * SIDE + 0.001}" radius="0.0005" name="cube"
      dim="3" mass="{MASS}">
    <contact condim="3" friction="{friction} 0 0" selfcollide="none" solref="{max(0.004, 2 * step)} 1"/>
    <elasticity young="{young}" poisson="{POISSON}"/></flexcomp></worldbody></mujoco>""")
    data = mujoco.MjData(model)

    def advance():
        mujoco.mj_step(model, data)
        return data.flexvert_xpos[:, 0].mean()

    return _followed(advance, step, seconds)


def bullet_slope(friction, young, step, seconds):
    """PyBullet's Neo-Hookean. It multiplies the coefficients of the two bodies: each gets the root."""
    import pybullet as bullet

    path = os.path.join(tempfile.mkdtemp(), "cube.vtk")
    _write_vtk(path)
    bullet.connect(bullet.DIRECT)
    try:
        bullet.resetSimulation(bullet.RESET_USE_DEFORMABLE_WORLD)
        bullet.setTimeStep(step)
        bullet.setGravity(DOWN, 0, -ONTO)
        half = bullet.createCollisionShape(bullet.GEOM_BOX, halfExtents=[5, 5, 0.5])
        floor = bullet.createMultiBody(0, half, -1, [0, 0, -0.5])
        bullet.changeDynamics(floor, -1, lateralFriction=friction**0.5)
        shear, lame = young / (2 * (1 + POISSON)), young * POISSON / ((1 + POISSON) * (1 - 2 * POISSON))
        cube = bullet.loadSoftBody(
            path, basePosition=[0, 0, 0.005], scale=1, mass=MASS, useNeoHookean=1, NeoHookeanMu=shear,
            NeoHookeanLambda=lame, NeoHookeanDamping=0.01, collisionMargin=0.004, frictionCoeff=friction**0.5,
            useFaceContact=1,
        )  # fmt: skip

        def advance():
            bullet.stepSimulation()
            nodes = bullet.getMeshData(cube, -1, flags=bullet.MESH_DATA_SIMULATION_MESH)[1]
            return np.mean([node[0] for node in nodes])

        return _followed(advance, step, seconds)
    finally:
        bullet.disconnect()


def _followed(advance, step, seconds):
    times, places, cpu = [], [], 0.0
    for k in range(round(seconds / step)):
        start = time.process_time()
        place = advance()
        cpu += time.process_time() - start
        times.append((k + 1) * step)
        places.append(place)
    return np.array(times), np.array(places), 1e3 * cpu / len(times)


def _write_vtk(path):
    vertices, tets = box_grid((CELLS,) * 3, (SIDE,) * 3, low=(-0.5 * SIDE, -0.5 * SIDE, 0.0))
    with open(path, "w") as file:
        file.write("# vtk DataFile Version 2.0\ncube\nASCII\nDATASET UNSTRUCTURED_GRID\n")
        file.write(f"POINTS {len(vertices)} double\n")
        np.savetxt(file, vertices, fmt="%.9g")
        file.write(f"CELLS {len(tets)} {5 * len(tets)}\n")
        np.savetxt(file, np.column_stack([np.full(len(tets), 4), tets]), fmt="%d")
        file.write(f"CELL_TYPES {len(tets)}\n" + "10\n" * len(tets))


# name -> (module, function, steps [s]: what it is made for, and a finer one)
PEERS = {
    "MuJoCo flex": ("mujoco", mujoco_slope, (0.01, 0.002)),
    "PyBullet FEM": ("pybullet", bullet_slope, (1 / 240, 1e-3)),
}
