"""Kernels of even.py and staggered_start.py: the islands of a problem, by what a solve has done to them."""

import numpy as np

from ..jit import inner, kernel
from ..problems.island_kernels import label_blocks
from ..problems.problem_kernels import add_velocity_change, block_velocity
from ..problems.residual_kernels import natural_map
from .even_kernels import CONTACT, VECTORS, spread


@kernel
def unknowns_of(p, blocks, moves, visited):
    """Velocity components that these blocks move, ascending; visited (N,) bool is False before and after."""
    G, count = p.G, 0
    for k in blocks:
        for s in range(G.indptr[k], G.indptr[k + 1]):
            if moves[s]:
                for i in range(G.start[s], G.start[s] + G.size[s]):
                    count += 1 - np.int64(visited[i])
                    visited[i] = True
    found = np.empty(count, np.int64)
    count = 0
    for k in blocks:
        for s in range(G.indptr[k], G.indptr[k + 1]):
            if moves[s]:
                for i in range(G.start[s], G.start[s] + G.size[s]):
                    if visited[i]:
                        found[count] = i
                        count += 1
                        visited[i] = False
    found.sort()
    return found


@inner
def unsolved(p, diagonal, impulse, w, label, tolerance):
    """Which islands (N,) of each label (B,) a solve left above their tolerance (B,) [m/s]; w (N,) = W J^T impulse."""
    residual = np.empty(p.kind.size)
    natural_map(p, diagonal[0], diagonal[1], impulse, w, residual)
    left = np.zeros(w.size, np.bool_)
    for k in range(p.kind.size):
        # The judge's residual may be above the one that ended a solve by round-off.
        left[max(label[k], 0)] |= label[k] >= 0 and residual[k] > tolerance[k] * (1.0 + 1e-6)
    return left


@kernel
def spread_islands(p, diagonal, impulse, before, even, dof_count, evened):
    """Spread the loads of every island that is solved to its tolerance and whose impulses are not those of `before`, in
    place; evened (B,) gets the blocks of those it changed. diagonal: see ContactProblem; even: Even.

    Of what is solved less well nobody knows which contacts slip, and it cannot be solved to its tolerance from there.
    """
    blocks = p.kind.size
    label, moves = np.empty(blocks, np.int64), np.zeros(p.G.start.size, np.bool_)
    label_blocks(p, label, moves)
    change, load = np.zeros(dof_count), np.zeros(dof_count)
    count, contacts = np.zeros(dof_count, np.int64), np.zeros(dof_count, np.int64)
    for k in range(blocks):
        if label[k] >= 0:
            count[label[k]] += 1
            contacts[label[k]] += np.int64(p.kind[k] == CONTACT)
            for i in range(p.row_start[k], p.row_start[k + 1]):
                load[label[k]] = max(load[label[k]], abs(impulse[i]))
                change[label[k]] = max(change[label[k]], abs(impulse[i] - before[i]))
    first = np.full(dof_count, -1)
    size = 0
    for i in range(dof_count):
        # Loads that a solve has changed by less than a millionth of the largest are as even as before.
        if contacts[i] >= 2 and count[i] <= even.most and change[i] > 1e-6 * load[i]:
            first[i] = size
            size += count[i]
    if size == 0:
        return 0
    order, filled = np.empty(size, np.int64), first.copy()
    for k in range(blocks):
        if label[k] >= 0 and first[label[k]] >= 0:
            order[filled[label[k]]] = k
            filled[label[k]] += 1
    w, x, visited = np.zeros(dof_count), np.zeros((VECTORS, dof_count)), np.zeros(dof_count, np.bool_)
    add_velocity_change(p, impulse, w)
    found, left = 0, unsolved(p, diagonal, impulse, w, label, even.tolerance)
    for i in range(dof_count):
        if first[i] >= 0 and not left[i]:
            mine = order[first[i] : filled[i]]
            own = unknowns_of(p, mine, moves, visited)
            if spread(p, diagonal, (mine, moves, own), impulse, w, even, x):
                found += 1
                for k in mine:
                    evened[k] = True
    return found


@inner
def carries(p, k, impulse):
    """Whether an impulse of block k is not zero."""
    found = False
    for i in range(p.row_start[k], p.row_start[k + 1]):
        found = found or impulse[i] != 0.0
    return found


@kernel
def slipping_from_rest(p, impulse, before, tolerance, calm, most, dof_count, chosen):
    """Mark the blocks, chosen (B,) bool, of islands of up to `most` blocks that began without impulses, `before`, and
    end with a loaded contact that slips although they were `calm` (B,) bool; returns how many blocks."""
    begins = False
    for k in range(p.kind.size):
        begins = begins or (p.kind[k] == CONTACT and impulse[p.row_start[k]] > 0.0 and not carries(p, k, before))
    # What carries all its loads from the step before: nearly every step.
    if not begins:
        chosen[:] = False
        return 0
    label, moves = np.empty(p.kind.size, np.int64), np.zeros(p.G.start.size, np.bool_)
    label_blocks(p, label, moves)
    count, slips = np.zeros(dof_count, np.int64), np.zeros(dof_count, np.bool_)
    w, v = np.zeros(dof_count), np.zeros(16)
    add_velocity_change(p, impulse, w)
    for k in range(p.kind.size):
        if label[k] < 0:
            continue
        row, end, i = p.row_start[k], p.row_start[k + 1], label[k]
        count[i] += 1
        if not calm[k]:
            count[i] = most + 1
        if p.kind[k] != CONTACT:
            continue
        if carries(p, k, before):
            count[i] = most + 1
        if end - row >= 3 and impulse[row] > 0.0 and p.compliance_offset[k] < 0:
            block_velocity(p, k, impulse, w, v)
            slips[i] |= max(abs(v[1]), abs(v[2])) > tolerance[k]
    found = 0
    for k in range(p.kind.size):
        chosen[k] = label[k] >= 0 and slips[label[k]] and count[label[k]] <= most
        found += np.int64(chosen[k])
    return found


@kernel
def give_loads(p, diagonal, load, J, G, b, place, compliance):
    """Take the normal rows of all contacts out of J and G (their numbers) and make them carry `load` (K,) [N s] alone:
    A_nn (lambda_n - load_n) = 0, A_nn in the compliance from place (B,) on."""
    for k in range(p.kind.size):
        if p.kind[k] != CONTACT:
            continue
        row, own = p.row_start[k], diagonal[1][diagonal[0][k]]
        for s in range(p.J.indptr[k], p.J.indptr[k + 1]):
            J[p.J.offset[s] : p.J.offset[s] + p.J.size[s]] = 0.0
        for s in range(p.G.indptr[k], p.G.indptr[k + 1]):
            G[p.G.offset[s] : p.G.offset[s] + p.G.size[s]] = 0.0
        compliance[place[k]] = own
        b[row] = -own * load[row]
