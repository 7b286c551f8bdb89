"""Joints on the level of positions, and geometric stiffness (70) to (74) of the 2019 paper."""

from functools import partial

import numpy as np
import pytest
from joint_scenes import cube, scene

from stiction.solver.dynamics import impulses, rotation
from stiction.solver.dynamics.jointed.readings import joint_readings
from stiction.solver.dynamics.rigid import drifted
from stiction.solver.scene import Joint, Servo
from stiction.solver.scenes import build
from stiction.solver.scenes.jointed.chains import chain
from stiction.solver.scenes.jointed.linkages import rod_pendulum
from stiction.solver.simulation import compiled, options_for, step_settings
from stiction.solver.steppers import position_level


def stepped(made, time, h=0.01, **scheme):
    """(state, model, largest gap [m, rad]) after a run with the scheme, in whole steps."""
    options = options_for(made, time=time, time_step=h)
    model, state = compiled(made, options)
    settings, gap = step_settings(options, model, state), 0.0
    for _ in range(round(time / h)):
        state, _, _ = position_level(model, state, settings, **scheme)
        gap = max(gap, joint_readings(state, h)[:, 2:4].max())
    return state, model, gap


def test_geometric_stiffness_carries_a_taut_chain():
    """Twenty links and a thousand times a link's mass at their end, 100 Hz, no substeps: with (74) three Newton steps
    close every joint, without it they run away. Truth at 0.6 s is -1.548963 m (validation/jointed/planar_chain.py); the
    scheme is of first order."""
    made = chain(20, 1000.0)
    state, _, gap = stepped(made, 0.6, newton_steps=3, stiffened=True)
    assert gap < 1e-9
    end = state.position[-1, 2] + 0.05 * rotation.matrix(state.orientation[-1:])[0, 2, 0]
    assert end == pytest.approx(-1.548963, abs=0.01)
    assert stepped(made, 0.2, newton_steps=3)[2] > 1e-3


def captured(monkeypatch, made, stiffened):
    """Arguments and results of every Newton step's masses in three time steps."""
    seen, real = [], impulses.newton_step

    def newton_step(*given):
        seen.append((given, real(*given)))
        return seen[-1][1]

    monkeypatch.setattr(impulses, "newton_step", newton_step)
    stepped(made, 0.03, newton_steps=3, stiffened=stiffened)
    return seen


def moments(made, model, poses, solution, twist):
    """Moments (R,3) [N m s] of the joints' impulses about the centres of mass, at arms as they are where `twist`
    ends."""
    turned = rotation.matrix(drifted(model, poses.position, poses.orientation, twist, poses.remaining)[1])
    tables = solution.step.joints.tables
    found, look = np.zeros((len(turned), 3)), solution.step.joints.linear
    names = list(model.names)
    impulse = solution.impulse[solution.step.contact_rows :]
    for j, joint in enumerate(made.joints):
        rows = np.flatnonzero(tables.rows.joint == j)
        push = sum(impulse[k] * look.J[tables.rows.function[tables.rows.start[k]], 1, :3] for k in rows)
        for side, sign in ((0, -1.0), (1, 1.0)):
            if joint.bodies[side] == "world":
                continue
            body = names.index(joint.bodies[side])
            found[body] += sign * np.cross(turned[body] @ tables.per_joint.anchor[j, side], push)
    return found


@pytest.mark.parametrize("angle", [60.0, 170.0], ids=["pulled", "pushed"])
def test_masses_of_a_newton_step_are_those_of_the_paper(monkeypatch, angle):
    """(71) to (74) from the momentum balance of two iterates, entry by entry, and (60) without impulses; a chain that
    hangs is stiffened, of one that stands only what is restoring counts."""
    made = chain(3, 50.0, angle=angle)
    some, softer = 0.0, 0.0
    for given, (weighed, free) in captured(monkeypatch, made, True):
        model, poses, solution, before, end, _ = given
        turn = solution.twist[:, 3:] - before[:, 3:]
        change = moments(made, model, poses, solution, solution.twist) - moments(made, model, poses, solution, before)
        R, E = rotation.matrix(poses.orientation), rotation.matrix(end)
        M = R @ model.inertia @ np.swapaxes(R, 1, 2)
        for i in range(len(turn)):
            g = M[i] @ turn[i] - change[i]
            c = np.array([-(g[k] - (M[i] @ turn[i])[k]) / turn[i, k] if abs(turn[i, k]) > 1e-10 else 0.0
                          for k in range(3)])  # fmt: skip
            softer = max(softer, c.max() / np.abs(M[i]).max())
            H = M[i] - np.diag(np.minimum(0.0, c))
            some = max(some, np.abs(H - M[i]).max() / np.abs(M[i]).max())
            np.testing.assert_allclose(E[i] @ weighed.bodies.inverse_inertia[i] @ E[i].T @ H, np.eye(3), atol=1e-6)
            off = M[i] @ (solution.twist[i, 3:] - poses.free[i, 3:])
            np.testing.assert_allclose(H @ (free[i, 3:] - solution.twist[i, 3:]), -off, atol=1e-9 * np.abs(H).max())
    assert (some if angle < 90.0 else softer) > 0.1, "enough for the stiffness to matter"


def test_without_stiffness_free_velocities_stay(monkeypatch):
    for given, (_, free) in captured(monkeypatch, chain(3), False):
        np.testing.assert_allclose(free, given[1].free, atol=1e-10)


def test_stiffness_changes_the_way_and_not_the_answer():
    with_it, without = (stepped(build("four_bar"), 0.1, newton_steps=8, stiffened=on)[0] for on in (True, False))
    np.testing.assert_allclose(with_it.position, without.position, atol=1e-10)


def test_a_compliant_joint_gives_by_force_times_compliance():
    """(7), (8): c + e lambda = 0 at rest, exactly; and with a torque limit a servo gives way."""
    made = scene([cube("b", (0, 0, -0.5))], [Joint("j", "fixed", ("world", "b"), (0, 0, 0), compliance=1e-4)])
    state, _, _ = stepped(made, 0.5)
    assert state.position[0, 2] + 0.5 == pytest.approx(-9.81e-4, rel=1e-6)
    servo = Joint("j", "slider", ("world", "b"), (0, 0, 0), (0, 0, 1), servo=Servo(0.1, 2e4, 100.0))
    state, _, _ = stepped(scene([cube("b", (0, 0, 0))], [servo]), 0.5)
    assert state.position[0, 2] == pytest.approx(0.1 - 9.81 / 2e4, rel=1e-6)


def test_limits_hold_and_order_is_one():
    """A pendulum of a rod: energy is lost at first order, as by every implicit Euler; a limit stops it."""
    fall = partial(stepped, rod_pendulum(), 0.2)
    lost = []
    for h in (0.01, 0.005):
        state, model, gap = fall(h=h)
        assert gap < 1e-10
        R = rotation.matrix(state.orientation[:1])[0]
        spin = R.T @ state.twist[0, 3:]
        kinetic = 0.5 * model.mass[0] * state.twist[0, :3] @ state.twist[0, :3] + 0.5 * spin @ model.inertia[0] @ spin
        lost.append(-(kinetic + 9.81 * model.mass[0] * state.position[0, 2]))
    assert lost[0] > 0.0
    assert lost[0] / lost[1] == pytest.approx(2.0, abs=0.2)
    hinge = Joint("j", "hinge", ("world", "b"), (0, 0, 0), (0, 1, 0), limits=(-0.3, 0.3))
    made = scene([cube("b", (0.5, 0, 0))], [hinge])
    state, _, _ = stepped(made, 0.4)
    assert joint_readings(state, 0.01)[0, 0] == pytest.approx(0.3, abs=1e-9)
