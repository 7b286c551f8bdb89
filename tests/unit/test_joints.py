"""Joints: rows and derivatives, closed and right in energy, limits, drives, refusals."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joint_scenes import G, anchor, coordinate, cube, hinged_rod, rod, run, scene

from stiction.solver.dynamics import rotation
from stiction.solver.dynamics.jointed.readings import joint_readings
from stiction.solver.dynamics.jointed.rows import linearised_at, rates
from stiction.solver.dynamics.jointed.start.compile import compile_joints
from stiction.solver.dynamics.jointed.tension import parts_of, taut_bodies
from stiction.solver.dynamics.joints import JOINTS
from stiction.solver.dynamics.rigid import moved_poses
from stiction.solver.materials import Material, MaterialTable
from stiction.solver.model import compile_scene
from stiction.solver.runs.simulation_options import SimulationOptions
from stiction.solver.scene import Joint, Motor, Scene, Servo, Spring
from stiction.solver.scene_io.scene_file import load_scene, save_scene, scene_digest
from stiction.solver.scenes import build
from stiction.solver.scenes.jointed.chains import chain
from stiction.solver.shapes import SHAPES
from stiction.solver.simulation import simulate

ENDS = ((0, 0, 0), (0.3, 0.1, 0))
EXTRA = {"universal": {"axis2": (1, 0, 0)}, "screw": {"lead": 0.01}, "generic": {"free": ("rx", "ry", "z")},
         "distance": {"positions": ENDS}, "rope": {"positions": ENDS}}  # fmt: skip
BETWEEN_BODIES = [key for key, kind in JOINTS.items() if kind.bodies]


@pytest.mark.parametrize("key", BETWEEN_BODIES)
@pytest.mark.parametrize("ends", [("a", "b"), ("world", "b"), ("a", "world")])
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_rates_are_derivatives(key, ends, seed):
    """Rates of all rows against difference quotients, at poses where the joint is open by a fifth of a radian."""
    rng = np.random.default_rng(seed)
    bodies = [cube("a", (0.1, 0, 0.2)), cube("b", (0.4, 0.3, 0))]
    joint = Joint("j", key, ends, (0.2, 0.1, 0.1), (0.1, 0.2, 1.0), **EXTRA.get(key, {}))
    if key == "universal":
        joint = replace(joint, axis2=(2.0, -1.0, 0.0))
    x = np.array([b.position for b in bodies], dtype=float)
    q = np.tile([1.0, 0, 0, 0], (2, 1))
    tables, _ = compile_joints(Scene(tuple(bodies), joints=(joint,)), x, q, np.ones(2), np.ones(2, dtype=bool))
    x, q = moved_poses(x, q, rng.uniform(-0.2, 0.2, (2, 6)), 1.0)
    twist, e = rng.normal(size=(2, 6)), 1e-6
    before = np.zeros(len(tables.functions.part))
    there = linearised_at(tables, before, x, q)
    ahead, behind = (linearised_at(tables, there.value, *moved_poses(x, q, sign * twist, e)) for sign in (1.0, -1.0))
    np.testing.assert_allclose(rates(tables, there, twist), (ahead.g - behind.g) / (2 * e), atol=2e-7)


@pytest.mark.parametrize("key", BETWEEN_BODIES)
def test_impulses_keep_momentum(key):
    """Rows of two bodies give them opposite impulses and moments about any point, open or not."""
    rng = np.random.default_rng(3)
    bodies = [cube("a", (0.1, 0, 0.2)), cube("b", (0.4, 0.3, 0))]
    joint = Joint("j", key, ("a", "b"), (0.2, 0.1, 0.1), (0, 0, 1), **EXTRA.get(key, {}))
    x, q = np.array([b.position for b in bodies], dtype=float), np.tile([1.0, 0, 0, 0], (2, 1))
    tables, _ = compile_joints(Scene(tuple(bodies), joints=(joint,)), x, q, np.ones(2),
                               np.ones(2, dtype=bool))  # fmt: skip
    x, q = moved_poses(x, q, rng.uniform(-0.2, 0.2, (2, 6)), 1.0)
    J = linearised_at(tables, np.zeros(len(tables.functions.part)), x, q).J
    np.testing.assert_allclose(J[:, 0, :3], -J[:, 1, :3], atol=1e-15)
    moment = [J[:, side, 3:] + np.cross(x[side], J[:, side, :3]) for side in range(2)]
    np.testing.assert_allclose(moment[0], -moment[1], atol=1e-15)


def test_rod_on_a_hinge():
    """facts: angle after 1 and 2 s from horizontal, energy to a part in a thousand, gap 1e-8 at 100 Hz."""
    angles = {}
    done = run(hinged_rod(), 2.0, each=lambda k, state, _: angles.update({k: state.position[0].copy()}))
    assert done.gap < 1e-8
    assert np.abs(done.energy).max() < 1e-3 * 0.5 * G
    for k, expected in ((99, -89.5316), (199, 88.1266)):
        x = angles[k]
        assert np.degrees(np.arctan2(x[0], -x[2])) == pytest.approx(expected, abs=0.3)


def test_order_two():
    """Half the step, a quarter of the change, for two rods hung on each other; and where they are after half a
    second."""
    made = scene([rod("a", (0, 0, 0), (1, 0, 0)), rod("b", (1, 0, 0), (2, 0, 0))],
                 [Joint("p", "hinge", ("world", "a"), (0, 0, 0), (0, 1, 0)),
                  Joint("q", "hinge", ("a", "b"), (1, 0, 0), (0, 1, 0))])  # fmt: skip
    exact = np.radians([25.676681, 59.700076])
    angles = []
    for h in (0.01, 0.005, 0.0025):
        state = run(made, 0.5, h).state
        a, b = state.position[0] / 0.5, (state.position[1] - 2 * state.position[0]) / 0.5
        found = np.array([np.arctan2(v[0], -v[2]) for v in (a, b)])
        angles.append(found)
    assert np.abs(angles[0] - exact).max() < 2e-4
    assert 3.0 < np.abs(angles[0] - angles[1]).max() / np.abs(angles[1] - angles[2]).max() < 5.0


def bricard():
    """IFToMM A04: six hinges across a cube's edges; one row of thirty says nothing new."""
    P = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], float)
    rods = [rod(f"r{i}", P[i], P[i + 1], thick=0.1) for i in range(5)]
    ends = ["world", *(f"r{i}" for i in range(5)), "world"]
    joints = [Joint(f"h{i}", "hinge", (ends[i], ends[i + 1]), tuple(P[i]),
                    tuple(np.cross(P[i] - P[i - 1], P[(i + 1) % 6] - P[i]))) for i in range(6)]  # fmt: skip
    return scene(rods, joints, (0, -G, 0))


def test_overconstrained_loop_moves():
    """Bricard's mechanism: the corner P3 after 1 s, within 0.2 mm, and no energy lost."""
    done = run(bricard(), 1.0)
    R = rotation.matrix(done.state.orientation)[1]
    corner = done.state.position[1] + 0.5 * R[:, 0]
    assert np.linalg.norm(corner - [0.274481, -0.886708, -0.462330]) < 2e-4
    assert done.gap < 1e-8
    assert np.abs(done.energy).max() < 2e-3
    # Rows that contradict each other by a trace are not answered with torques of kilonewton metres.
    assert np.abs(joint_readings(done.state, 0.01)[:, 4:]).max() < 200.0


def test_a_taut_chain_is_stepped_as_finely_as_it_swings():
    """A thousand times the mass at the end: links swing across at 1,500 rad/s and would fly apart."""
    done = run(chain(8, 1000.0), 0.5)
    assert done.gap < 1e-8
    swing = 0.8 * 100.0 * G
    assert np.abs(done.energy).max() < 1e-4 * swing
    assert max(report.substeps for report in done.reports) >= 8


@pytest.mark.parametrize(("angle", "pull"), [(0.0, 1.0), (90.0, 1.0), (0.0, -1.0)])
def test_a_rod_pulled_at_both_ends_swings_by_the_closed_form(angle, pull):
    """sqrt(12 T/(m l)) of a thin rod, whichever way it lies; pushed it does not swing."""
    a, h, tension_of = np.radians(angle), 0.01, 50.0
    direction = np.array([np.sin(a), 0.0, -np.cos(a)])
    ends = [cube("top", (0, 0, 0), mass=9.0), cube("low", 0.5 * direction, mass=9.0)]
    made = scene([rod("a", (0, 0, 0), 0.5 * direction, mass=0.2, thick=1e-3), *ends],
                 [Joint("top", "ball", ("top", "a")), Joint("low", "ball", ("a", "low"), tuple(0.5 * direction))])
    model, state = compile_scene(made)
    force = pull * tension_of * h * direction
    # On the second body: at the top that is the rod, at its lower end the other cube.
    load = np.array([[*-force, 0, 0, 0], [*-force, 0, 0, 0]])
    state = replace(state, joints=replace(state.joints, load=load))
    swing = h * np.sqrt(12 * tension_of / (0.2 * 0.5))
    assert taut_bodies(model, state, h, 0.98 * swing)[0] == (pull > 0)
    assert not taut_bodies(model, state, h, 1.02 * swing)[0]
    # As many parts as leave each a radian of the swing; that load in a hundred times the time is ten times the turn.
    finest = 2 ** int(np.ceil(np.log2(10 * swing)))
    for most in (1024, 8):
        parts = parts_of(model, state, 100 * h, most)
        assert parts.tolist() == [min(finest, most) if pull > 0 else 2, 2, 2]


def test_a_pendulum_is_not_taut():
    """A point mass, whose own inertia is as good as none, swings as slowly as its pendulum; a rod pinned at one end and
    pulled at the other at sqrt(3 T/(m l)), about its pin."""
    bodies = [rod("a", (0, 0, 0), (0, 0, -0.5), mass=0.2, thick=1e-3), cube("b", (0, 0, -1.5), mass=50.0)]
    made = scene(bodies, [Joint("top", "ball", ("world", "a")), Joint("low", "ball", ("a", "b"), (0, 0, -0.5))])
    model, state = compile_scene(made)
    h, tension = 0.01, 50.0
    load = np.array([[0, 0, h * tension, 0, 0, 0]] * 2)
    state = replace(state, joints=replace(state.joints, load=load))
    swing = h * np.sqrt(3 * tension / (0.2 * 0.5))
    assert taut_bodies(model, state, h, 0.98 * swing)[0]
    assert not taut_bodies(model, state, h, 1.02 * swing)[0]
    done = run(build("pendulum"), 0.3)
    assert max(report.substeps for report in done.reports) == 1


def test_a_bad_start_does_not_ring():
    """Velocities that the joint does not allow are gone after two steps, for good."""
    made = hinged_rod(0.0)
    made = replace(made, bodies=(replace(made.bodies[0], velocity=(0.0, 1.0, 0.0)),), gravity=(0.0, 0.0, 0.0))
    speeds = []
    run(made, 0.05, each=lambda k, state, _: speeds.append(np.abs(state.twist).max()))
    assert max(speeds[1:]) < 1e-12


def test_door_with_limits_motor_and_contacts(tmp_path):
    """A driven door from a scene file pushes a crate and stops at its limit."""
    text = {
        "stiction_scene": 1, "materials": {"wood": {"density": 600, "friction": 0.5}},
        "bodies": [
            {"name": "floor", "motion": "static", "shape": {"type": "box", "size": [6, 6, 0.2]},
             "position": [0, 0, -0.1]},
            {"name": "leaf", "shape": {"type": "box", "size": [0.9, 0.04, 2]}, "position": [0.45, 0, 1.05]},
            {"name": "crate", "shape": {"type": "box", "size": [0.3, 0.3, 0.3]}, "position": [0.6, 0.5, 0.15]},
        ],
        "joints": [{"name": "hinge", "type": "hinge", "bodies": ["world", "leaf"], "position": [0, 0, 1],
                    "limits": [-0.5, 1.2], "motor": {"velocity": 1.0, "max": 200.0}}],
        "settings": {"time_step": 0.01, "time": 1.5},
    }  # fmt: skip
    path = tmp_path / "door.json"
    path.write_text(json.dumps(text))
    made = load_scene(path)
    save_scene(tmp_path / "again.json", made)
    assert scene_digest(load_scene(tmp_path / "again.json")) == scene_digest(made)
    done = run(made, 1.5)
    assert coordinate(done.model, done.state) == pytest.approx(1.2, abs=1e-6)
    assert done.gap < 1e-8
    assert all(report.converged for report in done.reports)
    assert done.state.position[2][1] > 0.7, "the crate was pushed"
    whole = simulate(made, output=tmp_path / "run")
    assert whole.joints[-1, 0, 0] == coordinate(done.model, done.state)
    assert whole.joints[:, 0, 2:4].max() < 1e-8
    # What the hinge carries: the leaf's weight.
    assert whole.joints[-1, 0, 6] == pytest.approx(0.9 * 0.04 * 2 * 600 * G, rel=1e-6)


def test_resumed_run_has_the_same_bits(tmp_path):
    made = hinged_rod(motor=Motor(3.0, 1.0))
    options = SimulationOptions(time=0.4)
    whole = simulate(made, options, tmp_path / "whole")
    frames = iter(range(100))
    simulate(made, options, tmp_path / "cut", cancelled=lambda: next(frames) == 19)
    again = simulate(made, options, tmp_path / "cut", resume=True)
    assert np.array_equal(whole.center_of_mass, again.center_of_mass)
    assert np.array_equal(whole.joints, again.joints)


def test_motor_stalls_brakes_and_reaches_its_speed():
    free = scene([cube("wheel", (0, 0, 0))], [Joint("axle", "hinge", ("world", "wheel"), motor=Motor(10.0, 0.02))])
    inertia = 0.2**2 / 6
    done = run(free, 0.2)
    assert done.state.twist[0, 5] == pytest.approx(0.02 / inertia * 0.2, rel=1e-9)
    assert run(free, 5.0).state.twist[0, 5] == pytest.approx(10.0, abs=1e-9)
    held = hinged_rod(90.0, motor=Motor(0.0, 0.5 * G * 1.001))
    state = run(held, 1.0).state
    assert np.abs(state.twist).max() < 1e-9
    assert np.abs(run(hinged_rod(90.0, motor=Motor(0.0, 0.5 * G * 0.99)), 1.0).state.twist).max() > 0.05


@pytest.mark.parametrize("stiffness", [1e2, 1e6, 1e12])
def test_servo_is_stable_and_its_error_is_torque_over_stiffness(stiffness):
    made = hinged_rod(90.0, servo=Servo(0.0, stiffness, 10.0))
    done = run(made, 3.0)
    state = done.state
    x = state.position[0]
    sag = coordinate(done.model, state)
    torque = G * x[0]
    assert np.abs(state.twist).max() < 1e-6
    assert abs(sag) == pytest.approx(torque / stiffness, rel=1e-6, abs=1e-10)


def test_spring_keeps_its_energy_and_period():
    """A torsion spring of 10 N m/rad on 0.05 kg m^2: .444288 s."""
    made = scene([cube("wheel", (0, 0, 0), mass=1.0, inertia=(0.05,) * 3, angular_velocity=(0, 0, 1.0))],
                 [Joint("axle", "hinge", ("world", "wheel"), spring=Spring(10.0))], (0, 0, 0))  # fmt: skip
    rate = []
    run(made, 1.4, 0.002, each=lambda k, state, _: rate.append(state.twist[0, 5]))
    rate = np.array(rate)
    zeros = np.flatnonzero((rate[1:] > 0) & (rate[:-1] <= 0))
    cross = zeros + rate[zeros] / (rate[zeros] - rate[zeros + 1])
    assert np.diff(cross).mean() * 0.002 == pytest.approx(0.444288, rel=5e-3)
    assert np.abs(rate[-300:]).max() == pytest.approx(1.0, abs=2e-3)


def test_dry_friction_turning_points():
    """A rod with 0.5 N m in its hinge: turns at 73.1284, 58.3851, ... degrees, then sticks for ever."""
    made, angles = hinged_rod(90.0, friction=0.5), []
    done = run(made, 7.0, each=lambda k, state, _: angles.append(
        np.degrees(np.arctan2(state.position[0, 0], -state.position[0, 2]))))  # fmt: skip
    a = np.abs(np.array(angles))
    peaks = a[1:-1][(a[1:-1] > a[:-2]) & (a[1:-1] >= a[2:]) & (a[1:-1] > 6)]
    np.testing.assert_allclose(peaks[:6], [73.1284, 58.3851, 44.9266, 32.2868, 20.1650, 8.3416], atol=0.2)
    assert np.abs(done.state.twist).max() < 1e-9


def test_limit_is_not_passed_at_fifty_radians_a_second():
    made = scene([cube("wheel", (0, 0, 0), angular_velocity=(0, 0, 50.0))],
                 [Joint("axle", "hinge", ("world", "wheel"), limits=(-1.0, 0.3))], (0, 0, 0))  # fmt: skip
    done = run(made, 0.1)
    assert coordinate(done.model, done.state) == pytest.approx(0.3, abs=1e-3)
    assert np.abs(done.state.twist).max() < 1e-9
    assert done.energy.max() <= 0


def test_cone_limit_of_a_ball():
    made = scene([rod("rod", (0, 0, 0), (1, 0, 0))],
                 [Joint("ball", "ball", ("world", "rod"), axis=(1, 0, 0), limits={"swing": 0.4})])  # fmt: skip
    done = run(made, 2.0)
    x = done.state.position[0] / 0.5
    assert np.arccos(x[0]) == pytest.approx(0.4, abs=1e-3)
    assert np.abs(done.state.twist).max() < 1e-6


def test_breaking_load_does_not_depend_on_the_step():
    """A body hung on a joint that holds a little more, and a little less, than its weight."""
    for h in (0.01, 0.005, 0.0025):
        for factor, holds in ((1.02, True), (0.98, False)):
            made = scene([cube("b", (0, 0, -0.5))], [Joint("j", "fixed", ("world", "b"), (0, 0, -0.5),
                                                           breaking=factor * G)])  # fmt: skip
            assert bool(run(made, 0.2, h).state.joints.broken[0]) != holds


def test_gear_rack_screw_and_mimic():
    wheels = [cube("w1", (0, 0, 0)), cube("w2", (1, 0, 0)), cube("bar", (0, 1, 0))]
    axles = [Joint("a1", "hinge", ("world", "w1"), motor=Motor(2.0, 5.0)),
             Joint("a2", "hinge", ("world", "w2"), (1, 0, 0)),
             Joint("s", "slider", ("world", "bar"), (0, 1, 0), (1, 0, 0))]  # fmt: skip
    made = scene(wheels, [*axles, Joint("g", "gear", joints=("a1", "a2"), ratio=-0.5),
                          Joint("r", "rack", joints=("a1", "s"), radius=0.1)], (0, 0, 0))  # fmt: skip
    done = run(made, 2.0)
    assert done.state.twist[0, 5] == pytest.approx(2.0, abs=1e-9)
    assert done.state.twist[1, 5] == pytest.approx(-1.0, abs=1e-9)
    assert done.state.twist[2, 0] == pytest.approx(0.2, abs=1e-9)
    assert done.gap < 1e-8
    nut = scene([cube("nut", (0, 0, 0))], [Joint("s", "screw", ("world", "nut"), lead=0.01, motor=Motor(6.0, 50.0))])
    done = run(nut, 1.0)
    assert done.state.position[0, 2] == pytest.approx(0.01 * coordinate(done.model, done.state) / (2 * np.pi), abs=1e-9)


def test_universal_joint_rates():
    """Two shafts at 30 degrees: w2/w1 = cos b / (1 - sin^2 b cos^2 theta)."""
    b = np.radians(30)
    second = np.array([np.cos(b), np.sin(b), 0])
    made = scene([cube("in", (-0.3, 0, 0)), cube("out", 0.3 * second)],
                 [Joint("i", "hinge", ("world", "in"), (-0.3, 0, 0), (1, 0, 0), motor=Motor(1.0, 1e4)),
                  Joint("o", "hinge", ("world", "out"), tuple(0.3 * second), tuple(second)),
                  Joint("u", "universal", ("in", "out"), (0, 0, 0), (0, 0, 1),
                        axis2=tuple(np.cross([0, 0, 1], second)))], (0, 0, 0))  # fmt: skip
    ratio = {}

    def look(k, state, _):
        w = state.twist[:, 3:]
        ratio[k + 1] = w[1] @ second / w[0, 0]

    run(made, 1.8, each=look)
    # The cross arm of the driving shaft starts square to the plane of the shafts.
    for k in (1, 79, 157):
        theta = 0.01 * (k - 0.0)
        expected = np.cos(b) / (1 - np.sin(b) ** 2 * np.sin(theta) ** 2)
        alternative = np.cos(b) / (1 - np.sin(b) ** 2 * np.cos(theta) ** 2)
        assert min(abs(ratio[k] - expected), abs(ratio[k] - alternative)) < 2e-2


def test_rope_goes_slack_and_catches():
    made = scene([cube("b", (0.3, 0, 0), 0.05)],
                 [Joint("r", "rope", ("world", "b"), positions=((0, 0, 0), (0.3, 0, 0)), length=0.5)])  # fmt: skip
    far = []
    run(made, 2.0, each=lambda k, state, _: far.append(np.linalg.norm(state.position[0])))
    assert max(far) < 0.5 + 1e-4
    assert min(far[50:]) > 0.45


def test_door_beside_a_wall_changes_nothing_of_it():
    """Bodies in an island without joints have the same bits with and without a mechanism elsewhere."""
    boxes = [replace(cube(f"c{i}", (5, 0, 0.1 + 0.21 * i)), collides_with=None) for i in range(4)]
    floor = replace(anchor("floor", (5, 0, -0.5), 1.0), collides_with=None)
    alone = run(scene([floor, *boxes], []), 0.3).state
    door = hinged_rod().bodies[0], hinged_rod().joints[0]
    beside = run(scene([floor, *boxes, door[0]], [door[1]]), 0.3).state
    assert np.array_equal(alone.position, beside.position[:5])
    assert np.array_equal(alone.twist, beside.twist[:5])


def test_assembled_once():
    made = scene([cube("a", (0, 0, 0))], [Joint("j", "ball", ("world", "a"), positions=((0, 0, 0.1), (0.01, 0, 0.1)),
                                                assemble=True)])  # fmt: skip
    done = run(made, 0.01)
    assert done.gap < 1e-8


def test_runs_in_memory_and_on_disk_read_the_same(tmp_path):
    options = SimulationOptions(time=0.1)
    kept, written = simulate(hinged_rod(), options), simulate(hinged_rod(), options, tmp_path / "run")
    assert np.array_equal(kept.joints, written.joints)
    assert kept.joints.shape == (11, 1, 11)


@pytest.mark.parametrize(("factor", "holds"), [(1.001, True), (0.999, False)])
def test_two_pads_hold_a_box_up_to_the_slip_limit(factor, holds):
    """Two round sliding pads squeeze 1 kg with mu 0.5: it is held without creep if 2 mu N > m g, else it slips."""
    force = factor * G / (2 * 0.5)
    table = MaterialTable((Material("default", friction=0.5),))
    box = replace(cube("box", (0, 0, 0), 0.1), collides_with=None)
    pads = [replace(cube(f"pad{i}", (x, 0, 0), mass=0.2), shape=SHAPES["sphere"](0.05), collides_with=None)
            for i, x in ((0, -0.1), (1, 0.1))]  # fmt: skip
    joints = [Joint(f"jaw{i}", "slider", ("world", f"pad{i}"), (x, 0, 0), (-np.sign(x), 0, 0), motor=Motor(1.0, force))
              for i, x in ((0, -0.1), (1, 0.1))]  # fmt: skip
    made = replace(scene([box, *pads], joints), materials=table)
    speed = []
    done = run(made, 0.5, each=lambda k, state, _: speed.append(state.twist[0, 2]))
    assert done.gap < 1e-8
    if holds:
        assert abs(speed[-1]) < 1e-9
        assert abs(done.state.position[0, 2]) < 1e-6
    else:
        assert (speed[-1] - speed[9]) / 0.4 == pytest.approx(-G * (1 - factor), rel=1e-3)
