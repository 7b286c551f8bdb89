"""The balance of energy: works and energies as the run reports them, and that what is left is nothing."""

import numpy as np

from . import joints as holds
from . import laws
from .checks import ROUND_OFF
from .mechanics import inertia_in_world, kinetic
from .soft import ADDED


def energy(checker):
    """What the checks of energy found in a Checker's run, each of one number a step."""
    run, mass, soft, rows = checker.run, checker.mass, checker.soft, checker.moving

    def by_step(substep, values):
        """Sums (T,) by step of values (n,) in substeps (n,)."""
        return np.bincount(run.step[substep] - 1, values, len(run.steps["time"]))

    start, push, end = (inertia_in_world(checker.inertia, one.orientation) for one in (run.start, run.push, run.end))
    start, at_push, end = (kinetic(mass, inertia, one.velocity, one.spin)
                           for inertia, one in ((start, run.start), (push, run.push), (end, run.end)))  # fmt: skip
    # Impulses work along the mean of the velocities without and with them.
    mean = [0.5 * (a + b) for a, b in zip(checker.damped, (run.push.velocity, run.push.spin), strict=True)]
    twist, (given, off), able = np.hstack(mean), _given_by_joints(run), run.moves | run.deforms[run.body]
    works = run.impulse * laws.velocities(run, *mean, 0.5 * (run.node["f"] + run.node["v"]))
    works[~(able[run.a] | able[run.b])] = 0.0
    by_joints = by_step(run.joint_of, (run.wrench * twist[run.at]).sum(axis=1))
    # Closing joints in substeps with deformable bodies is told with the work of joints.
    closing = end - at_push - mass * (checker.strays[0] @ run.gravity)
    own = np.flatnonzero(run.moves & np.isin(run.of, run.node_of))
    closed = by_step(run.of[own], closing[own])
    found = {"impact_loss": by_step(run.contact_of, works[:, 0]),
             "friction_work": by_step(run.contact_of, works[:, 1:].sum(axis=1)),
             "joint_work": by_joints - by_step(run.joint_of, given) + closed}  # fmt: skip
    for name in ("damping_work", "joint_work", "scheme_loss"):
        found[name] = found.get(name, 0.0) + by_step(soft["substep"], soft[name])
    ends, at = checker.ends, soft[checker.soft_ends]
    found["kinetic energy"] = by_step(run.of[ends], end[ends]) + by_step(at["substep"], at["kinetic"])
    found["elastic energy"] = by_step(at["substep"], at["elastic"])
    round_off = 1e-300 + ROUND_OFF * by_step(run.of[rows], (mass * checker.speed**2)[rows])
    round_off += ADDED * by_step(soft["substep"], soft["level"])
    for own, wrench in (*laws.wrenches(run), (run.at, run.wrench)):
        most = np.linalg.norm(wrench[:, :3], axis=1) + np.linalg.norm(wrench[:, 3:], axis=1) / checker.size[own]
        round_off += by_step(run.of[own], most * checker.unsure[own])
    last = np.minimum(np.searchsorted(run.step, np.arange(1, 1 + len(round_off))), len(run.step) - 1)
    for name, value in found.items():
        allowed = round_off + (by_step(run.joint_of, off) if name == "joint_work" else 0.0)
        differs = np.abs(value - run.steps[name.removesuffix(" energy")])
        yield checker.worst(f"{name} as reported", "J", differs, allowed, last)
    damped, before = (kinetic(mass, push, *velocities) for velocities in (checker.damped, checker.before))
    struck = at_push - start + before - damped - run.length[run.of] * mass * (mean[0] @ run.gravity)
    left = by_step(run.of[rows], (struck + closing)[rows]) - by_joints - closed - run.steps["stabilisation_work"]
    for side, wrench in laws.wrenches(run):
        left -= by_step(run.contact_of, np.where(run.moves[side], (wrench * twist[side]).sum(axis=1), 0.0))
    # Potential energies are large far from the origin.
    heights = 1e-14 * mass * np.linalg.norm(run.gravity) * np.abs(run.end.position).max(axis=1)
    allowed = 10 * round_off + by_step(run.of[rows], heights[rows])
    yield checker.worst("energy changes by the works reported", "J", np.abs(left), allowed, last)


def _given_by_joints(run):
    """Work (E,) [J] that bodies on given paths do on others by joints, and how far off it may be because joints push
    at their mean places."""
    driven = (run.other >= 0) & ~run.moves[run.other]
    v, spin, force = run.push.velocity[run.other], run.push.spin[run.other], run.wrench[:, :3]
    moment = run.wrench[:, 3:] + np.cross(run.push.position[run.at] - run.push.position[run.other], force)
    most = holds.mean_places(run) * np.linalg.norm(force, axis=1) * np.linalg.norm(spin, axis=1)
    return np.where(driven, [(force * v + moment * spin).sum(axis=1), most], 0.0)
