"""Bodies that keys hold and let go in turn: free spans are exact, held ones are the keys, nothing is lost between."""

import dataclasses

import numpy as np
import pytest
from verified_scenes import edit_recording

from stiction.solver.results.dump import step_problems
from stiction.solver.results.verdict import judge
from stiction.solver.runs.simulation_options import SimulationOptions
from stiction.solver.scene import Body, KeyedPoses, Motion, Scene
from stiction.solver.shapes import Box
from stiction.solver.simulation import simulate
from stiction.solver.stepping.step_report import LEDGER
from stiction.solver.verify import verify

H, G = 0.01, 9.81
OPTIONS = SimulationOptions(time=1.2, time_step=H, threads=1)
GROUND = Body("ground", Box((20.0, 4.0, 1.0)), motion=Motion.STATIC, position=(0.0, 0.0, -0.5))


def carried(switches, *places, motion=Motion.KINEMATIC, height=3.0, **more):
    """A box on keys at 0, 0.3, 0.6, ... s that go along x to `places`."""
    times = 0.3 * np.arange(len(places))
    keys = KeyedPoses(times, [(x, 0.0, height) for x in places], [(1.0, 0.0, 0.0, 0.0)] * len(places))
    return Body("box", Box((0.5, 0.4, 0.3)), motion=motion, position=(places[0], 0.0, height), keys=keys,
                switches=switches, **more)  # fmt: skip


TWICE = carried((0.2, 0.6, 0.8), 0.0, 0.6, 1.2, 0.6, 0.0)


def test_it_is_let_go_held_and_let_go():
    run = simulate(Scene((TWICE,)), OPTIONS)
    t, (x, _, z) = run.times, run.positions[:, 0].T
    keyed = np.interp(t, TWICE.keys.times, np.array(TWICE.keys.positions)[:, 0])
    fall = np.clip(t - 0.2, 0.0, None)
    free, again = t <= 0.6 + 1e-9, t > 0.8 - 1e-9
    held = ~free & ~again
    assert np.abs(x[free] - 2.0 * t[free]).max() < 1e-12
    assert np.abs(z[free] - 3.0 + 0.5 * G * fall[free] ** 2).max() < 1e-12
    assert np.abs(x[held] - keyed[held]).max() < 1e-12 and (z[held] == 3.0).all()
    assert np.abs(x[again] - (0.8 - 2.0 * (t[again] - 0.8))).max() < 1e-12
    assert np.abs(z[again] - 3.0 + 0.5 * G * (t[again] - 0.8) ** 2).max() < 1e-12


def test_one_that_begins_free_is_caught():
    body = carried((0.3, 0.5), 1.0, 1.0, 1.0, motion=Motion.DYNAMIC, velocity=(1.0, 0.0, 0.0), height=4.0)
    run = simulate(Scene((dataclasses.replace(body, position=(0.0, 0.0, 4.0)),)), OPTIONS)
    assert run.positions[30, 0] == pytest.approx((0.3, 0.0, 4.0 - 0.5 * G * 0.3**2), abs=1e-12)
    assert (run.positions[31:51, 0] == (1.0, 0.0, 4.0)).all()
    assert run.positions[61, 0] == pytest.approx((1.0, 0.0, 4.0 - 0.5 * G * 0.11**2), abs=1e-12)


def test_without_keys_it_stands_where_it_is():
    body = Body("box", Box((0.5, 0.4, 0.3)), motion=Motion.STATIC, position=(0.0, 0.0, 9.0), switches=(0.2, 0.6, 0.8))
    run = simulate(Scene((body,)), OPTIONS)
    t, z = run.times, run.positions[:, 0, 2]
    fallen = 0.5 * G * (np.clip(t - 0.2, 0.0, 0.4) ** 2 + np.clip(t - 0.8, 0.0, None) ** 2)
    assert np.abs(z - 9.0 + fallen).max() < 1e-12
    assert (run.velocities[61:80, 0] == 0.0).all()


def test_the_ledger_closes_over_every_switch():
    steps = simulate(Scene((GROUND, TWICE)), OPTIONS).steps
    assert np.flatnonzero(steps["brought_energy"]).tolist() == [20, 60, 80]
    total = steps["kinetic"] + steps["potential"]
    known = sum(np.cumsum(steps[name]) for name in LEDGER)
    assert np.abs(total - known).max() < 1e-9 * total.max()


@pytest.mark.parametrize("frames", [15, 20, 21, 45, 60, 61, 70, 80, 81, 100])
def test_resumed_anywhere_it_has_the_same_bits(tmp_path, frames):
    scene = Scene((GROUND, TWICE))
    whole = simulate(scene, OPTIONS, tmp_path / "whole")
    simulate(scene, dataclasses.replace(OPTIONS, time=frames * H), tmp_path / "cut")
    again = simulate(scene, OPTIONS, tmp_path / "cut", resume=True)
    assert np.array_equal(whole.positions, again.positions)
    assert np.array_equal(whole.velocities, again.velocities)
    assert whole.header["notes"] == again.header["notes"]
    for name in ("brought_energy", "kinetic", "impact_loss"):
        assert np.array_equal(whole.steps[name], again.steps[name])


def test_a_jump_of_more_than_its_size_is_said():
    notes = simulate(Scene((TWICE,)), OPTIONS).header["notes"]
    said = f"jumps by {np.hypot(2.0 * 0.6 - 1.2, 0.5 * G * 0.4**2):.3g} m to where it is held again at 0.6 s"
    assert len([note for note in notes if said in note]) == 1
    near = carried((0.0, 0.1), 0.0, 0.0, 0.0)
    assert not any("jumps" in note for note in simulate(Scene((near,)), OPTIONS).header["notes"])


def test_what_is_verified_has_its_held_time_left_out(tmp_path):
    body = carried((0.1, 0.6, 0.7), 0.0, 0.1, 0.2, 0.3, 0.4, height=0.16)
    options = dataclasses.replace(OPTIONS, store_contacts=True)
    simulate(Scene((GROUND, body)), options, tmp_path / "run")
    found = verify(tmp_path / "run")
    assert found["passed"], [check for check in found["checks"] if not check["passed"]]
    # The check is not blind: without what the run says of the times at which it is held, time is left out.
    edit_recording(tmp_path / "run", lambda said: said["switches"].update(box=[0.1, 0.8, 0.9]))
    assert not verify(tmp_path / "run")["passed"]


def test_what_sleeps_on_it_wakes_when_it_is_let_go():
    """A carrier that stands on keys, a block that sleeps on it; then the carrier falls."""
    carrier = carried((1.5,), 0.0, 0.0)
    block = Body("block", Box((0.2, 0.2, 0.2)), position=(0.0, 0.0, 3.25))
    run = simulate(Scene((carrier, block)), dataclasses.replace(OPTIONS, time=2.0, sleeping=True))
    assert (np.ptp(run.positions[120:150, 1], axis=0) == 0.0).all(), "it slept"
    assert run.positions[-1, 1] == pytest.approx((0.0, 0.0, 3.25 - 0.5 * G * 0.5**2), abs=1e-3)


def test_what_sleeps_under_it_wakes_when_it_is_taken():
    """Two blocks in a stack sleep; keys lift the lower one, and the upper one is carried up."""
    lower = carried((1.5,), *[0.0] * 8, motion=Motion.DYNAMIC, height=0.15)
    places = np.array(lower.keys.positions)
    places[6:, 2] += 0.3
    lower = dataclasses.replace(lower, keys=dataclasses.replace(lower.keys, positions=places))
    upper = Body("upper", Box((0.2, 0.2, 0.2)), position=(0.0, 0.0, 0.4))
    run = simulate(Scene((GROUND, lower, upper)), dataclasses.replace(OPTIONS, time=2.4, sleeping=True))
    assert (np.ptp(run.positions[120:150, 2], axis=0) == 0.0).all(), "it slept"
    assert run.positions[-1, 1, 2] == pytest.approx(0.45, abs=1e-9)
    assert run.positions[-1, 2, 2] == pytest.approx(0.7, abs=2e-3)


def test_a_gripper_carries_block_after_block():
    """Taken, carried, let go, and the next one: each ends below where it was let go, and none in another."""
    blocks = []
    for k in range(2):
        at = 0.6 * k
        times = [at, at + 0.2, at + 0.4, at + 0.6]
        places = [(2.0 * k, 0.0, 0.15), (2.0 * k, 0.0, 0.6), (4.0, 0.0, 0.6), (4.0, 0.0, 0.16 + 0.3 * k)]
        keys = KeyedPoses(times, places, [(1.0, 0.0, 0.0, 0.0)] * 4)
        blocks.append(Body(f"block{k}", Box((0.5, 0.4, 0.3)), motion=Motion.DYNAMIC, position=places[0], keys=keys,
                           switches=(at + 0.1, at + 0.6)))  # fmt: skip
    run = simulate(Scene((GROUND, *blocks)), dataclasses.replace(OPTIONS, time=2.0))
    assert run.positions[-1, 1:, 2] == pytest.approx((0.15, 0.45), abs=2e-3)
    assert np.abs(run.positions[-1, 1:, 0] - 4.0).max() < 0.1
    assert not [reason for reason in judge(run).reasons if "nowhere" in reason or "thrown" in reason]


def test_problems_are_recorded_while_it_is_free_alone():
    body = carried((0.3, 0.6), 0.0, 0.0, 0.0, motion=Motion.DYNAMIC, height=0.15)
    steps = [number for number, _ in step_problems(Scene((GROUND, body)), OPTIONS)]
    assert set(range(2, 31)) <= set(steps) and not set(steps) & set(range(31, 61)) and set(range(62, 121)) <= set(steps)
