"""Machines: shafts, gears, screws, toggles, springs, limits and motors."""

from math import atan, cos, pi, radians, sin, tan

import numpy as np

from ...scene import Body, Joint, Servo, Spring
from ...scenes import build
from ...scenes.jointed.machines import driven_wheel, screw_jack, sprung_wheel
from ...scenes.jointed.parts import block, hinge, mechanism, rod, wheel
from ...shapes import Box
from ..lines import Case, below, close, largest, word
from ..run import run

G = 9.81
CHAPTER = "Joints: machines"
NONE = (0.0, 0.0, 0.0)


def cardan():
    """A universal joint at 30 degrees: w2/w1 = cos b / (1 - sin^2 b cos^2 theta), theta from the driving fork square
    to the plane of the shafts."""
    b = radians(30.0)
    result = run(build("cardan"), 3.2)
    axes = result.turn(0)[:, :, 2], result.turn(1)[:, :, 2]
    first, second = (np.einsum("fi,fi->f", axis, result.twist[:, k, 3:]) for k, axis in enumerate(axes))
    theta, ratio = result.joint("i")[:, 0], second / np.where(first == 0, np.nan, first)
    exact = cos(b) / (1 - sin(b) ** 2 * np.cos(theta + pi / 2) ** 2)
    lines = []
    for angle, value in ((30, 0.923760), (45, 0.989743), (60, 1.065877), (90, 1.154701), (180, 0.866025)):
        k = int(np.argmin(np.abs(theta - radians(angle))))
        # The frame is next to the angle: what the formula says of its own angle is added.
        here = cos(b) / (1 - sin(b) ** 2 * cos(radians(angle) + pi / 2) ** 2)
        lines.append(close(f"w2/w1 at {angle} degrees", value, ratio[k] - exact[k] + here, 1e-3))
    lines.append(below("largest error of the ratio in half a turn", np.nanmax(np.abs(ratio - exact)[2:]), 1e-3))
    return lines


def gears():
    """Ratios of speeds and torques of a train, a planetary gear and a differential; power in = power out, 1e-9."""
    lines = []
    train = run(build("gear_joints"), 0.5)
    rates = [float(train.joint(f"a{i}")[-1, 1]) for i in range(3)]
    lines.append(close("train 20:50:30, last over first", 20 / 30, rates[2] / rates[0], 1e-9))
    torque = [abs(float(train.joint(f"a{i}")[-1, 9])) for i in (0, 2)]
    lines.append(close("  torque at the first over that at the last", 20 / 30, torque[0] / torque[1], 1e-9))
    lines.append(close("  power in over power out", 1.0, torque[0] * rates[0] / (torque[1] * rates[2]), 1e-9))
    # The planet goes round: what is left is of second order in the step.
    planet = run(build("planetary_gear"), 0.5, 0.002)
    sun, carrier = (float(planet.joint(name)[-1, 1]) for name in ("brake", "c"))
    lines.append(close("planetary 20, 60: carrier over sun, ring held", 0.25, carrier / sun, 1e-9))
    into, out = (abs(float(planet.joint(name)[-1, 9])) for name in ("c", "brake"))
    lines.append(close("  power in over power out", 1.0, into * carrier / (out * sun), 1e-9))
    both = run(build("differential"), 0.5)
    left, right, carrier = (float(both.joint(name)[-1, 1]) for name in ("drag_l", "drag_r", "c"))
    lines.append(close("differential: (w1 + w2)/(2 w carrier)", 1.0, (left + right) / (2 * carrier), 1e-9))
    lines.append(close("  the side with more drag stands [rad/s]", 0.0, left, 1e-9, "rad/s"))
    return lines


def screw():
    """A jack of 5 mm lead under 100 N: W p/(2 pi) = 0.0795775 N m hold it without friction; 0.232351 N m lift it at
    mu = 0.15, 0.0695918 lower it; it holds itself beyond mu = 0.0795775."""
    lead, weight = 0.005, 100.0
    exact = weight * lead / (2 * pi)
    lines = []
    for factor, wanted in ((1.001, "holds"), (0.999, "runs down")):
        result = run(screw_jack(lead, weight, factor * exact), 1.0)
        found = "runs down" if largest(result.twist[-1]) > 1e-9 else "holds"
        lines.append(word(f"held by {factor} of W p/(2 pi)", wanted, found))
    mu, rise, friction = 0.15, atan(lead / (2 * pi * 0.01)), atan(0.15)
    for way, torque, quoted in ((1, weight * 0.01 * tan(friction + rise), 0.232351),
                                (-1, weight * 0.01 * tan(friction - rise), 0.0695918)):  # fmt: skip
        lines.append(close(f"torque {'up' if way > 0 else 'down'} at mu = 0.15, d = 20 mm [N m]", quoted, torque, 1e-6))
        for factor, wanted in ((0.999, "holds"), (1.001, "turns")):
            result = run(screw_jack(lead, weight, factor * torque, 5.0 * way, mu), 1.0)
            found = "turns" if largest(result.twist[-1]) > 1e-9 else "holds"
            lines.append(word(f"  {factor} of it", wanted, found))
    for factor, wanted in ((0.999, "runs down"), (1.001, "holds")):
        result = run(screw_jack(lead, weight, 0, friction=factor * tan(rise)), 1.0)
        found = "runs down" if largest(result.twist[-1]) > 1e-9 else "holds"
        lines.append(word(f"without a motor, mu {factor} of 0.0795775", wanted, found))
    lines.append(close("efficiency", 0.342488, exact / (weight * 0.01 * tan(friction + rise)), 1e-6))
    return lines


def toggle():
    """A knee of two rods under a load F: force along the flat F/(2 tan a), at 20, 10, 5 and 1 degree."""
    lines = []
    for angle, exact in ((20, 1.373739), (10, 2.835641), (5, 5.715026), (1, 28.644981)):
        result = run(build("toggle", angle=angle), 0.05)
        force = abs(result.joint("d")[-1, 4]) / G
        lines.append(close(f"at {angle} degrees [loads]", exact, force, 0.02 if angle == 1 else 0.005, relative=True))
    return lines


def torsion_spring():
    """10 N m/rad on 0.05 kg m^2: period 0.444288 s; a servo's static error is torque over stiffness."""
    result = run(sprung_wheel(Spring(10.0)), 2.0, 0.002)
    rate = result.twist[:, 0, 5]
    rising = np.flatnonzero((rate[:-1] <= 0) & (rate[1:] > 0))
    when = result.times[rising] - 0.002 * rate[rising] / (rate[rising + 1] - rate[rising])
    lines = [close("period [s]", 0.444288, np.diff(when).mean(), 0.005, relative=True),
             close("amplitude after 2 s [rad/s]", 1.0, largest(rate[-300:]), 0.005)]  # fmt: skip
    for stiffness in (1e2, 1e6, 1e12):
        servo = Servo(0.0, stiffness, 10.0)
        made = mechanism("servo", [rod("rod", NONE, (1, 0, 0))], [hinge("pin", "world", "rod", NONE, servo=servo)])
        result = run(made, 3.0)
        sag, torque = abs(result.joint("pin")[-1, 0]), G * abs(result.position[-1, 0, 0])
        lines.append(close(f"servo of {stiffness:g} N m/rad: static error [rad]", torque / stiffness, sag, 1e-9, "rad"))
        lines.append(below("  rate [rad/s]", largest(result.twist[-1]), 1e-6, "rad/s"))
    return lines


def shared():
    """A bar of weight W on n joints at x_k, of which all but two are too many: as on supports of one compliance,
    F_k = W (1/n + (x_G - x_m) (x_k - x_m) / sum (x_i - x_m)^2) with their middle x_m, at every step size."""
    lines = []
    for kind, at, step in (
        ("ball", (-1.0, 0.0, 1.0), 0.01), ("ball", (-1.0, -0.7, 0.2, 1.0), 0.01),
        ("ball", (-1.0, -0.7, 0.2, 1.0), 0.001), ("hinge", (-1.0, 0.1, 0.4, 0.9, 1.0), 0.01),
    ):  # fmt: skip
        x, names = np.array(at), [f"j{k}" for k in range(len(at))]
        bar = Body("bar", Box((2.4, 0.1, 0.1)), mass=3.0)
        joints = [Joint(name, kind, ("world", "bar"), position=(place, 0.0, 0.0),
                        **({"axis": (0.0, 1.0, 0.0)} if kind == "hinge" else {}))
                  for name, place in zip(names, at, strict=True)]  # fmt: skip
        result = run(mechanism("bar", [bar], joints), 10 * step, step)
        loads = np.array([result.joint(name)[-1, 6] for name in names])
        off = x - x.mean()
        exact = 3.0 * G * (1.0 / len(x) - x.mean() * off / (off @ off))
        what = f"{len(at)} {kind} joints, {step * 1e3:g} ms: largest error of a load, part of the weight"
        lines.append(below(what, np.abs(loads - exact).max() / (3.0 * G), 1e-9))
    return lines


def drives():
    """A damper slows by exp(-c h / m) a step and never turns back, a servo overshoots by exp(-pi d / sqrt(1 - d^2)), a
    keyed servo lags by c/k: at every step size, with the mass that the joint leaves."""
    lines, h = [], 0.01
    # Of a thin rod about its end.
    inertia = 1.0 / 3.0
    for ratio in (0.1, 1.0, 10.0):
        bar = rod("rod", NONE, (0, 0, -1.0), velocity=(-0.005, 0, 0), angular_velocity=(0, 0.01, 0))
        pin = hinge("pin", "world", "rod", NONE, (0, 1, 0), spring=Spring(0.0, inertia * ratio / h))
        rate = run(mechanism("damper", [bar], [pin], NONE), 5 * h, h).twist[:, 0, 4] / 0.01
        what = f"rod with h c/I = {ratio:g}: rate after a step, part of the first"
        lines.append(close(what, np.exp(-ratio), rate[1], 1e-6))
        lines.append(below("  turned back, part of it", max(-rate.min(), 0.0), 1e-6))
    for step in (0.03, 0.3):
        for damping in (0.2, 0.5):
            stiffness = 0.05 * (step / h) ** 2
            servo = Servo(1.0, stiffness, 2.0 * damping * np.sqrt(0.05 * stiffness))
            made = mechanism("servo", [wheel("wheel", NONE, inertia=0.05)],
                             [hinge("axle", "world", "wheel", NONE, (0, 0, 1), servo=servo)], NONE)  # fmt: skip
            value = run(made, 7.0 * h / step, h).joint("axle")[:, 0]
            exact = np.exp(-pi * damping / np.sqrt(1.0 - damping**2))
            what = f"servo, h w = {step:g}, damping {damping:g}: overshoot"
            lines.append(close(what, exact, value.max() - 1.0, 0.01))
    return lines


def limits():
    """A wheel at 50 rad/s stops at its limit, a rod on a ball joint at the edge of its cone; no energy is made."""
    made = mechanism("stop", [wheel("wheel", NONE, angular_velocity=(0, 0, 50.0))],
                     [hinge("axle", "world", "wheel", NONE, (0, 0, 1), limits=(-1.0, 0.3))], NONE)  # fmt: skip
    result = run(made, 0.5)
    value, energy = result.joint("axle")[:, 0], result.kinetic()
    lines = [close("wheel stops at [rad]", 0.3, value[-1], 1e-3, "rad"),
             below("  passes it by [rad]", value.max() - 0.3, 1e-3, "rad"),
             below("  energy made [J]", max(energy.max() - energy[0], 0.0), 1e-12, "J")]  # fmt: skip
    bar = rod("rod", NONE, (0, 0, -0.5), velocity=(0.25, 0, 0), angular_velocity=(0, -1.0, 0))
    cone = Joint("ball", "ball", ("world", "rod"), NONE, (0.0, 0.0, -1.0), limits=0.4)
    result = run(mechanism("cone", [bar], [cone], (4.0, 0.0, -4.0)), 4.0)
    direction = -result.turn(0)[:, 2, 0]
    tilt, total = np.arccos(np.clip(direction, -1, 1)), result.kinetic() + result.potential()
    return [*lines, below("cone: passed by [rad]", tilt.max() - 0.4, 1e-3, "rad"),
            close("  rests at [rad]", 0.4, tilt[-1], 1e-3, "rad"),
            below("  rate at rest [rad/s]", largest(result.twist[-1]), 1e-6, "rad/s"),
            below("  energy made [J]", max(total.max() - total[0], 0.0), 2e-4, "J")]  # fmt: skip


def motors():
    """A motor stalls under a larger load, else reaches its speed in (w - w0) I/(tau - load); a brake does not creep."""
    stalled = run(driven_wheel(10.0, 0.5, 0.5001), 1.0)
    free = run(driven_wheel(10.0, 0.5, 0.2), 2.5)
    rate = free.twist[:, 0, 5]
    when = free.times[int(np.argmax(rate > 10.0 * (1 - 1e-9)))]
    rising = (rate[100] - rate[50]) / 0.5
    made = mechanism("brake", [rod("rod", NONE, (1, 0, 0))],
                     [hinge("pin", "world", "rod", NONE, friction=0.5 * G * 1.001)])  # fmt: skip
    brake = run(made, 2.0)
    return [below("stalled: rate [rad/s]", largest(stalled.twist[:, 0]), 1e-9, "rad/s"),
            close("acceleration [rad/s^2]", 0.3 / 0.05, rising, 1e-6, relative=True),
            close("reaches its speed at [s]", 10.0 * 0.05 / 0.3, when, 0.011, "s"),
            close("speed [rad/s]", 10.0, rate[-1], 1e-6, relative=True),
            below("brake at 1.001 of the load: creep [rad/s]", largest(brake.twist[-1]), 1e-9, "rad/s")]  # fmt: skip


def breaking():
    """A body of 1 kg on a joint that breaks at 0.98 and 1.02 of its weight, at three time steps."""
    lines = []
    for step in (0.01, 0.005, 0.0025):
        for factor, wanted in ((1.02, "holds"), (0.98, "breaks")):
            joint = Joint("j", "fixed", ("world", "b"), (0, 0, -0.5), breaking=factor * G)
            result = run(mechanism("hung", [block("b", (0, 0, -0.5))], [joint]), 0.2, step)
            found = "breaks" if result.position[-1, 0, 2] < -0.51 else "holds"
            lines.append(word(f"h = {step * 1e3:g} ms, {factor} of the weight", wanted, found))
    return lines


def stick_slip():
    """A block of 1 kg on a belt of 0.2 m/s, spring of 100 N/m, coefficients 0.6 and 0.4: it sticks until the spring
    wins, then slides half a swing and a little. Closed form of the slide; 3 % of the period at 1 ms."""
    h = 0.001
    result = run(build("stick_slip"), 4.0, h)
    x = result.position[round(2.0 / h) :, 1, 0]
    speed = np.diff(x) / h
    ends = np.flatnonzero(np.diff((np.abs(speed - 0.2) < 1e-6).astype(int)) == -1)
    period = float(np.mean(np.diff(ends))) * h
    slide = _share_sliding(speed, ends) * period
    return [
        close("period [s]", 0.665521, period, 0.03 * 0.665521, "s"),
        close("  of it sliding", 0.469321, slide, 0.03 * 0.469321, "s"),
        close("amplitude [m]", 0.028017, 0.5 * (x.max() - x.min()), 0.03 * 0.028017, "m"),
        close("least extension of the spring [m]", 0.011223, x.min(), 0.03 * 0.028017, "m"),
    ]


def _share_sliding(speed, ends):
    """Part of whole periods between the ends of sticking, (n,), in which speeds (S,) are not the belt's."""
    whole = speed[ends[0] + 1 : ends[-1] + 1]
    return float(np.mean(np.abs(whole - 0.2) >= 1e-6))


CASES = (
    Case("joint_cardan", CHAPTER, cardan),
    Case("joint_gears", CHAPTER, gears, quick=True),
    Case("joint_screw", CHAPTER, screw),
    Case("joint_toggle", CHAPTER, toggle, quick=True),
    Case("joint_springs", CHAPTER, torsion_spring),
    Case("joint_shared", CHAPTER, shared, quick=True),
    Case("joint_drives", CHAPTER, drives),
    Case("joint_limits", CHAPTER, limits),
    Case("joint_motors", CHAPTER, motors),
    Case("joint_breaking", CHAPTER, breaking),
    Case("joint_stick_slip", CHAPTER, stick_slip),
)
