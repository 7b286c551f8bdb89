"""Kernels of a time step on arrays of bodies and contacts; the orchestration is in rigid.py and contact_step.py."""

from math import cos, sin, sqrt

import numpy as np

from ..jit import inner, kernel


@kernel
def rotation_matrices(q, R):
    """Rotation matrices R (B,3,3) of unit quaternions q (B,4) w,x,y,z."""
    for i in range(q.shape[0]):
        w, x, y, z = q[i, 0], q[i, 1], q[i, 2], q[i, 3]
        R[i, 0, 0], R[i, 0, 1], R[i, 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
        R[i, 1, 0], R[i, 1, 1], R[i, 1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
        R[i, 2, 0], R[i, 2, 1], R[i, 2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)


@kernel
def move(position, orientation, twist, time, new_position, new_orientation):
    """Poses after moving with twist (B,6) [m/s, rad/s] for `time` [s]; without spin the orientation keeps its bits."""
    for i in range(position.shape[0]):
        for j in range(3):
            new_position[i, j] = position[i, j] + time * twist[i, j]
        x, y, z = time * twist[i, 3], time * twist[i, 4], time * twist[i, 5]
        angle = sqrt(x * x + y * y + z * z)
        if angle == 0.0:
            for j in range(4):
                new_orientation[i, j] = orientation[i, j]
            continue
        # sin(angle/2)/angle by its series near zero, where the quotient has no digits.
        f = sin(0.5 * angle) / angle if angle > 1e-6 else 0.5 - angle * angle / 48.0
        w, x, y, z = cos(0.5 * angle), f * x, f * y, f * z
        a, b, c, d = orientation[i, 0], orientation[i, 1], orientation[i, 2], orientation[i, 3]
        qw, qx = w * a - x * b - y * c - z * d, w * b + x * a + y * d - z * c
        qy, qz = w * c - x * d + y * a + z * b, w * d + x * c - y * b + z * a
        length = sqrt(qw * qw + qx * qx + qy * qy + qz * qz)
        new_orientation[i, 0], new_orientation[i, 1] = qw / length, qx / length
        new_orientation[i, 2], new_orientation[i, 3] = qy / length, qz / length


@kernel
def rotate_tensors(R, body, world):
    """world[i] = R_i body[i] R_i^T for (B,3,3) tensors."""
    for i in range(R.shape[0]):
        for a in range(3):
            for b in range(a, 3):
                total = 0.0
                for c in range(3):
                    for d in range(3):
                        total += R[i, a, c] * body[i, c, d] * R[i, b, d]
                world[i, a, b] = total
                world[i, b, a] = total


@kernel
def tangent_frames(normal, frame):
    """Frames (C,3,3) with rows n, s, t from the normal alone, so that a resting contact keeps its frame.

    s is across the axis least along the normal; components equal to 1e-6 count as equal, so that round-off does
    not turn the frame of an axis-aligned normal.
    """
    for k in range(normal.shape[0]):
        nx, ny, nz = normal[k, 0], normal[k, 1], normal[k, 2]
        ax, ay, az = abs(nx), abs(ny), abs(nz)
        if ax <= ay + 1e-6 and ax <= az + 1e-6:
            sx, sy, sz = 0.0, -nz, ny
        elif ay <= az + 1e-6:
            sx, sy, sz = nz, 0.0, -nx
        else:
            sx, sy, sz = -ny, nx, 0.0
        length = sqrt(sx * sx + sy * sy + sz * sz)
        sx, sy, sz = sx / length, sy / length, sz / length
        frame[k, 0, 0], frame[k, 0, 1], frame[k, 0, 2] = nx, ny, nz
        frame[k, 1, 0], frame[k, 1, 1], frame[k, 1, 2] = sx, sy, sz
        frame[k, 2, 0] = ny * sz - nz * sy
        frame[k, 2, 1] = nz * sx - nx * sz
        frame[k, 2, 2] = nx * sy - ny * sx


@kernel
def direct_frames(contacts, directed, R, frame):
    """Turn the frames of contacts with a directed body: s follows its local x axis, or y where x is along n.

    directed (B,) bool: the body's friction has a direction; if both bodies' has, body a decides.
    """
    s = np.empty(3)
    for k in range(contacts.gap.size):
        owner = contacts.body_a[k] if directed[contacts.body_a[k]] else contacts.body_b[k]
        if not directed[owner]:
            continue
        n = contacts.normal[k]
        for axis in range(2):
            along = R[owner, 0, axis] * n[0] + R[owner, 1, axis] * n[1] + R[owner, 2, axis] * n[2]
            square = 0.0
            for j in range(3):
                s[j] = R[owner, j, axis] - along * n[j]
                square += s[j] * s[j]
            if square > 1e-6:
                break
        length = sqrt(square)
        for j in range(3):
            s[j] /= length
            frame[k, 1, j] = s[j]
        frame[k, 2, 0] = n[1] * s[2] - n[2] * s[1]
        frame[k, 2, 1] = n[2] * s[0] - n[0] * s[2]
        frame[k, 2, 2] = n[0] * s[1] - n[1] * s[0]


@kernel
def contact_velocities(twist, position, contacts, frame, v):
    """v (C,4): velocity of b relative to a at the contacts along n, s, t [m/s], and the spin about n [rad/s].

    Each body's velocity is that of its own surface, half an open gap from the contact's point.
    """
    relative = np.empty(3)
    on_a, on_b = np.empty(3), np.empty(3)
    for k in range(contacts.gap.size):
        a, b = contacts.body_a[k], contacts.body_b[k]
        spin = 0.0
        half = 0.5 * max(contacts.gap[k], 0.0)
        for j in range(3):
            on_a[j] = contacts.position[k, j] - half * frame[k, 0, j] - position[a, j]
            on_b[j] = contacts.position[k, j] + half * frame[k, 0, j] - position[b, j]
        for j in range(3):
            j1, j2 = (j + 1) % 3, (j + 2) % 3
            relative[j] = (twist[b, j] + twist[b, 3 + j1] * on_b[j2] - twist[b, 3 + j2] * on_b[j1]) - (
                twist[a, j] + twist[a, 3 + j1] * on_a[j2] - twist[a, 3 + j2] * on_a[j1]
            )
            spin += (twist[b, 3 + j] - twist[a, 3 + j]) * frame[k, 0, j]
        for i in range(3):
            v[k, i] = frame[k, i, 0] * relative[0] + frame[k, i, 1] * relative[1] + frame[k, i, 2] * relative[2]
        v[k, 3] = spin


@kernel
def world_to_rows(carried, frame, rows, impulse):
    """Row impulses of impulses (C,5): normal, friction vector in the world frame, torsion."""
    at = 0
    for k in range(rows.size):
        impulse[at] = carried[k, 0]
        for i in range(1, min(rows[k], 3)):
            impulse[at + i] = (
                frame[k, i, 0] * carried[k, 1] + frame[k, i, 1] * carried[k, 2] + frame[k, i, 2] * carried[k, 3]
            )
        if rows[k] > 3:
            impulse[at + 3] = carried[k, 4]
        at += rows[k]


@kernel
def rows_to_world(impulse, frame, rows, carried):
    """The reverse of world_to_rows."""
    at = 0
    for k in range(rows.size):
        carried[k, 0] = impulse[at]
        for j in range(3):
            carried[k, 1 + j] = (
                frame[k, 1, j] * impulse[at + 1] + frame[k, 2, j] * impulse[at + 2] if rows[k] > 1 else 0.0
            )
        carried[k, 4] = impulse[at + 3] if rows[k] > 3 else 0.0
        at += rows[k]


@inner
def fast(step, k, threshold):
    """Speed [m/s] of an impact at contact k: above a threshold, and above what the free forces alone make in two
    steps."""
    return max(threshold, 2.0 * abs(step.free[k, 0] - step.before[k, 0]))


@kernel
def bounce_targets(step, times, threshold, hit, target):
    """See contact_step.bounces; step: StepColumns; hit, target (C,)."""
    gap, restitution, h = step.contacts.gap, step.restitution, times.step
    for k in range(gap.size):
        before_n, free_n = step.before[k, 0], step.free[k, 0]
        closes, met = before_n < -fast(step, k, threshold), gap[k] + times.horizon * free_n < 0.0
        hit[k] = restitution[k] > 0.0 and (step.late[k] or closes and met)
        target[k] = 0.0
        if hit[k] and closes:
            a = (free_n - before_n) / h
            start_gap = max(0.0, gap[k] - times.elapsed * before_n)
            impact = max(0.0, before_n * before_n - 2.0 * a * start_gap)
            left = max(0.0, gap[k] + (h - times.elapsed) * free_n)
            target[k] = sqrt(max(0.0, restitution[k] * restitution[k] * impact + 2.0 * min(a, 0.0) * left))


@kernel
def add_velocity_targets(row_start, step, horizon, hit, target, b):
    """See contact_step.velocity_b; step: StepColumns; adds to b."""
    for k in range(hit.size):
        first = row_start[k]
        b[first] -= target[k] if hit[k] else min(target[k], -max(step.contacts.gap[k], 0.0) / horizon)
        if hit[k] and step.tangential_restitution[k] > 0.0 and row_start[k + 1] - first >= 3:
            for axis in (1, 2):
                b[first + axis] += step.tangential_restitution[k] * step.before[k, axis]


@inner
def arm_speed(twist, acceleration, time, body, x, y, z, v):
    """Add the velocity at the arm (x, y, z) of a body that turns on for `time` [s] to v (3,)."""
    wx, wy = twist[body, 3] + time * acceleration[0], twist[body, 4] + time * acceleration[1]
    wz = twist[body, 5] + time * acceleration[2]
    v[0] += twist[body, 0] + wy * z - wz * y
    v[1] += twist[body, 1] + wz * x - wx * z
    v[2] += twist[body, 2] + wx * y - wy * x


@inner
def free_turning(dof, W, M, twist, body, out):
    """Angular acceleration out (3,) of a body without torque: I^-1 (I w x w); zero for one on a given path."""
    for i in range(3):
        out[i] = 0.0
    if dof < 0:
        return
    block, w = 6 * dof, (twist[body, 3], twist[body, 4], twist[body, 5])
    L0 = M[block + 21] * w[0] + M[block + 22] * w[1] + M[block + 23] * w[2]
    L1 = M[block + 27] * w[0] + M[block + 28] * w[1] + M[block + 29] * w[2]
    L2 = M[block + 33] * w[0] + M[block + 34] * w[1] + M[block + 35] * w[2]
    t = (L1 * w[2] - L2 * w[1], L2 * w[0] - L0 * w[2], L0 * w[1] - L1 * w[0])
    for i in range(3):
        out[i] = W[block + 21 + 6 * i] * t[0] + W[block + 22 + 6 * i] * t[1] + W[block + 23 + 6 * i] * t[2]


# A contact that is to hold at the end of a step may close or slide by this part of the smaller body until then: it may
# be let go of, and what it has closed by is overlap; further, how it moved is no measure of how it goes on.
MOST_TURNED = 1e-3
# A contact slips, or is met anew, if it does so by more than this times what turning adds until the end of the step.
HELD = 3.0


@kernel
def add_turning(bodies, linear, step, earlier, motion, times, hit, b):
    """Add to b so that contacts which carried an impulse in the last step hold at the end of this one.

    Rows are those of the middle of the step. Where a body turns about a contact, or a contact runs round a rim, the
    rows at the end are others, and J_middle u = 0 takes energy out of the motion (J_end u = 0 does not): an error of
    first order. The contact's own change since the last step is carried on, the free turning of the bodies added, and
    what their velocities `twist` gain by both until the end of the step is added to b. Of second order; an impact
    makes contacts that are new, or `hit` (C,), and changes nothing here. What closes a loaded contact much faster than
    by turning is met anew, and turns no further where it turns slower. Only for schemes with rows in the middle.

    linear: Linear; step: StepColumns; earlier: Earlier; motion: Motion; times: StepTimes."""
    contacts, frame, old, row_start = step.contacts, step.frame, earlier.contacts, linear.arrays.row_start
    dof_of_body, start, middle, twist = bodies.dof_of_body, earlier.position, motion.position, motion.before
    source, ahead = np.empty(contacts.gap.size, np.int64), times.step - times.elapsed
    match(old, contacts, source)
    now, end, acceleration, arm, later = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    # What is added along and across the normals, the slip in the middle, and how fast bodies are met anew.
    added, slip, anew = np.zeros((source.size, 3)), np.zeros((source.size, 3)), np.zeros(dof_of_body.size)
    for k in range(source.size):
        last, ends = source[k], (contacts.body_a[k], contacts.body_b[k])
        # Of a body on a given path, which may touch several components, the last one counts.
        age = earlier.since[ends[0] if dof_of_body[ends[0]] >= 0 else ends[1]]
        if last < 0 or hit[k] or age == 0.0 or not earlier.impulses[last, 0] > 0.0:
            source[k] = -1
            continue
        part = ahead / (age + times.elapsed)
        for i in range(3):
            now[i], end[i] = 0.0, 0.0
        for side in range(2):
            body, sign = ends[side], 1.0 - 2.0 * side
            for i in range(3):
                arm[i] = contacts.position[k, i] - middle[body, i]
                shift = part * (contacts.position[k, i] - old.position[last, i])
                later[i] = arm[i] + (shift - (ahead / times.elapsed) * (middle[body, i] - start[body, i]))
            free_turning(dof_of_body[body], linear.W, linear.M, twist, body, acceleration)
            for i in range(3):
                now[i], end[i] = sign * now[i], sign * end[i]
            arm_speed(twist, acceleration, 0.0, body, arm[0], arm[1], arm[2], now)
            arm_speed(twist, acceleration, ahead, body, later[0], later[1], later[2], end)
        for i in range(3):
            turned = part * (contacts.normal[k, i] - old.normal[last, i])
            added[k, 0] += frame[k, 0, i] * (end[i] - now[i]) + turned * end[i]
        for row in range(1, min(row_start[k + 1] - row_start[k], 3)):
            for i in range(3):
                slip[k, row] += frame[k, row, i] * now[i]
                added[k, row] += frame[k, row, i] * (end[i] - now[i])
        if step.before[k, 0] < -HELD * abs(added[k, 0]):
            for body in ends:
                if dof_of_body[body] >= 0:
                    anew[body] = max(anew[body], -step.before[k, 0])
    for k in range(source.size):
        if source[k] < 0:
            continue
        first, along, most, met = row_start[k], added[k, 0], np.inf, 0.0
        for body in (contacts.body_a[k], contacts.body_b[k]):
            if dof_of_body[body] >= 0:
                most = min(most, MOST_TURNED * bodies.size[body] / ahead)
                met = max(met, anew[body])
        if met > HELD * abs(along):
            continue
        # What slips is opposed by friction along its slip in the middle of the step, where the impulse acts. What held
        # at the start of the step has the gain of half of it in the middle.
        across = sqrt(added[k, 1] ** 2 + added[k, 2] ** 2)
        holds = sqrt(slip[k, 1] ** 2 + slip[k, 2] ** 2) <= HELD * across
        scale = min(1.0, most / max(abs(along), across if holds else 0.0, 1e-300))
        # An open contact may close its gap anyhow; it does so in the second half of the turn.
        waiting = max(contacts.gap[k], 0.0) / times.horizon if along > 0.0 else 0.0
        b[first] += max(scale * along - waiting, 0.0) if waiting > 0.0 else scale * along
        if holds:
            for row in range(1, min(row_start[k + 1] - first, 3)):
                b[first + row] += scale * added[k, row]


@kernel
def add_change(dof_of_body, change, twist):
    """Add the velocity change (N,) of the moving bodies to twist (R,6)."""
    for i in range(dof_of_body.size):
        if dof_of_body[i] >= 0:
            for j in range(6):
                twist[i, j] += change[dof_of_body[i] + j]


@kernel
def moved_beyond_search(bodies, before, twist, h, margin):
    """Which bodies (R,) have a point that a change of velocity moves by more than half of `margin`, a part of the
    smallest moving body, in time h."""
    furthest, smallest = np.zeros(bodies.size.size), np.inf
    for i in range(bodies.size.size):
        if bodies.inverse_mass[i] == 0.0:
            continue
        straight, turning = 0.0, 0.0
        for j in range(3):
            straight += abs(twist[i, j] - before[i, j])
            turning += abs(twist[i, 3 + j] - before[i, 3 + j])
        furthest[i] = h * (straight + bodies.size[i] * turning)
        smallest = min(smallest, bodies.size[i])
    return furthest > 0.5 * margin * smallest


@kernel
def relative_travels(reach, position, twist, h, a, b, travel):
    """See relative.relative_travel; writes travel (P,)."""
    for k in range(a.size):
        i, j = a[k], b[k]
        x, y, z = position[j, 0] - position[i, 0], position[j, 1] - position[i, 1], position[j, 2] - position[i, 2]
        at_a, at_b, turn = 0.0, 0.0, 0.0
        for m in range(3):
            # w x arm, component m, of the spins of both bodies.
            n, o = (m + 1) % 3, (m + 2) % 3
            arm_n, arm_o = (x, y, z)[n], (x, y, z)[o]
            slide = twist[j, m] - twist[i, m]
            at_b += (slide - (twist[i, 3 + n] * arm_o - twist[i, 3 + o] * arm_n)) ** 2
            at_a += (slide - (twist[j, 3 + n] * arm_o - twist[j, 3 + o] * arm_n)) ** 2
            turn += (twist[j, 3 + m] - twist[i, 3 + m]) ** 2
        turn = sqrt(turn)
        travel[k] = h * min(sqrt(at_a) + turn * reach[i], sqrt(at_b) + turn * reach[j])


@inner
def smaller_moving(bodies, contacts, k):
    """Size [m] of the smaller moving body of contact k."""
    size = np.inf
    for body in (contacts.body_a[k], contacts.body_b[k]):
        if bodies.inverse_mass[body] > 0.0:
            size = min(size, bodies.size[body])
    return size


@inner
def gap_at_start(step, elapsed, k):
    """Gap [m] of contact k at the start of the step, by the velocities that took the bodies to where it was found."""
    return step.contacts.gap[k] - elapsed * step.before[k, 0]


@kernel
def match(old, new, source):
    """source[k]: index of the old contact with the names of new contact k, -1 for none; both sets are sorted."""
    a0, b0, key0, a1, b1, key1, i = old.body_a, old.body_b, old.key, new.body_a, new.body_b, new.key, 0
    for k in range(a1.size):
        while i < a0.size and (
            a0[i] < a1[k] or (a0[i] == a1[k] and (b0[i] < b1[k] or (b0[i] == b1[k] and key0[i] < key1[k])))
        ):
            i += 1
        same = i < a0.size and a0[i] == a1[k] and b0[i] == b1[k] and key0[i] == key1[k]
        source[k] = i if same else -1
