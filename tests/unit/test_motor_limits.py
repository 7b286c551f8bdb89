"""A motor that is stronger than anything meets a limit of its own coordinate."""

import numpy as np
import pytest
from joint_scenes import run

from stiction.solver import methods
from stiction.solver.dynamics import impulses
from stiction.solver.methods import counted, solve
from stiction.solver.results.verdict import judge
from stiction.solver.scene import Body, Joint, Motor, Scene
from stiction.solver.shapes import Box
from stiction.solver.simulation import options_for, simulate
from stiction.solver.stepping.quiet import steps as quiet_steps


@pytest.mark.parametrize(("speed", "limits"), [(2.0, (-1.0, 0.3)), (-2.0, (-0.3, 1.0))])
@pytest.mark.parametrize("strength", [np.inf, 1e3])
def test_it_stops_there(speed, limits, strength):
    made = stopped(speed, limits, strength)
    ended = run(made, 0.4)
    angle = 2.0 * np.arcsin(ended.state.orientation[0, 3])
    assert angle == pytest.approx(0.3 * np.sign(speed), abs=1e-7)
    assert max(report.residual for report in ended.reports) < 1e-6


def test_residuals_within_the_aim_are_no_reason_for_a_poor_verdict():
    """Nothing falls and nothing moves at the end, so that nothing but the aim says what is small."""
    done = simulate(stopped(2.0, (-1.0, 0.3), 1e3), options_for(stopped(2.0, (-1.0, 0.3), 1e3), time=0.4))
    assert 0.0 < done.steps["residual"].max() < done.header["tolerance"]
    assert not any("inexact" in reason for reason in judge(done).reasons)


def stopped(speed, limits, strength):
    """An arm without gravity that a motor turns to a limit of its hinge."""
    arm = Body("arm", Box((1.0, 0.2, 0.2)), position=(0.5, 0.0, 0.0))
    hinge = Joint("hinge", "hinge", ("world", "arm"), axis=(0, 0, 1), limits=limits, motor=Motor(speed, strength))
    return Scene((arm,), gravity=(0.0, 0.0, 0.0), joints=(hinge,))


@pytest.mark.parametrize(("speed", "strength"), [(1.0, 7.0), (-0.5, 7.0), (1.0, 1e3), (0.0, 7.0)])
@pytest.mark.parametrize("compliance", [0.0, 4e-5])
def test_what_other_joints_lock_it_presses_as_hard_as_it_can(speed, strength, compliance):
    """No step of it was accepted: its row has nothing to move, so that no impulse was found for it."""
    along = np.array([0.3, -0.7, 0.7]) / np.sqrt(1.07)
    made = locked(speed, strength, compliance, along)
    done = simulate(made, options_for(made, time=0.2, time_step=1 / 60))
    assert done.steps["converged"].all() and (not speed or "moved nothing" in judge(done).reasons[0])
    pressed = done.joints[-1, 2, 4:7] @ along
    assert pressed == pytest.approx(np.sign(speed) * strength, abs=1e-9)
    assert np.abs(done.positions - done.positions[0]).max() < 1e-9


@pytest.mark.parametrize("more", [{}, {"record_history": True}])
def test_it_does_so_however_the_island_is_solved(monkeypatch, more):
    """In one call, or in the general way."""
    found, improve = [], counted.improve_within

    def kept(problem, *given):
        found.append(problem)
        return improve(problem, *given)

    monkeypatch.setattr(impulses, "improve_within", kept)
    monkeypatch.setattr(quiet_steps, "is_able", lambda *_: False)
    made = locked(1.0, 7.0, 4e-5, np.array([0.3, -0.7, 0.7]) / np.sqrt(1.07))
    simulate(made, options_for(made, time=0.01, time_step=0.01))
    problem = found[-1]
    impulse = np.zeros(problem.row_count)
    answer = solve(problem, impulse, options=methods.get_method("default").options(max_iterations=500, **more))
    assert answer.residual < 1e-9 and impulse[-1] == pytest.approx(0.07)


def locked(speed, strength, compliance, along):
    """A slider's motor along a line between two bodies, one fixed and the other held to it by a universal joint."""
    bodies = [Body(name, Box((0.2, 0.2, 0.2)), position=(x, 0.0, 0.0)) for name, x in (("one", 0.0), ("two", 1.0))]
    slider = Joint("slider", "generic", ("two", "one"), position=(0.5, 0, 0), axis=(0, 0.7, 0.7), axis2=tuple(along),
                   free=("x",), motor={"x": Motor(speed, strength)}, compliance=compliance)  # fmt: skip
    cross = Joint("cross", "universal", ("one", "two"), position=(0.5, 0, 0), axis=(0, 1, 0), axis2=(0, 0, 1))
    joints = Joint("fixed", "fixed", ("world", "one"), breaking=1e9), cross, slider
    return Scene(tuple(bodies), gravity=(0.0, 0.0, 0.0), joints=joints)


@pytest.mark.parametrize(("most", "pushes"), [(np.inf, "without bound"), (1e12, "with up to 1e+12 N m")])
def test_a_motor_that_no_step_follows_is_named(most, pushes):
    """Ten thousand radians a step, of two bodies that nothing holds: it was called a fault of the program."""
    bodies = Body("a", Box((0.2, 0.2, 0.4))), Body("b", Box((0.1, 0.3, 0.2)), position=(0.0, 0.0, 0.5))
    hinge = Joint("j", "hinge", ("a", "b"), position=(0.0, 0.0, 0.25), axis=(0, 1, 0), motor=Motor(1e6, most))
    scene = Scene(bodies, joints=(hinge,))
    fault = simulate(scene, options_for(scene, time=0.1, time_step=0.01)).header["fault"]
    assert f"the motor of joint 'j' wants 1e+06 rad/s, 1e+04 rad in a step of 0.01 s, and may push {pushes}" in fault
    assert "lower velocity or a max" in fault and "fault of the program" not in fault
