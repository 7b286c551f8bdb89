"""Machines by contact: no joints but bearings."""

from math import degrees, pi, radians

import numpy as np

from ...scenes import build
from ...scenes.mechanisms import bolt, capstan, escapement, geneva, ratchet, toggle
from ..lines import Case, below, close, largest, word
from ..run import run

CHAPTER = "Machines by contact"


def toggle_clamp():
    """Force on the stop over that on the knee: 1/(2 tan a)."""
    lines = []
    for angle, tolerance in ((20, 0.005), (10, 0.005), (5, 0.005), (1, 0.02)):
        result = run(build("toggle_clamp", angle=angle), 0.3)
        gain = toggle.clamping_force(result.contacts, result.impulses, result.step) / toggle.weight()
        lines.append(close(f"{angle} degrees: gain", toggle.gain(angle), gain, tolerance, relative=True))
    return lines


def bolt_and_nut():
    """The nut runs down by itself iff mu < tan(lead angle), 0.0795775 at 5 mm a turn on 20 mm; p a turn."""
    edge = bolt.self_locking()
    lines = [close("least friction that holds, by the formula", 0.0795775, edge, 1e-7)]
    for factor, runs in ((0.95, True), (1.05, False)):
        result = run(build("bolt", friction=factor * edge), 0.3, 0.002)
        nut = result.index("nut")
        sunk = result.position[0, nut, 2] - result.position[-1, nut, 2]
        wanted, found = ("runs down" if moves else "holds" for moves in (runs, sunk > 1e-5))
        lines.append(word(f"{factor} of it", wanted, found))
        if runs:
            turned = -0.5 * np.sum(result.twist[1:, nut, 5] + result.twist[:-1, nut, 5]) * result.step
            lines.append(close("  travel a turn [m]", bolt.LEAD, 2 * pi * sunk / turned, 0.005, relative=True))
        else:
            lines.append(below("  speed after 0.3 s [m/s]", largest(result.twist[-1, nut, :3]), 1e-9, "m/s"))
    return lines


def ratchet_wheel():
    """Turns one way at the speed of its drive; the other way it stops within a tooth and stays."""
    held = run(build("ratchet"), 0.4, 0.002)
    back = abs(np.sum(held.twist[:, 0, 5])) * held.step
    free = run(build("ratchet", speed=2 * pi), 0.55, 0.002)
    passed = np.sum(free.twist[1:, 0, 5]) * free.step / ratchet.PITCH
    pawl = free.twist[:, 1, 5]
    falls = int(np.count_nonzero((pawl[1:] > 2.0) & (pawl[:-1] <= 2.0)))
    return [
        below("loaded: turns back [teeth]", back / ratchet.PITCH, 1.0, "teeth"),
        below("  rate after 0.4 s [rad/s]", largest(held.twist[-1, :, 5]), 1e-9, "rad/s"),
        close("driven for 0.55 s: teeth passed", 6.6, passed, 0.005, relative=True),
        close("  falls of the pawl", 6, falls, 0.5),
    ]


def capstan_rope():
    """Loads on both ends of half a turn of rope: the larger slips beyond e^(mu pi) times the smaller."""
    edge, lines = capstan.limit(), []
    for factor, held in ((0.98, True), (1.02, False)):
        result = run(build("capstan", ratio=factor * edge), 0.06, 0.002)
        speed = abs(result.twist[-1, result.index("taut"), 2])
        wanted, found = ("holds" if still else "slips" for still in (held, speed < 1e-4))
        lines.append(word(f"{factor} of {edge:.6f}", wanted, found))
        if held:
            lines.append(below("  speed after 0.06 s [m/s]", speed, 1e-8, "m/s"))
    return lines


def geneva_drive():
    """Four slots: a turn of the crank turns the wheel by a quarter, in 90 degrees of it, 2.414214 times as fast at
    most; in the other 270 it turns by no more than its play."""
    result = run(build("geneva"), 2.0, 0.002)
    crank, (angle, rate) = result.joint("crank")[:, 0], result.joint("wheel")[:, :2].T
    # Angle of the pin from the line of centres, and where its slot then is from where it was met.
    pin = (crank + 2 * pi) % (2 * pi) - pi
    turned = np.arctan2(geneva.CRANK * np.sin(pin), geneva.CENTRES - geneva.CRANK * np.cos(pin)) + pi / 4
    driven = np.abs(pin) < pi / 4
    behind = -angle - np.floor((crank + pi / 4 + pi) / (2 * pi) - 0.5) * pi / 2
    still = [part for part in np.split(angle, np.flatnonzero(np.diff(driven)) + 1)[::2] if len(part) > 100]
    off = np.abs(((behind - turned)[driven] + pi / 4) % (pi / 2) - pi / 4)
    exact = np.mean(driven & (turned > radians(1)) & (turned < radians(89)))
    moving = np.mean(np.abs((angle + pi / 4) % (pi / 2) - pi / 4) > radians(1))
    speed = 2 * pi
    return [
        close("a turn of the crank: the wheel turns by [degrees]", -180 / 2, degrees(angle[-1]) / 2, 0.3, "degrees"),
        close("largest rate of the wheel over the crank's", geneva.LARGEST_RATE, np.abs(rate).max() / speed, 0.02,
              relative=True),
        close("part of the time in which it is a degree off a quarter", exact, moving, 0.02),
        below("driven: off the closed form [degrees]", degrees(off.max()), 2 * degrees(geneva.play()), "degrees"),
        below("held: turns by, in parts of its play", max(np.ptp(part) for part in still) / (2 * geneva.play()), 1.1),
    ]  # fmt: skip


def escapement_clock(seconds=60.0):
    """A clock keeps the period of its pendulum at its amplitude to 0.5 % for a minute, whatever the weight: the wheel
    goes on by a pitch a swing."""
    lines = []
    for torque, time in ((0.05, seconds), (0.1, seconds / 3)):
        result = run(build("clock", torque=torque), time, 0.005)
        wheel, swing = result.joint("arbor")[:, 0], result.joint("axis")[:, 0] + radians(8.0)
        passes = np.flatnonzero((swing[:-1] < 0) & (swing[1:] >= 0))
        when = result.times[passes] - swing[passes] / (swing[passes + 1] - swing[passes]) * result.step
        swings = len(passes) - 1
        size = np.abs(swing)
        peaks = size[1:-1][(size[1:-1] >= size[:-2]) & (size[1:-1] > size[2:])]
        own = np.mean([escapement.period(peak) for peak in peaks])
        pitches = abs(wheel[passes[-1]] - wheel[passes[0]]) / escapement.PITCH
        lines.append(close(f"{torque} N m, {time:g} s: a swing takes, in the pendulum's own", 1.0,
                           (when[-1] - when[0]) / swings / own, 0.005))  # fmt: skip
        lines.append(close("  pitches of the wheel a swing", 1.0, pitches / swings, 0.5 / swings))
        lines.append(close("  last amplitude over the first [degrees]", degrees(peaks[0]), degrees(peaks[-1]), 2.0,
                           "degrees"))  # fmt: skip
    return lines


CASES = (
    Case("toggle_clamp", CHAPTER, toggle_clamp, quick=True),
    Case("bolt_and_nut", CHAPTER, bolt_and_nut),
    Case("ratchet_wheel", CHAPTER, ratchet_wheel),
    Case("capstan_rope", CHAPTER, capstan_rope),
    Case("geneva_drive", CHAPTER, geneva_drive),
    Case("escapement_clock", CHAPTER, escapement_clock),
)
