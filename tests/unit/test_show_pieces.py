"""Mechanisms that work by contact, a turn or a swing of each; the validation runs them for longer."""

from math import degrees, pi, radians

import numpy as np
import pytest

from stiction.solver.scenes.mechanisms import escapement, geneva
from stiction.solver.validation.run import run


def test_a_geneva_drive_turns_by_a_quarter_and_waits():
    result = run(geneva.geneva(), 0.88, 0.002)
    crank, (angle, rate) = result.joint("crank")[:, 0], result.joint("wheel")[:, :2].T
    assert degrees(angle[-1]) == pytest.approx(-90.0, abs=0.5)
    assert np.abs(rate).max() / (2 * pi) == pytest.approx(geneva.LARGEST_RATE, rel=1e-3)
    waiting = (crank > radians(227)) & (crank < radians(350))
    assert np.ptp(angle[waiting]) < 4 * geneva.play()


def test_a_clock_lets_half_a_pitch_by_a_swing():
    """From where the pendulum is let go to the other side: one pin leaves a pallet, another is caught by the other."""
    result = run(escapement.clock(), 1.05, 0.005)
    wheel = result.joint("arbor")[:, 0] / escapement.PITCH
    half = np.searchsorted(result.times, 0.5), np.searchsorted(result.times, 1.0)
    assert abs(wheel[half[1]] - wheel[half[0]]) == pytest.approx(0.5, abs=0.05)
    swing = result.joint("axis")[:, 0] + radians(8.0)
    assert np.abs(swing[half[1] - 20 :]).max() == pytest.approx(radians(8.0), rel=0.03)
