"""The sound of a run: the shape vectors of its bodies as oscillators that contacts strike.

q'' + d q' + w^2 q = phi . f is solved exactly between samples (a filter of two poles), with f of the contacts of all
substeps on the nodes where they are. What of a pair's force is there in the substep before or after as well presses,
and acts evenly over its substep; the rest is a blow in its middle. A surface is heard by how fast it moves along its
normals (root mean square over its nodes), which is summed over the vectors of all bodies.
"""

from pathlib import Path

import numpy as np

from ..base.files import check_output, write_output
from ..base.late import late
from ..runs.node_frames import NodeRecord
from ..trajectory import TrajectoryError
from .logged import contacts, logged

signal, spatial, wavfile = late("scipy.signal"), late("scipy.spatial"), late("scipy.io.wavfile")
reduced = late("..dynamics.reduced.shape", __package__)

# Samples a second; half of it is the highest frequency there is.
RATE = 44_100
# Of the largest number that a sample can be: how loud the loudest is.
LOUDEST = 0.9


def write_sound(run, folder, target, overwrite=False):
    """Write the sound of the Trajectory of a run's folder as a .wav of 16 bits; returns the samples (n,) [m/s] before
    they are made as loud as can be."""
    target = Path(target)
    check_output(target, TrajectoryError, overwrite)
    heard = sound(run, folder)
    loud = float(np.abs(heard).max(initial=0.0))
    samples = np.round(LOUDEST * 32767.0 / (loud or 1.0) * heard).astype(np.int16)
    write_output(target, lambda handle: wavfile.write(handle, RATE, samples), TrajectoryError, overwrite=True)
    return heard


def sound(run, folder, rate=RATE):
    """Samples (n,) [m/s] of what is heard of a Trajectory, read from its folder."""
    counts = run.header.get("shape_vectors", [])
    if not any(counts):
        raise TrajectoryError(f"{folder}: no body moves in shape vectors without dents, and others do not sound; give "
                              "one a reduction")  # fmt: skip
    log = logged(folder)
    if not log:
        raise TrajectoryError(f"{folder}: has no contacts of all steps, which strike the bodies; simulate it again "
                              "with --contacts")  # fmt: skip
    given, length = contacts(run, log), float(run.steps["time"][-1]) if len(run.steps["time"]) else 0.0
    spans = np.array([(head[1], head[2]) for head, _ in log])
    heard = np.zeros(int(length * rate) + 1)
    for body in np.flatnonzero(counts):
        heard += _body(run, given, spans, int(body), (len(heard), rate))
    return heard


def _body(run, given, spans, body, samples):
    """Samples (n,) of one body; given: the contacts of a run; spans (S,2): start and length [s] of its substeps."""
    constants, (count, rate) = run.deformables, samples
    X, U, squares, damping = vectors_of(run.header, constants, body)
    own, sign = np.flatnonzero((given["contact_body"] == body).any(axis=1)), given["contact_body"][:, 1] == body
    sign = np.where(sign, 1.0, -1.0)[own]
    impulse, t = given["contact_impulse"][own], given["contact_tangent"][own]
    push = impulse[:, :1] * given["contact_normal"][own] + np.einsum("ck,cki->ci", impulse[:, 1:3], t)
    # Where contacts are in the body's own frame, as the nodes of the nearest frame lie.
    frame = np.abs(run.times[:, None] - given["contact_time"][own]).argmin(axis=0)
    strikes = np.zeros((len(own), len(squares)))
    surface = np.unique(constants["triangles"][slice(*constants["triangle_start"][body : body + 2])])
    span = slice(*run.header["node_start"][body : body + 2])
    mass = constants["node_mass"][span]
    for k in np.unique(frame):
        here, x = frame == k, run.node_positions[k, span].astype(float)
        at = surface - span.start
        node = at[spatial.cKDTree(x[at]).query(given["contact_position"][own][here])[1]]
        own_push = (sign[:, None] * push)[here] @ reduced.mean_turn(mass, x - mass @ x / mass.sum(), X)
        strikes[here] = np.einsum("cir,ci->cr", U[node], own_push)
    normals = _normals(X, constants["triangles"][slice(*constants["triangle_start"][body : body + 2])] - span.start)
    loud = np.sqrt(np.mean(np.einsum("nir,ni->nr", U, normals)[surface - span.start] ** 2, axis=0))
    start, length = spans.T
    of = np.searchsorted(start, given["contact_time"][own] + 1e-12 * length.max(), side="right") - 1
    blows = np.zeros((count, len(squares)))
    pressing = _pressing(given["contact_body"][own].sum(axis=1) - body, of, impulse[:, 0], length)
    middle = np.minimum(np.round((start[of] + 0.5 * length[of]) * rate).astype(int), count - 1)
    np.add.at(blows, middle, (1.0 - pressing)[:, None] * strikes)
    first, last = (np.clip(np.round(time[of] * rate).astype(int), 0, count) for time in (start, start + length))
    edges = np.zeros((count + 1, len(squares)))
    even = (pressing / np.maximum(last - first, 1))[:, None] * strikes
    np.add.at(edges, first, even)
    np.add.at(edges, last, -even)
    blows += np.cumsum(edges, axis=0)[:-1]
    return _ring(blows, squares, damping, rate) @ loud


def _pressing(other, of, normal, length):
    """Parts (C,) of the impulses of contacts with bodies `other` (C,) in substeps `of` (C,) that press: as much force
    as the same pair has before or after, too; normal (C,): their normal impulses."""
    kinds, kind = np.unique(other, return_inverse=True)
    force = np.zeros((len(kinds), len(length) + 2))
    np.add.at(force, (kind, of + 1), normal / length[of])
    beside = np.maximum(force[:, :-2], force[:, 2:])
    here = force[:, 1:-1]
    part = np.divide(np.minimum(here, beside), here, out=np.zeros_like(here), where=here > 0.0)
    return part[kind, of]


def _ring(blows, squares, damping, rate):
    """Rates (n,r) of oscillators that get impulses blows (n,r) at samples; what is too fast for these is still."""
    found = np.zeros_like(blows)
    half, step = 0.5 * damping, 1.0 / rate
    for k in np.flatnonzero(np.sqrt(squares) < np.pi * rate):
        # The rate after a unit impulse is e^(-d t / 2) (cos s t - d / 2 sin(s t) / s), s^2 = w^2 - d^2 / 4.
        s, a = np.emath.sqrt(squares[k] - half[k] ** 2), np.exp(-half[k] * step)
        c, sine = np.real(np.cos(s * step)), np.real(np.sinc(s * step / np.pi) * step)
        found[:, k] = signal.lfilter([1.0, -a * (c + half[k] * sine)], [1.0, -2.0 * a * c, a * a], blows[:, k])
    return found


def vectors_of(header, constants, body):
    """(X (n,3), U (n,3,r), squares (r,) [1/s^2], damping (r,) [1/s]) of a body in shape vectors; constants: those of
    deformables.npz."""
    record, first = NodeRecord(header), 0
    for (number, r, _, _), (X, U) in zip(record.reduced, record.vectors(constants["shapes"]), strict=True):
        if number == body:
            return X, U, *constants["shape_rates"][first : first + r].T
        first += r
    raise IndexError(body)


def _normals(X, triangles):
    """Outward unit normals (n,3) of nodes, 0 within."""
    a, b, c = (X[triangles[:, k]] for k in range(3))
    found, areas = np.zeros_like(X), np.cross(b - a, c - a)
    for k in range(3):
        np.add.at(found, triangles[:, k], areas)
    length = np.linalg.norm(found, axis=1, keepdims=True)
    return np.divide(found, length, out=found, where=length > 0.0)
