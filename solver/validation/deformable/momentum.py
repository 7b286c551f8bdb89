"""Deformable bodies that meet others, fly and bounce: what is kept of momentum, spin and height."""

from dataclasses import replace

import numpy as np

from ...dynamics import rotation
from ...meshes.tet_grids import box_grid
from ...scene import Attachment, Body, Elastic, Joint, Scene
from ...scenes.base import floor, one_material
from ...shapes import Box, Tetrahedra
from ..lines import Case, below, within
from .elastic import CHAPTER, stepped

WEIGHTLESS = (0.0, 0.0, 0.0)
WORKS = ("friction_work", "impact_loss", "damping_work", "scheme_loss", "joint_work", "stabilisation_work")


def cube(name, cells, side, position, elastic, **moves):
    """A deformable cube of so many cells each way."""
    shape = Tetrahedra(*box_grid((cells,) * 3, (side,) * 3))
    return Body(name, shape, position=position, elastic=elastic, **moves)


def momenta(model, state):
    """Momentum and angular momentum about the origin (6,) of all bodies of a State."""
    total = np.zeros(6)
    for number in range(model.body_count):
        if model.soft[number]:
            span, mass = model.span(number), model.elastic[number].mass[:, None]
            x, p = state.nodes.position[span], mass * state.nodes.velocity[span]
            total += np.concatenate([p.sum(axis=0), np.cross(x, p).sum(axis=0)])
        elif model.inverse_mass[number] > 0:
            R = rotation.matrix(state.orientation[number : number + 1])[0]
            twist, mass = state.twist[number], model.bodies.mass[number]
            spin = R @ model.bodies.inertia[number] @ R.T @ twist[3:]
            total += np.concatenate([mass * twist[:3], np.cross(state.position[number], mass * twist[:3]) + spin])
    return total


def _meeting():
    """A soft cube that carries two flat boxes on a hinge flies at a soft and a rigid one, with friction."""
    elastic = Elastic(young=2e5, damping=(0.0, 2e-3))
    bodies = (
        cube("thrown", 2, 0.2, (0, 0, 0), elastic, velocity=(2.0, 0.3, 0), angular_velocity=(0, 2, 3)),
        cube("soft", 1, 0.2, (0.23, 0.04, 0), replace(elastic, element="t10"), velocity=(-1.0, 0, 0)),
        Body("rigid", Box((0.2, 0.12, 0.16)), position=(0.0, 0.21, 0.03), velocity=(0, -2, 0),
             angular_velocity=(3, 1, -2)),
        Body("tail", Box((0.06, 0.05, 0.03)), position=(-0.131, 0, 0)),
        Body("end", Box((0.06, 0.02, 0.06)), position=(-0.231, 0, 0)),
    )  # fmt: skip
    held = Attachment(("thrown", "tail"), ((-0.14, -0.04, -0.04), (-0.09, 0.04, 0.04)))
    hinge = Joint("hinge", "hinge", ("tail", "end"), position=(-0.18, 0, 0), axis=(0, 0, 1))
    return Scene(bodies, one_material(0.5), WEIGHTLESS, joints=(hinge,), attachments=(held,))


def soft_momentum():
    """Soft on soft, rigid on both, attached, with a joint and friction: impulses change momenta and nothing else does.

    Momentum, angular momentum and the sum of all terms of the energy after every step, in parts of their largest.
    """
    lines = []
    for step in (0.01, 0.002):
        model, states, reports = stepped(_meeting(), 0.2, step)
        found = np.array([momenta(model, state) for state in states])
        linear, turning = (np.abs(part - part[0]).max(axis=1) for part in (found[:, :3], found[:, 3:]))
        mass = sum(body.mass.sum() for body in model.elastic if body is not None) + model.bodies.mass.sum()
        total = np.array([r.kinetic + r.elastic for r in reports])
        work = np.cumsum([sum(getattr(r, name) for name in WORKS) for r in reports])
        largest = max(r.kinetic for r in reports)
        label = f"h = {step * 1e3:g} ms"
        lines += [
            below(f"{label}: momentum off by, over mass times 1 m/s", linear.max() / mass, 1e-10),
            below(f"{label}: angular momentum off by, over that times 0.2 m", turning.max() / (0.2 * mass), 1e-10),
            below(f"{label}: energy unexplained, in parts of the largest kinetic", np.abs(
                total - total[0] - (work - work[0])).max() / largest, 1e-8),
        ]  # fmt: skip
    return lines


def soft_spin():
    """Damping acts on deformation alone: a free cube turns on whatever its damping is."""
    lines = []
    for young, damping in ((2e5, (0.0, 0.01)), (2e5, (5.0, 0.0)), (1e7, (0.0, 0.01))):
        body = cube("cube", 2, 0.2, (0, 0, 0), Elastic(young=young, damping=damping), angular_velocity=(0, 0, 5.0))
        model, states, _ = stepped(Scene((body,), one_material(0.5), WEIGHTLESS), 1.0)
        spin = np.array([momenta(model, state)[5] for state in (states[0], states[-1])])
        label = f"E {young:g}, damping {damping[0]:g} 1/s and {damping[1]:g} s"
        lines.append(below(f"{label}: angular momentum lost in 1 s, in parts of it", abs(spin[1] / spin[0] - 1), 1e-10))
    return lines


def soft_bounce():
    """An undamped soft ball that falls 0.5 m rises again: a ball of rubber loses a few per cent to its waves.

    Its middle is at 0.6 m before and as high as it rises after; 0.40 m of these are asked at 10 ms, 0.50 at 2 ms.
    """
    lines = []
    for step, least in ((0.01, 0.40), (0.002, 0.50)):
        vertices, tets = _ball(6, 0.1)
        elastic = Elastic(law="neo_hookean", young=2e5, poisson=0.4)
        ball = Body("ball", Tetrahedra(vertices, tets), position=(0, 0, 0.6), elastic=elastic)
        _, states, _ = stepped(Scene((floor(4.0), ball), one_material(0.0)), 0.95, step)
        height = np.array([state.position[1, 2] for state in states])
        lines.append(within(f"h = {step * 1e3:g} ms: rises to [m]", least, 0.6, height[np.argmin(height) :].max()))
    return lines


def _ball(cells, radius):
    """(vertices, tets) of a cube's grid whose shells are moved onto spheres."""
    vertices, tets = box_grid((cells,) * 3, (2.0,) * 3)
    shell, length = np.abs(vertices).max(axis=1), np.linalg.norm(vertices, axis=1)
    vertices = radius * vertices * (shell / np.maximum(length, 1e-12))[:, None]
    corner = vertices[tets]
    return vertices, tets[np.linalg.det(corner[:, 1:] - corner[:, :1]) > 1e-15]


CASES = tuple(Case(function.__name__, CHAPTER, function, False) for function in (soft_momentum, soft_spin, soft_bounce))
