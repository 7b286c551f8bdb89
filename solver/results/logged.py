"""What the log of substeps adds to a run's arrays: directions of friction, and what Animated bodies are pushed by."""

from pathlib import Path

import numpy as np

from ..dynamics.step_kernels import tangent_frames
from ..recording.substep_log import BODY_COLUMNS, CONTACT_COLUMNS, HEAD, JOINT_COLUMNS

LOG = "substeps.bin"
# Where the impulses act: the second of the three instants of a body.
THERE = slice(2 + 13, 2 + 13 + 3)


def logged(folder):
    """[(step, bodies (B, BODY_COLUMNS), contacts (C, CONTACT_COLUMNS))] of the substeps of a run's folder; none where
    there is no log, as with deformable bodies, or no folder."""
    path = None if folder is None else Path(folder) / LOG
    data = np.fromfile(path) if path is not None and path.is_file() else np.zeros(0)
    found, at = [], 0
    while at + HEAD <= len(data):
        step, counts, parts = int(data[at]), data[at + 5 : at + HEAD].astype(int), []
        at += HEAD
        for count, columns in zip(counts, (BODY_COLUMNS, CONTACT_COLUMNS, JOINT_COLUMNS), strict=True):
            parts.append(data[at : at + count * columns].reshape(-1, columns))
            at += count * columns
        found.append((step, *parts[:2]))
    return found


def tangents(run, log):
    """Directions (n,2,3) of s and t of the contacts of a Trajectory, world. Where the friction of a body has a
    direction s is what the `log` says, and not a number without one."""
    contacts = run.contacts
    frame = np.empty((len(contacts), 3, 3))
    tangent_frames(np.ascontiguousarray(contacts[:, 6:9]), frame)
    directed = np.array(run.header["directed"], dtype=bool)
    unknown = np.flatnonzero(directed[contacts[:, 1:3].astype(int)].any(axis=1))
    if len(unknown):
        known = {(step, *row[:8].tolist()): row[8:11] for step, _, rows in log for row in rows}
        for k in unknown:
            s = known.get((int(contacts[k, 0]), *contacts[k, 1:9].tolist()), np.full(3, np.nan))
            frame[k, 1], frame[k, 2] = s, np.cross(frame[k, 0], s)
    return frame[:, 1:]


def reactions(run, log):
    """{name: array} of what contacts exert on the Animated bodies of a Trajectory, means over each step: reaction_name
    (A,), reaction_force (S,A,3) [N] and reaction_torque (S,A,3) about the centre of mass [N m], world."""
    animated = [i for i, motion in enumerate(run.header["motion"]) if motion == "kinematic"]
    if not log or not animated:
        return {}
    place = {body: k for k, body in enumerate(animated)}
    force = np.zeros((len(run.steps["time"]), len(animated), 3))
    torque = np.zeros_like(force)
    for step, bodies, contacts in log:
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
