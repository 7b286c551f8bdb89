"""Cases of deformable bodies that move in a few modes of their shape: frequencies, flight, static and sudden loads."""

import numpy as np

from ...dynamics.elastic.deformable import deformable
from ...dynamics.reduced.basis import shape_vectors
from ...meshes.tet_grids import ball_grid, box_grid
from ...scene import Body, Elastic, Motion, Reduction, Scene
from ...scenes.base import one_material
from ...shapes import Box, Tetrahedra
from ..lines import Case, below, close
from .elastic import CHAPTER, stepped
from .momentum import WEIGHTLESS, momenta

# Natural frequencies [Hz]: of a free beam of 1 x 0.1 x 0.1 m by Timoshenko, and along it c / 2 L; of a ball of 0.1 m by
# Lamb, torsion and the quadrupole. Both of E = 1e6 Pa, nu = 0.3, 1000 kg/m^3.
BEAM, ALONG, BALL = (3.140320, 8.173756, 14.920400), 15.8114, (78.0675, 82.5960)


def beam(reduction, cells=(10, 2, 2), young=1e8, **moves):
    """A beam of 1 x 0.12 x 0.1 m."""
    elastic = Elastic(young=young, law="corotational", element="t10", reduction=reduction)
    return Body("beam", Tetrahedra(*box_grid(cells, (1.0, 0.12, 0.1))), elastic=elastic, **moves)


def frequencies_of(grid, count):
    """The lowest natural frequencies (count,) [Hz] of a free body of quadratic elements."""
    body = deformable(*grid, 1e6, 0.3, 1000.0, law="corotational", element="t10")
    return np.sqrt(shape_vectors(body, count, False, [])[0]) / (2.0 * np.pi)


def on_its_ends(reduction, step, seconds):
    """How far [m] the middle of a beam hangs below its ends, which lie on two blocks."""
    blocks = [Body(name, Box((0.1, 0.3, 0.1)), motion=Motion.STATIC, position=(x, 0, -0.05))
              for name, x in (("left", -0.549), ("right", 0.549))]  # fmt: skip
    scene = Scene((*blocks, beam(reduction, cells=(20, 2, 2), position=(0, 0, 0.05))), one_material(0.0))
    model, states, _ = stepped(scene, seconds, step)
    rest, x = model.elastic[2].rest, states[-1].nodes.position
    line = np.abs(rest[:, 2] - 0.05) < 1e-9
    middle, ends = line & (np.abs(rest[:, 0]) < 1e-9), line & (np.abs(np.abs(rest[:, 0]) - 0.5) < 1e-9)
    return x[ends, 2].mean() - x[middle, 2].mean()


def rebound(modes):
    """(speed with which a bar of 1 m leaves a wall that it met lengthwise, in parts of that before, how many of its
    modes are along it)."""
    wave = np.sqrt(1e6 / 1000.0)
    bar = Body("bar", Tetrahedra(*box_grid((20, 1, 1), (1.0, 0.05, 0.05))), position=(0.5, 0, 0), velocity=(-0.1, 0, 0),
               elastic=Elastic(young=1e6, poisson=0.0, law="corotational", element="t10",
                               reduction=Reduction(modes, spin=False)))  # fmt: skip
    wall = Body("wall", Box((0.1, 1, 1)), motion=Motion.STATIC, position=(-0.05 - 1e-6, 0, 0))
    scene = Scene((wall, bar), one_material(0.0), WEIGHTLESS)
    model, states, _ = stepped(scene, 3.0 / wave, 0.01 / wave, spectral_radius=1.0)
    body = model.elastic[1]
    return states[-1].twist[1, 0] / 0.1, int((body.mass @ body.reduced.U[:, 0] ** 2 > 0.9).sum())


def reduced_modes():
    """Modes of free bodies: a beam by Timoshenko's theory, a ball by Lamb's."""
    found = frequencies_of(box_grid((20, 2, 2), (1.0, 0.1, 0.1)), 12)
    lines = [close(f"beam, mode {k + 1} of bending [Hz]", exact, found[at], 0.01, "Hz", relative=True)
             for k, (exact, at) in enumerate(zip(BEAM, (0, 2, 5), strict=True))]  # fmt: skip
    lines.append(close("beam, mode along it [Hz]", ALONG, found[7], 0.01, "Hz", relative=True))
    found = frequencies_of(ball_grid(0.1, 8), 10)
    lines += [close(f"ball, {kind} [Hz]", exact, found[at], 0.015, "Hz", relative=True)
              for kind, exact, at in (("torsion", BALL[0], 0), ("quadrupole", BALL[1], 5))]  # fmt: skip
    return lines


def reduced_bodies():
    """A beam of few modes lies on its ends: 5 w L^4 / 384 E I + w L^2 / 8 k G A; it tumbles. A bar of r modes along it
    leaves a wall with 2 r / (2 r + 1) of its speed."""
    sag = on_its_ends(Reduction(12, damping_ratio=1.0), 0.01, 2.0)
    lines = [close("sag of a beam on its ends [m]", 1.5703e-3, sag, 0.03, "m", relative=True)]
    speed, along = rebound(40)
    lines.append(close(f"{along} modes: rebound from a wall", 2 * along / (2 * along + 1), speed, 0.005))
    body = beam(Reduction(12), velocity=(1, 0.2, 0), angular_velocity=(6, 5, 4))
    model, states, reports = stepped(Scene((body,), one_material(0.5), WEIGHTLESS), 0.25, spectral_radius=1.0)
    found = np.array([momenta(model, state) for state in states])
    lost = np.abs(found - found[0]).max() / np.abs(found).max()
    energy = np.array([one.kinetic + one.elastic for one in reports])
    lines.append(below("tumbling at 10 ms: momenta lost in 0.25 s, in parts of them", lost, 1e-11))
    lines.append(below("the same: energy lost, in parts of it", np.abs(energy / energy[0] - 1.0).max(), 1e-5))
    return lines


CASES = (Case("reduced_modes", CHAPTER, reduced_modes, False), Case("reduced_bodies", CHAPTER, reduced_bodies, False))
