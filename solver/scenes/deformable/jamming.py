"""Jamming of Staggered Projections (2008): deformable and rigid bodies in tight tubes; shapes and sizes are ours, as
the paper gives none."""

import numpy as np

from ...materials import Material, MaterialTable
from ...meshes.tet_grids import ball_grid, box_grid
from ...scene import Body, Elastic, Motion, Reduction, Scene
from ...shapes import Box, Sphere, Tetrahedra
from ..base import GRAVITY, SceneEntry, axis_angle, multiply, one_material, quadruple, rotation_matrix, triple

# Tubes: half their width at the lower end and their height [m], how far each wall leans [rad].
NARROW, HIGH, LEAN = 0.04, 0.5, 0.05
BALL = 0.05
# A plug: its side, and that of its tube in parts of it; its density [kg/m^3], stiffness [Pa] and Poisson's ratio.
PLUG, SQUEEZE, DENSITY, YOUNG, POISSON = 0.1, 0.005, 1000.0, 1e5, 0.3


def tube(name, material, place, narrow=NARROW, lean=LEAN, thick=0.05):
    """Four walls about the axis through `place` [m], the middle of the lower end; square within, `narrow` [m] half its
    width there."""
    walls = []
    for side in range(4):
        about = axis_angle((0, 0, 1), 0.5 * np.pi * side)
        middle = (narrow + 0.5 * HIGH * np.tan(lean) + 0.5 * thick * np.cos(lean), 0.0,
                  0.5 * HIGH - 0.5 * thick * np.sin(lean))  # fmt: skip
        walls.append(Body(f"{name}_wall{side}", Box((thick, 4.0 * BALL, HIGH / np.cos(lean))), material, Motion.STATIC,
                          triple(np.add(place, rotation_matrix(about) @ middle)),
                          quadruple(multiply(about, axis_angle((0, 1, 0), lean)))))  # fmt: skip
    return walls


def jamming_tubes(frictions=(0.5, 0.3, 0.1), young=2e5, modes=30, balls=3):
    """Balls fall into tubes that narrow downwards, the first and the third deformable, the others rigid; friction falls
    from tube to tube."""
    bodies, materials = [], [Material("default")]
    elastic = Elastic(young=young, law="corotational", element="t10", damping=(0.0, 0.01),
                      reduction=Reduction(modes, spin=False))  # fmt: skip
    soft = Tetrahedra(*ball_grid(BALL, 4))
    for column, friction in enumerate(frictions):
        name, material = f"mu {friction:g}", f"mu {friction:g}"
        place = (0.4 * column, 0.0, 0.0)
        materials.append(Material(material, friction=friction))
        bodies += tube(name, material, place)
        for number in range(balls):
            at = triple(np.add(place, (0.003 * number, -0.002 * number, HIGH + 0.02 + 2.3 * BALL * (number - 2))))
            shape = Sphere(BALL) if number % 2 else soft
            bodies.append(Body(f"{name}_ball{number}", shape, material, position=at,
                               elastic=None if number % 2 else elastic))  # fmt: skip
    return Scene(tuple(bodies), MaterialTable(tuple(materials)), name="jamming_tubes", settings={"time_step": 0.005})


def plug_limit():
    """Friction that just bears the weight of a plug: rho s^2 L g over what its four sides are pressed with, of a
    pressure E e / (1 - nu) each, squeezed alike from both ways and free along the tube."""
    return DENSITY * PLUG * GRAVITY / (4.0 * YOUNG * SQUEEZE / (1.0 - POISSON))


def plug(friction, cells=4, modes=6):
    """A cube that sits squeezed in a square tube narrower than it; few modes, and dents for the rest of its answer to
    the walls, without which it is up to twice too stiff."""
    half, middle = 0.5 * PLUG, 0.5 * HIGH
    vertices, tets = box_grid((cells,) * 3, (PLUG,) * 3)
    # As it is squeezed: the tube's width across, and longer by what Poisson's ratio makes of it.
    longer = 2.0 * POISSON / (1.0 - POISSON) * SQUEEZE
    start = vertices * (1.0 - SQUEEZE, 1.0 - SQUEEZE, 1.0 + longer)
    elastic = Elastic(young=YOUNG, poisson=POISSON, law="corotational", element="t10", damping=(0.0, 0.01),
                      reduction=Reduction(modes, spin=False, dents=True),
                      start=tuple(map(triple, start)))  # fmt: skip
    cube = Body("plug", Tetrahedra(vertices, tets), position=(0.0, 0.0, middle), elastic=elastic)
    walls = tube("tube", "default", (0.0, 0.0, 0.0), half * (1.0 - SQUEEZE), 0.0)
    return Scene((*walls, cube), one_material(friction, DENSITY), name="jamming_plug", settings={"time_step": 0.005})


ENTRIES = (
    SceneEntry("jamming_tubes", "Jamming tubes", "balls fall into narrowing tubes, deeper with less friction",
               jamming_tubes, 2.0, source="Staggered Projections 2008, sec. 8"),
)  # fmt: skip
