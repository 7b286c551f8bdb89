"""Chains, beams and tops on joints."""

from math import atan2, degrees

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq

from ...scenes.jointed.chains import chain, flexible_beam, folded_chain, hanging_chain
from ...scenes.jointed.machines import joint_top
from ..lines import Case, below, close
from ..run import run
from .planar_chain import chain_end

G = 9.81
CHAPTER = "Joints: chains"
SAG = {10: (0.365545, 0.162912), 20: (0.363453, 0.163103), 100: (0.362809, 0.163166)}


def hung(counts=(10, 20)):
    """A chain of 1 m over a span of 0.6 m, damped to rest: its sag to 1e-4 m, its horizontal pull H/W to 1 %.

    The catenary's are 0.362782 m and 0.163168.
    """
    lines = []
    for count in counts:
        result = run(hanging_chain(count), 12.0, every=20, linear_damping=2.0, angular_damping=2.0)
        sag, pull = SAG[count]
        end = result.position[-1]
        half = 0.5 / count
        lowest = -min(end[i, 2] - half * abs(result.turn(i, -1)[2, 0]) for i in range(count))
        force = result.joint("h0")[-1, 4:7]
        lines.append(close(f"{count} links: sag [m]", sag, lowest, 1e-4, "m"))
        lines.append(close("  H/W", pull, abs(force[0]) / G, 0.01, relative=True))
        lines.append(below("  speed [m/s]", np.abs(result.twist[-1]).max(), 1e-3, "m/s"))
        lines.append(below("  largest gap [m, rad]", result.gap(), 1e-8))
    return lines


def fine():
    """The same of a hundred links."""
    return hung((100,))


def straight(links=6, span=3.0, mass=12.0):
    """A chain that is straight between two hinges hangs in the slack that it is given: with its links' lengths, sag and
    pull of the funicular polygon, tan of link k = w (n/2 - k - 1/2)/H."""
    scene = hanging_chain(links, span, span, mass)
    at_once = run(scene, 1.0, 1 / 240)
    result, weight = run(scene, 4.0, linear_damping=2.0, angular_damping=2.0), mass * G / links
    anchor = result.model.joints.per_joint.anchor
    length = np.linalg.norm(anchor[:-1, 1] - anchor[1:, 0], axis=1)
    up = weight * (0.5 * links - np.arange(links) - 0.5)
    pull = brentq(lambda H: (length / np.hypot(1.0, up / H)).sum() - span, weight, 1e4 * weight)
    sag = (length * up / np.hypot(pull, up))[: links // 2].sum()
    middle = result.joint(f"h{links // 2}")
    half = links // 2
    lowest = -(result.position[-1, half - 1] + result.turn(half - 1, -1) @ anchor[half, 0])[2]
    return [
        close("sag [m]", sag, lowest, 1e-6, "m"), close("  H [N]", pull, abs(middle[-1, 4]), 1e-3, relative=True),
        below("  speed [m/s]", np.abs(result.twist[-1]).max(), 1e-3, "m/s"),
        below("  speed in the first second, undamped [m/s]", np.abs(at_once.twist[:, :, :3]).max(), 0.02, "m/s"),
        below("  parts of a step", max(report.substeps for report in at_once.reports), 2),
        below("  largest gap [m, rad]", max(result.gap(), at_once.gap()), 1e-8),
    ]


def taut(cases=((20, 10.0), (100, 4.0))):
    """Chains of links of 0.1 kg with a thousand times that at the end, let go from horizontal at 100 Hz: closed to
    1e-8 m, energy never up by more than 1 %; at rest upright the pull of what hangs below to 1 %.

    Twenty links: where the end is after 0.9 s, of rods in the plane integrated in their angles.
    """
    lines = []
    for links, seconds in cases:
        result = run(chain(links, 1000.0), seconds, every=5)
        energy = result.kinetic() + result.potential()
        lines.append(below(f"{links} links: largest gap [m, rad]", result.gap(), 1e-8))
        up = (energy.max() - energy[0]) / np.ptp(result.potential())
        lines.append(below("  energy up, of what swings", up, 0.01))
        if links == 20:
            end = result.position[18, -1, 2] + 0.05 * result.turn(links - 1, 18)[2, 0]
            lines.append(close("  end after 0.9 s [m]", falling_end(result.scene, 0.9), end, 1e-3, "m"))
        still = run(chain(links, 1000.0, angle=0.0), 0.2)
        middle = links // 2
        pull = still.joint(f"j{middle}")[-1, 6]
        lines.append(close("  at rest: pull in the middle [N]", G * (0.1 * (links - middle - 1) + 100.0), pull, 0.01,
                           relative=True))  # fmt: skip
    return lines


def falling_end(scene, time):
    """Height [m] of the end of `chain` let go from horizontal, after `time` [s]."""
    mass = np.array([body.mass for body in scene.bodies])
    moment = np.array([body.inertia[1] for body in scene.bodies])
    return chain_end(time, len(mass), mass, moment, 0.1)[1]


def folded(links=40):
    """A chain of 1 m hung by both ends side by side, let go at one: its tip is faster than free fall.

    If no energy is lost, v^2 = g x (2L - x)/(L - x) after a fall of x, and L takes Beta(3/4, 1/2)/(2 sqrt 2) = 0.8472
    of free fall's time; 40 links integrated in their angles are within 0.3 % of that.
    """
    result = run(folded_chain(links), 0.38)
    x = result.position[:, -1] + 0.5 / links * result.turn(links - 1)[:, :, 0]
    fall, lines = x[0, 2] - x[:, 2], []
    for part in (0.25, 0.5, 0.75, 0.9):
        exact = quad(lambda y: ((1 - y) / (G * y * (2 - y))) ** 0.5, 0.0, part)[0] / (2 / G) ** 0.5
        found = np.interp(part, fall, result.times) / (2 / G) ** 0.5
        lines.append(close(f"time to fall {part:g} L, of free fall's for L", exact, found, 0.02, relative=True))
    energy = result.kinetic() + result.potential()
    lines.append(below("energy changes by, of what swings", np.abs(energy - energy[0]).max() / (G / 4), 0.02))
    lines.append(below("largest gap [m, rad]", result.gap(), 1e-8))
    return lines


def beam():
    """A clamped beam of 16 links of 3 g with 250 N m a joint, damped to rest, sags as hinged links do.

    Linear: angle of joint i against the one before M_i/k with M_i the moment of what hangs beyond. With a first joint
    that stands for half a link, twice as stiff, it is beam theory's w L^4/(8 E I), EI = k l, to 1/n^2.
    """
    links, mass, stiffness, length = 16, 0.003, 250.0, 0.02
    moments = np.array([sum(mass * G * length * (j + 0.5 - i) for j in range(i, links)) for i in range(links)])
    exact = float(np.sum(length * np.cumsum(moments / stiffness)))
    theory = mass / length * G * (links * length) ** 4 / (8 * stiffness * length)
    lines = []
    for clamp, sag, label in ((1.0, exact, "sag at the tip, of hinged links [um]"),
                              (2.0, theory, "first joint twice as stiff: sag, of beam theory [um]")):  # fmt: skip
        result = run(flexible_beam(links, mass, stiffness, length, clamp), 0.5, 0.001, every=50, linear_damping=50.0,
                     angular_damping=50.0)  # fmt: skip
        tip = result.position[-1, -1] + 0.5 * length * result.turn(links - 1, -1)[:, 0]
        lines.append(close(label, 1e6 * sag, -1e6 * tip[2], 0.01, relative=True))
        lines.append(below("  largest gap [m, rad]", result.gap(), 1e-8))
    return lines


def top():
    """A heavy top of 100 rad/s on a ball joint at 100 Hz, a radian a step: nutation and precession of 1 s; order 2."""
    lines, found = [], []
    for step, nutation, off in ((0.01, 0.5, 3.0), (0.005, 0.125, 0.75)):
        scene, rate = joint_top()
        result = run(scene, 1.0, step)
        tilt = np.degrees(np.arccos(np.clip(result.turn(0)[:, 2, 2], -1, 1)))
        place = result.position[-1, 0]
        error = abs(degrees(atan2(place[1], place[0]) - rate))
        lines.append(below(f"h = {step * 1e3:g} ms: nutation [degrees]", np.abs(tilt - 30).max(), nutation, "degrees"))
        lines.append(below("  precession off in 1 s [degrees]", error, off, "degrees"))
        found.append(error)
    return [*lines, close("error of precession: that of h over that of h/2", 4.0, found[0] / found[1], 1.0)]


CASES = (
    Case("joint_chain", CHAPTER, hung),
    Case("joint_chain_fine", CHAPTER, fine),
    Case("joint_straight", CHAPTER, straight, quick=True),
    Case("joint_taut", CHAPTER, taut),
    Case("joint_folded", CHAPTER, folded),
    Case("joint_beam", CHAPTER, beam),
    Case("joint_top", CHAPTER, top, quick=True),
)
