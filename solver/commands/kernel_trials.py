"""What no canonical scene needs compiled but people do: meshes repaired and filled with tetrahedra, drives alone.

Each trial is a function without arguments; a new one is a line in `trials`.
"""

import functools

import numpy as np

# Cells along the edge of the mesh of trials: enough for a proxy to have fewer triangles.
CELLS = 12
STEP = 0.01


def trials():
    """{name: function}."""
    from ..laws.elastic_laws import ELEMENTS
    from ..meshes.repairs import REPAIRS

    found = {"drive_alone": _drive_alone, "drive_at_limit": _drive_at_limit}
    found |= {f"soft_{key}": functools.partial(_soft, key) for key in ELEMENTS}
    found |= {f"repair_{key}": functools.partial(_repair, key) for key in REPAIRS}
    return found


def _run(scene, steps=2):
    from ..simulation import options_for, simulate

    return simulate(scene, options_for(scene, time=steps * STEP, time_step=STEP))


def _drive_alone():
    """A motor between two bodies that nothing else holds, as Blender's constraint of that name is."""
    from ..scene import Body, Joint, Motion, Motor, Scene
    from ..shapes import Box

    free = ("x", "y", "z", "rx", "ry", "rz")
    bodies = (Body("fixed", Box((0.2, 0.2, 0.2)), motion=Motion.STATIC), Body("moving", Box((0.2, 0.2, 0.2))))
    motor = Joint("motor", "generic", ("fixed", "moving"), motor={"x": Motor(1.0, 0.1)}, free=free, collide=False)
    _run(Scene(bodies, joints=(motor,), gravity=(0.0, 0.0, 0.0)))


def _drive_at_limit():
    """A motor of any strength turns a hinge into its limit, which no method solves: all are tried in turn."""
    from ..scene import Body, Joint, Motion, Motor, Scene
    from ..shapes import Box

    bodies = (Body("fixed", Box((0.2, 0.2, 0.2)), motion=Motion.STATIC),
              Body("moving", Box((0.4, 0.2, 0.1)), position=(1.0, 0.0, 0.0)))  # fmt: skip
    hinge = Joint("hinge", "hinge", ("fixed", "moving"), position=(0.5, 0.0, 0.0), axis=(0.0, 0.0, 1.0),
                  limits={"rz": (-1.0, 0.05)}, motor={"rz": Motor(6.0)}, collide=False)  # fmt: skip
    _run(Scene(bodies, joints=(hinge,), gravity=(0.0, 0.0, 0.0)))


def _soft(element):
    """A deformable cube of a mesh on a floor, with all that changes its elements: pins, gas, stiffer parts; and its
    stress, to shade by."""
    from ..results.stress import element_stress
    from ..scene import Body, Elastic, Motion, Scene
    from ..shapes import Box
    from ..shapes.mesh import Mesh

    elastic = Elastic(
        element=element, element_size=0.1, self_contact=True, pressure=10.0, inflated=(((-1, -1, -1), (1, 1, 1)),),
        pin_points=((0.1, 0.1, 0.3),), stiffness_points=((0.0, 0.0, 0.3, 2.0),),
    )  # fmt: skip
    cube = Body("cube", Mesh(*_cube(2)), position=(0.0, 0.0, 0.2), elastic=elastic)
    floor = Body("floor", Box((2.0, 2.0, 0.2)), motion=Motion.STATIC)
    run = _run(Scene((floor, cube)))
    element_stress(run.deformables, run.node_positions, 1)


def _repair(key):
    """A way to make a solid of a mesh; those that close holes are given one with a hole."""
    from ..meshes.mesh_prep import prepare_mesh
    from ..meshes.repairs import REPAIRS

    vertices, triangles = _cube(CELLS)
    holed = triangles if key == "proxy" else triangles[1:]
    REPAIRS[key].take(prepare_mesh(vertices, holed), {"solidify": 0.002, "proxy": 200}.get(key))


def _cube(cells):
    """Vertices (V,3) [m] and triangles (T,3) of a cube of 0.2 m with `cells` squares along an edge; not welded."""
    line = np.linspace(-0.1, 0.1, cells + 1)
    u, v = (grid.ravel() for grid in np.meshgrid(line, line, indexing="ij"))
    corner = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    squares = np.stack([corner, corner + cells + 1, corner + cells + 2, corner + 1], axis=1)
    flat = np.concatenate([squares[:, [0, 1, 2]], squares[:, [0, 2, 3]]])
    vertices, triangles = [], []
    for axis in range(3):
        for side in (-0.1, 0.1):
            face = np.empty((len(u), 3))
            face[:, axis], face[:, (axis + 1) % 3], face[:, (axis + 2) % 3] = side, u, v
            triangles.append(len(u) * len(vertices) + (flat if side > 0 else flat[:, ::-1]))
            vertices.append(face)
    return np.concatenate(vertices), np.concatenate(triangles)
