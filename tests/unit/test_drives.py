"""Springs, dampers and servos of joints against the exact solution of the damped oscillator, at every step size."""

import numpy as np
import pytest
from joint_scenes import coordinate, cube, rod, run, scene
from scipy.linalg import expm

from stiction.solver.dynamics.jointed.drives import RESOLVED, coefficients
from stiction.solver.model import compile_scene
from stiction.solver.runs.drive_notes import drive_notes
from stiction.solver.scene import Joint, Keyed, Servo, Spring
from stiction.solver.simulation import options_for, simulate

STEPS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
H = 0.01


def oscillator(k, c, m=1.0):
    """Its matrix for (place, velocity)."""
    return np.array([[0.0, 1.0], [-k / m, -c / m]])


def moved(k, c, m, h, count, place, velocity, force=0.0):
    """Places (count,) where forces are taken, of the scheme, of a drive of k and c on the mass m alone."""
    law = coefficients(*(np.array([float(x)]) for x in (k, c, 1.0 / m)), h)
    C, bias_place, bias_rate = float(law.compliance[0]), float(law.place[0]), float(law.rate[0])
    places, u, q = [], velocity, place
    for _ in range(count):
        free = u + h * force / m
        impulse = -(free + bias_place * q + bias_rate * u) / (1.0 / m + C)
        u = free + impulse / m
        places.append(q)
        q += h * u
    return np.array(places)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("ratio", [0.0, 0.1, 0.5, 1.0, 1.0001, 3.0, 100.0])
def test_places_are_those_of_the_oscillator(step, ratio):
    """Two places a step apart, and a constant force: all later ones are on the oscillator's own curve, exactly."""
    m, force = 2.5, 7.0
    k, h = m * 40.0**2, step / 40.0
    if step * np.sqrt(max(0.0, 1.0 - ratio**2)) > RESOLVED:
        pytest.skip("turns further in a step than is resolved")
    c = 2.0 * ratio * np.sqrt(k * m)
    flow = expm(h * oscillator(k, c, m))
    state, rest = np.array([0.3, -2.0]), np.array([force / k, 0.0])
    exact = [state]
    for _ in range(30):
        exact.append(rest + flow @ (exact[-1] - rest))
    exact = np.array(exact)[:, 0]
    got = moved(k, c, m, h, 29, exact[1], (exact[1] - exact[0]) / h, force)
    np.testing.assert_allclose(got, exact[1:30], atol=1e-9 * np.abs(exact).max())


@pytest.mark.parametrize("step", [1.5, 3.0, np.pi, 2 * np.pi, 10.0, 1e3, 1e6])
def test_what_is_not_resolved_is_damped_and_rests_where_it_must(step):
    m, h = 2.0, 0.01
    k = m * (step / h) ** 2
    places = moved(k, 0.0, m, h, 60, 0.0, 0.0, force=3.0)
    assert places[-1] == pytest.approx(3.0 / k, rel=1e-6)
    places = moved(k, 0.0, m, h, 60, 1.0, 0.0)
    assert np.abs(places).max() <= 1.0 + 1e-12
    assert np.abs(places[-10:]).max() < 1e-6


def slider(mass=1.0, velocity=0.0, place=0.0, **drive):
    body = cube("b", (place, 0, 0), mass=mass, velocity=(velocity, 0, 0))
    return scene([body], [Joint("j", "slider", ("world", "b"), (place, 0, 0), (1, 0, 0), **drive)], (0, 0, 0))


@pytest.mark.parametrize("step", STEPS)
def test_a_damper_slows_by_the_exponential_and_never_turns_round(step):
    speeds = []
    made = slider(2.0, 1.0, spring=Spring(0.0, 2.0 * step / H))
    run(made, 0.2, each=lambda k, state, _: speeds.append(state.twist[0, 0]))
    exact = np.exp(-step * np.arange(1, 21))
    np.testing.assert_allclose(speeds, exact, atol=1e-9)
    assert np.min(speeds) > -1e-12


@pytest.mark.parametrize("step", STEPS)
def test_a_damped_rod_on_a_hinge_turns_with_the_inertia_about_the_hinge(step):
    """Its own inertia is a quarter of it: by that the damper would turn the rod round."""
    inertia = 0.25 + (1.0 + 0.02**2) / 12.0
    body = rod("rod", (0, 0, 0), (0, 0, -1.0), velocity=(-0.005, 0, 0), angular_velocity=(0, 0.01, 0))
    pin = Joint("pin", "hinge", ("world", "rod"), (0, 0, 0), (0, 1, 0), spring=Spring(0.0, inertia * step / H))
    rates = []
    run(scene([body], [pin], (0, 0, 0)), 0.1, each=lambda k, state, _: rates.append(state.twist[0, 4]))
    np.testing.assert_allclose(rates, 0.01 * np.exp(-step * np.arange(1, 11)), atol=1e-8)
    assert np.min(rates) > -1e-10


@pytest.mark.parametrize("step", [0.1, 1.0, 10.0, 1e4])
def test_dampers_side_by_side_and_in_a_row_turn_nothing_round(step):
    c = step / H
    joints = [Joint(f"j{k}", "slider", ("world", "b"), (0, 0, 0), (1, 0, 0), spring=Spring(0.0, c)) for k in range(3)]
    speeds = []
    run(scene([cube("b", (0, 0, 0), velocity=(1.0, 0, 0))], joints, (0, 0, 0)), 0.1,
        each=lambda k, state, _: speeds.append(state.twist[0, 0]))  # fmt: skip
    assert np.all(np.diff([1.0, *speeds]) < 1e-12)
    assert np.min(speeds) > -1e-9
    bodies = [cube(f"b{k}", (k, 0, 0), velocity=(float(k == 0), 0, 0)) for k in range(4)]
    joints = [Joint(f"j{k}", "slider", (f"b{k}", f"b{k + 1}"), (k + 0.5, 0, 0), (1, 0, 0), spring=Spring(0.0, c))
              for k in range(3)]  # fmt: skip
    speeds = []
    run(scene(bodies, joints, (0, 0, 0)), 0.2, each=lambda k, state, _: speeds.append(state.twist[:, 0].copy()))
    speeds = np.array(speeds)
    np.testing.assert_allclose(speeds.sum(axis=1), 1.0, atol=1e-12)
    assert speeds.min() > -1e-9, "what dampers pull never goes the other way"


@pytest.mark.parametrize("step", STEPS)
def test_momentum_of_two_bodies_stays_at_every_stiffness(step):
    k = 0.5 * (step / H) ** 2
    bodies = [cube("a", (0, 0, 0), velocity=(1.0, 0.3, 0)), cube("b", (1, 0.2, 0), velocity=(-2.0, 0, 0.1))]
    made = scene(bodies, [Joint("j", "slider", ("a", "b"), (0.5, 0, 0), (1, 0, 0), spring=Spring(k, 0.3))], (0, 0, 0))
    sums = []
    run(made, 0.3, each=lambda k, state, _: sums.append(state.twist[:, :3].sum(axis=0)))
    np.testing.assert_allclose(sums, np.tile([-1.0, 0.3, 0.1], (len(sums), 1)), atol=1e-12)


@pytest.mark.parametrize("step", [0.01, 0.1, 0.3, 1.0])
@pytest.mark.parametrize("ratio", [0.1, 0.3, 0.5])
def test_a_servo_overshoots_by_what_its_damping_says(step, ratio):
    k = (step / H) ** 2
    servo = Servo(1.0, k, 2.0 * ratio * step / H)
    places = []
    count = int(np.ceil(5.0 / step)) + 1
    run(slider(servo=servo), count * H, each=lambda k, state, _: places.append(coordinate_of(state)))
    flow = [expm(H * n * oscillator(k, servo.damping)) @ [-1.0, 0.0] for n in range(1, count + 1)]
    exact = np.array(flow)[:, 0]
    np.testing.assert_allclose(np.array(places) - 1.0, exact, atol=0.06 * step**2)
    assert np.max(places) - 1.0 == pytest.approx(exact.max(), abs=0.02 * step**2)


def coordinate_of(state):
    return float(state.position[0, 0])


@pytest.mark.slow
def test_a_keyed_servo_lags_by_damping_over_stiffness_at_every_step():
    """A target of 1 m/s: the place follows it by c/k of time behind, whatever the step."""
    for step in (0.1, 1.0, 10.0):
        k = (step / H) ** 2
        c = 2.0 * step / H
        done = run(slider(servo=Servo(Keyed((0.0, 10.0), (0.0, 10.0)), k, c)), 5.0)
        assert 5.0 - coordinate(done.model, done.state) == pytest.approx(c / k, abs=1e-9)


def test_a_drive_that_turns_too_far_in_a_step_is_named():
    """With the joint, how far, and the longest step that shows its swinging; what is damped or soft is not."""
    made = slider(2.0, spring=Spring(2.0 * 300.0**2, 0.0))
    notes = drive_notes(*compile_scene(made), H)
    assert len(notes) == 1
    assert "'j'" in notes[0] and "3 rad" in notes[0] and "3.33 ms" in notes[0]
    assert drive_notes(*compile_scene(made), 0.003) == []
    assert drive_notes(*compile_scene(slider(2.0, spring=Spring(2.0 * 300.0**2, 4.0 * 300.0))), H) == []
    run = simulate(made, options_for(made, time=0.02, time_step=H))
    assert notes[0] in run.header["notes"]
