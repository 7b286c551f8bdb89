"""Kinematic bodies: keyed poses give them their true velocity."""

import numpy as np

from ..base.refusal import SceneError, finite, vector
from . import rotation


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


def pose_at(keys, time):
    """Position (3,) and orientation (4,) at `time` [s]: constant velocities between keys, held outside them."""
    i, j, s = keys_around(np.asarray(keys.times, dtype=float), time)
    begin, end = (np.asarray(keys.positions[k], dtype=float) for k in (i, j))
    # Between equal keys it stands: round-off of a sum of both would be a velocity in a short step.
    position = np.where(begin == end, begin, (1 - s) * begin + s * end)
    q0, q1 = np.asarray(keys.orientations[i], dtype=float), np.asarray(keys.orientations[j], dtype=float)
    turn = rotation.rotation_vector(rotation.multiply(q1, q0 * [1, -1, -1, -1]))
    return position, rotation.rotated(q0, turn, s)


def driven(model, state, h):
    """Return the state with the velocities that take every kinematic body to its pose at the end of the step."""
    if not model.kinematic:
        return state
    state = state.copy()
    for i in model.kinematic:
        position, orientation = pose_at(model.keys[i], state.time + h)
        if np.any(model.center_of_mass[i]):
            position = position + rotation.matrix(orientation) @ model.center_of_mass[i]
        turn = rotation.multiply(orientation, state.orientation[i] * [1, -1, -1, -1])
        state.twist[i, :3] = (position - state.position[i]) / h
        state.twist[i, 3:] = rotation.rotation_vector(turn) / h
    return state
