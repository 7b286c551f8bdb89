"""Kernels of drives.py: springs, dampers and servos over a step, and the mass that each of them moves."""

from math import exp, expm1, sin, sqrt

import numpy as np

from ...jit import inner, kernel
from ...methods.sweep_kernels import solve_dense

# A drive turns by so much in a step at most [rad]; a faster one is damped until it does.
RESOLVED = 1.0
# A coordinate that is left less than this part of its mobility does not move.
STILL = 1e-12
# Rows that a joint holds at most, and its springs and servos: two for each of six coordinates.
HELD, DRIVEN = 6, 12
# Roles of rows, see tables.Role.
HOLD, LIMIT, MOTOR, SERVO, SPRING, FRICTION = range(6)


@inner
def shown(x):
    """(1 - exp(-x)) / x."""
    return -expm1(-x) / x if x > 0.0 else 1.0


@inner
def drive_law(stiffness, damping, mobility, h):
    """(compliance [1/kg], place [1/s], rate, lag [s], turn [rad]) of a drive, see drives.Coefficients."""
    square, g = stiffness * mobility * h * h, 0.5 * damping * mobility * h
    turn = sqrt(max(square - g * g, 0.0))
    if turn > RESOLVED:
        g = sqrt(max(square - RESOLVED * RESOLVED, 0.0))
    b = min(turn, RESOLVED)
    if b > 0.0:
        swing = sin(0.5 * b)
        f = (expm1(-g) ** 2 + 4.0 * exp(-g) * swing * swing) / square
    else:
        fast = g + sqrt(max(g * g - square, 0.0))
        f = shown(square / fast if fast > 0.0 else square) * shown(fast)
    # One that is soft beyond all measure is one of that softness: its force keeps its size.
    f = min(f, 1.0 - STILL)
    p, lag = f / (1.0 - f), 0.0
    if stiffness > 0.0:
        lag = -damping / stiffness
        if mobility > 0.0:
            lag -= expm1(-2.0 * g) / (f * mobility * h * stiffness)
    return p * mobility, p * h * stiffness * mobility, p - (1.0 + p) * exp(-2.0 * g), lag, turn


@kernel
def drive_laws(stiffness, damping, mobility, h, laws):
    """laws (n,5): drive_law of each drive (n,)."""
    for k in range(stiffness.size):
        laws[k, 0], laws[k, 1], laws[k, 2], laws[k, 3], laws[k, 4] = drive_law(stiffness[k], damping[k], mobility[k], h)


@inner
def is_drive(role):
    """Whether rows of this role are springs or servos."""
    return role in (SERVO, SPRING)


@inner
def rows_of_joint(b, r, blocks, row_start, indptr, joint, local):
    """(held rows, driven rows) of a joint among the rows of `blocks` (n,), into local (HELD + DRIVEN, 2): number of the
    block and row among all; held ones first, then driven ones from HELD on."""
    held, driven = 0, 0
    for x in range(blocks.size):
        q = blocks[x]
        if b.joint[q] != joint:
            continue
        role = r.role[b.row_start[q]]
        hard = role == HOLD and r.compliance[b.row_start[q]] == 0.0 and indptr[x + 1] - indptr[x] <= 2
        for i in range(row_start[x], row_start[x + 1]):
            if hard and held < HELD:
                local[held, 0], local[held, 1] = x, i
                held += 1
            elif is_drive(role) and driven < DRIVEN:
                local[HELD + driven, 0], local[HELD + driven, 1] = x, i
                driven += 1
    return held, driven


@inner
def coupling_of(row_start, J, G, shared, left, right):
    """J_left . G_right over the bodies that both rows are on, each body's inertia shared by so many joints; left and
    right: (block, row)."""
    total = 0.0
    for s in range(J.indptr[left[0]], min(J.indptr[left[0]] + 2, J.indptr[left[0] + 1])):
        for t in range(G.indptr[right[0]], min(G.indptr[right[0]] + 2, G.indptr[right[0] + 1])):
            if J.start[s] != G.start[t]:
                continue
            at = J.offset[s] + 6 * (left[1] - row_start[left[0]])
            to = G.offset[t] + 6 * (right[1] - row_start[right[0]])
            own = 0.0
            for e in range(6):
                own += J.data[at + e] * G.data[to + e]
            total += own * shared[J.start[s] // 6]
    return total


@inner
def left_to_move(A, held, driven, out):
    """out (driven,): sums of the absolute entries of the driven rows of A, which begin at HELD, the held ones
    eliminated."""
    scale, rest = np.ones(HELD + DRIVEN), np.empty((DRIVEN, DRIVEN))
    for i in range(HELD + DRIVEN):
        if A[i, i] > 0.0:
            scale[i] = 1.0 / sqrt(A[i, i])
    whole, x = np.empty((held, held)), np.empty(held)
    for j in range(driven):
        for i in range(held):
            x[i] = A[i, HELD + j] * scale[i] * scale[HELD + j]
            for k in range(held):
                whole[i, k] = A[i, k] * scale[i] * scale[k]
            whole[i, i] += STILL if A[i, i] > 0.0 else 1.0
        solve_dense(whole, x, held)
        for i in range(driven):
            rest[i, j] = A[HELD + i, HELD + j] * scale[HELD + i] * scale[HELD + j]
            for k in range(held):
                rest[i, j] -= A[k, HELD + i] * scale[k] * scale[HELD + i] * x[k]
    for i in range(driven):
        out[i] = A[HELD + i, HELD + i]
        # What is held fast anyway keeps the mass of its bodies.
        if rest[i, i] > 1e3 * STILL:
            out[i] = 0.0
            for j in range(driven):
                out[i] += abs(rest[i, j]) / scale[HELD + j]
            out[i] /= scale[HELD + i]


@kernel
def mobilities_of(b, r, blocks, parts, joint_count, mobility):
    """Fill mobility (k,) of the rows of `blocks` (n,), see drives.mobilities."""
    row_start, J, G = parts
    bodies = 0
    for s in range(J.start.size):
        bodies = max(bodies, J.start[s] // 6 + 1)
    drives, shared = np.zeros(joint_count, np.bool_), np.zeros(bodies)
    first = np.full(joint_count, -1)
    for x in range(blocks.size):
        for i in range(row_start[x], row_start[x + 1]):
            mobility[i] = 0.0
        if is_drive(r.role[b.row_start[blocks[x]]]):
            joint = b.joint[blocks[x]]
            drives[joint] = True
            if first[joint] < 0:
                first[joint] = x
    for joint in range(joint_count):
        if drives[joint]:
            x = first[joint]
            for s in range(J.indptr[x], min(J.indptr[x] + 2, J.indptr[x + 1])):
                shared[J.start[s] // 6] += 1.0
    local, A, out = np.zeros((HELD + DRIVEN, 2), np.int64), np.zeros((HELD + DRIVEN, HELD + DRIVEN)), np.empty(DRIVEN)
    for joint in range(joint_count):
        if not drives[joint]:
            continue
        held, driven = rows_of_joint(b, r, blocks, row_start, J.indptr, joint, local)
        A[:] = 0.0
        for i in range(HELD + driven):
            for j in range(HELD + driven):
                if (i < held or i >= HELD) and (j < held or j >= HELD):
                    A[i, j] = coupling_of(row_start, J, G, shared, local[i], local[j])
        left_to_move(A, held, driven, out)
        for i in range(driven):
            mobility[local[HELD + i, 1]] = out[i]
