"""The balance of energy: works and energies as the run reports them, and that what is left is nothing."""

import numpy as np

from . import joints as holds
from . import laws
from .checks import ROUND_OFF
from .mechanics import inertia_in_world, kinetic, potential


def energy(checker):
    """The Checks of a Checker's run, each of one number a step."""
    run, rows = checker.run, checker.moving
    fall = np.where(run.moves[:, None], run.length[run.of][:, None] * run.gravity, 0.0)
    mean = 0.5 * (checker.free[0] - fall + run.push.velocity), 0.5 * (checker.free[1] + run.push.spin)
    works = run.impulse * laws.velocities(run, *mean, 0.5 * (run.nodes[:, 10:13] + run.nodes[:, 16:19]))
    able = run.moves | run.deforms[run.body]
    works[~(able[run.a] | able[run.b])] = 0.0
    by_contacts = _moved_by_contacts(run)
    by_joints, elsewhere = _moved_by_joints(run)
    joint_work = _by_step(run, run.joint_of, (run.wrench * np.hstack(mean)[run.at]).sum(axis=1)) - by_joints
    substeps = np.array([one[1] for one in checker.soft], dtype=int)
    of_soft = {name: _by_step(run, substeps, np.array([one[3][name] for one in checker.soft]))
               for name in ("damping_work", "joint_work", "scheme_loss", "change")}  # fmt: skip
    joint_work += of_soft.pop("joint_work") + _closing(checker)
    found = {"impact_loss": _by_step(run, run.contact_of, works[:, 0]),
             "friction_work": _by_step(run, run.contact_of, works[:, 1:].sum(axis=1)), "joint_work": joint_work}
    soft_change = of_soft.pop("change")
    found |= of_soft
    round_off = ROUND_OFF * _by_step(run, run.of[rows], (checker.mass * checker.speed**2)[rows])
    for own, wrench in (*laws.wrenches(run), (run.at, run.wrench)):
        most = np.linalg.norm(wrench[:, :3], axis=1) + np.linalg.norm(wrench[:, 3:], axis=1) / checker.size[own]
        round_off += _by_step(run, run.of[own], most * checker.unsure[own])
    for _, substep, checks, _ in checker.soft:
        round_off[run.step[substep] - 1] += checks[-1][1]
    for name, work in found.items():
        allowed = round_off + elsewhere if name == "joint_work" else round_off
        yield _claim(checker, f"{name} as reported", work - run.steps[name], allowed)
    last, level = checker.ends_of_steps(), kinetic(checker.mass, checker.inertia, run.end)
    ends = {(one[0], run.step[one[1]]): one for one in checker.soft}.values()
    at = np.array([one[1] for one in ends], dtype=int)
    stored = {name: _by_step(run, at, np.array([one[3][name] for one in ends])) for name in ("kinetic", "elastic")}
    reported = _by_step(run, run.of[last], level[last]) + stored["kinetic"] - run.steps["kinetic"]
    yield _claim(checker, "kinetic energy as reported", reported, round_off)
    yield _claim(checker, "elastic energy as reported", stored["elastic"] - run.steps["elastic"], round_off)
    change = level - kinetic(checker.mass, checker.inertia, run.start)
    change += potential(checker.mass, run.gravity, run.end.position)
    change -= potential(checker.mass, run.gravity, run.start.position)
    left = _by_step(run, run.of[rows], (change - _damped(checker))[rows]) - by_contacts - by_joints
    left += soft_change - sum(found.values()) - run.steps["stabilisation_work"]
    # Potential energies are large far from the origin.
    heights = 1e-14 * checker.mass * np.linalg.norm(run.gravity) * np.abs(run.end.position).max(axis=1)
    yield _claim(checker, "energy changes by the works reported", left,
                 10 * round_off + _by_step(run, run.of[rows], heights[rows]))  # fmt: skip


def _closing(checker):
    """Energy (T,) [J] that closing joints gives the rigid bodies of substeps with deformable ones."""
    run, mass = checker.run, checker.mass
    rest = (run.length - run.elapsed)[run.of][:, None]
    moved = run.end.position - run.push.position - rest * run.push.velocity
    given = kinetic(mass, checker.inertia, run.end) - kinetic(mass, checker.inertia, run.push)
    given += potential(mass, run.gravity, moved)
    own = np.flatnonzero(run.moves & np.isin(run.of, run.node_of))
    return _by_step(run, run.of[own], given[own])


def _by_step(run, substep, values):
    """Sums (T,) by step of values (n,) in substeps (n,)."""
    return np.bincount(run.step[substep] - 1, values, len(run.steps["time"]))


def _claim(checker, name, off, allowed):
    """The Check of differences (T,), one a step."""
    first = np.searchsorted(checker.run.step, np.arange(1, 1 + len(off)))
    first = np.minimum(first, len(checker.run.step) - 1)
    return checker.worst(name, "J", np.abs(off), allowed + 1e-300, first)


def _moved_by_contacts(run):
    """Work (T,) [J] that bodies on given paths do on others by contacts."""
    sides = ((rows, (wrench * run.push.twist[rows]).sum(axis=1)) for rows, wrench in laws.wrenches(run))
    return sum(_by_step(run, run.contact_of, np.where(run.moves[rows], 0.0, -work)) for rows, work in sides)


def _moved_by_joints(run):
    """Work (T,) [J] that bodies on given paths do on others by joints, and how far off it may be because joints push
    at their mean places."""
    given, off, places = 0.0, 0.0, holds.mean_places(run)
    ends = np.array([joint["ends"] for joint in run.constants["joints"]], dtype=int).reshape(-1, 2)
    for body in ends[run.joint].T:
        here = np.flatnonzero(body >= 0)
        rows = run.rows(run.joint_of[here], body[here])
        here, rows = here[~run.moves[rows]], rows[~run.moves[rows]]
        force, wrench = run.wrench[here, :3], run.wrench[here].copy()
        wrench[:, 3:] += np.cross(run.push.position[run.at[here]] - run.push.position[rows], force)
        given = given + _by_step(run, run.joint_of[here], (wrench * run.push.twist[rows]).sum(axis=1))
        most = places[here] * np.linalg.norm(force, axis=1) * np.linalg.norm(run.push.spin[rows], axis=1)
        off = off + _by_step(run, run.joint_of[here], most)
    return given, off


def _damped(checker):
    """Energy (N,) [J] that damping gives to bodies: less than nothing."""
    run, h = checker.run, checker.run.length[checker.run.of][:, None]
    d = np.exp(-run.constant("damping") * h)
    inertia = inertia_in_world(checker.inertia, run.push.orientation)
    spin = 0.5 * np.einsum("ni,nij,nj->n", checker.before[1], inertia, checker.before[1])
    v0, v1 = run.start.velocity, d[:, :1] * run.start.velocity
    moved = 0.5 * checker.mass * np.einsum("ni,ni->n", v1 - v0, v1 + v0 + h * run.gravity)
    return (d[:, 1] ** 2 - 1) * spin + moved
