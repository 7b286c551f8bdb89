"""The error of the time step in joint forces, as a run estimates it, against a driven slider-crank in closed form."""

import numpy as np
import pytest

from stiction.solver.results.joint_step_error import joint_step_errors
from stiction.solver.results.summary import run_summary
from stiction.solver.scene import Body, Joint, Motion, Motor, Scene
from stiction.solver.shapes import Box
from stiction.solver.simulation import SimulationOptions, simulate

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


@pytest.mark.parametrize(("h", "every", "factor"), [(0.01, 1, 2.0), (0.02, 1, 3.0), (0.005, 2, 2.0)])
def test_the_error_of_a_driven_slider_crank_is_known(h, every, factor):
    run = simulate(driven(), SimulationOptions(time=1.0, time_step=h, steps_per_frame=every))
    found = joint_step_errors(run)
    for joint, name, true in zip((1, 2), "bc", pin_forces(run.times[1:] - 0.5 * h), strict=True):
        rms, error = found[name]["force"]
        off = np.sqrt(np.mean(np.sum((run.joints[1:, joint, 4:7] - true) ** 2, axis=1)))
        assert rms == pytest.approx(np.sqrt(np.mean(np.sum(true**2, axis=1))), rel=0.1)
        assert 1.0 / factor < error / off < factor


def test_it_stands_in_the_summary_and_nothing_without_joints():
    run = simulate(driven(), SimulationOptions(time=0.1, time_step=0.01, steps_per_frame=1))
    assert run_summary(run)["joint_step_error"]["c"]["force"][1] > 0.0
    few = simulate(driven(), SimulationOptions(time=0.02, time_step=0.01, steps_per_frame=1))
    assert joint_step_errors(few) == {}
