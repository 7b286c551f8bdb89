"""Momentum, angular momentum and energy of rigid bodies that meet in flight, with joints, friction and bounces."""

import numpy as np
import pytest
from flying_scenes import thrown
from marks import few
from soft_scenes import run
from test_soft_momentum import unexplained, worst_change

CASES = [(seed, h, e) for seed in range(8) for h in (0.01, 0.002) for e in (0.0, 0.5)]
# Overlap that the end of a step closes pushes a body without an impulse before.
CASES.append((68, 0.01, 0.0))
SHORT = (0, 0.01, 0.0), (5, 0.01, 0.5), (68, 0.01, 0.0)


@pytest.mark.parametrize(("seed", "time_step", "restitution"), few(CASES, *SHORT))
def test_momenta_are_kept_at_every_step_whatever_meets(seed, time_step, restitution):
    model, states, reports = run(thrown(seed, restitution=restitution), int(0.3 / time_step), time_step=time_step)
    assert any(report.contact_count for report in reports)
    assert worst_change(model, states) < 1e-12
    assert unexplained(reports) < 1e-11


@pytest.mark.parametrize("seed", few((*range(8), 26, 32, 48, 86, 91), 0, 5, 7, 48))
def test_perfect_bounces_in_flight_keep_energy_and_angular_momentum(seed):
    """Both: closing the gap of a bounce moves bodies off their way, which turns what they carry."""
    made = thrown(seed, friction=0.0, restitution=1.0, jointed=False)
    model, states, reports = run(made, 40, time_step=0.01)
    assert sum(report.contact_count for report in reports) >= 3
    assert worst_change(model, states) < 1e-12
    energy = np.array([report.kinetic for report in reports])
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-9
