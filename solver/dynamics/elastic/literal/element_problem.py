"""The contact problem of an island whose deformable bodies are rows of their elements.

Its velocities are the six of every rigid body that moves, then three for every node that is free, body by body, with
lumped masses: the matrix of the problem is as large as the mesh. Rows of contacts, attachments and joints come first,
then those of the elements.
"""

from typing import NamedTuple

import numpy as np

from ....problem import Block, BlockRows, ContactProblem
from .element_rows import element_rows


class _Segments(NamedTuple):
    """block, start, size, rows (S,) of segments of block rows; numbers (D,) one after the other."""

    block: np.ndarray
    start: np.ndarray
    size: np.ndarray
    rows: np.ndarray
    numbers: np.ndarray


def linearise_elements(part, gravity, h):
    """Give a SoftPart its ElementRows at its velocities so far, the inverses of its masses, and in part.free what
    its nodes would do without them.

    Of a scheme that is `stiffened` the masses have geometric stiffness, (70) to (74), from the last two iterates; (73)
    prints the sign of its last term otherwise than (71) and (72) give it. At a solution nothing of it is left.
    """
    body, scheme = part.body, part.scheme
    rows, mass = element_rows(body, part.position(h), scheme.stretches), np.repeat(body.mass[:, None], 3, axis=1)
    old, part.elements = part.elements, rows
    heavier = mass
    if old is None:
        # The stress that the body has: no impulses of an earlier step are needed.
        part.strain_impulse = -h * rows.load
    elif scheme.stiffened:
        turned = rows.on_nodes(part.strain_impulse, len(mass)) - old.on_nodes(part.strain_impulse, len(mass))
        step = part.v - part.earlier
        c = np.divide(turned, step, out=np.zeros_like(step), where=np.abs(step) > 1e-12 * np.abs(part.v).max())
        heavier = mass - np.minimum(0.0, c)
    part.earlier = part.v
    falls = part.V + h * gravity
    if part.pressure:
        x = part.position(h)
        falls = falls + h * (body.forces(x, pressure=part.pressure) - body.forces(x)) / mass
    part.free = part.v - mass / heavier * (part.v - falls)
    part.free[body.pinned] = part.v[body.pinned]
    part.inverse = np.where(body.pinned[:, None], 0.0, 1.0 / heavier)


def element_problem(step, soft, parts, b, h):
    """(ContactProblem of a ContactStep of the rigid bodies with rows on nodes and of elements; first velocity component
    of the nodes (n,) of all parts, -1 for pinned ones); b (K,): velocities of the rows of the step."""
    rigid = step.problem
    free = np.concatenate([~part.body.pinned for part in parts])
    dof = np.where(free, rigid.dof_count + 3 * (np.cumsum(free) - 1), -1)
    inverse = np.concatenate([part.inverse for part in parts])
    J, G = [_copied(rigid.J, rigid)], [_copied(rigid.G, rigid)]
    for segments, node in (_of_contacts(soft, dof), *_of_elements(parts, dof, rigid.block_count)):
        J.append(segments)
        G.append(_weighed(segments, inverse[node]))
    count = np.array([part.elements.load.size // part.elements.load.shape[1] for part in parts])
    wide = np.repeat([part.elements.load.shape[1] for part in parts], count)
    starts = np.concatenate([rigid.row_start, rigid.row_start[-1] + np.cumsum(wide)])
    blocks, more = len(starts) - 1, len(wide)
    squares = np.cumsum(wide**2) - wide**2
    yielding = [part.elements.compliance / (h * (h + part.body.damping[1])) for part in parts]
    problem = ContactProblem(
        kind=np.concatenate([rigid.kind, np.full(more, int(Block.ELEMENT))]), row_start=starts,
        J=_joined(J, blocks), G=_joined(G, blocks),
        b=np.concatenate([b, *(_element_b(part, h).ravel() for part in parts)]),
        law=np.concatenate([rigid.law, np.zeros(more, dtype=rigid.law.dtype)]),
        mu=np.concatenate([rigid.mu, np.zeros((more, 3))]),
        bounds=np.concatenate([rigid.bounds, np.tile([-np.inf, np.inf], (more, 1))]),
        compliance_offset=np.concatenate([rigid.compliance_offset, len(rigid.compliance) + squares]),
        compliance=np.concatenate([rigid.compliance, *map(np.ravel, yielding)]),
        dof_count=rigid.dof_count + 3 * int(free.sum()), name="step",
    )  # fmt: skip
    return problem, dof


def take_velocities(parts, dof, w, impulse, h):
    """Give SoftParts the velocities that the change w (N,) leaves them with, and the impulses (K',) of their rows; what
    damping does to their nodes is in part.drag_force."""
    first = 0
    for part in parts:
        own, rows = dof[part.span], part.elements
        part.v = part.free.copy()
        moves = own >= 0
        part.v[moves] += w[own[moves, None] + np.arange(3)]
        part.strain_impulse = impulse[first : first + rows.load.size].reshape(rows.load.shape)
        first += rows.load.size
        beta = part.body.damping[1]
        if beta > 0.0:
            drag = np.einsum("qrs,qs->qr", rows.stiffness, rows.strain_rates(part.v))
            part.drag_force = rows.on_nodes(-beta * drag, len(part.v))


def _element_b(part, h):
    """Velocities (Q,r) [m/s] of the rows of a part's elements without impulses."""
    rows, late = part.elements, h + part.body.damping[1]
    strained = np.einsum("qrs,qs->qr", rows.compliance, rows.load)
    return rows.strain_rates(part.free) + (strained - h * rows.strain_rates(part.v)) / late


def _copied(rows, problem):
    """The _Segments of BlockRows of a ContactProblem."""
    block = np.repeat(np.arange(problem.block_count), np.diff(rows.indptr))
    tall = np.diff(problem.row_start)[block]
    length = tall * rows.size
    return _Segments(block, rows.start, rows.size, tall, rows.data[_runs(rows.offset, length)])


def _of_contacts(soft, dof):
    """(_Segments, node (S,)) of the rows on free nodes."""
    block, side, j = np.nonzero((soft.node >= 0) & (dof[soft.node] >= 0))
    node = soft.node[block, side, j]
    tall = soft.rows[block]
    numbers = (np.where(side == 0, -1.0, 1.0)[:, None, None] * soft.push[block, side, j]).ravel()
    numbers = numbers[_runs(9 * np.arange(len(node)), 3 * tall)]
    return _Segments(block, dof[node], np.full(len(node), 3), tall, numbers), node


def _of_elements(parts, dof, first):
    """The same of each part's elements; first: number of their first block."""
    for part in parts:
        rows, r = part.elements, part.elements.load.shape[1]
        node = part.first + rows.nodes
        point, corner = np.nonzero(dof[node] >= 0)
        on = node[point, corner]
        size = np.full(len(on), 3)
        yield _Segments(first + point, dof[on], size, np.full(len(on), r), rows.J[point, corner].ravel()), on
        first += len(rows.nodes)


def _weighed(segments, inverse):
    """_Segments of three components each times the inverse masses (S,3) of their nodes."""
    length = 3 * segments.rows
    segment = np.repeat(np.arange(len(length)), length)
    column = (np.arange(len(segment)) - np.repeat(np.cumsum(length) - length, length)) % 3
    return segments._replace(numbers=segments.numbers * inverse[segment, column])


def _joined(parts, blocks):
    """BlockRows of `blocks` blocks, of several _Segments."""
    block, start, size, rows, numbers = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    length = size * rows
    order = np.argsort(block, kind="stable")
    source = (np.cumsum(length) - length)[order]
    block, start, size, length = block[order], start[order], size[order], length[order]
    indptr = np.searchsorted(block, np.arange(blocks + 1)).astype(np.int64)
    offset = np.cumsum(length) - length
    whole = (np.ascontiguousarray(a, dtype=np.int64) for a in (start, size, offset))
    return BlockRows(indptr, *whole, numbers[_runs(source, length)])


def _runs(first, length):
    """Numbers first, first + 1, ... of runs of `length` (S,) each."""
    ends = np.cumsum(length)
    return np.repeat(first - (ends - length), length) + np.arange(ends[-1] if len(ends) else 0)
