"""Contacts that carried a load hold at the end of the step: turning about them costs no energy of first order."""

from dataclasses import replace
from math import acos, degrees, pi, radians, sin, sqrt

import numpy as np
import pytest

from stiction.solver.scenes import build
from stiction.solver.simulation import compiled, options_for, step_settings, stepper
from stiction.solver.validation.run import run

G = 9.81



def test_a_wobbling_disk_goes_round_at_its_rate_at_a_millisecond():
    """Omega = sqrt(4 g / (R sin alpha)); rows held where they are in the middle of a step are 18 % off."""
    rate = sqrt(4 * G / (0.0375 * sin(radians(5.0))))
    result = run(build("euler_disk", angle=5.0, thickness=4e-5), 2 * pi / rate, 0.001)
    axis = result.turn(1)[:, :, 2]
    turned = np.unwrap(np.arctan2(axis[:, 1], axis[:, 0]))
    assert abs(turned[-1] - turned[0]) / result.times[-1] == pytest.approx(rate, rel=0.005)
    assert np.degrees(np.arccos(axis[-1, 2])) == pytest.approx(5.0, abs=0.03), "and stays as inclined"


@pytest.mark.slow
def test_a_top_on_its_point_keeps_its_inclination():
    """Steady precession at 30 degrees; it was off by 0.17 degrees after 5 s."""
    result = run(build("heavy_top"), 0.5, 0.001, every=10)
    inclination = np.degrees(np.arccos(result.turn(1)[:, 2, 2]))
    assert np.abs(inclination - 30.0).max() < 2e-3


def test_the_rate_does_not_depend_on_the_steps_before():
    """A step half as long as the last one finds how far the contact has run by the time between both."""
    scene = build("euler_disk", angle=10.0, thickness=4e-5)
    whole, halves = run(scene, 0.03, 0.001), run(scene, 0.03, 0.001, substeps=2)
    ends = [result.turn(1)[-1, :, 2] for result in (whole, halves)]
    assert np.linalg.norm(ends[0] - ends[1]) < 2e-3


def test_a_wobbling_disk_stays_as_inclined_where_steps_differ_in_length():
    """What a contact changed by since the last step is carried on by the part of the time that is left of this one."""
    scene = build("euler_disk", angle=5.0, thickness=4e-5)
    options = options_for(scene, time=1.0, time_step=0.001)
    model, state = compiled(scene, options)
    settings, advance = step_settings(options, model, state), stepper(options)
    lengths = 20 * [0.0005, 0.0005, 0.0015]
    for length, following in zip(lengths, lengths[1:] + lengths[:1], strict=True):
        state, _, _ = advance(model, state, replace(settings, time_step=length, next_step=following))
    x, y = state.orientation[1, 1:3]
    assert degrees(acos(1.0 - 2.0 * (x * x + y * y))) == pytest.approx(5.0, abs=0.03)


def test_friction_of_a_plate_that_spins_opposes_its_slip_in_the_middle_of_the_step():
    """alpha = mu m g (side / sqrt 2) / I on four corners; held at the end of the step, it was 2e-4 less."""
    result = run(build("slow_plate", spin=5.0, side=0.5), 0.1)
    alpha = (result.twist[0, 1, 5] - result.twist[-1, 1, 5]) / (result.times[-1] - result.times[0])
    assert alpha == pytest.approx(0.3 * G * (0.5 / sqrt(2)) / (0.5**2 / 6), rel=1e-6)
