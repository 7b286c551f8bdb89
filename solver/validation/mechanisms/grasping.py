"""Grips: pads at the slip limit, beside the centre, a peg that jams, a hand."""

from math import pi, sqrt

import numpy as np

from ...scenes import build
from ...scenes.mechanisms.grasping import jamming_ratio
from ..lines import Case, below, close, largest, word
from ..run import run

CHAPTER = "Grasping"
G = 9.81
FORCE, FRICTION, TORSION = 30.0, 0.5, 0.008


def grip():
    """Holds iff 2 mu N >= m g, without creep; below it slips by g - 2 mu N / m.

    With flat pads the load on their corners is open: the block may also pivot about two corners that carry all of it.
    """
    lines = []
    for round_pads in (True, False):
        lines += _at_the_limit(round_pads)
    # The aim counts what the drives give in a step, of which this is a hundred millionth: one digit more is asked for.
    flat = run(build("grip", factor=1.2, round_pads=False), 0.5, accuracy=1e-9)
    speed = largest(flat.twist[-1, 0])
    return [*lines, below("flat pads, 1.2 of the limit: speed after 0.5 s [m/s]", speed, 1e-9, "m/s")]


def _at_the_limit(round_pads):
    """A thousandth above the limit the block stays, a thousandth below it slides straight down."""
    lines, pads = [], "round" if round_pads else "flat"
    for factor, held in ((1.001, True), (0.999, False)):
        result = run(build("grip", factor=factor, round_pads=round_pads), 1.0 if round_pads else 0.5)
        twist = result.twist[:, result.index("block")]
        if held:
            lines.append(below(f"{pads} pads, {factor} of the limit: creep at the end [m/s]", abs(twist[-1, 2]), 1e-9,
                               "m/s"))  # fmt: skip
            lines.append(below("  movement [m]", result.displacement()[-1], 1e-8, "m"))
        else:
            slip = (twist[20, 2] - twist[-1, 2]) / (result.times[-1] - result.times[20])
            lines.append(close(f"{pads} pads, {factor} of the limit: acceleration [m/s2]", G * (1 - factor), slip, 1e-3,
                               relative=True))  # fmt: skip
            if not round_pads:
                lines.append(below("  turning at the end [rad/s]", largest(twist[-1, 3:]), 1e-6, "rad/s"))
    return lines


def offset_grip():
    """Torsion holds it up to (m g/(2 mu N))^2 + (m g d/(2 tau N))^2 = 1; else it swings, 2 pi sqrt((k^2+d^2)/(g d))."""
    share = G / (2 * FRICTION * FORCE)
    edge = 2 * TORSION * FORCE / G * sqrt(1 - share**2)
    lines = [close("largest offset that the formula allows [m]", 0.0462397, edge, 1e-7, "m")]
    for factor, held in ((0.999, True), (1.001, False)):
        scene = build("grip", force=FORCE, offset=factor * edge, torsional=TORSION, round_pads=True)
        result = run(scene, 1.0)
        moved = result.displacement()[-1]
        verdict = "holds" if moved < 1e-6 else "swings"
        lines.append(word(f"{factor} of the offset", "holds" if held else "swings", verdict))
        if held:
            lines.append(below("  speed after 1 s [m/s]", largest(result.twist[-1, 0]), 1e-9, "m/s"))
    return [*lines, _swing()]


def _swing(offset=0.03, inertia=0.1**2 / 6):
    """Period of small swings about the pads' line, from below."""
    scene = build("grip", force=10 * FORCE, offset=offset, round_pads=True)
    # Gravity along the offset: the block hangs, and is pushed a little aside.
    scene = _hanging(scene, offset)
    result = run(scene, 2.0, 0.002)
    rate = result.twist[:, 0, 3]
    up = np.flatnonzero((rate[:-1] < 0) & (rate[1:] >= 0))
    at = result.times[up] + result.step * rate[up] / (rate[up] - rate[up + 1])
    exact = 2 * pi * sqrt((inertia + offset**2) / (G * offset))
    return close("no torsion: period of small swings [s]", exact, np.diff(at).mean(), 1e-3, relative=True)


def _hanging(scene, offset):
    from dataclasses import replace

    tilt = 0.02
    block = replace(scene.bodies[0], velocity=(0.0, 0.0, 0.0))
    return replace(scene, bodies=(block, *scene.bodies[1:]),
                   gravity=(0.0, G * np.cos(tilt), G * np.sin(tilt)))  # fmt: skip


def peg_in_hole():
    """Whitney's jamming diagram, force through the centre h over the tip: F_x/F_z = l/(mu (2 (h - mu r) - l))."""
    edge, lines = jamming_ratio(), []
    for factor, slides in ((0.98, True), (1.02, False)):
        result = run(build("peg", ratio=factor * edge), 0.2, 0.005)
        sunk = result.position[0, 2, 2] - result.position[-1, 2, 2]
        lines.append(word(f"{factor} of the edge, F_x/F_z = {edge:.4g}", "slides in" if slides else "jams",
                          "slides in" if sunk > 1e-3 else "jams"))  # fmt: skip
        if not slides:
            lines.append(below("  speed after 0.2 s [m/s]", largest(result.twist[-1, 2, :3]), 1e-8, "m/s"))
    return lines


def hand():
    """A cube between two fingers and a thumb of our own: held still once the servos have closed."""
    result = run(build("hand"), 2.0)
    cube = result.index("cube")
    late = result.position[:, cube][result.times >= 0.5]
    return [
        below("fall of the cube in 2 s [m]", max(0.0, -0.085 - result.position[-1, cube, 2]), 1e-3, "m"),
        below("movement after 0.5 s [m]", np.linalg.norm(late[-1] - late[0]), 1e-6, "m"),
        below("speed after 2 s [m/s]", np.linalg.norm(result.twist[-1, cube, :3]), 1e-8, "m/s"),
    ]


def allegro():
    """The Allegro hand with a cube of 0.2 kg in its finger tips, friction 0.8, gravity along six directions: it stays.

    Its fingers push with 5 N each, the thumb against them. With friction 0.03, where 15 N hold 0.9 of 1.96 N, it falls.
    """
    lines = []
    for axis, sign in ((0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0)):
        gravity = tuple(sign * 9.81 * (k == axis) for k in range(3))
        result = run(build("allegro", gravity=gravity), 2.0)
        way = result.position[:, result.index("cube")]
        late = way[result.times >= 0.5]
        where = f"gravity along {'-' if sign < 0 else ''}{'xyz'[axis]}: "
        lines.append(below(where + "movement while the tips close [m]", np.linalg.norm(late[0] - way[0]), 2e-3, "m"))
        lines.append(below("  movement in 1.5 s after it [m]", np.linalg.norm(late[-1] - late[0]), 1e-9, "m"))
        lines.append(below("  largest gap of a joint [m, rad]", result.gap(), 1e-8))
    result = run(build("allegro", friction=0.03, gravity=(0.0, 9.81, 0.0)), 0.5)
    way = result.position[:, result.index("cube")]
    lines.append(word("friction 0.03", "falls", "falls" if np.linalg.norm(way[-1] - way[0]) > 0.05 else "stays"))
    return lines


CASES = (
    Case("grip", CHAPTER, grip, quick=True),
    Case("offset_grip", CHAPTER, offset_grip),
    Case("peg_in_hole", CHAPTER, peg_in_hole),
    Case("hand", CHAPTER, hand),
    Case("allegro", CHAPTER, allegro),
)
