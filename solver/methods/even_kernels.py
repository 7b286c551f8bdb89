"""Kernels of even.py: least-norm loads of the touching contacts of one island, by Newton's method on the dual.

    min 1/2 sum |z_c|^2 / share_c   over z in the cones,   with   sum G_c^T z_c = f

has the answer z = P(G x), P the projection onto the cones; x is where f - G^T P(G x), the negative gradient of a smooth
convex function of x, is zero. Rows are scaled so that every cone is |y| <= z_n. x (N,) has a number for each velocity
component; of those that belong to other islands none is touched.
"""

from math import sqrt

import numpy as np

from ..jit import kernel
from ..problems.island_kernels import find_root
from ..problems.problem_kernels import add_velocity_change, block_velocity

# What a contact may do: nothing (open, or no contact: its impulse is held), press, press and stick.
HELD, PRESSES, STICKS = range(3)
# Law of the ball, kind of a contact.
ELLIPSOID, CONTACT = 0, 0
# Parts of an island's largest load: loads that a solve has changed by less than the first are as even as before, and a
# spread that would change them by less than the second is not worth another solve.
NOTHING, ROUND_OFF = 1e-6, 1e-8
# Squares of G's columns below this part of the largest of their body are round-off.
ROUND_OFF_SQUARE = 1e-20
# Newton steps at most; part of the tolerance that the spread may change velocities by.
STEPS, PART = 30, 0.05


@kernel
def label_blocks(p, label, moves):
    """label (B,): a velocity component that stands for the island of each block, -1 for none; moves (S,): segments of
    G that are not zero. A body that cannot move joins nothing."""
    G = p.G
    top = 0
    for s in range(G.start.size):
        top = max(top, G.start[s] + 1)
    parent = np.arange(top)
    for k in range(p.kind.size):
        m, root = p.row_start[k + 1] - p.row_start[k], -1
        for s in range(G.indptr[k], G.indptr[k + 1]):
            for i in range(G.offset[s], G.offset[s] + m * G.size[s]):
                if G.data[i] != 0.0:
                    moves[s] = True
                    break
            if moves[s]:
                other = find_root(parent, G.start[s])
                if root >= 0 and root != other:
                    parent[max(root, other)] = min(root, other)
                    other = min(root, other)
                root = other
        label[k] = root
    for k in range(p.kind.size):
        if label[k] >= 0:
            label[k] = find_root(parent, label[k])


@kernel
def spread_islands(p, offset, diagonal, impulse, before, tolerance, share, most, dof_count, evened):
    """Spread the loads of every island whose impulses are not those of `before`, in place; evened (B,) gets the blocks
    of those it changed. See even.py."""
    blocks = p.kind.size
    label, moves = np.empty(blocks, np.int64), np.zeros(p.G.start.size, np.bool_)
    label_blocks(p, label, moves)
    change, load, count = np.zeros(dof_count), np.zeros(dof_count), np.zeros(dof_count, np.int64)
    for k in range(blocks):
        if label[k] >= 0:
            count[label[k]] += 1
            for i in range(p.row_start[k], p.row_start[k + 1]):
                load[label[k]] = max(load[label[k]], abs(impulse[i]))
                change[label[k]] = max(change[label[k]], abs(impulse[i] - before[i]))
    first = np.full(dof_count, -1)
    size = 0
    for i in range(dof_count):
        if 2 <= count[i] <= most and change[i] > NOTHING * load[i]:
            first[i] = size
            size += count[i]
    if size == 0:
        return 0
    order, filled = np.empty(size, np.int64), first.copy()
    for k in range(blocks):
        if label[k] >= 0 and first[label[k]] >= 0:
            order[filled[label[k]]] = k
            filled[label[k]] += 1
    w, x = np.zeros(dof_count), np.zeros((6, dof_count))
    add_velocity_change(p, impulse, w)
    found = 0
    for i in range(dof_count):
        if first[i] >= 0:
            mine = order[first[i] : filled[i]]
            if spread(p, offset, diagonal, mine, moves, impulse, w, tolerance[mine[0]], share, x):
                found += 1
                for k in mine:
                    evened[k] = True
    return found


@kernel
def spread(p, offset, diagonal, blocks, moves, impulse, w, tolerance, share, x):
    """Spread the loads of the island made of `blocks`; True if that changed them by more than the tolerance."""
    count = blocks.size
    role, scale = np.empty(count, np.int64), np.zeros((count, 3))
    sort_contacts(p, blocks, impulse, w, tolerance, share, role, scale)
    z, zd, load = np.zeros((count, 3)), np.zeros((count, 3)), np.zeros((count, 3))
    for c in range(count):
        row = p.row_start[blocks[c]]
        for i in range(3 if role[c] == STICKS else 1):
            if scale[c, i] > 0.0:
                load[c, i] = impulse[row + i] / scale[c, i]
    x[:] = 0.0
    target, rest, step = x[0], x[1], x[2]
    add_loads(p, blocks, moves, role, scale, load, target)
    point = np.zeros_like(target)
    state = np.zeros((count, 3))
    for newton in range(STEPS):
        rest[:] = target
        project_loads(role, z, state)
        for c in range(count):
            for i in range(3):
                state[c, i] = -state[c, i]
        add_loads(p, blocks, moves, role, scale, state, rest)
        error = largest_velocity(p, blocks, moves, role, rest)
        if error <= PART * tolerance:
            return take(p, offset, diagonal, blocks, impulse, tolerance, role, scale, load, z)
        if not direction(p, blocks, moves, role, scale, z, newton == 0, rest, 0.2 * PART * tolerance / error, x):
            return False
        rows_times(p, blocks, moves, role, scale, step, zd)
        length = search(role, z, zd, target, point, step)
        if length == 0.0:
            return False
        for c in range(count):
            for i in range(3):
                z[c, i] += length * zd[c, i]
        for i in range(point.size):
            point[i] += length * step[i]
    return False


@kernel
def sort_contacts(p, blocks, impulse, w, tolerance, share, role, scale):
    """The role of every block, and what its rows are scaled by."""
    v = np.zeros(16)
    for c in range(blocks.size):
        k = blocks[c]
        row = p.row_start[k]
        role[c] = HELD
        if p.kind[k] != CONTACT or p.compliance_offset[k] >= 0 or share[k] <= 0.0:
            continue
        block_velocity(p, k, impulse, w, v)
        if impulse[row] <= 0.0 and v[0] > tolerance:
            continue
        role[c], scale[c, 0] = PRESSES, sqrt(share[k])
        cone = p.row_start[k + 1] - row == 3 and p.law[k] == ELLIPSOID and min(p.mu[k, 0], p.mu[k, 1]) > 0.0
        if cone and max(abs(v[1]), abs(v[2])) <= tolerance:
            role[c] = STICKS
            scale[c, 1], scale[c, 2] = scale[c, 0] * p.mu[k, 0], scale[c, 0] * p.mu[k, 1]


@kernel
def rows_times(p, blocks, moves, role, scale, x, z):
    """z (C,3) = scaled rows of G times x."""
    G = p.G
    for c in range(blocks.size):
        rows = 0 if role[c] == HELD else 3 if role[c] == STICKS else 1
        for i in range(rows):
            total = 0.0
            for s in range(G.indptr[blocks[c]], G.indptr[blocks[c] + 1]):
                if moves[s]:
                    at, size, start = G.offset[s] + i * G.size[s], G.size[s], G.start[s]
                    for j in range(size):
                        total += G.data[at + j] * x[start + j]
            z[c, i] = scale[c, i] * total


@kernel
def add_loads(p, blocks, moves, role, scale, z, x):
    """Add G^T z of the scaled rows to x."""
    G = p.G
    for c in range(blocks.size):
        rows = 0 if role[c] == HELD else 3 if role[c] == STICKS else 1
        for i in range(rows):
            load = scale[c, i] * z[c, i]
            if load != 0.0:
                for s in range(G.indptr[blocks[c]], G.indptr[blocks[c] + 1]):
                    if moves[s]:
                        at, size, start = G.offset[s] + i * G.size[s], G.size[s], G.start[s]
                        for j in range(size):
                            x[start + j] += G.data[at + j] * load


@kernel
def largest_velocity(p, blocks, moves, role, w):
    """Largest velocity [m/s] of a contact's rows that velocities w of bodies make."""
    J, largest = p.J, 0.0
    for c in range(blocks.size):
        if role[c] == HELD:
            continue
        for i in range(p.row_start[blocks[c] + 1] - p.row_start[blocks[c]]):
            total = 0.0
            for s in range(J.indptr[blocks[c]], J.indptr[blocks[c] + 1]):
                at, size, start = J.offset[s] + i * J.size[s], J.size[s], J.start[s]
                for j in range(size):
                    total += J.data[at + j] * w[start + j]
            largest = max(largest, abs(total))
    return largest


@kernel
def project_loads(role, z, out):
    """out = P(z): pressing loads are not below zero, sticking ones in the cone |y| <= n."""
    for c in range(role.size):
        n, s, t = z[c, 0], z[c, 1], z[c, 2]
        if role[c] == STICKS:
            r = sqrt(s * s + t * t)
            if r <= -n:
                n = s = t = 0.0
            elif r > n:
                half = 0.5 * (n + r)
                n, s, t = half, half * s / r, half * t / r
        elif role[c] == PRESSES:
            n, s, t = max(0.0, n), 0.0, 0.0
        else:
            n = s = t = 0.0
        out[c, 0], out[c, 1], out[c, 2] = n, s, t


@kernel
def project_change(role, z, change):
    """Replace `change` (C,3) by the derivative of P at z times it."""
    for c in range(role.size):
        n, s, t = z[c, 0], z[c, 1], z[c, 2]
        if role[c] == STICKS:
            r = sqrt(s * s + t * t)
            if r <= n:
                continue
            if r <= -n:
                change[c] = 0.0
                continue
            a, b = s / r, t / r
            along, part = a * change[c, 1] + b * change[c, 2], n / r
            d = change[c, 0]
            change[c, 0] = 0.5 * (d + along)
            change[c, 1] = 0.5 * (a * d + (1.0 + part) * change[c, 1] - part * a * along)
            change[c, 2] = 0.5 * (b * d + (1.0 + part) * change[c, 2] - part * b * along)
        elif role[c] == PRESSES and z[c, 0] <= 0.0:
            change[c, 0] = 0.0


@kernel
def direction(p, blocks, moves, role, scale, z, whole, rest, part, x):
    """x[2]: Newton's step for the rest, by conjugate gradients to a `part` of it; whole: as if P were the identity.

    x[3] to x[5] are memory. False if that takes more than there are unknowns, twice.
    """
    step, residual, along, diagonal = x[2], x[3], x[4], x[5]
    product, change = np.zeros_like(step), np.zeros_like(z)
    G = p.G
    step[:], along[:], diagonal[:] = 0.0, 0.0, 0.0
    residual[:] = rest
    for c in range(blocks.size):
        for i in range(0 if role[c] == HELD else 3 if role[c] == STICKS else 1):
            for s in range(G.indptr[blocks[c]], G.indptr[blocks[c] + 1]):
                if moves[s]:
                    for j in range(G.size[s]):
                        g = scale[c, i] * G.data[G.offset[s] + i * G.size[s] + j]
                        diagonal[G.start[s] + j] += g * g
    drop_round_off(p, blocks, moves, diagonal)
    unknowns, square = 0, 0.0
    for i in range(step.size):
        if diagonal[i] > 0.0:
            unknowns += 1
            square += residual[i] * residual[i] / diagonal[i]
    goal, before = part * part * square, 0.0
    for _ in range(2 * unknowns + 10):
        if square <= goal:
            return True
        for i in range(step.size):
            if diagonal[i] > 0.0:
                along[i] = residual[i] / diagonal[i] + (square / before * along[i] if before > 0.0 else 0.0)
        rows_times(p, blocks, moves, role, scale, along, change)
        if not whole:
            project_change(role, z, change)
        product[:] = 0.0
        add_loads(p, blocks, moves, role, scale, change, product)
        curvature = 0.0
        for i in range(step.size):
            if diagonal[i] > 0.0:
                # A little more than nothing where the cones leave no curvature.
                product[i] += 1e-10 * diagonal[i] * along[i]
                curvature += product[i] * along[i]
        length = square / curvature
        before, square = square, 0.0
        for i in range(step.size):
            if diagonal[i] > 0.0:
                step[i] += length * along[i]
                residual[i] -= length * product[i]
                square += residual[i] * residual[i] / diagonal[i]
    return False


@kernel
def drop_round_off(p, blocks, moves, diagonal):
    """Set to zero what round-off of the normals alone makes of a body's components, beside its largest: no load is
    borne in that direction."""
    G = p.G
    for k in blocks:
        for s in range(G.indptr[k], G.indptr[k + 1]):
            if moves[s]:
                largest = 0.0
                for i in range(G.start[s], G.start[s] + G.size[s]):
                    largest = max(largest, diagonal[i])
                for i in range(G.start[s], G.start[s] + G.size[s]):
                    if diagonal[i] < ROUND_OFF_SQUARE * largest:
                        diagonal[i] = 0.0


@kernel
def search(role, z, zd, target, point, step):
    """Length of the step along which 1/2 |P(z)|^2 - f x falls enough, 0 if there is none."""
    trial, loads = np.empty_like(z), np.empty_like(z)
    project_loads(role, z, loads)
    start = 0.5 * np.sum(loads * loads)
    slope = np.sum(loads * zd) - np.sum(target * step)
    length = 1.0
    for _ in range(30):
        for c in range(role.size):
            for i in range(3):
                trial[c, i] = z[c, i] + length * zd[c, i]
        project_loads(role, trial, loads)
        value = 0.5 * np.sum(loads * loads) - length * np.sum(target * step)
        if value <= start + 1e-4 * length * slope + 1e-14 * start:
            return length
        length *= 0.5
    return 0.0


@kernel
def take(p, offset, diagonal, blocks, impulse, tolerance, role, scale, load, z):
    """Make the loads P(z) the island's impulses where they differ by more than the tolerance; friction that slides is
    scaled along. True if they did."""
    project_loads(role, z, z)
    largest, most = 0.0, 0.0
    for c in range(blocks.size):
        k = blocks[c]
        m = p.row_start[k + 1] - p.row_start[k]
        for i in range(0 if role[c] == HELD else 3 if role[c] == STICKS else 1):
            own = diagonal[offset[k] + i * m + i]
            largest = max(largest, abs(z[c, i] - load[c, i]) * scale[c, i] * own)
            most = max(most, abs(load[c, i]) * scale[c, i] * own)
    if largest <= max(tolerance, ROUND_OFF * most):
        return False
    for c in range(blocks.size):
        row, end = p.row_start[blocks[c]], p.row_start[blocks[c] + 1]
        if role[c] == STICKS:
            for i in range(3):
                impulse[row + i] = scale[c, i] * z[c, i]
        elif role[c] == PRESSES:
            new = scale[c, 0] * z[c, 0]
            ratio = new / impulse[row] if impulse[row] > 0.0 else 0.0
            impulse[row] = new
            for i in range(row + 1, end):
                impulse[i] *= ratio
    return True
