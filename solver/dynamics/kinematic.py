"""Kinematic bodies: keyed poses give them their true velocity."""

from dataclasses import replace
from math import atan2, sqrt
from typing import NamedTuple

import numpy as np

from ..base.refusal import SceneError, finite, finite_rows, vector
from ..base.vectors import row, scale
from ..jit import inner, kernel
from .rigid import moved_poses, turned_by
from .step_kernels import rotation_matrices


def check_keys(keys, who):
    """Raise SceneError naming `who` for keyed poses that no motion can follow."""
    counts = [len(column) for column in (keys.times, keys.positions, keys.orientations)]
    if len(set(counts)) > 1 or counts[0] == 0:
        raise SceneError(f"{who}: keys have {counts[0]} times, {counts[1]} positions and {counts[2]} orientations; "
                         "give as many of each, at least one")  # fmt: skip
    if not finite(keys.times):
        raise SceneError(f"{who}: keys have a time that is no finite number; correct it")
    late = np.flatnonzero(np.diff(np.asarray(keys.times, dtype=float)) <= 0)
    if len(late):
        i = int(late[0])
        raise SceneError(f"{who}: keys.times[{i + 1}] is {keys.times[i + 1]} s, not after {keys.times[i]} s; sort them")
    places, turns = finite_rows(keys.positions, 3), finite_rows(keys.orientations, 4)
    if places and turns and (np.abs(np.linalg.norm(keys.orientations, axis=1) - 1.0) <= 1e-3).all():
        return
    for i, (position, orientation) in enumerate(zip(keys.positions, keys.orientations, strict=True)):
        vector(who, f"keys.positions[{i}]", position, 3, "m")
        length = float(np.linalg.norm(vector(who, f"keys.orientations[{i}]", orientation, 4)))
        if abs(length - 1.0) > 1e-3:
            raise SceneError(f"{who}: keys.orientations[{i}] has length {length:.6g}; give a unit quaternion")


def keys_around(times, time):
    """(i, j, s) at `time` [s] for rising times (F,) of keys: the part s of the way from key i to key j that is done,
    held outside the keys."""
    i = int(np.clip(np.searchsorted(times, time, side="right") - 1, 0, max(len(times) - 2, 0)))
    j = min(i + 1, len(times) - 1)
    span = times[j] - times[i]
    return i, j, float(np.clip((time - times[i]) / span, 0.0, 1.0)) if span > 0 else 0.0


class Paths(NamedTuple):
    """Keyed poses of the bodies (D,) that follow them: those of body k are start[k] to start[k + 1] of times (K,) [s],
    positions (K,3) [m] and unit quaternions (K,4) of its shape frame, in which its centre of mass is center (D,3)."""

    body: np.ndarray
    start: np.ndarray
    time: np.ndarray
    position: np.ndarray
    orientation: np.ndarray
    center: np.ndarray


def paths_of(bodies, keys, centers):
    """Paths of bodies (D,) with their keys (D,) and centres of mass (D,3)."""
    columns = [[np.zeros(0)], [np.zeros((0, 3))], [np.zeros((0, 4))]]
    for own in keys:
        turns = np.array(own.orientations, dtype=float)
        turns /= np.linalg.norm(turns, axis=1, keepdims=True)
        for column, values in zip(columns, (own.times, own.positions, turns), strict=True):
            column.append(np.array(values, dtype=float))
    start = np.cumsum([0, *(len(own.times) for own in keys)])
    return Paths(np.array(bodies, dtype=np.int64), start, *map(np.concatenate, columns),
                 np.ascontiguousarray(centers, dtype=float).reshape(len(keys), 3))  # fmt: skip


@inner
def product(p, q):
    """The quaternion p q."""
    return (p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
            p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
            p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
            p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0])  # fmt: skip


@inner
def turn_between(begin, end):
    """Rotation vector [rad], at most pi long, that takes unit quaternion `begin` to `end`."""
    w, x, y, z = product(end, (begin[0], -begin[1], -begin[2], -begin[3]))
    sign = -1.0 if w < 0.0 else 1.0
    sine = sqrt(x * x + y * y + z * z)
    factor = sign * (2.0 * atan2(sine, sign * w) / sine if sine > 1e-9 else 2.0)
    return factor * x, factor * y, factor * z


@inner
def keyed_pose(paths, k, time, position, orientation):
    """Write into position (3,) and orientation (4,) the pose of path k at `time` [s]: constant velocities between keys,
    held outside them."""
    first, last = paths.start[k], paths.start[k + 1] - 1
    i, j = first, last
    while j - i > 1:
        middle = (i + j) // 2
        if paths.time[middle] <= time:
            i = middle
        else:
            j = middle
    span, part = paths.time[j] - paths.time[i], 0.0
    if span > 0.0:
        part = min(1.0, max(0.0, (time - paths.time[i]) / span))
    for c in range(3):
        begin, end = paths.position[i, c], paths.position[j, c]
        # Between equal keys it stands: round-off of a sum of both would be a velocity in a short step.
        position[c] = begin if begin == end else (1.0 - part) * begin + part * end
    turned_by(paths.orientation[i], scale(turn_between(paths.orientation[i], paths.orientation[j]), part), True,
              orientation)  # fmt: skip


@kernel
def keyed_poses(paths, time, position, orientation):
    """Write the centres of mass and orientations at `time` [s] of the bodies on Paths into position (R,3), orientation
    (R,4)."""
    R = np.empty((1, 3, 3))
    for k in range(paths.body.size):
        i, center = paths.body[k], row(paths.center, k)
        keyed_pose(paths, k, time, position[i], orientation[i])
        rotation_matrices(orientation[i : i + 1], R)
        for c in range(3):
            position[i, c] += R[0, c, 0] * center[0] + R[0, c, 1] * center[1] + R[0, c, 2] * center[2]


@kernel
def drive(paths, time, h, position, orientation, twist):
    """Write into twist (R,6) the velocities that take the bodies on Paths from where they are, (R,3) and (R,4), to
    their poses at `time` [s] in h seconds."""
    place, turned = position.copy(), orientation.copy()
    keyed_poses(paths, time, place, turned)
    for i in paths.body:
        turn = turn_between(orientation[i], turned[i])
        for c in range(3):
            twist[i, c] = (place[i, c] - position[i, c]) / h
            twist[i, 3 + c] = turn[c] / h


def pose_at(keys, time):
    """Position (3,) and orientation (4,) of a shape frame with keyed poses at `time` [s]."""
    position, orientation = np.empty((1, 3)), np.empty((1, 4))
    i, j, _ = keys_around(np.asarray(keys.times, dtype=float), time)
    around = replace(keys, **{name: values[i : j + 1] for name, values in vars(keys).items()})
    keyed_poses(paths_of([0], [around], np.zeros((1, 3))), float(time), position, orientation)
    return position[0], orientation[0]


def driven(model, state, h):
    """Return the state with the velocities that take every kinematic body to its pose at the end of the step."""
    if not model.kinematic:
        return state
    twist = state.twist.copy()
    drive(model.paths, state.time + h, h, state.position, state.orientation, twist)
    return replace(state, twist=twist)


def followed(model, start, after, h, following):
    """The state `after` h seconds in parts with the bodies on Paths as one step leaves them: how others are divided
    changes nothing of theirs. start: state before with their velocities; following [s]: length of the next step."""
    bodies = list(model.kinematic)
    if not bodies:
        return after
    there = start.position, start.orientation
    for time in (0.5 * h, h - 0.5 * h):
        there = moved_poses(*there, start.twist, time)
    horizon, since = (np.full(model.body_count, 0.5 * time) for time in (following, h))
    ends = {"position": there[0], "orientation": there[1], "twist": start.twist, "horizon": horizon, "since": since}
    changed = {name: getattr(after, name).copy() for name in ends if len(getattr(after, name))}
    for name, column in changed.items():
        column[bodies] = ends[name][bodies]
    return replace(after, **changed)
