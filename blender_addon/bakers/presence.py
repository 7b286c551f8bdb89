"""When bodies are in a run: emitters bring them, gates and sinks take them out."""

import numpy as np


def times_here(names, trajectory):
    """(F,N) bool: which of the named bodies are in the scene in each frame of a trajectory."""
    known = trajectory.header.get("present", {})
    times = np.array([[np.inf if time is None else time for time in known.get(name, (0.0, None))] for name in names])
    at = trajectory.times[:, None] + 1e-9
    return (at >= times[:, 0]) & (at < times[:, 1])


def taken_out(trajectory):
    """Names of the bodies that a gate or a sink takes out of the scene."""
    return {name for name, (_, end) in trajectory.header.get("present", {}).items() if end is not None}
