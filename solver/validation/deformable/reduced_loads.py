"""Cases of bodies of a few modes under loads on their ends: a blow on a free beam, and a leg that leans."""

from dataclasses import replace

import numpy as np

from ...dynamics.elastic.deformable import deformable
from ...dynamics.reduced.basis import FreeBody, shape_vectors
from ...meshes.tet_grids import box_grid
from ...scene import Body, Elastic, Reduction, Scene
from ...scenes.base import one_material
from ...shapes import Sphere, Tetrahedra
from ..lines import Case, below, close
from .elastic import CHAPTER, stepped
from .momentum import WEIGHTLESS

# Lengths, widths and heights [m]: of slender beams, and of legs with how far they lean [degrees] and the friction from
# which they dig in, A_nn / |A_nt| of a beam clamped at its top, by Timoshenko, of E = 2e9 Pa, nu = 0.3.
BEAMS = (1.0, 0.03, 0.02), (2.0, 0.05, 0.04)
LEGS = {(0.4, 0.04, 0.04): ((10, 0.190871), (20, 0.371709), (30, 0.583094)),
        (1.0, 0.05, 0.04): ((10, 0.178664), (20, 0.365214), (30, 0.578273))}  # fmt: skip


def struck(size, place):
    """(what each mode of bending has of the energy of a blow of a small ball on a free beam of steel, from the slowest
    on, and what the rigid motion has, in parts of 2 lambda^2 / m); place: how far from the end, in parts of the
    length."""
    elastic = Elastic(young=2e11, law="corotational", element="t10", reduction=Reduction(14, spin=False))
    beam = Body("beam", Tetrahedra(*box_grid((40, 1, 1), size)), elastic=elastic)
    length, _, height = size
    # The ball falls just inside the edge.
    at = length * min(0.5 - place, 0.5 - 1e-6), 0.0, 0.6 * height + 1e-7
    ball = Body("ball", Sphere(0.1 * height), position=at, velocity=(0, 0, -1.0))
    # Far shorter than any period: all of the blow stays where it went.
    model, states, _ = stepped(Scene((beam, ball), one_material(0.0), WEIGHTLESS), 2e-6, 1e-6, spectral_radius=1.0)
    shape, last = model.elastic[0].reduced, states[-1]
    motion = shape.motion(last.nodes.position, last.nodes.velocity)
    push = model.bodies.mass[1] * (last.twist[1, 2] + 1.0)
    unit = 2.0 * push**2 / shape.inertia.mass
    bending = shape.masses @ shape.U[:, 2] ** 2 > 0.8
    modes = 0.5 * motion.momenta**2
    return modes[bending] / unit, (shape.inertia.kinetic(motion) - modes.sum()) / unit


def reduced_blow():
    """A blow of lambda on the end of a free slender beam gives every mode of bending 2 lambda^2 / m, as much as both
    rigid motions together; one at .224158 of the length from an end gives the first mode nothing."""
    lines = []
    for size in BEAMS:
        modes, rigid = struck(size, 0.0)
        name = f"beam of {size[0]:g} m, blow on its end: energy"
        lines.append(close(f"{name} of the rigid motions, in parts of 2 lambda^2 / m", 1.0, rigid, 0.02))
        lines += [close(f"{name} of mode {k + 1} of bending", 1.0, modes[k], 0.02) for k in range(3)]
        silent, _ = struck(size, 0.224158)
        lines.append(below("blow on the node of the first mode: its energy", silent[0], 1e-5))
    return lines


def compliances(size, modes):
    """Compliances (2,2) [m/N] along and across a leg at the middle of its end, clamped at its top: of so many modes and
    the answers to forces on the end, and of the whole mesh."""
    length, width, height = size
    top = length / 20
    grid = box_grid((21, 2, 2), (length + top, width, height), low=(-top, 0.0, 0.0))
    body = deformable(*grid, 2e9, 0.3, 1000.0, law="corotational", element="t10")
    # What is a million times heavier stays where it is.
    body = replace(body, mass=np.where(body.rest[:, 0] < 1e-9, 1e6, 1.0) * body.mass)
    end = np.flatnonzero(body.rest[:, 0] > length - 1e-9)
    loads = np.zeros((*body.rest.shape, 2))
    loads[end, 0, 0] = loads[end, 2, 1] = body.mass[end] / body.mass[end].sum()
    loads = loads.reshape(-1, 2)
    squares, U = shape_vectors(body, modes, False, [end])
    by = loads.T @ U.reshape(len(loads), -1)
    return by / squares @ by.T, loads.T @ FreeBody(body).statics(loads)


def reduced_leg():
    """A leg that leans into its way digs in where friction passes A_nn / |A_nt|, A the compliance of its foot along the
    normal and along the way: with 8 modes and the answers to forces on its end."""
    lines = []
    for size, leans in LEGS.items():
        found = compliances(size, 8)
        for lean, exact in leans:
            a = np.radians(lean)
            normal, along = np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
            reduced, whole = (normal @ A @ normal / abs(normal @ A @ along) for A in found)
            name = f"leg of {size[0]:g} m that leans {lean} degrees: friction from which it digs in"
            lines.append(close(name, exact, reduced, 0.01, relative=True))
            lines.append(close("the same, of the whole mesh", whole, reduced, 0.01, relative=True))
    return lines


CASES = (Case("reduced_blow", CHAPTER, reduced_blow, False), Case("reduced_leg", CHAPTER, reduced_leg, False))
