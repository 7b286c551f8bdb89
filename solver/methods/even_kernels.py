"""Kernels of even.py: least-norm loads of the touching contacts of one island, by Newton's method on the dual.

    min 1/2 sum |z_c|^2 / share_c   over z in the cones,   with   sum G_c^T z_c = f

has the answer z = P(G x), P the projection onto the cones; x is where f - G^T P(G x), the negative gradient of a smooth
convex function of x, is zero. Rows are scaled so that every cone is |y| <= z_n. x (N,) has a number for each velocity
component; of those that belong to other islands none is touched. Joints carry any load; each counts as a contact that
is STIFF times as stiff, so that contacts are even for what their bodies can do.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from ..jit import inner, kernel
from ..problems.problem_kernels import Arrays, block_velocity

# What a block may do: nothing (open, or no contact: its impulse is held), press, press and stick, carry any load.
HELD, PRESSES, STICKS, FREE = range(4)
# Law of the ball, kinds of a contact and of what holds without a law.
ELLIPSOID, CONTACT, BILATERAL, ELEMENT = 0, 0, 1, 4
# Most rows of a joint, and how stiff it is beside a contact.
WIDTH, STIFF = 6, 1e5
# Vectors of numbers for each velocity component that the search for a spread takes.
VECTORS = 7
# Newton steps at most; part of the tolerance that the spread may change velocities by.
STEPS, PART = 30, 0.05


class Even(NamedTuple):
    """What loads are spread by: tolerance (B,) [m/s] that islands were solved to; share (B,), the load of each contact
    under even pressure; most: blocks of the largest island that is considered."""

    tolerance: np.ndarray
    share: np.ndarray
    most: int


class Touching(NamedTuple):
    """The blocks (C,) of an island: moves (S,), segments of G that are not zero; own: its velocity components; role
    (C,) and scale (C,6) of the rows of each block."""

    p: Arrays
    blocks: np.ndarray
    moves: np.ndarray
    own: np.ndarray
    role: np.ndarray
    scale: np.ndarray


@inner
def rows_of(t, c):
    """Rows of block c that take part."""
    role, k = t.role[c], t.blocks[c]
    if role == FREE:
        return t.p.row_start[k + 1] - t.p.row_start[k]
    return 3 if role == STICKS else 1 if role == PRESSES else 0


@kernel
def spread(p, diagonal, island, impulse, w, even, x):
    """Spread the loads of an island (its blocks, moves and own of a Touching); True if that changed them by more than
    the tolerance. x (VECTORS,N): memory."""
    blocks, moves, own = island
    count, tolerance = blocks.size, even.tolerance[blocks[0]]
    t = Touching(p, blocks, moves, own, np.empty(count, np.int64), np.zeros((count, WIDTH)))
    sort_contacts(t, impulse, w, tolerance, even.share)
    z, zd, load = np.zeros((count, WIDTH)), np.zeros((count, WIDTH)), np.zeros((count, WIDTH))
    for c in range(count):
        row = p.row_start[blocks[c]]
        for i in range(rows_of(t, c)):
            if t.scale[c, i] > 0.0:
                load[c, i] = impulse[row + i] / t.scale[c, i]
    target, rest, step = x[0], x[1], x[2]
    for i in own:
        target[i] = 0.0
    add_loads(t, load, target)
    state = np.zeros((count, WIDTH))
    least, idle = np.inf, 0
    for newton in range(STEPS):
        for i in own:
            rest[i] = target[i]
        project_loads(t.role, z, state)
        for c in range(count):
            for i in range(WIDTH):
                state[c, i] = -state[c, i]
        add_loads(t, state, rest)
        error = largest_velocity(t, rest)
        if error <= PART * tolerance:
            return take(t, diagonal, impulse, tolerance, load, z)
        idle = 0 if error < 0.5 * least else idle + 1
        least = min(least, error)
        # Five steps in a row that do not halve what is left lead nowhere.
        if idle > 4:
            return False
        if not direction(t, z, newton == 0, rest, 0.2 * PART * tolerance / error, x):
            return False
        rows_times(t, step, zd)
        along = 0.0
        for i in own:
            along += target[i] * step[i]
        length = search(t.role, z, zd, along)
        if length == 0.0:
            return False
        for c in range(count):
            for i in range(WIDTH):
                z[c, i] += length * zd[c, i]
    return False


@inner
def sort_contacts(t, impulse, w, tolerance, share):
    """Fill the role of every block, and what its rows are scaled by."""
    v, p, role, scale = np.zeros(16), t.p, t.role, t.scale
    for c in range(t.blocks.size):
        k = t.blocks[c]
        row = p.row_start[k]
        role[c] = HELD
        if p.compliance_offset[k] >= 0 or p.kind[k] != CONTACT or share[k] <= 0.0:
            joint = p.kind[k] == BILATERAL or p.kind[k] == ELEMENT
            if joint and p.compliance_offset[k] < 0 and p.row_start[k + 1] - row <= WIDTH:
                role[c] = FREE
                scale[c] = sqrt(STIFF)
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
def rows_times(t, x, z):
    """z (C,6) = scaled rows of G times x."""
    G, blocks, moves = t.p.G, t.blocks, t.moves
    for c in range(blocks.size):
        for i in range(rows_of(t, c)):
            total = 0.0
            for s in range(G.indptr[blocks[c]], G.indptr[blocks[c] + 1]):
                if moves[s]:
                    at, size, start = G.offset[s] + i * G.size[s], G.size[s], G.start[s]
                    for j in range(size):
                        total += G.data[at + j] * x[start + j]
            z[c, i] = t.scale[c, i] * total


@kernel
def add_loads(t, z, x):
    """Add G^T z of the scaled rows to x."""
    G, blocks, moves = t.p.G, t.blocks, t.moves
    for c in range(blocks.size):
        for i in range(rows_of(t, c)):
            load = t.scale[c, i] * z[c, i]
            if load != 0.0:
                for s in range(G.indptr[blocks[c]], G.indptr[blocks[c] + 1]):
                    if moves[s]:
                        at, size, start = G.offset[s] + i * G.size[s], G.size[s], G.start[s]
                        for j in range(size):
                            x[start + j] += G.data[at + j] * load


@inner
def largest_velocity(t, w):
    """Largest velocity [m/s] of a contact's rows that velocities w of bodies make."""
    J, row_start, blocks, largest = t.p.J, t.p.row_start, t.blocks, 0.0
    for c in range(blocks.size):
        if t.role[c] == HELD:
            continue
        for i in range(row_start[blocks[c] + 1] - row_start[blocks[c]]):
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
        if role[c] == FREE:
            out[c] = z[c]
            continue
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
    """Replace `change` (C,6) by the derivative of P at z times it."""
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
def direction(t, z, whole, rest, part, x):
    """x[2]: Newton's step for the rest, by conjugate gradients to a `part` of it; whole: as if P were the identity.

    x[3] to x[6] are memory. False if that takes more than there are unknowns, twice.
    """
    step, residual, along, diagonal, product = x[2], x[3], x[4], x[5], x[6]
    change, own = np.zeros_like(z), t.own
    G, blocks = t.p.G, t.blocks
    for i in own:
        step[i] = along[i] = diagonal[i] = 0.0
        residual[i] = rest[i]
    for c in range(blocks.size):
        for i in range(rows_of(t, c)):
            for s in range(G.indptr[blocks[c]], G.indptr[blocks[c] + 1]):
                if t.moves[s]:
                    for j in range(G.size[s]):
                        g = t.scale[c, i] * G.data[G.offset[s] + i * G.size[s] + j]
                        diagonal[G.start[s] + j] += g * g
    drop_round_off(t, diagonal)
    unknowns, square = 0, 0.0
    for i in own:
        if diagonal[i] > 0.0:
            unknowns += 1
            square += residual[i] * residual[i] / diagonal[i]
    goal, before = part * part * square, 0.0
    for _ in range(2 * unknowns + 10):
        if square <= goal:
            return True
        for i in own:
            product[i] = 0.0
            if diagonal[i] > 0.0:
                along[i] = residual[i] / diagonal[i] + (square / before * along[i] if before > 0.0 else 0.0)
        rows_times(t, along, change)
        if not whole:
            project_change(t.role, z, change)
        add_loads(t, change, product)
        curvature = 0.0
        for i in own:
            if diagonal[i] > 0.0:
                # A little more than nothing where the cones leave no curvature.
                product[i] += 1e-10 * diagonal[i] * along[i]
                curvature += product[i] * along[i]
        length = square / curvature
        before, square = square, 0.0
        for i in own:
            if diagonal[i] > 0.0:
                step[i] += length * along[i]
                residual[i] -= length * product[i]
                square += residual[i] * residual[i] / diagonal[i]
    return False


@inner
def drop_round_off(t, diagonal):
    """Set to zero what round-off of the normals alone makes of a body's components, relative to its largest: no load is
    borne in that direction. What turns a body is compared as the energy that it takes, or large bodies had less of it.
    """
    G, row_start = t.p.G, t.p.row_start
    for k in t.blocks:
        for s in range(G.indptr[k], G.indptr[k + 1]):
            if t.moves[s]:
                start, size = G.start[s], G.size[s]
                turns, largest = turning_weight(t.p, s, row_start[k + 1] - row_start[k]), 0.0
                for i in range(size):
                    largest = max(largest, (turns if i > 2 else 1.0) * diagonal[start + i])
                for i in range(size):
                    # Squares of columns: a part of 1e-10 of the largest.
                    if (turns if i > 2 else 1.0) * diagonal[start + i] < 1e-20 * largest:
                        diagonal[start + i] = 0.0


@inner
def turning_weight(p, s, rows):
    """Inertia over mass [m^2] of a rigid body about what the rows of its segment s turn it about; 1 where they turn
    nothing, and of other bodies."""
    G, J, moved, turned = p.G, p.J, np.zeros(2), np.zeros(2)
    if G.size[s] != 6:
        return 1.0
    for i in range(rows):
        for j in range(6):
            g, own = G.data[G.offset[s] + 6 * i + j], J.data[J.offset[s] + 6 * i + j]
            for total, part in ((moved, j < 3), (turned, j > 2)):
                total[0] += g * own * part
                total[1] += g * g * part
    if turned[0] > 0.0 and moved[0] > 0.0:
        return turned[0] / turned[1] * (moved[1] / moved[0])
    return 1.0


@kernel
def search(role, z, zd, along):
    """Length of the step zd along which 1/2 |P(z)|^2 - f x falls enough, 0 if there is none; along: f times it."""
    trial, loads = np.zeros_like(z), np.zeros_like(z)
    project_loads(role, z, loads)
    start = 0.5 * np.sum(loads * loads)
    slope = np.sum(loads * zd) - along
    length = 1.0
    for _ in range(30):
        for c in range(role.size):
            for i in range(WIDTH):
                trial[c, i] = z[c, i] + length * zd[c, i]
        project_loads(role, trial, loads)
        value = 0.5 * np.sum(loads * loads) - length * along
        if value <= start + 1e-4 * length * slope + 1e-14 * start:
            return length
        length *= 0.5
    return 0.0


@inner
def take(t, diagonal, impulse, tolerance, load, z):
    """Make the loads P(z) the island's impulses where those of contacts differ by more than the tolerance; friction
    that slides is scaled along. True if they did."""
    p, role, scale, (offset, numbers) = t.p, t.role, t.scale, diagonal
    project_loads(role, z, z)
    largest, most = 0.0, 0.0
    for c in range(t.blocks.size):
        k = t.blocks[c]
        m = p.row_start[k + 1] - p.row_start[k]
        for i in range(0 if role[c] == FREE else rows_of(t, c)):
            own = numbers[offset[k] + i * m + i]
            largest = max(largest, abs(z[c, i] - load[c, i]) * scale[c, i] * own)
            most = max(most, abs(load[c, i]) * scale[c, i] * own)
    # What changes loads by round-off of the largest is not worth another solve.
    if largest <= max(tolerance, 1e-8 * most):
        return False
    for c in range(t.blocks.size):
        row, end = p.row_start[t.blocks[c]], p.row_start[t.blocks[c] + 1]
        if role[c] == STICKS or role[c] == FREE:
            for i in range(rows_of(t, c)):
                impulse[row + i] = scale[c, i] * z[c, i]
        elif role[c] == PRESSES:
            new = scale[c, 0] * z[c, 0]
            ratio = new / impulse[row] if impulse[row] > 0.0 else 0.0
            impulse[row] = new
            for i in range(row + 1, end):
                impulse[i] *= ratio
    return True
