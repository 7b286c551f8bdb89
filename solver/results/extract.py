"""A run's folder as plain arrays: .npz, or .csv tables; or as what is seen, .vtu, and heard, .wav."""

from pathlib import Path

import numpy as np

from ..base.files import check_output, write_output
from ..trajectory import Trajectory, TrajectoryError
from .logged import contacts, logged, pin_forces, reactions
from .sound import write_sound
from .vtu import write_vtu

STEP_ARRAYS = ("contact_count", "residual", "overlap", "kinetic", "potential", "friction_work", "impact_loss",
               "stabilisation_work", "joint_work", "iterations", "substeps", "unresolved", "elastic",
               "damping_work", "scheme_loss", "rounds", "brought_energy", "worst_body", "worst_other")  # fmt: skip


def extracted_arrays(run, folder=None):
    """Return {name: array} of a Trajectory, read from `folder` where it was; see docs/formats.md for shapes and
    units."""
    arrays = {
        "time": run.times, "name": np.array(run.names), "position": run.positions, "center_of_mass": run.center_of_mass,
        "orientation": run.orientations, "velocity": run.velocities, "angular_velocity": run.angular_velocities,
        "step_time": run.steps["time"],
    }  # fmt: skip
    arrays |= {key: run.steps[key] for key in STEP_ARRAYS}
    if run.joint_names:
        arrays |= {
            "joint_name": np.array(run.joint_names), "joint_value": run.joints[..., 0],
            "joint_rate": run.joints[..., 1], "joint_error": run.joints[..., 2:4], "joint_force": run.joints[..., 4:10],
            "joint_power": run.joints[..., 10],
        }  # fmt: skip
    if run.header["options"]["store_contacts"]:
        log = logged(folder)
        arrays |= contacts(run, log) | reactions(run, log) | pin_forces(run, log, folder)
    if run.deformables is not None:
        arrays |= {"node_position": run.node_positions, "node_velocity": run.node_velocities}
        names = ("node_start", "tets", "tet_start", "triangles", "node_mass")
        arrays |= {name: run.deformables[name] for name in names if name in run.deformables}
    return arrays


def extract(folder, target, overwrite=False):
    """Write the run in `folder` to `target`: its arrays as .npz or .csv (a row a frame and body; steps beside it), or
    its deformable bodies as .vtu, a file a frame and a .pvd with their times, or the sound of those in shape vectors as
    .wav.

    Files that are there are refused unless `overwrite`.
    """
    target = Path(target)
    if target.suffix not in (".npz", ".csv", ".vtu", ".wav"):
        raise TrajectoryError(f"{target}: type {target.suffix!r} is not known; give .npz, .csv, .vtu or .wav")
    steps = target.with_name(target.stem + "_steps.csv")
    joints = target.with_name(target.stem + "_joints.csv")
    for path in (target, steps, joints) if target.suffix == ".csv" else (target,):
        check_output(path, TrajectoryError, overwrite)
    run = Trajectory.load(folder)
    if target.suffix == ".wav":
        write_sound(run, folder, target, overwrite)
        return
    if target.suffix == ".vtu":
        check_output(target.with_suffix(".pvd"), TrajectoryError, overwrite)
        write_vtu(run, target)
        return
    arrays = extracted_arrays(run, folder)
    if target.suffix == ".npz":
        _write(target, lambda handle: np.savez_compressed(handle, **arrays))
    else:
        _write(target, lambda handle: _write_frames(arrays, handle))
        _write(steps, lambda handle: _write_steps(arrays, handle))
        if "joint_name" in arrays:
            _write(joints, lambda handle: _write_joints(arrays, handle))


def _write(path, write):
    write_output(path, write, TrajectoryError, overwrite=True)


CSV_COLUMNS = "time,name,x,y,z,com_x,com_y,com_z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz"


def _write_frames(arrays, handle):
    """A row a frame and body."""
    handle.write(f"{CSV_COLUMNS}\n".encode())
    parts = [arrays[k] for k in ("position", "center_of_mass", "orientation", "velocity", "angular_velocity")]
    for f, time in enumerate(arrays["time"]):
        for i, name in enumerate(arrays["name"]):
            numbers = np.concatenate([part[f, i] for part in parts])
            row = f'{float(time)!r},"{name}",' + ",".join(map(repr, numbers.tolist()))
            handle.write(f"{row}\n".encode())


def _write_steps(arrays, handle):
    """A row a step."""
    names = ["step_time", *STEP_ARRAYS]
    handle.write((",".join(names) + "\n").encode())
    for row in zip(*(arrays[name].tolist() for name in names), strict=True):
        handle.write((",".join(map(repr, row)) + "\n").encode())


def _write_joints(arrays, handle):
    """A row a frame and joint."""
    handle.write(b"time,name,value,rate,gap,angle,fx,fy,fz,tx,ty,tz,power\n")
    value, rate, power = (arrays[key][..., None] for key in ("joint_value", "joint_rate", "joint_power"))
    numbers = np.concatenate([value, rate, arrays["joint_error"], arrays["joint_force"], power], axis=-1)
    for time, joints in zip(arrays["time"], numbers, strict=True):
        for name, row in zip(arrays["joint_name"], joints, strict=True):
            handle.write((f'{float(time)!r},"{name}",' + ",".join(map(repr, row.tolist())) + "\n").encode())
