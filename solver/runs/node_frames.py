"""Nodes of deformable bodies in a run's folder: nodes.bin, a record a frame, and deformables.npz.

nodes.bin      positions (N,3) [m], then velocities (N,3) [m/s], one record a frame of frames.bin; float32, and float64
               in a run that keeps its contacts. Of a body in r shape vectors, as the header's shape_vectors say, these
               are left out, and behind those of all others stand center (3,) [m], R (3,3), q (r,), velocity (3,) [m/s],
               angular velocity in its own frame (3,) [1/s] and dq/dt (r,)
deformables.npz  node_start (R+1,), tets (T,4), tet_start (R+1,), middle (T,6): nodes on the edges of quadratic ones, -1
               for none; triangles (F,3), triangle_start (R+1,), rest (N,3), node_mass (N,) [kg], law (R,), mu, lam (T,)
               [Pa]; shapes: X (n,3) about the centre of mass and U (n,3,r) of each body in shape vectors, one after
               another, whose nodes are at center + R (X + U q); shape_rates (sum r,2): squares of their angular
               frequencies [1/s^2] and damping [1/s]: what stays constant, nodes counted through all bodies
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
    if model is None or not model.soft.any():
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
        shapes=np.concatenate([np.zeros(0), *_basis(model)]),
        shape_rates=np.concatenate([np.zeros((0, 2)), *_rates(model)]), law=np.array(laws),
        mu=np.concatenate(stiffness)[:, 0], lam=np.concatenate(stiffness)[:, 1],
    )  # fmt: skip


def shape_vectors(model):
    """How many shape vectors (R,) each body's nodes are kept as, 0 for those that are kept themselves: dents are no
    shape vectors."""
    return [len(_shape(body).damping) if _shape(body) else 0 for body in model.elastic]


def _shape(body):
    """The ReducedShape of a Deformable that q says all of, else None."""
    return body.reduced if body is not None and body.reduced is not None and body.reduced.dents is None else None


def _basis(model):
    return [part.ravel() for body in filter(_shape, model.elastic) for part in (body.reduced.X, body.reduced.U)]


def _rates(model):
    for body in filter(_shape, model.elastic):
        yield np.column_stack([body.reduced.squares, body.reduced.damping])


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


def node_header(model, options):
    """What the header of a run with SimulationOptions says of nodes.bin."""
    # Balances of what a run keeps need all digits.
    kind = "float64" if options.store_contacts else "float32"
    return {"node_start": model.node_start.tolist(), "shape_vectors": shape_vectors(model), "node_type": kind}


class NodeRecord:
    """How a record of nodes.bin is laid out, by a run's header: numbers; whole (N,) bool: nodes kept themselves;
    reduced: [(body, r, slice of its nodes, slice of the record)]."""

    def __init__(self, header):
        start = header.get("node_start", [0])
        self.whole, self.reduced = np.ones(node_count(header), dtype=bool), []
        kept = [(body, r) for body, r in enumerate(header.get("shape_vectors", ())) if r]
        for body, _ in kept:
            self.whole[start[body] : start[body + 1]] = False
        self.numbers = 6 * int(self.whole.sum())
        for body, r in kept:
            at = slice(self.numbers, self.numbers + 18 + 2 * r)
            self.reduced.append((body, r, slice(start[body], start[body + 1]), at))
            self.numbers = at.stop

    def made(self, nodes, bodies):
        """The record (numbers,) of Nodes; bodies: the Deformables of the Model."""
        record, there = np.empty(self.numbers), 6 * int(self.whole.sum())
        record[:there] = np.concatenate([nodes.position[self.whole].ravel(), nodes.velocity[self.whole].ravel()])
        for body, _, span, at in self.reduced:
            shape = bodies[body].reduced
            motion = shape.motion(nodes.position[span], nodes.velocity[span])
            record[at] = np.concatenate([motion.center, motion.turn.ravel(), motion.q, shape.twist(motion)])
        return record

    def vectors(self, shapes):
        """(X (n,3), U (n,3,r)) of each of the reduced bodies, in the shapes of deformables.npz."""
        for _, r, span, _ in self.reduced:
            n = span.stop - span.start
            X, U, shapes = np.split(shapes, [3 * n, 3 * n * (1 + r)])
            yield X.reshape(n, 3), U.reshape(n, 3, r)

    def nodes(self, records, shapes):
        """(positions, velocities) (F,N,3) in records (F,numbers); shapes: those of deformables.npz."""
        frames = len(records)
        found = np.empty((frames, 2, len(self.whole), 3), dtype=records.dtype)
        there = 6 * int(self.whole.sum())
        found[:, :, self.whole] = records[:, :there].reshape(frames, 2, -1, 3)
        for (_, r, span, at), (X, U) in zip(self.reduced, self.vectors(shapes), strict=True):
            for record, out in zip(records[:, at].astype(np.float64), found[:, :, span], strict=True):
                center, turn, q, velocity, spin, rate = np.split(record, np.cumsum([3, 9, r, 3, 3]))
                back, arms = turn.reshape(3, 3).T, X + U @ q
                out[0], out[1] = center + arms @ back, velocity + (np.cross(spin, arms) + U @ rate) @ back
        return found[:, 0], found[:, 1]


def write_frame(stream, nodes, header, model):
    """Append the Nodes of a Model in one frame to nodes.bin; None: no body has any."""
    if nodes is not None:
        stream.write(NodeRecord(header).made(nodes, model.elastic).astype(node_type(header)).tobytes())


def read_frames(folder, header, frames, start=0):
    """(positions (F,N,3), velocities (F,N,3)) of `frames` frames from `start` on, see node_type; None, None without
    any."""
    if node_count(header) == 0:
        return None, None
    path, kind, record = Path(folder) / FRAMES, node_type(header), NodeRecord(header)
    wanted, size = frames * record.numbers, kind.itemsize * record.numbers
    data = np.fromfile(path, kind, wanted, offset=size * start) if path.exists() else np.zeros(0, kind)
    if len(data) < wanted:
        raise TrajectoryError(f"{path}: truncated, {path.stat().st_size if path.exists() else 0} of "
                              f"{size * (start + frames)} bytes; simulate again")  # fmt: skip
    shapes = read_constants(folder)["shapes"] if record.reduced else None
    return record.nodes(data.reshape(frames, -1), shapes)


def frames_written(folder, header):
    """How many frames of the nodes are whole."""
    path = Path(folder) / FRAMES
    return path.stat().st_size // (node_type(header).itemsize * NodeRecord(header).numbers) if path.exists() else 0
