"""Drives, goals, error estimates and halves of a step are those of docs/theory.md, sections 3.2, 9 and 10."""

from types import SimpleNamespace as Record

import numpy as np
import pytest
from reference import theory_step
from test_theory_step import EXACT, assert_same, begun, chain, of_page, search_of, tumbling_box

from stiction.solver import steppers
from stiction.solver.dynamics import displacement, rotation
from stiction.solver.dynamics.goals import goals_at
from stiction.solver.dynamics.jointed.drives import coefficients
from stiction.solver.dynamics.jointed.solution import erring_bodies
from stiction.solver.dynamics.jointed.tension import taut_bodies
from stiction.solver.scene import Bearing, Body, Joint, Motor, Scene, Servo, Spring
from stiction.solver.scenes.base import floor, one_material
from stiction.solver.shapes import Box, Capsule
from stiction.solver.stepping.body_groups import whole_group
from stiction.solver.stepping.step_review import excursion, turns_off


def drive_of_page(k, c, m, h):
    """(compliance, place, rate, lag) of a spring of stiffness k, damping c and mass m in a step h (3.2)."""
    square, g = k * h * h / m, c * h / (2.0 * m)
    b = np.sqrt(max(0.0, square - g * g))
    if b > 1.0:
        b, g = 1.0, np.sqrt(square - 1.0)
    if b > 0.0:
        f = ((1.0 - np.exp(-g)) ** 2 + 4.0 * np.exp(-g) * np.sin(0.5 * b) ** 2) / square
    else:
        s = np.sqrt(g * g - square)
        f = np.prod([(1.0 - np.exp(-x)) / x for x in (g - s, g + s)])
    p = f / (1.0 - f)
    return p / m, p * h * k / m, p - (1.0 + p) * np.exp(-2.0 * g), (1.0 - np.exp(-2.0 * g)) * m / (f * h * k) - c / k


@pytest.mark.parametrize(("k", "c"), [(40.0, 0.3), (1e3, 5.0), (1e6, 1e3), (20.0, 30.0), (3e4, 2.0)])
def test_a_drive_is_the_oscillator_of_the_page(k, c):
    m, h = 0.7, 0.01
    law = coefficients(np.array([k]), np.array([c]), np.array([1.0 / m]), h)
    np.testing.assert_allclose([column[0] for column in law[:4]], drive_of_page(k, c, m, h), rtol=1e-9)


def test_rows_of_a_driven_hinge_are_those_of_the_page(monkeypatch):
    """One of each role on the angle of a bar on a pin of the world: b, compliance and bounds (3.2)."""
    mass, friction, grip, rate = 2.0, 0.3, 0.4, 1.5
    servo, spring = Servo(0.5, 40.0, 0.3, max=7.0), Spring(25.0, 0.2, rest=-0.2)
    bar = Body("bar", Box((0.6, 0.1, 0.04)), position=(0.3, 0.0, 0.0), mass=mass, angular_velocity=(0.0, 0.9, 0.0),
               velocity=(0.0, 0.0, -0.27), collides_with=())  # fmt: skip
    hinge = Joint("pin", "hinge", ("world", "bar"), axis=(0.0, 1.0, 0.0), limits=(-2.0, 0.07), friction=friction,
                  motor=Motor(rate, 1.7), servo=servo, spring=spring, bearing=Bearing(grip, 0.05))  # fmt: skip
    model, state, settings, step = begun(Scene((bar,), joints=(hinge,)), 0.01, substeps=1)
    seen, solve, h = [], steppers.solve_step, 0.01
    monkeypatch.setattr(steppers, "solve_step", lambda *given: seen.append((given[2], solve(*given))) or seen[-1][1])
    for _ in range(3):
        state, *_ = step(model, state, settings)
    poses, solution = seen[-1]
    joints, problem, length = solution.step.joints, solution.problem, model.joints.per_joint.length[0]
    assert length == pytest.approx(0.5 * model.size[0])
    R = rotation.matrix(poses.place.orientation)[0]
    angle, before, free = np.arctan2(-R[2, 0], R[0, 0]), length * poses.before[0, 4], length * poses.free[0, 4]
    inertia, impulse = model.inertia[0, 1, 1] + mass * 0.3**2, solution.impulse
    rows = {int(role): k for k, role in enumerate(joints.tables.rows.role[joints.rows])}
    # The lower limit is far and has no row, the upper one is counted downwards; the drives share the inertia.
    assert sorted(joints.tables.rows.role[joints.rows]) == [0] * 5 + [1, 2, 3, 4, 5]
    C = np.zeros(len(problem.b))
    soft = problem.compliance_offset >= 0
    C[problem.row_start[:-1][soft]] = problem.compliance[problem.compliance_offset[soft]]
    gap = length * (0.07 - angle)
    assert problem.b[rows[1]] == pytest.approx(-free + max(gap, 0.0) / h, rel=1e-9)
    assert problem.b[rows[2]] == pytest.approx(free - length * rate, rel=1e-9)
    for role, drive, target in ((3, servo, servo.target), (4, spring, spring.rest)):
        k, c, own = drive.stiffness / length**2, drive.damping / length**2, inertia / (2 * length**2)
        compliance, place, part, _ = drive_of_page(k, c, own, h)
        assert problem.b[rows[role]] == pytest.approx(free + place * length * (angle - target) + part * before)
        assert C[rows[role]] == pytest.approx(compliance, rel=1e-9)
    block = {role: int(np.searchsorted(problem.row_start, row)) for role, row in rows.items()}
    for role, most in ((2, 1.7 * h), (3, 7.0 * h), (5, friction * h + grip * 0.05 * np.linalg.norm(impulse[:3]))):
        assert problem.bounds[block[role]] == pytest.approx([-most / length, most / length], rel=1e-5)


@pytest.mark.parametrize("speed", [0.0, 0.0029, 0.0031, 0.03, 4.0, 40.0])
def test_goals_are_those_of_the_page(speed):
    fall, accuracy, acceptable, ratio = 0.098, 1e-8, 1e-3, 1e7
    given = Record(tolerance=1.0, patience=20_000, effort=1_000_000)
    settings = Record(method_options=given, accuracy=accuracy, acceptable=acceptable)
    goals = goals_at(np.zeros(2, dtype=int), np.array([speed]), fall, settings, ratio=np.array([ratio]))
    aim = max(accuracy * max(fall, 0.01 * speed), 16.0 * np.finfo(float).eps * ratio * max(fall, speed))
    assert goals.tolerance == pytest.approx([aim, aim], rel=1e-12)
    assert goals.acceptable == pytest.approx([acceptable * (speed + 0.01 * fall)] * 2, rel=1e-12)
    still = (0.03 * fall) ** 2 / ((0.03 * fall) ** 2 + speed**2)
    assert list(goals.patience) == [20_000 * (15 if speed < 0.03 * fall else 1)] * 2
    assert goals.effort == pytest.approx([1_000_000 * (1 + 29 * still) * (1 + 2 / 1000)] * 2, rel=1e-5)


def test_turning_off_the_straight_path_is_that_of_the_page():
    bodies = [Body("box", Box((0.4, 0.2, 0.1)), position=(0.0, 0.0, 1.0), angular_velocity=(1.0, 2.0, 3.0)),
              Body("pill", Capsule(0.1, 0.3), position=(2.0, 0.0, 1.0), angular_velocity=(0.5, 0.0, 30.0))]  # fmt: skip
    model, state, *_ = begun(Scene((floor(), *bodies), one_material(0.5)), 0.01)
    group, h = whole_group(model), 0.02
    # A capsule's spin about its axis moves no surface, and turning moves a ball at its end as it does the middle of it.
    reach, square = np.array([0.0, model.size[1], 0.15]), np.array([0.0, 14.0, 0.25])
    assert excursion(group, state, h) == pytest.approx(0.5 * reach * square * h**2, rel=1e-12)
    assert group.allowed[1] == pytest.approx(min(0.5 * 0.1, 0.05 * model.size[1]))
    for off in (1.01, 0.99):
        least = np.sqrt(off * 2.0 * 0.5 * group.allowed[1] / (model.size[1] * 14.0))
        assert turns_off(group, state, least)[1] == (off > 1.0)


def test_tension_is_that_of_the_page():
    """A bar on a pin of the world and a second one on it: arms and moments of the first are about the pin."""
    scene, h = chain()
    model, state, settings, step = begun(scene, h, substeps=1)
    for _ in range(8):
        state, *_ = step(model, state, settings)
    R, p, most = rotation.matrix(state.orientation), model.joints.per_joint, []
    for body in (1, 2):
        K, inertia, pivot = np.zeros((3, 3)), R[body] @ model.inertia[body] @ R[body].T, np.zeros(3)
        if body == 1:
            pivot = R[body] @ p.anchor[0, 1]
            inertia += model.mass[body] * (pivot @ pivot * np.eye(3) - np.outer(pivot, pivot))
        for j, ends in enumerate(p.ends):
            for side in np.flatnonzero(ends == body):
                L, r = (2 * side - 1) * state.joints.load[j, :3], R[body] @ p.anchor[j, side] - pivot
                K += L @ r * np.eye(3) - np.outer(L, r)
        most.append(np.sqrt(np.linalg.eigvals(np.linalg.solve(inertia, K)).real.max() / h) * h)
    assert min(most) > 0.0
    for body, swing in zip((1, 2), most, strict=True):
        # Power iteration gives the largest of three to some per cent.
        assert taut_bodies(model, state, h, 0.93 * swing)[body]
        assert not taut_bodies(model, state, h, 1.07 * swing)[body]


def test_work_of_held_rows_is_that_of_the_page(monkeypatch):
    scene, h = chain()
    model, state, settings, step = begun(scene, h, substeps=1)
    seen, solve = [], steppers.solve_step
    monkeypatch.setattr(steppers, "solve_step", lambda *given: seen.append((given[2], solve(*given))) or seen[-1][1])
    for _ in range(8):
        state, *_ = step(model, state, settings)
    poses, solution = seen[-1]
    _, J = theory_step.joint_rows(model, poses.place.position, rotation.matrix(poses.place.orientation))
    impulse = solution.impulse[solution.step.contact_rows :]
    work = abs(0.5 * impulse @ (J @ (poses.before + solution.twist).ravel()))
    energy = 0.0
    for i in np.flatnonzero(model.inverse_mass):
        Q = rotation.matrix(poses.place.orientation[i : i + 1])[0]
        v, w = solution.twist[i, :3], Q.T @ solution.twist[i, 3:]
        energy += model.mass[i] * (0.5 * v @ v + 9.81 * model.size[i]) + 0.5 * w @ model.inertia[i] @ w
    part = (work - EXACT * np.abs(impulse).sum()) / (3e-4 * energy)
    assert part > 1e-6
    assert erring_bodies(model, poses.before, poses.before, solution, 0.999 * part)[1:].all()
    assert not erring_bodies(model, poses.before, poses.before, solution, 1.001 * part).any()


def test_halves_of_a_step_are_those_of_the_page(monkeypatch):
    """What turns fast makes two steps of half the length, each searched no further than its own, with half the impulses
    of a whole one before it."""
    monkeypatch.setattr(displacement, "PUSHED", 0.0)
    scene, h = tumbling_box((12.0, -8.0, 10.0), 0.3)[0], 0.02
    model, state, settings, step = begun(scene, h)
    s, search, counts = of_page(state), search_of(model), []
    for _ in range(12):
        state, report, _ = step(model, state, settings)
        counts.append(report.substeps)
        for _ in range(report.substeps):
            s.impulses = s.impulses / report.substeps
            s = theory_step.step(model, s, h / report.substeps, search, EXACT)
            s.impulses = s.impulses * report.substeps
        assert_same(state, s)
    assert set(counts) == {1, 2}, counts
