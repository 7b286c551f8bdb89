"""How far the numbers of a run are from those at half the time step and half the tolerance: its error, stated.

Where motion is chaotic two runs part sooner or later, and a difference beyond that says nothing of either: numbers are
compared until then, and the estimate says when that is. The time of an impact is that of a step, and both runs may have
it alike: what impacts may put bodies off by is told besides.
"""

from dataclasses import replace

import numpy as np

from ..dynamics.jointed.state import joints_of
from ..runs.simulation_options import WITHOUT_CONTACTS
from ..simulation import simulate
from ..stepping.step_report import LEDGER

# Two runs have parted once a body is further from itself than this part of its size and of the way it has gone.
PARTED = 0.1


def estimate(scene, settings, run, progress=None):
    """{...} of a scene, SimulationOptions and their Trajectory: the run is made again at half the step and tolerance,
    with frames at the same times. See docs/formats.md for the keys."""
    finer = replace(
        settings, time_step=0.5 * settings.time_step, steps_per_frame=2 * settings.steps_per_frame,
        accuracy=0.5 * settings.accuracy, tolerance=0.5 * settings.tolerance, **WITHOUT_CONTACTS,
    )  # fmt: skip
    loads = _Loads(settings)
    other = simulate(scene, finer, progress=progress, watch=loads)
    frames = min(len(run.times), len(other.times))
    apart, path = _apart(run, other, frames), _way(run, frames)
    size = np.array(run.header["size"])
    parted = apart > PARTED * (size + path)
    last = frames - 1 if not parted.any() else max(int(np.argmax(parted.any(axis=1))) - 1, 0)
    struck = _of_impacts(run, last)
    found = {
        "time_step": finer.time_step, "until": float(run.times[last]), "parted": bool(parted.any()),
        "body": run.names[int(np.argmax(parted[last + 1]))] if parted.any() else "",
        "largest": _changes(_largest(run, last), _largest(other, last)),
        "energy": _changes(_energy(run, last), _energy(other, last)),
        "bodies": {name: _body(run, other, i, last, apart) | {"impacts": float(struck[i])}
                   for i, name in enumerate(run.names)},
        "joints": _joints(run, loads.forces(frames), last),
    }  # fmt: skip
    return found | {"sentence": _sentence(found)}


class _Loads:
    """Watches the finer run: the mean force of every joint over what is one step of the coarser one, at its frames."""

    def __init__(self, settings):
        self.step, self.every, self.sums, self.found = settings.time_step, 2 * settings.steps_per_frame, None, []

    def __call__(self, done, state, _report, _rows):
        load = joints_of(state).load
        if done % self.every == 0:
            self.found.append((self.sums + load) / self.step)
        self.sums = load.copy()

    def forces(self, frames):
        """(frames, J, 6) [N, N m], not a number at the start, where no step has been."""
        if not self.found:
            return np.zeros((frames, 0, 6))
        return np.stack([np.full_like(self.found[0], np.nan), *self.found])[:frames]


def _apart(run, other, frames):
    """How far (F,R) [m] bodies of two runs are from themselves, turned ones by their size."""
    place = _of_nodes(run, np.linalg.norm(run.center_of_mass[:frames] - other.center_of_mass[:frames], axis=2),
                      lambda own: np.linalg.norm(run.node_positions[:frames, own] - other.node_positions[:frames, own],
                                                 axis=2))  # fmt: skip
    return place + np.array(run.header["size"]) * _angle(run, other, frames)


def _of_nodes(run, places, of):
    """places (F,R) with the largest of what `of` says (F,n) of the nodes in a slice, for deformable bodies."""
    start = run.header["node_start"]
    for number, own in enumerate(map(slice, start[:-1], start[1:])):
        if own.stop > own.start:
            places[:, number] = of(own).max(axis=1)
    return places


def _angle(run, other, frames):
    """Angles (F,R) [rad] between the orientations of two runs."""
    alike = np.abs(np.einsum("frq,frq->fr", run.orientations[:frames], other.orientations[:frames]))
    return 2.0 * np.arccos(np.clip(alike, 0.0, 1.0))


def _way(run, frames):
    """Ways (F,R) [m] that bodies have gone until each frame, turns by their size."""
    gone = _of_nodes(run, np.linalg.norm(np.diff(run.center_of_mass[:frames], axis=0), axis=2),
                     lambda own: np.linalg.norm(np.diff(run.node_positions[:frames, own], axis=0), axis=2))
    turned = np.linalg.norm(run.angular_velocities[1:frames], axis=2) * np.diff(run.times[:frames])[:, None]
    steps = gone + np.array(run.header["size"]) * turned
    return np.concatenate([np.zeros((1, len(run.names))), np.cumsum(steps, axis=0)])


def _until(run, last):
    """Steps (S,) bool of a run until its frame `last`."""
    return run.steps["time"] <= run.times[last] * (1.0 + 1e-12)


def _largest(run, last):
    kept = _until(run, last)
    names = {"overlap_max": "overlap", "residual_max": "residual", "contacts_max": "contact_count"}
    return {name: float(np.max(run.steps[key][kept], initial=0.0)) for name, key in names.items()}


def _energy(run, last):
    """Energies at a frame, and works until then [J]."""
    kept = _until(run, last)
    ends = {key: float(run.steps[key][kept][-1]) if kept.any() else 0.0 for key in ("kinetic", "potential", "elastic")}
    return ends | {key: float(np.sum(run.steps[key][kept])) for key in LEDGER}


def _changes(first, second):
    """{name: [number, by how much it changed]}."""
    return {name: [first[name], abs(second[name] - first[name])] for name in first}


def _body(run, other, i, last, apart):
    """By how much a body's place, its angle or, of a deformable body, the node that does so most, and its velocity
    differ at a frame."""
    soft = bool(np.diff(run.header["node_start"])[i])
    return {
        "center_of_mass": float(np.linalg.norm(run.center_of_mass[last, i] - other.center_of_mass[last, i])),
        **({"node": float(apart[last, i])} if soft else {"angle": float(_angle(run, other, last + 1)[last, i])}),
        "velocity": float(np.linalg.norm(run.velocities[last, i] - other.velocities[last, i])),
    }


def _of_impacts(run, last):
    """How far (R,) [m] bodies may be off until a frame as the time of an impact is known to a step: by a step times the
    change of velocity, from each frame to the next between which anything touched."""
    spans, change = np.diff(run.times[: last + 1]), np.diff(run.velocities[: last + 1], axis=0)
    gravity = np.array(run.header["gravity"])
    jump = np.minimum(*(np.linalg.norm(way, axis=2) for way in (change, change - spans[:, None, None] * gravity)))
    until = np.searchsorted(run.steps["time"], run.times[: last + 1] * (1.0 + 1e-12), side="right")
    touching = np.concatenate([[0], np.cumsum(run.steps["contact_count"] > 0)])[until]
    # What rests or slides changes its velocity by less than twice what gravity does; without any, by round-off.
    least = 2.0 * np.linalg.norm(gravity) * spans + 1e-9 * np.abs(run.velocities).max(initial=0.0)
    moves = np.array([motion == "dynamic" for motion in run.header["motion"]])
    counts = (np.diff(touching) > 0)[:, None] & moves & (jump > least[:, None])
    return run.header["options"]["time_step"] * np.where(counts, jump, 0.0).sum(axis=0)


def _joints(run, forces, last):
    """{joint: {force, torque: [rms over the frames, rms of its change]}}, without the frame at the start and without
    joints that tell no load."""
    found = {}
    for j, name in enumerate(run.joint_names):
        if np.isnan(run.joints[0, j]).any():
            continue
        own, other = run.joints[1 : last + 1, j, 4:10], forces[1 : last + 1, j]
        found[name] = {key: [_rms(own[:, part]), _rms(own[:, part] - other[:, part])]
                       for key, part in (("force", slice(0, 3)), ("torque", slice(3, 6)))}  # fmt: skip
    return found


def _rms(vectors):
    return float(np.sqrt(np.mean(np.sum(vectors**2, axis=1)))) if len(vectors) else 0.0


def _sentence(found):
    step = f"at half the time step ({1e3 * found['time_step']:.3g} ms) and half the tolerance"
    said = f"{step}, numbers change by what stands beside them"
    if found["parted"]:
        said = (f"{step} the runs part after {found['until']:.4g} s (body {found['body']!r}): numbers are compared "
                "until then, and of single bodies nothing can be said later")  # fmt: skip
    name, body = max(found["bodies"].items(), key=lambda entry: entry[1]["impacts"], default=("", {"impacts": 0.0}))
    if body["impacts"] > 0.0:
        said += (f"; impacts happen at times of steps, in both runs perhaps at the same: they put {name!r} off by up "
                 f"to {body['impacts']:.2g} m besides")  # fmt: skip
    return said
