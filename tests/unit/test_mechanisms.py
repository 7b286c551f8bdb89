"""The table of mechanisms: each row is counted and can be switched off, acts in a small scene, and other names are
refused."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from marks import few
from mechanism_scenes import SMALL

from stiction.solver import mechanisms
from stiction.solver.mechanisms import MECHANISMS, SWITCH, Event, Events, UnknownMechanism
from stiction.solver.results.summary import events_line, run_summary
from stiction.solver.scenes import build
from stiction.solver.simulation import options_for, simulate
from stiction.solver.trajectory import Trajectory

ROOT = Path(__file__).resolve().parents[2]


def run(name, **changes):
    made, options, _ = SMALL[name]
    made = made()
    return simulate(made, options_for(made, threads=1, **{**options, **changes}))


def acted(trajectory):
    return {name for name, counts in trajectory.events.items() if counts.any()}


def test_every_mechanism_has_a_small_scene():
    assert set().union(*(expected for _, _, expected in SMALL.values())) == MECHANISMS.keys()


@pytest.mark.parametrize("name", few(SMALL, *(name for name in SMALL if name not in ("euler_disk", "soft_stack"))))
def test_mechanisms_act_in_their_scenes(monkeypatch, name):
    found = acted(run(name))
    # What acts in quiet steps besides is counted where they are made the general way.
    monkeypatch.setattr(mechanisms, "OFF", mechanisms.checked(["quiet_steps"]))
    assert SMALL[name][2] <= found | acted(run(name))


def sources():
    """Text of all sources of the solver but the table."""
    return "\n".join(path.read_text() for path in sorted((ROOT / "solver").rglob("*.py")) if path.stem != "mechanisms")


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_is_counted_and_can_be_switched_off(name):
    text = sources()
    places = len(re.findall(rf'(?<!off\()"{name}"', text))
    assert places, "counted nowhere"
    # A name that a loop hands on is asked about there.
    assert f'off("{name}")' in text or re.search(rf'\("{name}", (_turning|_flying|erring|turned|deep)', text)


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_row_says_where_it_is(name):
    row = MECHANISMS[name]
    assert (ROOT / "solver" / row.where).exists()
    assert row.what.endswith(".") and row.kind and row.counted


def test_unknown_names_are_refused():
    with pytest.raises(UnknownMechanism, match="no mechanism 'magic'; known are late_contacts"):
        Events().count("magic")
    done = subprocess.run([sys.executable, "-c", "import sys; sys.path.insert(0, 'tests'); import conftest; "
                           "import stiction.solver.mechanisms"], cwd=ROOT, capture_output=True, text=True,
                          env=dict(os.environ, **{SWITCH: "late_contacts,magic"}))  # fmt: skip
    assert done.returncode != 0 and "no mechanism 'magic'" in done.stderr


def test_events_are_numbers_of_the_run_with_a_body():
    found = run("shot_at_a_wall")
    number = list(found.header["events"]).index("halved_flying")
    rows = found.event_records[found.event_records[:, 1] == number]
    assert rows[:, 2].sum() == found.events["halved_flying"].sum() > 0
    assert found.names[int(rows[0, 3])] in ("bat", "ball")
    assert found.events["halved_flying"][int(rows[0, 0]) - 1] == rows[0, 2]


def test_events_are_summed_and_shown():
    found = run("bouncing_box")
    summary = run_summary(found)
    assert list(summary["events"]) == list(MECHANISMS)
    assert summary["events"]["quiet_steps"] == found.events["quiet_steps"].sum() > 0
    assert f"quiet steps {summary['events']['quiet_steps']}" in events_line(summary["events"])
    assert events_line({"quiet_steps": 0}) == "no mechanism"


def test_events_of_a_step_begin_anew():
    events = Events()
    events.count("quiet_steps")
    events.count("late_contacts", 3)
    assert events.taken(None) == (Event("late_contacts", 3), Event("quiet_steps", 1))
    events.begin()
    assert events.taken(None) == ()


def test_events_survive_an_interruption(tmp_path):
    made = build("rocking_block")
    options = options_for(made, time=2.0, threads=1)
    whole, frames = simulate(made, options, tmp_path / "whole"), iter(range(1000))
    simulate(made, options, tmp_path / "part", cancelled=lambda: next(frames) == 1)
    part = Trajectory.load(tmp_path / "part")
    assert 0 < len(part.event_records) < len(whole.event_records)
    resumed = simulate(made, options, tmp_path / "part", resume=True)
    assert np.array_equal(resumed.event_records[: len(part.event_records)], part.event_records)
    # How soon quiet steps are tried again is no part of a checkpoint, and they hide others; these none of them has.
    for name in ("impact_within_step", "bounce_displacement", "penetration_correction"):
        assert np.array_equal(resumed.events[name], whole.events[name]), name
    assert Trajectory.load(tmp_path / "part").events.keys() == MECHANISMS.keys()


def test_a_switch_is_said_and_changes_what_acts(monkeypatch):
    on = run("bouncing_box")
    monkeypatch.setattr(mechanisms, "OFF", mechanisms.checked(["bounce_displacement"]))
    off = run("bouncing_box")
    assert "bounce_displacement" in acted(on) and "bounce_displacement" not in acted(off)
    assert "quiet_steps" not in acted(off), "they would hide it"
    assert any(note.startswith(f"{SWITCH}: this run does without bounce_displacement") for note in off.header["notes"])
    assert off.header["digest"] != on.header["digest"]


@pytest.mark.parametrize("name", ["bouncing_box", "rocking_block", "leaning_stack"])
def test_without_quiet_steps_the_bits_are_the_same(monkeypatch, name):
    on = run(name)
    monkeypatch.setattr(mechanisms, "OFF", mechanisms.checked(["quiet_steps"]))
    off = run(name)
    assert np.array_equal(on.positions, off.positions) and np.array_equal(on.velocities, off.velocities)
    assert np.array_equal(on.steps["residual"], off.steps["residual"])
