"""`stiction verify` finds a solver that computes rigid bodies wrongly, in each of these ways; test_verify_soft.py has
those of deformable bodies, and test_verify.py the same runs without them."""

from dataclasses import replace

import numpy as np
import pytest
import verified_scenes
from marks import few

from stiction.solver import steppers
from stiction.solver.dynamics import impulses
from stiction.solver.dynamics.rigid import with_change
from stiction.solver.options import changed
from stiction.solver.recording import substep_log
from stiction.solver.verify import verify


def solving(change):
    """Steps whose StepSolution is changed by a function of it."""

    def wrapped(model, state, poses, settings, solve=steppers.solve_step):
        return change(solve(model, state, poses, settings))

    return steppers, "solve_step", wrapped


def answering(change):
    """Steps whose impulses (K,) are changed in place by a function of StepSolution and impulses, after their residual
    was told: bodies move as these impulses make them."""

    def wrapped(model, state, poses, settings, solve=steppers.solve_step):
        solution = solve(model, state, poses, settings)
        impulse = solution.impulse.copy()
        change(solution, impulse)
        twist = with_change(model, poses.free, solution.step.problem.velocity_change(impulse))
        return changed(solution, impulse=impulse, twist=twist, motion=twist)

    return steppers, "solve_step", wrapped


def modelling(**changes):
    """Steps of a Model that has other constants: name, function of what stands there."""

    def wrapped(model, state, poses, settings, solve=steppers.solve_step):
        other = replace(model, **{name: change(getattr(model, name)) for name, change in changes.items()})
        return solve(other, state, poses, settings)

    return steppers, "solve_step", wrapped


def moving(change):
    """Bodies that move on otherwise: change(begin, end, time) of position (R,3), orientation (R,4), twist (R,6)."""

    def wrapped(model, position, orientation, twist, time, drifted=steppers.drifted):
        return change((position, orientation, twist), drifted(model, position, orientation, twist, time), time)

    return steppers, "drifted", wrapped


def reporting(name, factor):
    """Steps whose reports have a value times a factor."""

    def wrapped(*given, report=steppers._report):
        said = report(*given)
        return said._replace(**{name: factor * getattr(said, name)})

    return steppers, "_report", wrapped


def searching(change):
    """Searches for contacts whose ContactSet is changed by a function."""

    def wrapped(*given, find=impulses.find_contacts, **named):
        return change(find(*given, **named))

    return impulses, "find_contacts", wrapped


def without_the_largest(solution, impulse):
    """A contact is dropped."""
    first = solution.step.first
    if len(first):
        k = int(np.argmax(impulse[first]))
        impulse[first[k] : first[k] + solution.step.rows[k]] = 0.0


def with_turned_friction(solution, impulse):
    """Friction is turned by ten degrees."""
    first = solution.step.first[solution.step.rows >= 3]
    s, t = impulse[first + 1].copy(), impulse[first + 2].copy()
    a = np.radians(10.0)
    impulse[first + 1], impulse[first + 2] = np.cos(a) * s - np.sin(a) * t, np.sin(a) * s + np.cos(a) * t


def scaled_rows(row, factor):
    """The function that multiplies a row of all contacts."""

    def change(solution, impulse):
        impulse[solution.step.first[solution.step.rows > row] + row] *= factor

    return change


def leaning(contacts):
    """Normals are turned by ten degrees."""
    n, angle = contacts.normal, np.radians(10.0)
    across = np.cross(n, np.eye(3)[np.argmin(np.abs(n), axis=1)])
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    return contacts._replace(normal=np.cos(angle) * n + np.sin(angle) * across)


def joints_on_one_side(log, model, solution, number, joints=substep_log.SubstepLog._joints):
    """The second body of a joint gets a millionth less than the first."""
    entries = joints(log, model, solution, number)
    entries[1::2, 2:] *= 1.0 - 1e-6
    return entries


def unchanged_spin(begin, end, time):
    """The spin stays where the angular momentum should."""
    return *end[:2], begin[2]


def kick(model, twist, h, free=steppers.free_twist):
    """Gravity is a thousandth less."""
    after = free(model, twist, h)
    return after - 1e-3 * h * np.append(model.gravity, np.zeros(3)) * (model.inverse_mass > 0)[:, None]


# What is wrong: (kind of run, object, attribute, what it becomes).
MUTANTS = {
    "impulses that bodies do not get": ("pile", *solving(lambda it: changed(it, impulse=(1 + 1e-6) * it.impulse))),
    "bodies faster than impulses make them": ("pile", *solving(
        lambda it: changed(it, twist=(1 + 1e-6) * it.twist, motion=(1 + 1e-6) * it.motion))),
    "a contact dropped": ("pile", *answering(without_the_largest)),
    "friction turned by ten degrees": ("pile", *answering(with_turned_friction)),
    "no friction along s": ("pile", *answering(scaled_rows(1, 0.0))),
    "friction of the other sign along t": ("pile", *answering(scaled_rows(2, -1.0))),
    "normal impulses a thousandth too large": ("arch", *answering(scaled_rows(0, 1.001))),
    "a coefficient of friction a hundredth too large": ("throw", *modelling(mu=lambda mu: 1.01 * mu)),
    "another law of friction": ("throw", *modelling(law=lambda law: 1 - law)),
    "restitution a hundredth too large": ("throw", *modelling(restitution=lambda e: 1.01 * e)),
    "masses a thousandth too large": ("pile", *modelling(inverse_mass=lambda w: w / 1.001)),
    "a thousandth less gravity": ("throw", steppers, "free_twist", kick),
    "bodies that move a thousandth too far": ("throw", *moving(
        lambda begin, end, time: (end[0] + 1e-3 * time * begin[2][:, :3], *end[1:]))),
    "bodies that do not turn": ("throw", *moving(lambda begin, end, time: (end[0], begin[1], end[2]))),
    "no gyroscopic torque": ("throw", *moving(unchanged_spin)),
    "normals that lean": ("pile", *searching(leaning)),
    "contacts a millimetre aside": ("arch", *searching(lambda it: it._replace(position=it.position + 1e-3))),
    "gaps a millimetre too large": ("arch", *searching(lambda it: it._replace(gap=it.gap + 1e-3))),
    "no contacts": ("hopper", *searching(lambda it: type(it)(*(column[:0] for column in it)))),
    "joints that push one body less": ("chain", substep_log.SubstepLog, "_joints", joints_on_one_side),
    "what floats is moved one by one": ("floating", steppers, "with_momentum", lambda *given: given[5][2]),
    "friction that takes no energy": ("throw", *reporting("friction_work", 0.0)),
    "impacts that take no energy": ("throw", *reporting("impact_loss", 0.0)),
    "work of motors left out": ("motor", *reporting("joint_work", 0.0)),
    "kinetic energy a thousandth too large": ("pile", *reporting("kinetic", 1.001)),
    "overlap that is not told": ("pile", *reporting("overlap", 0.0)),
    "half of the residual": ("pile", *reporting("residual", 0.5)),
}  # fmt: skip


QUICK = [name for name, (kind, *_) in MUTANTS.items() if kind in ("pile", "throw", "floating")]


@pytest.mark.parametrize("name", few(MUTANTS, *QUICK))
def test_a_solver_that_computes_wrongly_is_found(name, tmp_path, monkeypatch):
    kind, *change = MUTANTS[name]
    monkeypatch.setattr(*change)
    verified_scenes.recorded(verified_scenes.KINDS[kind](), tmp_path / "run")
    assert not verify(tmp_path / "run")["passed"]


@pytest.mark.parametrize("kind", ["pile", "motor", "pusher", "emitter", "arch", "hopper"])
def test_normals_that_lean_are_found_by_how_far(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(*searching(leaning))
    verified_scenes.recorded(verified_scenes.KINDS[kind](), tmp_path / "run")
    check = next(one for one in verify(tmp_path / "run")["checks"] if one["unit"] == "degrees")
    assert not check["passed"] and check["found"] == pytest.approx(10.0, abs=0.1) and check["where"]
