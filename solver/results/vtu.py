"""Frames of deformable bodies as .vtu files that ParaView opens as one series."""

import numpy as np

from ..base.refusal import TrajectoryError
from .stress import element_stress


def write_vtu(run, target):
    """Write OUT_00000.vtu, one a frame, and OUT.pvd that names them with their times; `target` is OUT.vtu.

    Needs meshio. Points are nodes with velocity [m/s] and displacement [m], cells tetrahedra with their body's number,
    von Mises' stress [Pa] and largest principal stretch.
    """
    if run.deformables is None:
        raise TrajectoryError(f"{target}: the run has no deformable bodies; give .npz or .csv")
    try:
        import meshio
    except ImportError:
        raise TrajectoryError(f"{target}: needs the package meshio; install it, or give .npz") from None
    constants, names = run.deformables, []
    body = np.repeat(np.arange(len(run.names)), np.diff(constants["tet_start"]))
    found = [element_stress(constants, run.node_positions, number) for number in range(len(run.names))]
    stress, stretch = (np.concatenate(parts, axis=1) for parts in zip(*found, strict=True))
    for k, position in enumerate(run.node_positions):
        path = target.with_name(f"{target.stem}_{k:05d}.vtu")
        data = {"velocity": run.node_velocities[k], "displacement": (position - constants["rest"]).astype(np.float32)}
        cells = [("tetra", constants["tets"])]
        meshio.Mesh(position, cells, point_data=data, cell_data={
            "body": [body], "von_mises": [stress[k]], "stretch": [stretch[k]],
        }).write(path)
        names.append(path.name)
    entries = "".join(f'<DataSet timestep="{time!r}" file="{name}"/>\n'
                      for time, name in zip(run.times.tolist(), names, strict=True))  # fmt: skip
    text = f'<?xml version="1.0"?>\n<VTKFile type="Collection" version="0.1">\n<Collection>\n{entries}'
    target.with_suffix(".pvd").write_text(text + "</Collection>\n</VTKFile>\n")
