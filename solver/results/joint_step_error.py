"""What a run's time step leaves out of the forces in its joints: an estimate from the run itself.

A joint's force at a frame is the mean over the step before it, and belongs to the middle of that step. Its error is of
second order, h^2 times a second derivative: SHARE of the second difference of the forces of three steps; where frames
are k steps apart that difference is k^2 as large. It is for forces that frames resolve: at a blow it is as large as the
force.
"""

import numpy as np

# Measured on the slider's pin of a driven slider-crank, and the same on its crank pin. That a force is a second
# difference of places makes 1/12 of it, that they are off the path the rest.
SHARE = 0.2


def joint_step_errors(run):
    """{joint: {"force" [N], "torque" [N m]: (root mean square over the frames, of its error)}} of a Trajectory with at
    least three frames after the first, else {}; without joints that tell no load."""
    if len(run.joint_names) == 0 or len(run.times) < 4:
        return {}
    apart = run.header["options"]["steps_per_frame"]
    found: dict[str, dict] = {}
    for j, name in enumerate(run.joint_names):
        if np.isnan(run.joints[0, j]).any():
            continue
        found[name] = {}
        for label, columns in (("force", slice(4, 7)), ("torque", slice(7, 10))):
            loads = run.joints[1:, j, columns]
            found[name][label] = _rms(loads), SHARE / apart**2 * _rms(np.diff(loads, 2, axis=0))
    return found


def _rms(vectors):
    """Root of the mean square length of vectors (F,3)."""
    return float(np.sqrt(np.mean(np.sum(vectors**2, axis=1))))
