"""Kernels: elementary functions of joints and their derivatives; rates of rows; the segments of their blocks."""

from math import atan2, cos, pi, sin, sqrt

import numpy as np

from ...jit import inner, kernel
from ...problem import BlockRows
from ..step_kernels import rotate_tensors


@inner
def cross(a, b, out):
    """out = a x b."""
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@inner
def dot(a, b):
    """a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner
def place(f, k, side, position, R, arm, point, axes):
    """Anchor `point` (3,) and axes (3,3), rows s, t, z, in the world; arm (3,) from the body's centre of mass."""
    body = f.body[k, side]
    for i in range(3):
        if body < 0:
            arm[i], point[i] = 0.0, f.anchor[k, side, i]
            for c in range(3):
                axes[c, i] = f.frame[k, side, i, c]
            continue
        total = 0.0
        for j in range(3):
            total += R[body, i, j] * f.anchor[k, side, j]
        arm[i], point[i] = total, position[body, i] + total
        for c in range(3):
            total = 0.0
            for j in range(3):
                total += R[body, i, j] * f.frame[k, side, j, c]
            axes[c, i] = total


@inner
def placed_as_before(f, k):
    """Whether function k is between the same anchors and frames as the one before it, as those of one joint are."""
    if k == 0:
        return False
    for side in range(2):
        if f.body[k, side] != f.body[k - 1, side]:
            return False
        for i in range(3):
            if f.anchor[k, side, i] != f.anchor[k - 1, side, i]:
                return False
            for c in range(3):
                if f.frame[k, side, i, c] != f.frame[k - 1, side, i, c]:
                    return False
    return True


@inner
def along(e, d, arm_a, arm_b, J, work):
    """Derivatives of e . d, where e turns with a."""
    for i in range(3):
        J[1, i], J[0, i] = e[i], -e[i]
        work[i] = arm_a[i] + d[i]
    cross(arm_b, e, J[1, 3:])
    cross(e, work, J[0, 3:])


@inner
def unwound(angle, before):
    """The angle plus whole turns that is nearest to the one before."""
    return angle + 2.0 * pi * np.floor((before - angle) / (2.0 * pi) + 0.5)


@inner
def angle_over_sine(s, c):
    """(angle / s, (s - angle c) / s^3) of the angle of sine s > 0 and cosine c, by series near zero."""
    if c > 0.0 and s < 1e-2:
        q = s * s
        return 1.0 + q / 6.0 + 0.075 * q * q, 1.0 / 3.0 + 2.0 / 15.0 * q + 8.0 / 105.0 * q * q
    angle = atan2(s, c)
    return angle / s, (s - angle * c) / s**3


@inner
def rotation_vector(A, B, phi):
    """phi (3,) [rad]: axis times angle of A^T B, along the axes of A, no longer than half a turn.

    Of the two of half a turn, met within 1e-6, it is the one whose largest component is positive.
    """
    trace, square, largest = 0.0, 0.0, 0
    for i in range(3):
        m, n = (i + 1) % 3, (i + 2) % 3
        phi[i] = 0.5 * (dot(A[n], B[m]) - dot(A[m], B[n]))
        square += phi[i] ** 2
        trace += dot(A[i], B[i])
        if dot(A[i], B[i]) > dot(A[largest], B[largest]):
            largest = i
    sine, cosine = sqrt(square), 0.5 * (trace - 1.0)
    if cosine > 0.0 or sine > 1e-6:
        factor, _ = angle_over_sine(sine, cosine)
        for i in range(3):
            phi[i] *= factor
        return
    # There A^T B = 2 n n^T - 1.
    most = sqrt(0.5 * (1.0 + dot(A[largest], B[largest])))
    for i in range(3):
        shared = 0.25 * (dot(A[largest], B[i]) + dot(A[i], B[largest])) / most
        phi[i] = pi * (most if i == largest else shared)


@inner
def turn_about(i, A, phi, turn):
    """Derivative of component i of rotation_vector by the relative angular velocity, in `turn`."""
    m, n = (i + 1) % 3, (i + 2) % 3
    square = dot(phi, phi)
    # (1 - angle/2 cot(angle/2)) / angle^2
    if square < 1e-4:
        k = 1.0 / 12.0 + square / 720.0 + square * square / 30240.0
    else:
        half = 0.5 * sqrt(square)
        k = (1.0 - half * cos(half) / sin(half)) / square
    x, y, z = 1.0 - k * (square - phi[i] ** 2), 0.5 * phi[n] + k * phi[i] * phi[m], k * phi[i] * phi[n] - 0.5 * phi[m]
    for c in range(3):
        turn[c] = x * A[i, c] + y * A[m, c] + z * A[n, c]


@inner
def lean(i, j, A, B, turn, across):
    """(angle by which axis j of B leans from that of A towards A_i, its derivative by the relative angular velocity in
    `turn`); across: room.

    What leans by half a turn, within 1e-6, leans towards the axis after j.
    """
    x, c = dot(A[i], B[j]), dot(A[j], B[j])
    cross(B[j], A[j], across)
    s = sqrt(dot(across, across))
    if c < 0.0 and s < 1e-6:
        towards = i == (j + 1) % 3
        for k in range(3):
            turn[k] = A[(j + 2) % 3, k] if towards else pi * A[(j + 1) % 3, k]
        return pi if towards else 0.0
    factor, rise = angle_over_sine(s, c)
    cross(B[j], A[i], turn)
    for k in range(3):
        turn[k] = factor * turn[k] - x * rise * across[k]
    return factor * x


def outruns(part, body, twist, time):
    """Whether bodies (F,2) turn against each other by more than an eighth of a turn in a time [s], with twists (R,6),
    where an angle of Part.ANGLE in part (F,) counts turns: from its last value these are soon not known."""
    spin = np.zeros(twist.shape[0] + 1)
    spin[:-1] = np.sqrt(twist[:, 3] ** 2 + twist[:, 4] ** 2 + twist[:, 5] ** 2)
    return ((part == 4) & (time * (spin[body[:, 0]] + spin[body[:, 1]]) > 0.25 * pi)).any()


# For kernels.
turns_fast = inner(outruns)


@inner
def swing_twist(part, A, B, n, turn):
    """(angle, derivative by the relative angular velocity in `turn`) of Part.SWING or Part.TWIST."""
    cosine = dot(A[2], B[2])
    if part == 6:
        cross(A[2], B[2], n)
        sine = sqrt(dot(n, n))
        for i in range(3):
            turn[i] = n[i] / sine if sine > 1e-12 else 0.0
        return atan2(sine, cosine)
    for i in range(3):
        turn[i] = (A[2, i] + B[2, i]) / max(1e-12, 1.0 + cosine)
    # Components w and z of the quaternion of A^T B, both times 4 w or so: the ratio alone counts.
    return atan2(dot(A[1], B[0]) - dot(A[0], B[1]), dot(A[0], B[0]) + dot(A[1], B[1]))


@inner
def euler(i, A, B, first, turn, y, across):
    """(angle i of A^T B = Rx Ry Rz, its derivative by the relative angular velocity in `turn`); first: the angle about
    x a moment ago; y, across: room.

    The axes of the three turns are x of A, y between, z of B; the derivatives are their reciprocals. The axis y is
    along z of B cross x of A or against it, which are two ways of writing one pose: the one is taken that is nearer to
    where y was. So the middle angle goes on beyond a right angle, where the other two would jump by half a turn.
    """
    c, s = cos(first), sin(first)
    for k in range(3):
        turn[k] = c * A[1, k] + s * A[2, k]
    cross(B[2], A[0], y)
    length = sqrt(dot(y, y))
    if dot(y, turn) < 0.0:
        length = -length
    straight = abs(length) < 1e-9
    for k in range(3):
        # At a right angle y is anywhere across both axes: it stays where it was.
        y[k] = turn[k] if straight else y[k] / length
    cross(A[0], y, across)
    if i == 1:
        for k in range(3):
            turn[k] = y[k]
        return atan2(dot(A[0], B[2]), dot(across, B[2]))
    if i == 0:
        cross(y, B[2], turn)
        scale = dot(turn, A[0])
    else:
        for k in range(3):
            turn[k] = across[k]
        scale = dot(turn, B[2])
    for k in range(3):
        turn[k] = 0.0 if straight else turn[k] / scale
    return atan2(dot(y, A[2]), dot(y, A[1])) if i == 0 else atan2(dot(y, B[0]), dot(y, B[1]))


@kernel
def evaluate(f, position, R, before, value, J):
    """Functions (F,) at poses position (B,3), R (B,3,3), and their derivatives J (F,2,6) by the twists of a and b.

    before (F,): values of a moment ago, so that turns are counted.
    """
    axes = np.empty((2, 3, 3))
    A, B = axes[0], axes[1]
    room = np.empty((8, 3))
    arm_a, arm_b, p_a, p_b, d, work, turn = room[0], room[1], room[2], room[3], room[4], room[5], room[6]
    phi = room[7]
    for k in range(f.part.size):
        elsewhere = not placed_as_before(f, k)
        if elsewhere:
            place(f, k, 0, position, R, arm_a, p_a, A)
            place(f, k, 1, position, R, arm_b, p_b, B)
        for c in range(3):
            d[c] = p_b[c] - p_a[c]
        part, i, j = f.part[k], f.i[k], f.j[k]
        J[k] = 0.0
        if part == 0:
            value[k] = dot(A[i], d)
            along(A[i], d, arm_a, arm_b, J[k], work)
            continue
        if part == 3:
            length = sqrt(dot(d, d))
            value[k] = length
            for c in range(3):
                turn[c] = d[c] / length if length > 0.0 else 0.0
                J[k, 1, c], J[k, 0, c] = turn[c], -turn[c]
            cross(arm_b, turn, J[k, 1, 3:])
            cross(turn, arm_a, J[k, 0, 3:])
            continue
        if part == 1:
            cross(B[j], A[i], turn)
            across = sqrt(dot(turn, turn))
            value[k] = atan2(dot(A[i], B[j]), across)
            for c in range(3):
                # Of two that are along each other, any turn across both parts them.
                turn[c] = turn[c] / across if across > 1e-6 else A[(i + 1) % 3, c]
        elif part == 2:
            if elsewhere or f.part[k - 1] != 2:
                rotation_vector(A, B, phi)
            value[k] = phi[i]
            turn_about(i, A, phi, turn)
        elif part == 4:
            m, n = (i + 1) % 3, (i + 2) % 3
            x, y = dot(B[m], A[m]), dot(B[m], A[n])
            value[k] = unwound(atan2(y, x), before[k])
            cross(B[m], A[n], turn)
            cross(B[m], A[m], work)
            for c in range(3):
                turn[c] = (x * turn[c] - y * work[c]) / (x * x + y * y)
        elif part == 5 or part == 8:
            # A^T B = Rz Ry Rx is B^T A = Rx Ry Rz of the opposite angles, whose rates are by the opposite velocity.
            # The first of the three angles is the function j further on.
            first = before[k + j]
            value[k] = euler(i, A, B, first, turn, work, d) if part == 5 else -euler(i, B, A, -first, turn, work, d)
            value[k] = unwound(value[k], before[k])
        elif part == 9:
            value[k] = lean(i, j, A, B, turn, work)
        else:
            value[k] = swing_twist(part, A, B, work, turn)
            if part == 7:
                value[k] = unwound(value[k], before[k])
        for c in range(3):
            J[k, 1, 3 + c], J[k, 0, 3 + c] = turn[c], -turn[c]


@kernel
def row_values(r, value, g):
    """Values (K,) of the rows for those of the functions (F,)."""
    for k in range(r.role.size):
        g[k] = -r.constant[k]
        for t in range(r.start[k], r.start[k + 1]):
            g[k] += r.factor[t] * value[r.function[t]]


@kernel
def row_rates(r, f, J, twist, rate):
    """Rates (K,) of the rows for twists (B,6) of the bodies."""
    for k in range(r.role.size):
        rate[k] = 0.0
        for t in range(r.start[k], r.start[k + 1]):
            e = r.function[t]
            for side in range(2):
                body = f.body[e, side]
                if body >= 0:
                    for c in range(6):
                        rate[k] += r.factor[t] * J[e, side, c] * twist[body, c]


@kernel
def count_segments(b, use, dof, row_start, indptr):
    """First rows and segments, (n+1,) each, of the blocks `use` (n,); returns how many numbers J has."""
    row_start[0], indptr[0], length = 0, 0, 0
    for k in range(use.size):
        q = use[k]
        m = b.row_start[q + 1] - b.row_start[q]
        row_start[k + 1], indptr[k + 1] = row_start[k] + m, indptr[k]
        for s in range(b.body_start[q], b.body_start[q + 1]):
            if dof[b.body[s]] >= 0:
                indptr[k + 1] += 1
                length += 6 * m
    return length


@kernel
def fill_segments(t, use, J, bodies, inverse_inertia, rows, out_G):
    """Segments of the blocks `use` (n,) of Tables: J in BlockRows `rows` and G = W J^T row by row; inverse_inertia
    (B,3,3) in the world."""
    b, r, f, out_J = t.blocks, t.rows, t.functions, rows.data
    s, at = 0, 0
    for q in use:
        for e in range(b.body_start[q], b.body_start[q + 1]):
            body = b.body[e]
            if bodies.dof_of_body[body] < 0:
                continue
            rows.start[s], rows.size[s], rows.offset[s] = bodies.dof_of_body[body], 6, at
            s += 1
            for k in range(b.row_start[q], b.row_start[q + 1]):
                for c in range(6):
                    out_J[at + c] = 0.0
                for term in range(r.start[k], r.start[k + 1]):
                    x = r.function[term]
                    for side in range(2):
                        if f.body[x, side] == body:
                            for c in range(6):
                                out_J[at + c] += r.factor[term] * J[x, side, c]
                for c in range(3):
                    out_G[at + c] = bodies.inverse_mass[body] * out_J[at + c]
                    total = 0.0
                    for d in range(3):
                        total += inverse_inertia[body, c, d] * out_J[at + 3 + d]
                    out_G[at + 3 + c] = total
                at += 6


@inner
def segments_of(t, use, bodies, R, J):
    """(row_start (n+1,), J, G) of the blocks `use` (n,) of Tables: BlockRows, for derivatives J (F,2,6) and
    orientations R (B,3,3) that inertias have."""
    inverse_inertia = np.empty((R.shape[0], 3, 3))
    rotate_tensors(R, bodies.inverse_inertia, inverse_inertia)
    row_start, indptr = np.empty(use.size + 1, np.int64), np.empty(use.size + 1, np.int64)
    length = count_segments(t.blocks, use, bodies.dof_of_body, row_start, indptr)
    segments = indptr[use.size]
    start, size, offset = np.empty(segments, np.int64), np.empty(segments, np.int64), np.empty(segments, np.int64)
    rows, G = BlockRows(indptr, start, size, offset, np.empty(length)), np.empty(length)
    fill_segments(t, use, J, bodies, inverse_inertia, rows, G)
    return row_start, rows, BlockRows(indptr, start, size, offset, G)


@kernel
def add_loads(r, f, J, impulse, load):
    """Add to load (J,6) the impulse and its moment about the second body's centre of mass that the rows of each joint
    give to the second body of its functions."""
    for k in range(r.role.size):
        if impulse[k] == 0.0:
            continue
        for t in range(r.start[k], r.start[k + 1]):
            for c in range(6):
                load[r.joint[k], c] += r.factor[t] * impulse[k] * J[r.function[t], 1, c]


@kernel
def add_displacement(G, blocks, place, mu, change):
    """Add G^T mu to change (N,); rows of the blocks (n,) begin at place (n+1,), each segment is of one body."""
    for x in range(blocks.size):
        for s in range(G.indptr[blocks[x]], G.indptr[blocks[x] + 1]):
            for i in range(place[x + 1] - place[x]):
                for c in range(6):
                    change[G.start[s] + c] += mu[place[x] + i] * G.data[G.offset[s] + 6 * i + c]
