"""Machines by contact: no joints but bearings."""

from math import pi

import numpy as np

from ...scenes import build
from ...scenes.mechanisms import bolt, capstan, ratchet, toggle
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


CASES = (
    Case("toggle_clamp", CHAPTER, toggle_clamp, quick=True),
    Case("bolt_and_nut", CHAPTER, bolt_and_nut),
    Case("ratchet_wheel", CHAPTER, ratchet_wheel),
    Case("capstan_rope", CHAPTER, capstan_rope),
)
