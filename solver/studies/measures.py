"""What a run is worth: the row of results, and what is kept besides."""

import numpy as np

from ..stepping.flow_step import is_present
from .arch import arch_bodies
from .watcher import JAMMED

# Columns of results.csv after the parameters, in their order.
COLUMNS = (
    "seed", "status", "jammed", "discharged_count", "discharged_mass", "jam_time", "rate", "steps", "steps_accepted",
    "residual_max", "overlap_max", "energy_unexplained", "cpu_s", "residual_relative", "overlap_relative",
    "time_step_relative", "iterations_mean", "contacts_max", "opened", "time", "arch_count", "count", "message",
)  # fmt: skip
# The status of a run whose worker ended, or whose time was over: it is made again when the study goes on.
LOST = "lost"
# How often a run is tried whose worker ended in it.
TRIES = 3
# Part of the bodies that pass first and last that do not count for the mean rate: the flow is not steady there.
HEAD, TAIL = 0.15, 0.25
FEWEST = 20


def failed_row(status, message):
    """The row of a run that could not be done; status "refused" or "failed"."""
    row = dict.fromkeys(COLUMNS[1:], "")
    return row | {"status": status, "message": message}


def row_of(watcher, run):
    """Values of COLUMNS without seed and cpu_s of a run that a Watcher has watched."""
    header, opened = run.header, watcher.opened
    mass, size = np.array(header["mass"]), np.array(header["size"])
    radius = float(size[watcher.moving].min()) if np.any(watcher.moving) else 1.0
    gravity = float(np.linalg.norm(header["gravity"]))
    exits = watcher.exits
    jammed = run.stopped == JAMMED
    return {
        "status": run.stopped or "time", "jammed": int(jammed), "discharged_count": len(exits),
        "discharged_mass": float(sum(mass[body] for _, body in exits)),
        "jam_time": (exits[-1][0] if exits else 0.0) if jammed else "", "rate": mass_rate(exits, mass),
        "steps": watcher.steps, "steps_accepted": watcher.accepted, "residual_max": watcher.residual,
        "overlap_max": watcher.overlap, "energy_unexplained": watcher.energy.share, "cpu_s": round(header["cpu_s"], 3),
        "residual_relative": watcher.residual / (gravity * watcher.time_step) if gravity else 0.0,
        "overlap_relative": watcher.overlap / (2.0 * radius),
        "time_step_relative": watcher.time_step * np.sqrt(gravity / (2.0 * radius)),
        "iterations_mean": watcher.iterations / max(watcher.steps, 1), "contacts_max": watcher.contacts,
        "opened": "" if opened is None else opened, "time": float(run.state.time),
        "arch_count": len(arch_bodies(watcher.state, watcher.rows, watcher.moving)) if jammed else "",
        "count": int(np.count_nonzero(watcher.moving)), "message": "",
    }  # fmt: skip


def mass_rate(exits, mass):
    """Mean discharge [kg/s] between the first 15 and the last 25 % of the bodies that passed; empty if they are few."""
    if len(exits) < FEWEST:
        return ""
    first, last = int(HEAD * len(exits)), len(exits) - 1 - int(TAIL * len(exits))
    span = exits[last][0] - exits[first][0]
    return float(sum(mass[body] for _, body in exits[first:last]) / span) if span > 0 else ""


def details_of(watcher, run, keep):
    """What a study is to keep of a run: times of exits, the last state with its force chains, walls."""
    kept = {}
    if "curve" in keep:
        kept["exits"] = [round(time, 4) for time, _ in watcher.exits]
    if "state" in keep and run.stopped == JAMMED:
        kept["state"] = _last_state(watcher, run)
    if "walls" in keep and watcher.walls:
        kept["walls"] = _wall_profile(watcher, np.array(run.header["size"]))
    return kept


def _last_state(watcher, run):
    """Positions and sizes of the bodies in the scene, and contacts with their forces [N]."""
    state, here = watcher.state, is_present(watcher.state)
    contacts, force = state.contacts, watcher.rows / watcher.time_step
    size = np.array(run.header["size"])
    bodies = np.flatnonzero(here & watcher.moving & ~watcher.passed)
    return {
        "bodies": [[int(i), *_rounded(state.position[i]), float(size[i])] for i in bodies],
        "arch": [int(i) for i in arch_bodies(state, watcher.rows, watcher.moving)],
        "contacts": [
            [int(contacts.body_a[k]), int(contacts.body_b[k]), *_rounded(contacts.position[k]),
             *_rounded(contacts.normal[k]), float(f"{force[k, 0]:.4g}"),
             float(f"{np.hypot(force[k, 1], force[k, 2]):.4g}")]
            for k in range(contacts.count) if force[k, 0] > 0
        ],
    }  # fmt: skip


def _rounded(values):
    return [round(float(value), 5) for value in values]


def _wall_profile(watcher, size):
    """Mean normal and friction force [N] on each fixed body by height, in bins as high as the largest body:
    {name: [[low, high, normal, friction], ...]}."""
    rows, height, profile = np.concatenate(watcher.walls), 2.0 * float(size[watcher.moving].max()), {}
    for body in np.unique(rows[:, 0]).astype(int):
        of_body = rows[rows[:, 0] == body]
        which = np.floor(of_body[:, 1] / height).astype(int)
        first = int(which.min())
        sums = [np.bincount(which - first, of_body[:, column]) / len(watcher.walls) for column in (2, 3)]
        profile[watcher.names[body]] = [
            [(first + i) * height, (first + i + 1) * height, float(normal), float(friction)]
            for i, (normal, friction) in enumerate(zip(*sums, strict=True))
        ]
    return profile


def as_json(value):
    """What JSON takes in the place of numpy's numbers and arrays."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be written")
