"""Nodes of deformable bodies in a run's folder: nodes.bin, a record a frame, and deformables.npz.

nodes.bin      positions (N,3) [m], then velocities (N,3) [m/s], one record a frame of frames.bin; float32, and float64
               in a run that keeps its contacts
deformables.npz  node_start (R+1,), tets (T,4), tet_start (R+1,), middle (T,6): nodes on the edges of quadratic ones, -1
               for none; triangles (F,3), triangle_start (R+1,), rest (N,3), node_mass (N,) [kg], law (R,), mu, lam (T,)
               [Pa]: what stays constant, nodes counted through all bodies
"""

from pathlib import Path

import numpy as np

from ..base.refusal import TrajectoryError

FRAMES, CONSTANTS = "nodes.bin", "deformables.npz"


def node_count(header):
    """Number of nodes N of a run, from its header."""
    return int(header.get("node_start", [0])[-1])


def write_constants(folder, model):
    """Write deformables.npz of a Model, if it has such bodies."""
    if not model.soft.any():
        return
    tets, triangles, rest, mass, middle, stiffness, laws = [], [], [], [], [], [], []
    for number, body in enumerate(model.elastic):
        first = model.node_start[number]
        own = np.zeros((0, 4), np.int64) if body is None else body.elements[:, :4] + first
        tets.append(own)
        middle.append(np.full((len(own), 6), -1))
        if body is not None and body.elements.shape[1] == 10:
            middle[-1] = body.elements[:, 4:] + first
        triangles.append(np.zeros((0, 3), np.int64) if body is None else body.surface + first)
        rest.append(np.zeros((0, 3)) if body is None else body.rest)
        mass.append(np.zeros(0) if body is None else body.mass)
        stiffness.append(np.zeros((0, 2)) if body is None else np.stack([body.mu, body.lam], axis=1))
        laws.append(-1 if body is None else body.law)
    starts = [np.concatenate(([0], np.cumsum([len(part) for part in parts]))) for parts in (tets, triangles)]
    np.savez_compressed(
        Path(folder) / CONSTANTS, node_start=model.node_start, tets=np.concatenate(tets), tet_start=starts[0],
        triangles=np.concatenate(triangles), triangle_start=starts[1], rest=np.concatenate(rest),
        middle=np.concatenate(middle), node_mass=np.concatenate(mass),
        law=np.array(laws), mu=np.concatenate(stiffness)[:, 0], lam=np.concatenate(stiffness)[:, 1],
    )  # fmt: skip


def read_constants(folder):
    """{name: array} of deformables.npz; TrajectoryError where it is missing."""
    path = Path(folder) / CONSTANTS
    try:
        with np.load(path) as data:
            return dict(data)
    except (OSError, ValueError):
        raise TrajectoryError(f"{path}: missing or damaged; simulate again") from None


def of_body(constants, body):
    """(slice of a body's nodes among all, slice of its tetrahedra among all, tets (T,4) of its own nodes); constants:
    those of deformables.npz."""
    nodes, tets = (slice(*map(int, constants[name][body : body + 2])) for name in ("node_start", "tet_start"))
    return nodes, tets, constants["tets"][tets] - nodes.start


def node_type(header):
    """Type of the numbers in nodes.bin of a run, from its header; float32 where it says nothing."""
    return np.dtype(header.get("node_type", "float32"))


def node_type_for(options):
    """The same of a run with SimulationOptions: balances of what a run keeps need all digits."""
    return "float64" if options.store_contacts else "float32"


def write_frame(stream, nodes, header):
    """Append the Nodes of one frame to nodes.bin; None: no body has any."""
    if nodes is not None:
        for part in (nodes.position, nodes.velocity):
            stream.write(np.ascontiguousarray(part, dtype=node_type(header)).tobytes())


def read_frames(folder, header, frames):
    """(positions (F,N,3), velocities (F,N,3)) of the first `frames` frames, see node_type; None, None without any."""
    count = node_count(header)
    if count == 0:
        return None, None
    path, kind = Path(folder) / FRAMES, node_type(header)
    data = np.fromfile(path, dtype=kind) if path.exists() else np.zeros(0, kind)
    if len(data) < frames * 6 * count:
        there, wanted = kind.itemsize * len(data), kind.itemsize * frames * 6 * count
        raise TrajectoryError(f"{path}: truncated, {there} of {wanted} bytes; simulate again")
    data = data[: frames * 6 * count].reshape(frames, 2, count, 3)
    return data[:, 0], data[:, 1]
