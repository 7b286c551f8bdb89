"""What the log of substeps adds to a run's arrays: directions of friction, and what Animated bodies are pushed by."""

import json
from pathlib import Path

import numpy as np

from ..dynamics.step_kernels import tangent_frames
from ..recording.constants import NAME as RECORDING
from ..recording.substep_log import substeps_of

LOG = "substeps.bin"
# Where the impulses act: the second of the three instants of a body.
THERE = slice(2 + 13, 2 + 13 + 3)
# Of a node: velocities at the start, filtered, solved for and at the end; what its momentum changed by beyond forces.
NODE = slice(4, 7), slice(10, 13), slice(16, 19), slice(19, 22), slice(22, 25)


def logged(folder):
    """[(head, parts)] of the substeps of a run's folder, as in recording/columns.py and parts by their order; none
    where there is no log, or no folder."""
    path = None if folder is None else Path(folder) / LOG
    return list(substeps_of(np.fromfile(path) if path is not None and path.is_file() else np.zeros(0)))


def contacts(run, log):
    """{name: array} of the contacts of a Trajectory: those of all substeps, whose impulses add up to what each step
    does, or, without a log of all, those of the last part of each step, as many times as it has parts."""
    if log and _whole(run):
        heads = np.repeat([head[:4] for head, _ in log], [len(parts[1]) for _, parts in log], axis=0)
        step, time, c = heads[:, 0], heads[:, 1] + heads[:, 3], np.concatenate([parts[1] for _, parts in log])
        bodies, normal, s, gap, impulse = c[:, :2], c[:, 5:8], c[:, 8:11], c[:, 11], c[:, 12:16]
        position, tangent = c[:, 2:5], np.stack([s, np.cross(normal, s)], axis=1)
    else:
        c = run.contacts
        step, bodies, position, normal, gap, impulse = c[:, 0], c[:, 1:3], c[:, 3:6], c[:, 6:9], c[:, 9], c[:, 10:14]
        time, tangent = run.steps["time"][step.astype(int) - 1], _tangents(run)
    return {
        "contact_step": step.astype(np.int64), "contact_time": time, "contact_body": bodies.astype(np.int64),
        "contact_position": position, "contact_normal": normal, "contact_gap": gap, "contact_impulse": impulse,
        "contact_tangent": tangent,
    }  # fmt: skip


def _tangents(run):
    """Directions (n,2,3) of s and t of the contacts of a Trajectory, world; not a number where the friction of a body
    has a direction s of its own."""
    frame = np.empty((len(run.contacts), 3, 3))
    tangent_frames(np.ascontiguousarray(run.contacts[:, 6:9]), frame)
    directed = np.array(run.header["directed"], dtype=bool)
    frame[directed[run.contacts[:, 1:3].astype(int)].any(axis=1)] = np.nan
    return frame[:, 1:]


def reactions(run, log):
    """{name: array} of what contacts exert on the Animated bodies of a Trajectory, means over each step: reaction_name
    (A,), reaction_force (S,A,3) [N] and reaction_torque (S,A,3) about the centre of mass [N m], world."""
    animated = [i for i, motion in enumerate(run.header["motion"]) if motion == "kinematic"]
    if not log or not animated or not _whole(run):
        return {}
    place = {body: k for k, body in enumerate(animated)}
    force = np.zeros((len(run.steps["time"]), len(animated), 3))
    torque = np.zeros_like(force)
    for head, (bodies, contacts, *_) in log:
        step = int(head[0])
        centre = dict(zip(bodies[:, 0].astype(int).tolist(), bodies[:, THERE], strict=True))
        for side, sign in ((0, -1.0), (1, 1.0)):
            for row in contacts[np.isin(contacts[:, side], animated)]:
                body, normal, s = int(row[side]), row[5:8], row[8:11]
                push = sign * (row[12] * normal + row[13] * s + row[14] * np.cross(normal, s))
                force[step - 1, place[body]] += push
                torque[step - 1, place[body]] += np.cross(row[2:5] - centre[body], push) + sign * row[15] * normal
    h = run.header["options"]["time_step"]
    return {"reaction_name": np.array([run.names[i] for i in animated]), "reaction_force": force / h,
            "reaction_torque": torque / h}  # fmt: skip


def pin_forces(run, log, folder):
    """{name: array} of what pins exert on the deformable bodies of a Trajectory in a folder, means over each step:
    pin_name (P,) and pin_force (S,P,3) [N], world."""
    if not log or run.deformables is None or not _whole(run):
        return {}
    given = json.loads((Path(folder) / RECORDING).read_text())["deformable"]
    pinned = [number for number, body in enumerate(given) if body and any(body["pinned"])]
    if not pinned:
        return {}
    force = np.zeros((len(run.steps["time"]), len(pinned), 3))
    for head, (_, _, _, nodes, _) in log:
        step = int(head[0])
        for k, number in enumerate(pinned):
            rows = nodes[nodes[:, 0] == number]
            if len(rows):
                # What damps vibrations of a pinned body does so against its pins.
                before, filtered, solved, after, left = (rows[:, columns] for columns in NODE)
                mass = run.deformables["node_mass"][slice(*run.header["node_start"][number : number + 2])]
                force[step - 1, k] += left.sum(axis=0) + mass @ (filtered - before + after - solved)
    names = np.array([run.names[number] for number in pinned])
    return {"pin_name": names, "pin_force": force / run.header["options"]["time_step"]}


def _whole(run):
    """Whether the log has all substeps of a Trajectory: of deformable bodies those of one scheme alone."""
    return run.deformables is None or run.header["options"]["soft_stepper"] == "midpoint"
