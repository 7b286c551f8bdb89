"""The chair of the 2008 paper: its feet, its steady sliding, and the friction from which its legs chatter."""

import numpy as np
import pytest

from stiction.solver.model import compile_scene
from stiction.solver.scenes.deformable.staggered2008 import chair_grid, stickslip_chair
from stiction.solver.validation.deformable.elastic import stepped
from stiction.solver.validation.deformable.reduced_chair import Sliding, feet_of, grown, onset, reduced_chair


@pytest.fixture(scope="module")
def chair():
    """The Deformable."""
    return compile_scene(stickslip_chair())[0].elastic[1]


def test_it_stands_on_four_corners(chair):
    vertices, _ = chair_grid(15.0)
    feet = vertices[vertices[:, 2] < 1e-9]
    lean = 0.4 * np.tan(np.radians(15.0))
    assert np.allclose(np.abs(feet), [0.2 + lean, 0.2, 0.0]) and len(feet) == 4
    assert np.allclose(chair.rest[feet_of(chair)], feet)


def test_steady_sliding_stays_so(chair):
    """Feet stay at their places, which carry the weight, and nothing swings."""
    steady = Sliding(chair.reduced, feet_of(chair), 0.3, 4.0, np.arctan(0.3))
    weight = chair.reduced.inertia.mass * 9.81 * np.cos(np.arctan(0.3))
    assert steady.loads.sum() == pytest.approx(weight, rel=1e-9) and steady.loads.min() > 0.1 * weight
    scene = stickslip_chair(0.3, np.degrees(np.arctan(0.3)))
    _, states, _ = stepped(scene, 0.01, 5e-4, steady.kicked(0.0), spectral_radius=1.0)
    speed = states[-1].nodes.velocity[feet_of(chair)]
    # To second order of the small turn and bend; not bent to begin with, feet go at 0.07 m/s against each other.
    assert np.abs(speed - (4.0, 0.0, 0.0)).max() < 1e-4
    pushed = states[-1].impulses[:, 0] / 5e-4
    assert np.sort(pushed[pushed > 0.0]) == pytest.approx(np.sort(steady.loads), rel=1e-3)


def test_chatter_begins_where_two_modes_meet(chair):
    feet = feet_of(chair)
    starts = [onset(chair.reduced, feet, speed) for speed in (0.5, 4.0, 1e6)]
    assert starts == pytest.approx([0.367, 0.331, 0.326], abs=2e-3)
    values = [Sliding(chair.reduced, feet, starts[2] + off, 1e6, np.arctan(starts[2])).growth()[0]
              for off in (-0.05, 0.05)]  # fmt: skip
    assert values[0].real < 0.0 and values[1].real == pytest.approx(19.0, rel=0.05)
    assert values[1].imag / (2.0 * np.pi) == pytest.approx(43.6, rel=0.01)


def test_growth_is_read_from_what_turns_and_grows(chair):
    steady = Sliding(chair.reduced, feet_of(chair), 0.4, 4.0, np.arctan(0.4))
    value, vector = steady.growth()
    times = np.linspace(0.0, 0.1, 400)
    off = np.real(np.exp(value * times)[:, None] * (steady.along @ (value * vector)))
    assert grown(steady, times, off - off.mean(axis=1, keepdims=True)) == pytest.approx(
        (value.real, value.imag / (2.0 * np.pi)), rel=1e-9)  # fmt: skip


@pytest.mark.slow
def test_the_chair_chatters_as_foretold():
    assert [line for line in reduced_chair() if not line.passed] == []
