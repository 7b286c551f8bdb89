"""The sound of a run: bars that fall ring at their frequencies; what rests is silent; other runs are refused."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.io import wavfile

from stiction.solver.base.refusal import TrajectoryError
from stiction.solver.cli import main
from stiction.solver.results.sound import _ring, sound
from stiction.solver.simulation import options_for, simulate
from stiction.solver.trajectory import Trajectory
from stiction.solver.validation.deformable.reduced_sound import BARS, bar, reduced_sound


def run_of(scene, folder, time, **more):
    """The Trajectory of a recorded run."""
    simulate(scene, options_for(scene, time=time, store_contacts=True, threads=1, **more), folder)
    return Trajectory.load(folder)


@pytest.fixture(scope="module")
def fallen(tmp_path_factory):
    """Folder of a bar that falls on one end, and springs up again."""
    folder = tmp_path_factory.mktemp("sound") / "run"
    run_of(bar(*BARS["1 m, 1e10 Pa"]), folder, 0.5)
    return folder


def test_a_sound_is_as_long_as_its_run_and_as_loud_as_can_be(fallen, tmp_path):
    assert main(["extract", str(fallen), str(tmp_path / "bar.wav")]) == 0
    rate, heard = wavfile.read(tmp_path / "bar.wav")
    assert rate == 44_100 and heard.dtype == np.int16 and len(heard) == 1 + int(0.5 * rate)
    assert np.abs(heard).max() == round(0.9 * 32767)


@pytest.mark.slow
def test_bars_that_fall_ring_at_timoshenko_s_frequencies():
    assert [line for line in reduced_sound() if not line.passed] == []


def test_nothing_is_heard_before_it_strikes(fallen):
    run = Trajectory.load(fallen)
    heard = sound(run, fallen)
    struck = run.times[np.flatnonzero(run.steps["contact_count"])[0]]
    assert np.abs(heard[: int(44_100 * struck) - 1]).max() == 0.0 and np.abs(heard).max() > 0.0


def test_what_rests_is_silent(fallen, tmp_path):
    """Its weight presses, and strikes nothing: a part in a hundred of what a fall gives."""
    scene = bar(*BARS["1 m, 1e10 Pa"])
    lying = replace(scene.bodies[1], position=(0, 0, 0.05), orientation=(1, 0, 0, 0))
    run = run_of(replace(scene, bodies=(scene.bodies[0], lying)), tmp_path / "rest", 0.5)
    heard = sound(run, tmp_path / "rest")
    loud = np.abs(sound(Trajectory.load(fallen), fallen)).max()
    assert np.abs(heard[len(heard) // 2 :]).max() < 0.01 * loud


@pytest.mark.parametrize("hertz,ratio", [(440.0, 1e-3), (3000.0, 0.02), (100.0, 1.5)])
def test_an_oscillator_that_is_struck_is_the_exact_one(hertz, ratio):
    """Also beyond critical damping; T60 = 6.908 / (zeta w)."""
    rate, w = 44_100, 2.0 * np.pi * hertz
    blows = np.zeros((rate, 1))
    blows[100] = 3.0
    found = _ring(blows, np.array([w * w]), np.array([2.0 * ratio * w]), rate)[:, 0]
    t, s = np.arange(rate - 100) / rate, np.emath.sqrt(1.0 - ratio**2) * w
    exact = 3.0 * np.real(np.exp(-ratio * w * t) * (np.cos(s * t) - ratio * w * np.sin(s * t) / s))
    assert np.abs(found[100:] - exact).max() < 1e-9 and not found[:100].any()
    if ratio == 1e-3:
        energy = np.convolve(found[100:] ** 2, np.ones(200), "valid")
        decay = -np.polyfit(t[: len(energy)][::100], np.log(energy[::100]), 1)[0]
        assert np.log(1e6) / decay == pytest.approx(2.499, rel=1e-3)


def test_vibrations_that_samples_cannot_follow_are_not_heard():
    assert not _ring(np.ones((100, 1)), np.array([(2.0 * np.pi * 30_000.0) ** 2]), np.zeros(1), 44_100).any()


def test_what_makes_no_sound_is_refused(tmp_path):
    scene = bar(*BARS["1 m, 1e10 Pa"])
    simulate(scene, options_for(scene, time=0.02), tmp_path / "short")
    with pytest.raises(TrajectoryError, match="has no contacts of all steps.*--contacts"):
        sound(Trajectory.load(tmp_path / "short"), tmp_path / "short")
    soft = replace(scene.bodies[1], elastic=replace(scene.bodies[1].elastic, reduction=None))
    run = run_of(replace(scene, bodies=(scene.bodies[0], soft)), tmp_path / "soft", 0.01)
    with pytest.raises(TrajectoryError, match="no body moves in shape vectors"):
        sound(run, tmp_path / "soft")
    assert main(["extract", str(tmp_path / "short"), str(tmp_path / "x.mp3")]) == 2
