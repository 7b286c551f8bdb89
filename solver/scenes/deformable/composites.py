"""Composites of Staggered Projections (2008): strands woven into each other, which nothing but friction and their
stiffness holds together; sizes and materials are ours, as the paper gives none."""

from dataclasses import replace

import numpy as np

from ...materials import Material, MaterialTable
from ...meshes.tet_grids import box_grid, outward
from ...scene import Body, Elastic, Motion, Reduction, Scene
from ...shapes import Capsule, Compound, Part, Sphere, Tetrahedra
from ..base import SceneEntry, axis_angle, floor, one_material, quadruple, triple

# Strands a way, how far apart these are, their width and thickness [m], and how far they stand out beyond the last.
STRANDS, PITCH, WIDE, THICK = 4, 0.05, 0.02, 0.004
LENGTH = (STRANDS + 1) * PITCH
# Radius of the pegs on which a composite hangs [m].
PEG = 0.006
# Stiffness [Pa] of the strands of the upper and of the lower row.
STIFF, SOFT = 4e7, 8e6


def strand_grid(way):
    """(vertices (n,3) [m], tets (T,4)) of a flat strand along x (way 0) or z (way 1), its thickness along y."""
    vertices, tets = box_grid((4 * (STRANDS + 1), 1, 1), (LENGTH, WIDE, THICK))
    vertices = vertices[:, (0, 2, 1) if way == 0 else (1, 2, 0)]
    return vertices, outward(vertices, tets)


def _wave(way, number, vertices):
    """Where the vertices (n,3) of a strand begin: bent over and under those that cross it, straight beyond the last;
    `number` says which it goes over, so that neighbours go over and under in turn."""
    # Edges of strands touch first; a tenth more, as the vectors of a shape do not show the wave as it is.
    high = 1.1 * 0.5 * THICK / np.cos(0.5 * np.pi * WIDE / PITCH)
    along = np.clip(vertices[:, 2 * way] / PITCH + 0.5 * (STRANDS - 1), 0.0, STRANDS - 1.0)
    start = vertices.copy()
    start[:, 1] += (1 - 2 * way) * (-1) ** number * high * np.cos(np.pi * along)
    return tuple(map(triple, start))


def woven(name, material, young, place=(0.0, 0.0, 0.0), modes=18, damping=0.5, velocity=(0.0, 0.0, 0.0)):
    """Bodies of a square composite about `place` [m] in the plane of x and z: straight strands, bent by each other.
    damping [s]: of their stiffness."""
    bodies = []
    for way, letter in ((0, "x"), (1, "z")):
        grid = strand_grid(way)
        for number in range(STRANDS):
            aside = np.roll((0.0, 0.0, PITCH * (number - 0.5 * (STRANDS - 1))), way)
            elastic = Elastic(young=young, law="corotational", element="t10", damping=(0.0, damping),
                              reduction=Reduction(modes, spin=False), start=_wave(way, number, grid[0]))  # fmt: skip
            bodies.append(Body(f"{name}_{letter}{number}", Tetrahedra(*grid), material, elastic=elastic,
                               position=triple(np.add(place, aside)), velocity=velocity))  # fmt: skip
    return bodies


def pegs_below(name, material, place, height=0.5):
    """Two pegs along y below that horizontal strand of a composite which is `height` pitches above its middle."""
    level = height * PITCH - 0.5 * WIDE - PEG
    return [Body(f"{name}_peg{k}", Capsule(PEG, 0.1), material, Motion.STATIC, triple(np.add(place, (x, 0.0, level))),
                 quadruple(axis_angle((1, 0, 0), 0.5 * np.pi))) for k, x in enumerate((-PITCH, PITCH))]  # fmt: skip


def composites(frictions=(0.5, 0.3, 0.1), young=(STIFF, SOFT), **strands):
    """Composites that hang on pegs by one of their strands, friction falling from left to right, in an upper row of
    stiffer strands and a lower one, which stands before it so that nothing falls on it."""
    bodies, materials = [floor(4.0)], [Material("default")]
    materials += [Material(f"mu {friction:g}", friction=friction) for friction in frictions]
    for row, modulus in enumerate(young):
        for column, friction in enumerate(frictions):
            name, material = f"{('upper', 'lower')[row]}{friction:g}", f"mu {friction:g}"
            place = (0.35 * (column - 1), -0.4 * row, 0.8 - 0.35 * row)
            bodies += woven(name, material, modulus, place, **strands)
            bodies += pegs_below(name, material, place)
    return Scene(tuple(bodies), MaterialTable(tuple(materials)), name="composites",
                 settings={"time_step": 0.01})  # fmt: skip


def alone(friction, young, **strands):
    """One composite on its pegs, for which `composites` has six."""
    scene = composites((friction,), (young,), **strands)
    return replace(scene, bodies=scene.bodies[1:])


def thrown(edge=False, speed=4.0, friction=0.5, young=STIFF):
    """A composite without weight flies at pegs on a heavy board that is free: flat, so that one meets each crossing, or
    with `edge` in its plane, so that one peg meets the end of its outermost strand alone."""
    velocity, far = ((speed, 0.0, 0.0), 0.5 * LENGTH) if edge else ((0.0, speed, 0.0), 1.5 * THICK)
    strands = woven("strand", "default", young, velocity=velocity)
    ways = PITCH * (np.arange(STRANDS) - 0.5 * (STRANDS - 1))
    places = [(far + 0.01, 0.0, ways[-1])] if edge else [(x, far + 0.01, z) for x in ways for z in ways]
    board = Body("board", Compound(tuple(Part(Sphere(0.008), place) for place in map(triple, places))), mass=5.0)
    return Scene((*strands, board), one_material(friction), (0.0, 0.0, 0.0), name="composites_thrown",
                 settings={"time_step": 2e-3})  # fmt: skip


ENTRIES = (
    SceneEntry("composites", "Woven composites", "six woven patches hang by friction; some come apart",
               composites, 10.0, source="Staggered Projections 2008, Fig. 5"),
)  # fmt: skip
