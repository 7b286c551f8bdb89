"""Friction and contact of deformable bodies: Hertz and Mindlin, press fit, a rope round a post, a block that tips."""

from math import cos, radians, sin

import numpy as np

from ...meshes.tet_grids import box_grid
from ...scene import Body, Elastic, Scene
from ...scenes import build
from ...scenes.base import floor, one_material
from ...scenes.deformable import friction as made
from ...scenes.deformable import indentation
from ...shapes import Box, Tetrahedra
from ...simulation import compiled, options_for, step_settings, stepper
from ..lines import Case, Outcome, Plot, below, close, within
from .elastic import CHAPTER, stepped


def _indented(friction, count, state=None, **other):
    """(State, [(force [N], share Q / mu P, stick radius [m])] of `count` more steps) of a ball on a block: from the
    start or from `state`; other: of soft_indent."""
    scene = build("soft_indent", friction=friction, **other)
    options = options_for(scene, time=10.0)
    model, first = compiled(scene, options)
    state = first if state is None else state
    settings, advance, found = step_settings(options, model, state), stepper(options), []
    for _ in range(count):
        state, _, _ = advance(model, state, settings)
        pressed, pull = state.impulses[:, :1], state.impulses[:, 1:4]
        force = (pressed * state.contacts.normal + pull).sum(axis=0) / indentation.STEP
        sticks = np.linalg.norm(pull, axis=1) < (1.0 - 1e-6) * friction * pressed[:, 0]
        reach = np.linalg.norm(state.contacts.position[sticks, :2] - state.position[1, :2], axis=1).max(initial=0.0)
        share = np.linalg.norm(force[:2]) / (friction * abs(force[2])) if friction else 0.0
        found.append((abs(force[2]), share, reach))
    return state, found


def hertz_mindlin():
    """A rigid ball on a block: Hertz's P = 4/3 E* sqrt(R) d^1.5; then drawn sideways by s of the way after which all
    slips: Q/(mu P) = 1 - (1 - s)^1.5, and it sticks within a (1 - Q/(mu P))^(1/3) (Cattaneo; Mindlin). Pressed without
    friction, as theory has it. Force: T10, 12 x 12 x 6 cells over 28 radii of the contact; friction: linear elements,
    16 x 16 x 8 cells over 16 radii, an eighth of the way a step."""
    _, found = _indented(0.0, indentation.PRESS, cells=12, element="t10", half=14.0, grade=3.6)
    exact = indentation.hertz_force(0.3)
    lines = [close("force over Hertz's", 1.0, found[-1][0] / exact, 0.15)]
    series = []
    for poisson in (0.3, 0.45):
        pressed = indentation.PRESS + indentation.REST
        state, _ = _indented(0.0, pressed, cells=16, poisson=poisson)
        _, found = _indented(0.3, indentation.SLIDE, state, cells=16, poisson=poisson)
        way = np.arange(1, indentation.SLIDE + 1) / indentation.SLIDE
        theory, share = 1.0 - (1.0 - way) ** 1.5, np.array([one[1] for one in found])
        for s, wanted, measured in zip(way, theory, share, strict=True):
            lines.append(close(f"nu {poisson}, s = {s:g}: Q/(mu P)", wanted, measured, 0.02))
        half = indentation.SLIDE // 2 - 1
        lines.append(close(f"nu {poisson}, s = 0.5: stick radius over that of the contact", 0.5**0.5,
                           found[half][2] / indentation.CONTACT, 0.15))  # fmt: skip
        series.append((f"nu {poisson}", way, share, "o"))
    fine = np.linspace(0.0, 1.0, 101)
    series.append(("Cattaneo, Mindlin", fine, 1.0 - (1.0 - fine) ** 1.5, "-"))
    plot = Plot("hertz_mindlin", "Friction of a ball on a soft block", "way s", "Q/(mu P)", tuple(series))
    return Outcome(tuple(lines), (plot,))


def press_fit():
    """A ring, b = 2 a, on a shaft 1 mm thicker than its hole: Lame's pressure in plane stress; drawn with 0.95 of what
    friction bears it stays on the shaft, with 1.05 it slips by half the excess times time squared, and bears
    mu p 2 pi a L while it does. 48 x 8 cells.

    What the ring shears before it sticks is not counted: the slip of the second half of the pull is."""
    lines, each = [], round(made.OPENS / 0.01)
    area = 2 * np.pi * made.INNER * made.LENGTH
    for load in (0.95, 1.05):
        _, states, _ = stepped(build("soft_press_fit", load=load), made.OPENS + made.PULLED)
        if load < 1.0:
            pressure = states[each - 1].impulses[:, 0].sum() / 0.01 / area
            lines.append(close("pressure [Pa]", made.press_fit_pressure(), pressure, 0.05, "Pa", relative=True))
        slip = [state.position[0, 2] - state.position[1, 2] for state in states]
        slip = slip[-1] - slip[each + round(0.5 * made.PULLED / 0.01)]
        if load < 1.0:
            lines.append(below("drawn with 0.95 of the load: slip in the second half [m]", slip, 2e-4, "m"))
        else:
            # Half of 0.05 of the load's acceleration over 0.1 s is 10 mm, three quarters of it in the second half.
            lines.append(within("drawn with 1.05 of it: slip in the second half [m]", 2e-3, 1.5e-2, slip, "m"))
            lines.append(close("push-out force [N]", 0.3 * made.press_fit_pressure() * area,
                               np.mean([abs(_pull(state, 0.01)[2]) for state in states[-5:]]), 0.05, "N",
                               relative=True))  # fmt: skip
    return lines


def press_fit_torque():
    """The same ring, friction 0.03, so that it is never fast; the shaft is turned with 0.5 of what friction bears, and
    the ring goes with it; with 1.05 it slips, and bears mu p 2 pi a^2 L. h = 5 ms.

    Held is asked at 0.5, not 0.95: normals are those of the step's begin, so that what goes round with w is braked by
    w h of its normal force, here a quarter of what friction bears by the end of the turn."""
    lines, step, friction = [], 0.005, 0.03
    begin = round(made.OPENS / step)
    for load in (0.5, 1.05):
        scene = build("soft_press_fit", friction=friction, load=load, turned=True)
        _, states, _ = stepped(scene, made.OPENS + made.PULLED, step)
        if load < 1.0:
            start, end = (states[begin + round(part * made.PULLED / step)] for part in (0.5, 1.0))
            lag = _turn(start.nodes, end.nodes) - 0.375 * load * made.press_fit_spin(friction) * made.PULLED**2
            lines.append(below("turned with 0.5 of the torque: lag in the second half [rad]", abs(lag), 1e-3, "rad"))
        else:
            found = np.mean([_pull(state, step)[3] for state in states[begin + 5 : begin + 11]])
            lines.append(close("holding torque [N m]", made.press_fit_torque(friction), found, 0.05, "N m",
                               relative=True))  # fmt: skip
    return lines


def _pull(state, step):
    """Force (3,) [N] of all contacts of a State, and their torque about the z axis [N m]."""
    force = (state.impulses[:, :1] * state.contacts.normal + state.impulses[:, 1:4]) / step
    at = state.contacts.position
    return np.append(force.sum(axis=0), abs((at[:, 0] * force[:, 1] - at[:, 1] * force[:, 0]).sum()))


def _turn(start, end):
    """Mean angle [rad] about the z axis between the positions of two Nodes."""
    before, after = (one.position[:, 0] + 1j * one.position[:, 1] for one in (start, end))
    return float(np.angle((after * before.conj()).sum()))


def capstan():
    """A rope over half a post: weights of ratio e^(mu pi) = 2.566 are on the verge. Quadratic elements, 16 round the
    post. Let go slack, the weights are at 0.1 to 0.2 m/s when it is taut: of 2 % less than that ratio they come to
    rest, of 2 % more they go on.

    Friction that slips changes the speed of weights of q times that ratio by g (q - 1)/(q + 1) and no more, 0.1 m/s^2
    here, so that they need 1.4 s to come to rest: they are judged in the last 0.2 of 2.2 s. A scheme that stops them
    sooner brakes by itself, as those do that take normals at the begin of a step and forces at its end."""
    speeds = []
    for factor in (0.98, 1.02):
        _, states, _ = stepped(build("soft_capstan", ratio=factor * made.capstan_ratio(0.3)), 2.2)
        gone = states[-1].position[2:, 2] - states[200].position[2:, 2]
        speeds.append(0.5 * (gone[0] - gone[1]) / 0.2)
    return [below("0.98 of e^(mu pi): mean speed of the last 0.2 s [m/s]", abs(speeds[0]), 5e-3, "m/s"),
            within("1.02 of it: mean speed of the last 0.2 s [m/s]", 0.05, 0.5, speeds[1])]  # fmt: skip


def tipping():
    """A block 0.1 x 0.1 x 0.3 m of E = 1e9 on a slope of 25 degrees, mu = 1, tips as a rigid one does.
    Elements of 25 mm: nodes that carry all of their mass add 0.6 % to the moment of inertia."""
    speed, size = [], (0.1, 0.1, 0.3)
    angle = radians(25.0)
    gravity = (9.81 * sin(angle), 0.0, -9.81 * cos(angle))
    for shape, elastic in ((Box(size), None), (Tetrahedra(*box_grid((4, 4, 12), size)), Elastic(young=1e9))):
        block = Body("block", shape, position=(0.0, 0.0, 0.15), elastic=elastic)
        _, states, _ = stepped(Scene((floor(4.0), block), one_material(1.0), gravity), 0.2, 0.002)
        speed.append(states[-1].twist[1])
    return [close("velocity of the centre of mass [m/s]", np.linalg.norm(speed[0][:3]), np.linalg.norm(speed[1][:3]),
                  0.01, "m/s", relative=True),
            close("angular velocity [rad/s]", speed[0][4], speed[1][4], 0.01, "rad/s", relative=True)]  # fmt: skip


CASES = tuple(Case(one.__name__, CHAPTER, one) for one in (hertz_mindlin, press_fit, press_fit_torque, capstan,
                                                            tipping))
