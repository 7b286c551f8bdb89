"""Pendulums and linkages. Numbers without a formula were integrated in generalised coordinates to 1e-10."""

from math import asin, degrees, radians, tan

import numpy as np

from ...scenes import build
from ...scenes.jointed.linkages import bennett_angles, rod_pendulum
from ...scenes.jointed.linkages import double_pendulum as two
from ..lines import Case, Outcome, Plot, below, close, largest
from ..run import run

G = 9.81
CHAPTER = "Joints: linkages"
CLOSED = 1e-8


def angle_about_y(result, body):
    """Angle [rad] (F,) of a body's local x about y from hanging, counted through whole turns."""
    x = result.turn(body)[:, :, 0]
    return np.unwrap(np.arctan2(x[:, 0], -x[:, 2]))


def energy_change(result):
    """Largest change [J] of the energy."""
    energy = result.kinetic() + result.potential()
    return largest(energy - energy[0])


def at(result, time):
    """Number of the frame at `time` [s]."""
    return int(np.argmin(np.abs(result.times - time)))


def gap_line(result):
    """Line: the joints of a Run are closed in every frame, to CLOSED."""
    return below("largest gap and misalignment of a joint [m, rad]", result.gap(), CLOSED)


def pendulum():
    """IFToMM A01: a point mass on 1 m from horizontal, 10 s; its positions, 5e-5 J of energy, at h = 1 ms."""
    result = run(build("pendulum"), 10.0, 0.001, every=10)
    lines = []
    for time, x, z in ((1, -0.986292, -0.165011), (2, 0.793566, -0.608484), (5, 0.942305, -0.334754),
                       (10, 0.275087, -0.961419)):  # fmt: skip
        place = result.position[at(result, time), 0]
        off = np.hypot(place[0] - x, place[2] - z)
        lines.append(below(f"off its place at {time} s [mm]", 1e3 * off, 3.0, "mm"))
    lines.append(below("energy [J]", energy_change(result), 5e-5, "J"))
    return [*lines, gap_line(result)]


def rod():
    """A rod of 1 m on a hinge from horizontal: angles, period 1.933335 s, 2.5 m g at the bottom; energy of 10 s."""
    lines = []
    result = run(rod_pendulum(), 10.0, 0.005)
    angle = np.degrees(angle_about_y(result, 0))
    for time, exact in ((1, -89.5316), (2, 88.1266), (5, -78.3070), (10, 44.1726)):
        lines.append(close(f"angle at {time} s [degrees]", exact, angle[at(result, time)], 0.3, "degrees"))
    falling = np.flatnonzero((angle[:-1] > 0) & (angle[1:] <= 0))
    when = result.times[falling] + 0.005 * angle[falling] / (angle[falling] - angle[falling + 1])
    lines.append(close("period [s]", 1.933335, np.diff(when).mean(), 5e-4, relative=True))
    force = np.linalg.norm(result.joint("pin")[:, 4:7], axis=1)
    lines.append(close("largest force in the hinge, in m g", 2.5, force.max() / G, 0.005, relative=True))
    coarse = run(rod_pendulum(), 10.0, 0.01)
    lines.append(below("energy over 10 s at 100 Hz, in m g L", energy_change(coarse) / G, 1e-3))
    return Outcome((*lines, gap_line(result)),
                   (Plot("rod_pendulum", "Rod on a hinge", "time [s]", "angle [degrees]",
                         (("measured", result.times, angle, "-"),)),))  # fmt: skip


def rough_rod():
    """The same with 0.5 N m of dry friction: turning points, then it sticks for ever inside 5.8507 degrees."""
    result = run(rod_pendulum(friction=0.5), 8.0, 0.005)
    angle = np.abs(np.degrees(angle_about_y(result, 0)))
    peaks = angle[1:-1][(angle[1:-1] > angle[:-2]) & (angle[1:-1] >= angle[2:]) & (angle[1:-1] > 6)]
    lines = [close(f"turning point {k + 1} [degrees]", exact, peaks[k] if k < len(peaks) else np.nan, 0.2, "degrees")
             for k, exact in enumerate((73.1284, 58.3851, 44.9266, 32.2868, 20.1650, 8.3416))]  # fmt: skip
    lines.append(below("rate at rest [rad/s]", largest(result.twist[-1, 0]), 1e-9, "rad/s"))
    lines.append(below("angle at rest [degrees]", angle[-1], degrees(asin(0.5 / (0.5 * G))), "degrees"))
    return lines


TURNS = {1: (1.9237118, 6.934551), 2: (1.9425149, 6.839591), 40: (1.9656019, 6.725801)}


def four_bars(windows=(1, 2), seconds=10.0):
    """IFToMM A02: all rods stay parallel, phi'' = k g sin(phi), k = ((N+1)/2 + N)/((N+1)/3 + N); a turn's time."""
    lines = []
    for count in windows:
        result = run(build("four_bar", windows=count), seconds, 0.005)
        turn, fastest = TURNS[count]
        angle = angle_about_y(result, 0)
        turned = np.abs(angle - angle[0]) / (2 * np.pi)
        whole = np.flatnonzero(np.floor(turned[1:]) > np.floor(turned[:-1]))
        goal = np.floor(turned[whole + 1])
        when = result.times[whole] + 0.005 * (goal - turned[whole]) / (turned[whole + 1] - turned[whole])
        label = f"{count} windows: " if count > 1 else "1 window: "
        lines.append(close(label + "a turn takes [s]", turn, abs(when[-1]) / len(when), 1e-3, relative=True))
        rates = np.abs(result.twist[:, 0, 4])
        lines.append(close("  rate at the bottom [rad/s]", fastest, rates.max(), 2e-3, relative=True))
        axes = result.turn(0)[:, :, 0]
        apart = max(largest(np.linalg.norm(np.cross(axes, result.turn(i)[:, :, 0]), axis=1)) for i in range(count + 1))
        lines.append(below("  uprights off parallel [rad]", apart, 1e-6, "rad"))
        lines.append(gap_line(result))
    return lines


def ladder():
    """IFToMM A02 with forty windows, two turns: they stay parallel to 1e-6 though each turn is flat once."""
    return four_bars((40,), 4.2)


def bricard():
    """IFToMM A04: the corner P3 within 0.2 mm, energy within 2e-3 J of 4.55 in 1 s, at 100 Hz."""
    result = run(build("bricard"), 1.0)
    corner = result.position[:, 1] + 0.5 * result.turn(1)[:, :, 0]
    lines = []
    for time, *exact in ((0.25, 0.940057, -0.998308, -0.058146), (0.5, 0.774718, -0.979815, -0.199906),
                         (0.75, 0.540584, -0.935289, -0.353884), (1.0, 0.274481, -0.886708, -0.462330)):  # fmt: skip
        off = np.linalg.norm(corner[at(result, time)] - exact)
        lines.append(below(f"P3 off its place at {time} s [mm]", 1e3 * off, 0.2, "mm"))
    return [*lines, below("energy [J]", energy_change(result), 2e-3, "J"), gap_line(result)]


def double_pendulum():
    """Two rods of 1 m and 1 kg from horizontal, at 5 ms: their angles."""
    result = run(two(points=False), 1.0, 0.005)
    lines = []
    for time, *exact in ((0.25, 68.505458, 94.884678), (0.5, 25.676681, 59.700076), (0.75, -5.500457, -40.297053),
                         (1.0, -69.197043, -46.661168)):  # fmt: skip
        for body, value in enumerate(exact):
            angle = np.degrees(angle_about_y(result, body)[at(result, time)])
            lines.append(close(f"rod {body + 1} at {time} s [degrees]", value, angle, 0.3, "degrees"))
    return [*lines, gap_line(result)]


CRANK = ((0.5, -4.15804, 0.364917), (1.0, -4.832969, 0.482946), (1.5, -6.758375, 0.669397),
         (2.0, -10.681944, 0.400690))  # fmt: skip


def slider_crank():
    """A crank of 0.2 m, a rod of 0.5 m and a slider, 1 kg each, run freely: crank angle to 0.02 rad, and slider."""
    lines = []
    for step in (0.0025, 0.005):
        result = run(build("slider_crank"), 2.0, step)
        x = result.turn(0)[:, :, 0]
        angle = np.unwrap(np.arctan2(x[:, 2], x[:, 0]))
        off = [abs(angle[at(result, time)] - crank) for time, crank, _ in CRANK]
        beside = [abs(result.position[at(result, time), 2, 0] - slider) for time, _, slider in CRANK]
        label = f"h = {step * 1e3:g} ms: "
        lines += [below(label + "crank off in 2 s [rad]", max(off), 0.02, "rad"),
                  below("  slider off in 2 s [m]", max(beside), 0.004, "m"), gap_line(result)]  # fmt: skip
    return lines


def bennett():
    """Bennett's loop moves, and tan(t1/2) tan(t2/2) keeps its value in every pose; it keeps its energy for 5 s."""
    result = run(build("bennett"), 5.0)
    start = radians(70.0)
    first = start + result.joint("h0")[:, 0]
    second = bennett_angles(start) + result.joint("h1")[:, 0]
    exact = tan(start / 2) * tan(bennett_angles(start) / 2)
    off = largest(np.tan(first / 2) * np.tan(second / 2) / exact - 1)
    energy = energy_change(result) / (3 * G * 0.5)
    moved = np.ptp(first)
    return [below("tan(t1/2) tan(t2/2) off its value, relative", off, 1e-6),
            close("the first angle moves by more than a radian", 1, float(moved > 1.0), 0),
            below("energy, relative to 3 m g 0.5 m", energy, 1e-3), gap_line(result)]  # fmt: skip


def door():
    """A door on two hinges swings on for 5 s: ten rows of which five are new neither lock nor brake."""
    result = run(build("door"), 5.0)
    return [below("energy, relative", energy_change(result) / result.kinetic()[0], 1e-5), gap_line(result)]


CASES = (
    Case("joint_pendulum", CHAPTER, pendulum),
    Case("joint_rod", CHAPTER, rod),
    Case("joint_friction", CHAPTER, rough_rod),
    Case("joint_four_bar", CHAPTER, four_bars),
    Case("joint_ladder", CHAPTER, ladder),
    Case("joint_bricard", CHAPTER, bricard, quick=True),
    Case("joint_double_pendulum", CHAPTER, double_pendulum, quick=True),
    Case("joint_slider_crank", CHAPTER, slider_crank),
    Case("joint_bennett", CHAPTER, bennett),
    Case("joint_door", CHAPTER, door),
)
