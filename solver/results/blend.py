"""A run as a .blend file: its bodies as meshes with their motion, made by Blender's module in a process of its own."""

import importlib.util
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from ..base.files import check_output
from ..base.processes import command_of, no_console
from ..base.refusal import TrajectoryError
from ..dynamics.flow import poured
from ..scene import Motion
from .picture import bent_surface

MAKER = "blender_addon.film.run_file"


def write_blend(run, scene, path, overwrite=False):
    """Write the frames of a Trajectory and the shapes of its Scene to a .blend file.

    TrajectoryError for a file that cannot be written, and where there is no module of Blender's.
    """
    target = Path(path)
    if target.suffix != ".blend":
        raise TrajectoryError(f"{target}: a .blend file is called so; name it {target.stem or 'run'}.blend")
    check_output(target, TrajectoryError, overwrite)
    if importlib.util.find_spec("bpy") is None:
        raise TrajectoryError(f"{target}: Blender's Python module makes it; run pip install 'stiction[blender]'")
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder) / "run.npz"
        np.savez(given, **_arrays(run, scene))
        command = command_of(MAKER, given, target.resolve())
        done = subprocess.run(command, capture_output=True, text=True, **no_console())
    if done.returncode:
        why = (done.stderr.strip() or done.stdout.strip() or f"code {done.returncode}").splitlines()[-1]
        raise TrajectoryError(f"{target}: Blender's module could not make it ({why})")


def _arrays(run, scene):
    """{name: array} of what is to be seen: names (R,), moves (R,), times (F,) [s], positions (F,R,3) [m], orientations
    (F,R,4), present (R,2) [s]; vertices of all in their frames, triangles and first rows of both; of a deformable body
    its vertices in all frames, bent_i (F,V,3)."""
    bodies = poured(scene).bodies
    arrays = {"names": np.array(run.names), "moves": np.array([body.motion == Motion.DYNAMIC for body in bodies]),
              "times": run.times, "positions": run.positions, "orientations": run.orientations,
              "present": run.present}  # fmt: skip
    parts = []
    for i, body in enumerate(bodies):
        if body.elastic is None:
            vertices, triangles = body.shape.surface()
        else:
            arrays[f"bent_{i}"], triangles = bent_surface(run, i, slice(None))
            vertices = arrays[f"bent_{i}"][0]
        parts.append((np.asarray(vertices, dtype=float).reshape(-1, 3), np.asarray(triangles).reshape(-1, 3)))
    for name, column in (("vertices", 0), ("triangles", 1)):
        arrays[name] = np.concatenate([part[column] for part in parts])
        arrays[name + "_start"] = np.cumsum([0] + [len(part[column]) for part in parts])
    return arrays
