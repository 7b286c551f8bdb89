"""What no canonical scene needs compiled but people do: meshes repaired and filled with tetrahedra, drives alone or at
a stop, deformable bodies attached to each other, problems from files, and all that a hard one falls back to.

Each trial is a function without arguments; a new one is a line in `trials`.
"""

import dataclasses
import functools

import numpy as np

# Cells along the edge of the mesh of trials: enough for a proxy to have fewer triangles.
CELLS = 12
STEP = 0.01


def trials():
    """{name: function}."""
    from ..laws.elastic_laws import ELEMENTS
    from ..meshes.repairs import REPAIRS

    found = {"drive_alone": _drive_alone, "drive_at_limit": _drive_at_limit, "soft_and_rigid": _soft_and_rigid,
             "fast_and_thin": _fast_and_thin, "newton_turns": _newton_turns, "starved": _starved}  # fmt: skip
    found |= {f"soft_{key}": functools.partial(_soft, key) for key in ELEMENTS}
    found |= {f"repair_{key}": functools.partial(_repair, key) for key in REPAIRS}
    return found


def _run(scene, steps=2, **settings):
    from ..simulation import options_for, simulate

    return simulate(scene, options_for(scene, time=steps * STEP, time_step=STEP, **settings))


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


def _soft_and_rigid():
    """Rows of every kind in one island with deformable bodies, as a run and as every method gets them."""
    from .. import methods
    from ..laws.friction_laws import FrictionLaw
    from ..scene import Attachment, Body, Elastic, Joint, Motion, Scene
    from ..shapes import Box

    def cube(name, x):
        return Body(name, Box((0.2, 0.2, 0.2)), position=(x, 0.0, 0.1005), velocity=(0.3, 0.1, -1.0),
                    elastic=Elastic(element_size=0.1))  # fmt: skip

    def box(name, size, x, z, spin=(0.0, 0.0, 0.0)):
        return Body(name, Box(size), position=(x, 0.0, z), velocity=(0.0, 0.0, -1.0), angular_velocity=spin)

    floor = Body("floor", Box((4.0, 4.0, 0.2)), motion=Motion.STATIC, position=(0.0, 0.0, -0.1))
    bodies = (floor, cube("low", 0.0), cube("beside", 0.2), box("first", (0.1, 0.1, 0.05), 0.0, 0.2256),
              box("second", (0.1, 0.05, 0.05), 0.11, 0.2256, (0.0, 1.0, 0.0)),
              box("held", (0.05, 0.05, 0.05), -0.1265, 0.1005))  # fmt: skip
    hinge = Joint("hinge", "hinge", ("first", "second"), position=(0.055, 0.0, 0.2256), axis=(0.0, 1.0, 0.0),
                  limits=(0.0, 0.5), friction=0.05)  # fmt: skip
    held = (Attachment(("low", "held"), ((-0.11, -0.03, 0.05), (-0.09, 0.03, 0.15))),
            Attachment(("beside", "low"), ((0.09, -1.0, -1.0), (0.11, 1.0, 1.0))))  # fmt: skip
    problem = _richest(Scene(bodies, joints=(hinge,), attachments=held))
    for key, entry in methods.METHODS.items():
        law = FrictionLaw.BOX if key == "pgs" else FrictionLaw.ELLIPSOID
        one = dataclasses.replace(problem, law=np.full_like(problem.law, law))
        methods.solve(one, None, key, entry.options(tolerance=0.0, max_iterations=20))


def _richest(scene):
    """The problem with most kinds of rows of the first steps of a scene."""
    from ..simulation import compiled, options_for, step_settings, stepper

    options, found = options_for(scene), []
    model, state = compiled(scene, options)
    settings = dataclasses.replace(step_settings(options, model, state), record=found.append)
    step = stepper(options)
    for _ in range(4):
        state = step(model, state, settings)[0]
    return max(found, key=lambda one: (len(np.unique(one.kind)), one.row_count))


def _fast_and_thin():
    """A thin deformable sheet that is struck fast, which makes its step in parts, and a rigid box that is far away."""
    from ..meshes.tet_grids import box_grid
    from ..scene import Body, Elastic, Motion, Scene
    from ..shapes import Box, Tetrahedra

    blade = Body("blade", Box((0.004, 1.0, 0.1)), motion=Motion.STATIC, position=(0.013, 0.0, -0.05))
    sheet = Body("sheet", Tetrahedra(*box_grid((3, 3, 1), (0.2, 0.2, 0.004))), position=(0.0, 0.0, 0.1),
                 velocity=(0.0, 0.0, -20.0), elastic=Elastic(young=1e6))  # fmt: skip
    _run(Scene((blade, sheet, Body("far", Box((0.1, 0.1, 0.1)), position=(2.0, 0.0, 0.0)))))


def _newton_turns():
    """Newton steps between kernels: only large and hard problems come to these."""
    from .. import methods
    from ..runs.warm_up import two_bodies

    options = methods.get_method("default").options(tolerance=0.0, max_iterations=1000, record_history=True)
    methods.solve(two_bodies(), None, "default", options)


def _starved():
    """A disk that turns on a floor, whose steps may make one sweep: they go on with what effort is left."""
    from ..scenes import build
    from ..simulation import options_for, simulate

    scene = build("euler_disk")
    step = options_for(scene).time_step
    simulate(scene, options_for(scene, time=4 * step, max_iterations=1, acceptable=1e-12))


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
    _run(Scene((floor, cube)), soft_stepper="element_rows_stiffened")
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
