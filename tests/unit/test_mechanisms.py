"""The table of mechanisms: each row is counted and can be switched off, acts in a small scene, and other names are
refused."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from joint_scenes import hinged_rod
from soft_scenes import FLOOR as SOFT_FLOOR
from soft_scenes import cube as soft_cube
from soft_scenes import scene as soft_scene

from stiction.solver import mechanisms
from stiction.solver.materials import Material, MaterialTable
from stiction.solver.mechanisms import MECHANISMS, SWITCH, Event, Events, UnknownMechanism
from stiction.solver.results.summary import events_line, run_summary
from stiction.solver.scene import Bearing, Body, Joint, Motion, Motor, Scene
from stiction.solver.scenes import build
from stiction.solver.scenes.jointed.chains import chain
from stiction.solver.shapes import Box, Mesh, Sphere
from stiction.solver.shapes.generators import chalice
from stiction.solver.simulation import options_for, simulate
from stiction.solver.trajectory import Trajectory

ROOT = Path(__file__).resolve().parents[2]
FLOOR = Body("floor", Box((20.0, 20.0, 1.0)), motion=Motion.STATIC, position=(0.0, 0.0, -0.5))


def scene(*bodies, restitution=0.0, **more):
    return Scene(bodies, MaterialTable((Material("default", friction=0.4, restitution=restitution),)), **more)


def spinning_on_a_row():
    """A cube and a card that spin and fall on a row of 24 boxes."""
    row = [Body(f"box{i}", Box((0.5, 0.5, 0.5)), position=(0.5 * i, 0.0, 0.25)) for i in range(24)]
    card = Body("card", Box((0.4, 0.6, 0.01)), position=(0.2, 0.1, 0.9), velocity=(0.0, 0.0, -3.0),
                angular_velocity=(60.0, 20.0, 9.0))  # fmt: skip
    cube = Body("cube", Box((0.4, 0.4, 0.4)), position=(6.0, 0.1, 0.85), velocity=(0.0, 0.0, -1.0),
                angular_velocity=(18.0, 54.0, 18.0))  # fmt: skip
    return scene(FLOOR, *row, card, cube)


def shot_at_a_wall():
    """A bat of 60 rad/s shoots a ball within a step to a wall that was not near."""
    bat = Body("bat", Box((1.0, 0.1, 0.1)), mass=100.0, angular_velocity=(0.0, 0.0, 60.0))
    ball = Body("ball", Sphere(0.05), position=(0.45, 0.11, 0.0), mass=0.1)
    wall = Body("wall", Box((1.3, 0.1, 1.3)), position=(0.45, 0.65, 0.0), mass=10.0)
    return scene(bat, ball, wall, restitution=0.8, gravity=(0.0, 0.0, 0.0))


def wedged():
    """Two chalices in flight, the foot of one between the cup and the stem of the other."""
    shape, bodies = Mesh(*chalice(0.5, 12)), []
    for name, place, turn, speed, spin in (
        ("below", (0.3061, 0.3757, 0.143), (-0.4402, 0.6382, 0.2796, 0.5663), (-0.29, 0.16, 0.08), (-1.09, -2.05, 0.0)),
        ("above", (0.29, 0.3009, 0.3731), (-0.3046, 0.8358, 0.2996, -0.3449), (-0.32, -0.59, -1.93),
         (5.41, 1.41, 4.05)),
    ):  # fmt: skip
        orientation = tuple((np.array(turn) / np.linalg.norm(turn)).tolist())
        bodies.append(Body(name, shape, position=place, orientation=orientation, velocity=speed, angular_velocity=spin))
    return Scene(tuple(bodies), MaterialTable((Material("default", 2500.0, 0.75, torsional_friction=0.01),)))


def falling_stack():
    """Ten cubes in a stack that arrives at 3 m/s."""
    made = build("stack10")
    moving = (replace(body, velocity=(1.0, 0.0, -3.0)) if body.motion == Motion.DYNAMIC else body
              for body in made.bodies)  # fmt: skip
    return replace(made, bodies=tuple(moving))


def screw():
    """A nut on a screw with friction in its thread, driven."""
    nut = Body("nut", Box((0.02, 0.02, 0.02)), mass=10.0)
    bearing, motor = Bearing(0.15, 0.01), Motor(5.0, 2.0)
    return scene(nut, joints=(Joint("thread", "screw", ("world", "nut"), lead=0.005, bearing=bearing, motor=motor),))


def soft_impact():
    """A soft cube that arrives at 5 m/s."""
    return soft_scene(SOFT_FLOOR, replace(soft_cube("cube", 2, position=(0.0, 0.0, 0.12)), velocity=(0.0, 0.0, -5.0)))


# Scene, options of the run, and what must act in it.
SMALL = {
    "spinning_on_a_row": (spinning_on_a_row, {"time": 0.15},
                          {"halved_turning", "halved_flying", "large_component", "curved_paths", "shorter_search",
                           "newton_turns"}),
    "shot_at_a_wall": (shot_at_a_wall, {"time": 0.04}, {"strays_joined"}),
    "wedged": (wedged, {"time": 0.03}, {"unbounded_response", "penetration_correction"}),
    "falling_stack": (falling_stack, {"time": 0.02, "effort": 4000}, {"resumed_effort"}),
    "screw": (screw, {"time": 0.03}, {"bearing_friction", "joint_rows_at_end"}),
    "rod": (hinged_rod, {"time": 0.05}, {"joint_closing", "joint_rows_at_end"}),
    "whip": (lambda: chain(6), {"time": 0.6}, {"halved_constraint_work", "halved_tension"}),
    "grip": (lambda: build("grip", factor=1.001, round_pads=False), {"time": 0.02}, {"staggered_start"}),
    "rocking_block": (lambda: build("rocking_block"), {"time": 0.4},
                      {"impact_within_step", "jacobian_rate", "minimum_norm"}),
    "euler_disk": (lambda: build("euler_disk"), {"time": 0.4},
                   {"halved_overlap", "late_contacts", "passed_contacts", "inner_ring", "carried_by_place"}),
    "bouncing_box": (lambda: build("bouncing_box"), {"time": 0.4}, {"bounce_displacement", "calm_steps"}),
    "slow_plate": (lambda: build("slow_plate"), {"time": 0.2}, {"patch_pressure"}),
    "leaning_stack": (lambda: build("leaning_stack"), {"time": 0.4}, {"rest_patience"}),
    "extremes": (lambda: build("extremes"), {"time": 0.1}, {"mass_ratio_floor"}),
    "sleepers": (lambda: build("stack10"), {"time": 0.6, "sleeping": True}, {"sleeping"}),
    "soft_stack": (lambda: build("soft_stack"), {"time": 0.05}, {"soft_late_contacts"}),
    "soft_impact": (soft_impact, {"time": 0.05}, {"soft_subdivision"}),
}  # fmt: skip


def run(name, **changes):
    made, options, _ = SMALL[name]
    made = made()
    return simulate(made, options_for(made, threads=1, **{**options, **changes}))


def acted(trajectory):
    return {name for name, counts in trajectory.events.items() if counts.any()}


def test_every_mechanism_has_a_small_scene():
    assert set().union(*(expected for _, _, expected in SMALL.values())) == MECHANISMS.keys()


@pytest.mark.parametrize("name", SMALL)
def test_mechanisms_act_in_their_scenes(name):
    assert SMALL[name][2] <= acted(run(name))


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
    number = list(found.header["events"]).index("strays_joined")
    rows = found.event_records[found.event_records[:, 1] == number]
    assert rows[:, 2].sum() == found.events["strays_joined"].sum() == 1
    assert found.names[int(rows[0, 3])] in ("ball", "wall")
    assert found.events["strays_joined"][int(rows[0, 0]) - 1] == 1


def test_events_are_summed_and_shown():
    found = run("bouncing_box")
    summary = run_summary(found)
    assert list(summary["events"]) == list(MECHANISMS)
    assert summary["events"]["calm_steps"] == found.events["calm_steps"].sum() > 0
    assert f"calm steps {summary['events']['calm_steps']}" in events_line(summary["events"])
    assert events_line({"calm_steps": 0}) == "no mechanism"


def test_events_of_a_step_begin_anew():
    events = Events()
    events.count("calm_steps")
    events.count("late_contacts", 3)
    assert events.taken(None) == (Event("late_contacts", 3), Event("calm_steps", 1))
    events.begin()
    assert events.taken(None) == ()


def test_events_survive_an_interruption(tmp_path):
    made = build("rocking_block")
    options = options_for(made, time=0.4, threads=1)
    whole, frames = simulate(made, options, tmp_path / "whole"), iter(range(1000))
    simulate(made, options, tmp_path / "part", cancelled=lambda: next(frames) == 15)
    part = Trajectory.load(tmp_path / "part")
    assert 0 < len(part.event_records) < len(whole.event_records)
    resumed = simulate(made, options, tmp_path / "part", resume=True)
    assert np.array_equal(resumed.event_records[: len(part.event_records)], part.event_records)
    # How soon calm steps are tried again is no part of a checkpoint, and they hide others; these none of them has.
    for name in ("impact_within_step", "bounce_displacement", "penetration_correction", "minimum_norm"):
        assert np.array_equal(resumed.events[name], whole.events[name]), name
    assert Trajectory.load(tmp_path / "part").events.keys() == MECHANISMS.keys()


def test_a_switch_is_said_and_changes_what_acts(monkeypatch):
    on = run("bouncing_box")
    monkeypatch.setattr(mechanisms, "OFF", mechanisms.checked(["bounce_displacement"]))
    off = run("bouncing_box")
    assert "bounce_displacement" in acted(on) and "bounce_displacement" not in acted(off)
    assert "calm_steps" not in acted(off), "they would hide it"
    assert any(note.startswith(f"{SWITCH}: this run does without bounce_displacement") for note in off.header["notes"])
    assert off.header["digest"] != on.header["digest"]


@pytest.mark.parametrize("name", ["bouncing_box", "rocking_block", "leaning_stack"])
def test_without_calm_steps_the_bits_are_the_same(monkeypatch, name):
    on = run(name)
    monkeypatch.setattr(mechanisms, "OFF", mechanisms.checked(["calm_steps"]))
    off = run(name)
    assert np.array_equal(on.positions, off.positions) and np.array_equal(on.velocities, off.velocities)
    assert np.array_equal(on.steps["residual"], off.steps["residual"])
