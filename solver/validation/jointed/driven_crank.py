"""A slider-crank that a motor turns evenly: forces of its joints and power of its motor in closed form."""

import numpy as np

from ...results.joint_step_error import joint_step_errors
from ...scene import Body, Joint, Motion, Motor, Scene
from ...shapes import Box
from ...simulation import SimulationOptions, simulate
from ..lines import Case, below, within
from .linkages import CHAPTER

CRANK, ROD, RATE, MASS = 0.2, 0.5, 2.0 * np.pi, 1.0
INERTIA = (ROD**2 + 0.02**2) / 12.0


def places(t):
    """Crank pin, slider and middle of the rod (3 of (T,2), x and z), and the rod's angle (T,), turning about -y."""
    pin = CRANK * np.stack([np.cos(RATE * t), np.sin(RATE * t)], axis=-1)
    swing = -np.arcsin(pin[:, 1] / ROD)
    end = np.stack([pin[:, 0] + np.sqrt(ROD**2 - pin[:, 1] ** 2), 0.0 * t], axis=-1)
    return pin, end, 0.5 * (pin + end), swing


def second(function, t, h=1e-4):
    """Second derivative of fourth order."""
    at = [function(t + k * h) for k in (-2, -1, 0, 1, 2)]
    return (-at[0] + 16.0 * at[1] - 30.0 * at[2] + 16.0 * at[3] - at[4]) / (12.0 * h * h)


def pin_forces(t):
    """Forces (T,3) [N] of the crank on the rod and of the rod on the slider, without gravity, by Newton's and Euler's
    equations."""
    pin, end, middle, _ = places(t)
    push = MASS * second(lambda t: places(t)[1][:, 0], t)
    rod = MASS * second(lambda t: places(t)[2], t)
    turn = second(lambda t: places(t)[3], t)
    # About the middle, forces A on the rod at the crank pin and -F at the slider: A = rod + F.
    a, b = pin - middle, end - middle
    # a x A - b x F = inertia turn, with cross (x, z) = x Fz - z Fx; unknown Fz.
    known = a[:, 0] * rod[:, 1] - a[:, 1] * (rod[:, 0] + push) + b[:, 1] * push
    across = (INERTIA * turn - known) / (a[:, 0] - b[:, 0])
    slider = np.stack([push, 0.0 * t, across], axis=-1)
    return slider + np.stack([rod[:, 0], 0.0 * t, rod[:, 1]], axis=-1), slider


def driven():
    """The slider-crank, its crank turned by a motor."""
    pin, end, middle, swing = (value[0] for value in places(np.zeros(1)))
    thin = (0.02**2 / 6.0, INERTIA, INERTIA)
    # A turn about +y takes z to x, so that the crank turns about -y.
    speed = np.array([0.0, 0.0, CRANK * RATE])

    def body(name, x, long, velocity, spin, inertia):
        return Body(name, Box((long, 0.02, 0.02)), position=(x, 0.0, 0.0), velocity=tuple(velocity), mass=MASS,
                    angular_velocity=(0.0, spin, 0.0), inertia=inertia, collides_with=())  # fmt: skip

    bodies = (
        Body("frame", Box((0.01, 0.01, 0.01)), motion=Motion.STATIC, position=(0.0, 1.0, 0.0)),
        body("crank", 0.5 * CRANK, CRANK, 0.5 * speed, -RATE, (1e-4, 3e-3, 3e-3)),
        body("rod", middle[0], ROD, 0.5 * speed, CRANK * RATE / ROD, thin),
        body("slider", end[0], 0.05, (0.0, 0.0, 0.0), 0.0, (1e-3,) * 3),
    )
    joints = (
        Joint("motor", "hinge", ("world", "crank"), (0.0, 0.0, 0.0), (0.0, -1.0, 0.0),
              motor=Motor(RATE, 1e4)),
        Joint("b", "hinge", ("crank", "rod"), (CRANK, 0.0, 0.0), (0.0, 1.0, 0.0)),
        Joint("c", "hinge", ("rod", "slider"), (end[0], 0.0, 0.0), (0.0, 1.0, 0.0)),
        Joint("guide", "slider", ("world", "slider"), (end[0], 0.0, 0.0), (1.0, 0.0, 0.0)),
    )  # fmt: skip
    return Scene(bodies, joints=joints, gravity=(0.0, 0.0, 0.0))


def motor_power(t):
    """Power (T,) [W] of the motor: how the kinetic energy of rod and slider changes."""

    def kinetic(t, h=1e-4):
        _, end, middle, swing = zip(*(places(t + k * h) for k in (-2, -1, 1, 2)), strict=True)
        rates = [(at[0] - 8.0 * at[1] + 8.0 * at[2] - at[3]) / (12.0 * h) for at in (end, middle, swing)]
        moving = sum((rate**2).sum(axis=1) for rate in rates[:2])
        return 0.5 * (MASS * moving + INERTIA * rates[2] ** 2)

    return (kinetic(t + 1e-4) - kinetic(t - 1e-4)) / 2e-4


def driven_crank():
    """A crank of 0.2 m, turned once a second, drives a rod of 0.5 m and a slider, 1 kg each: power in mid-step.

    Its error falls as the square of the step; the error of joint forces that the report states, over the true one.
    """
    lines, errors = [], []
    for h, every in ((0.01, 1), (0.005, 2), (0.0025, 4)):
        run = simulate(driven(), SimulationOptions(time=1.0, time_step=h, steps_per_frame=every))
        t = run.times[1:] - 0.5 * h
        power, true = run.joints[1:, 0, 10], motor_power(t)
        errors.append(np.sqrt(np.mean((power - true) ** 2) / np.mean(true**2)))
        label = f"h = {h * 1e3:g} ms"
        lines.append(below(f"{label}: power of the motor off by, rms in parts of it", errors[-1], 40.0 * h * h))
        stated = joint_step_errors(run)
        for joint, name, force in zip((1, 2), "bc", pin_forces(t), strict=True):
            off = np.sqrt(np.mean(np.sum((run.joints[1:, joint, 4:7] - force) ** 2, axis=1)))
            lines.append(within(f"stated error of the force in joint {name} over the true one",
                                0.5, 2.0, stated[name]["force"][1] / off))  # fmt: skip
    for coarse, fine, label in zip(errors, errors[1:], ("10 ms", "5 ms"), strict=False):
        lines.append(within(f"error of the power at {label} over that at half of it", 3.0, 5.0, coarse / fine))
    return lines


CASES = (Case("joint_driven_crank", CHAPTER, driven_crank),)
