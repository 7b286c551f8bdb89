"""The balance of energy: works and energies as the run reports them, and that what is left is nothing."""

import numpy as np

from .joints import given_work
from .laws import velocities
from .mechanics import ROUND_OFF, last_of


def energy(run):
    """What is found of energy, each of one number a step."""
    soft, moving, of, (rows, wrench) = run.soft, run.moving, run.of, run.loads

    def by_step(substep, values):
        """Sums (T,) by step of values (n,) in substeps (n,)."""
        return np.bincount(run.step[substep] - 1, values, len(run.steps["time"]))

    start, push, end = (one.energy(one.twist) for one in (run.start, run.push, run.end))
    # Impulses work along the mean of the velocities without and with them.
    mean, (given, off), able = 0.5 * (run.damped + run.push.twist), given_work(run), run.moves | run.deforms[run.body]
    works = run.impulse * velocities(run, mean, run.node["mean"])
    works[~(able[run.a] | able[run.b])] = 0.0
    by_loads = np.where(run.moves[rows], (wrench * mean[rows]).sum(axis=1), 0.0)
    # Closing joints in substeps with deformable bodies is told with the work of joints.
    closing = end - push - run.mass * (run.strays[0] @ run.gravity)
    own = np.flatnonzero(run.moves & np.isin(of, run.node_of))
    closed = by_step(of[own], closing[own])
    found = {"impact_loss": by_step(run.contact_of, works[:, 0]),
             "friction_work": by_step(run.contact_of, works[:, 1:].sum(axis=1)),
             "joint_work": by_step(run.joint_of, by_loads[2 * len(run.gap) :] - given) + closed}  # fmt: skip
    for name in ("damping_work", "joint_work", "scheme_loss"):
        found[name] = found.get(name, 0.0) + by_step(soft["substep"], soft[name])
    ends = moving[last_of(run.step[of[moving]], run.body[moving])]
    at = soft[last_of(run.step[soft["substep"]], soft["body"])]
    found["kinetic energy"] = by_step(of[ends], end[ends]) + by_step(at["substep"], at["kinetic"])
    found["elastic energy"] = by_step(at["substep"], at["elastic"])
    heights = run.mass * (run.end.position @ run.gravity)
    # Where bodies sleep, or have nodes, not all masses are there.
    if not (run.elastic or run.header["options"]["sleeping"]):
        found["potential energy"] = by_step(of[ends], -heights[ends])
    round_off = 1e-300 + ROUND_OFF * by_step(of[moving], (run.mass * run.speed**2)[moving])
    # What jams is pushed by any impulses, whose works have no digits left.
    pushed = np.linalg.norm(run.impulse[:, :3], axis=1) * (run.speed[run.a] + run.speed[run.b])
    round_off += 1e-15 * by_step(run.contact_of, pushed)
    round_off += by_step(soft["substep"], soft["unsure"])
    last = np.minimum(np.searchsorted(run.step, np.arange(1, 1 + len(round_off))), len(run.step) - 1)
    for name, value in found.items():
        more = by_step(of[ends], 1e-9 * np.abs(heights)[ends]) if name == "potential energy" else 0.0
        allowed = round_off + (by_step(run.joint_of, off) if name == "joint_work" else more)
        yield f"{name} as reported", "J", np.abs(value - run.steps[name.removesuffix(" energy")]), allowed, last
    struck = push - start + run.push.energy(run.before) - run.push.energy(run.damped)
    struck -= run.length[of] * run.mass * (mean[:, :3] @ run.gravity)
    left = by_step(of[moving], (struck + closing)[moving]) - by_step(of[rows], by_loads)
    left = left - closed - run.steps["stabilisation_work"]
    # Potential energies are large far from the origin.
    far = 1e-14 * run.mass * np.linalg.norm(run.gravity) * np.abs(run.end.position).max(axis=1)
    allowed = 10 * round_off + by_step(of[moving], far[moving])
    yield "energy changes by the works reported", "J", np.abs(left), allowed, last
