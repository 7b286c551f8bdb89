"""The angular momentum of what floats, kept where poses change otherwise than by velocities.

Closing joints, bounces and the removal of overlap move bodies without velocities for it, and joints push where they are
in the mean over a step. Moments of momentum change by that, though nothing outside pushes. So what nothing fixed holds
is turned as a whole, as little as that takes, and the rest of its motion is scaled by what keeps the kinetic energy: no
joint and no contact within it resists either.
"""

from math import sqrt

import numpy as np

from ...base.vectors import add, along, cross, dot, part, put, row, scale, sub
from ...jit import inner, kernel
from ...problems.label_kernels import label_islands
from ..step_kernels import rotate_tensors, rotation_matrices
from .drive_kernels import LIMIT
from .row_kernels import live


def nothing_closed(count):
    """What closing overlap at the end of a step does to bodies, before it does: how far (R,6) [m, rad] it moves them;
    the lowest of those (R,) that contacts coupled by it; whether (R,) contacts coupled them with what stays."""
    return np.zeros((count, 6)), np.arange(count), np.zeros(count, np.bool_)


# For kernels.
close_nothing = inner(nothing_closed)


@kernel
def keep_momentum(t, bodies, broken, acts, pushed, went, after, displaced):
    """Change the velocities in `after` so that groups which joints couple with nothing fixed, and islands of displaced
    bodies that touch nothing fixed, have the angular momentum that they would have without what moved them.

    Poses are position (R,3) and orientation (R,4). acts: positions (R,3) where impulses act, and where joints push.
    pushed: J (F,2,6) of the joints, rows (k,) of the tables and their impulses (k,). went: poses where the velocities
    of the solution alone take bodies to the end, and velocities there; after: poses and velocities at the end.
    displaced: velocities (R,6) that moved the bodies to it, those of the solution, for how long [s]; bodies a, b (C,)
    and first rows (C+1,) of contacts, the solution's impulses (K,) and those (K,) that moved; how closing overlap
    coupled bodies, (R,) and (R,) bool, see nothing_closed.
    """
    label, fixed = _groups(t, bodies, broken, pushed)
    floats, gained = np.empty(label.size, np.bool_), np.zeros((label.size, 7))
    for i in range(label.size):
        floats[i] = bodies.inverse_mass[i] > 0.0 and not fixed[label[i]]
    _add_gain(bodies, floats, went, after, gained)
    _add_lever(t, floats, acts[0], acts[1], pushed, gained)
    several = np.zeros(label.size, np.bool_)
    for i in range(label.size):
        if floats[i] and label[i] != i:
            several[label[i]] = True
    _turn(bodies, label, several, gained, after)
    motion, pressed, closed = displaced
    if _strays(bodies, motion):
        _couple(bodies, pressed, closed, label, fixed)
        for i in range(label.size):
            several[i] = bodies.inverse_mass[i] > 0.0 and not fixed[i]
        _turn(bodies, label, several, gained, after)


@inner
def _strays(bodies, motion):
    """Whether a body moves otherwise than with its velocity; motion: see keep_momentum. Less than 1e-12 of its size is
    round-off."""
    motion, twist, time = motion
    for i in range(motion.shape[0]):
        for j in range(6):
            way = time * abs(motion[i, j] - twist[i, j]) * (1.0 if j < 3 else bodies.size[i])
            if way > 1e-12 * bodies.size[i]:
                return True
    return False


@inner
def _mark_fixed(held, label, fixed):
    """Make fixed (R,) that of the groups label (R,) with a body in held (R,)."""
    fixed[:] = False
    for i in range(label.size):
        if held[i]:
            fixed[label[i]] = True


@inner
def _groups(t, bodies, broken, pushed):
    """(label (R,): the lowest body of those that joints couple each with, fixed (R,) bool: labels of those that joints
    couple with what does not move freely). Slack ropes, and limits that do not push, couple nothing."""
    size, count = bodies.mass.size, t.blocks.body.size
    a, b, pairs = np.empty(count, np.int64), np.empty(count, np.int64), 0
    held, label, fixed = np.zeros(size, np.bool_), np.empty(size, np.int64), np.empty(size, np.bool_)
    pushes = np.zeros(t.rows.role.size, np.bool_)
    for k in range(pushed[1].size):
        pushes[pushed[1][k]] = pushed[2][k] != 0.0
    for q in range(t.moves.size):
        first = t.blocks.row_start[q]
        if not live(t, broken, q) or (t.rows.role[first] == LIMIT and not pushes[first]):
            continue
        free, holds = np.int64(-1), False
        for s in range(t.blocks.body_start[q], t.blocks.body_start[q + 1]):
            body = t.blocks.body[s]
            if body < 0 or bodies.inverse_mass[body] == 0.0:
                holds = True
                continue
            if free >= 0:
                a[pairs], b[pairs] = free, body
                pairs += 1
            free = body
        for k in range(t.rows.start[first], t.rows.start[t.blocks.row_start[q] + 1]):
            for side in range(2):
                body = t.functions.body[t.rows.function[k], side]
                holds = holds or body < 0 or bodies.inverse_mass[body] == 0.0
        if holds and free >= 0:
            held[free] = True
    label_islands(bodies.inverse_mass, a[:pairs], b[:pairs], label)
    _mark_fixed(held, label, fixed)
    return label, fixed


@inner
def _couple(bodies, pressed, closed, label, fixed):
    """Couple the groups label (R,), of which some are fixed (R,), by contacts with impulses, and by those that closed
    overlap at the end of the step; both are changed. pressed, closed: see keep_momentum.
    """
    ((first, second), row_start, impulse, moving), (joined, stays) = pressed, closed
    count, pairs = first.size, label.size
    a, b, held = np.empty(count + 2 * pairs, np.int64), np.empty(count + 2 * pairs, np.int64), stays.copy()
    for i in range(pairs):
        a[i], b[i], held[i] = i, label[i], held[i] or fixed[label[i]]
        a[pairs + i], b[pairs + i] = i, joined[i]
    pairs *= 2
    for k in range(count):
        i, j = first[k], second[k]
        own = slice(row_start[k], row_start[k + 1])
        # Within its tolerance a displacement rubs where nothing presses.
        if not impulse[own].any() and not moving[own].any():
            continue
        if bodies.inverse_mass[j] == 0.0:
            held[i] = True
        elif bodies.inverse_mass[i] == 0.0:
            held[j] = True
        else:
            a[pairs], b[pairs] = i, j
            pairs += 1
    label_islands(bodies.inverse_mass, a[:pairs], b[:pairs], label)
    _mark_fixed(held, label, fixed)


@inner
def _add_gain(bodies, floats, before, after, gained):
    """Add to gained (R,7) the angular momentum that bodies (R,) get by the poses and velocities `after` for those
    `before`, where velocities alone took them, what mass by way moves their centres, and the energy of their spin."""
    R, S, inertia, turned = np.empty((1, 3, 3)), np.empty((1, 3, 3)), np.empty((1, 3, 3)), np.empty((1, 3, 3))
    for i in range(gained.shape[0]):
        moved = False
        for j in range(3):
            moved = moved or after[0][i, j] != before[0][i, j]
        for j in range(4):
            moved = moved or after[1][i, j] != before[1][i, j]
        if not (moved and floats[i]):
            continue
        rotation_matrices(before[1][i : i + 1], R)
        rotation_matrices(after[1][i : i + 1], S)
        rotate_tensors(R, bodies.inertia[i : i + 1], inertia)
        rotate_tensors(S, bodies.inertia[i : i + 1], turned)
        for j in range(3):
            m, n = (j + 1) % 3, (j + 2) % 3
            gained[i, j] += bodies.mass[i] * (after[0][i, m] - before[0][i, m]) * after[2][i, n]
            gained[i, j] -= bodies.mass[i] * (after[0][i, n] - before[0][i, n]) * after[2][i, m]
            gained[i, 3 + j] += bodies.mass[i] * (after[0][i, j] - before[0][i, j])
            for c in range(3):
                then, first = turned[0, j, c] * after[2][i, 3 + c], inertia[0, j, c] * before[2][i, 3 + c]
                gained[i, j] += then - first
                gained[i, 6] += 0.5 * (then * after[2][i, 3 + j] - first * before[2][i, 3 + j])


@inner
def _add_lever(t, floats, position, place, pushed, gained):
    """Add to gained (R,7) the moments of the joints' impulses on bodies (R,) at position (R,3) about where they push,
    place (R,3)."""
    f, r, (J, rows, own) = t.functions, t.rows, pushed
    for k in range(rows.size):
        for x in range(r.start[rows[k]], r.start[rows[k] + 1]):
            for side in range(2):
                body, push, impulse = f.body[r.function[x], side], J[r.function[x], side], r.factor[x] * own[k]
                if body < 0 or not floats[body]:
                    continue
                for j in range(3):
                    m, n = (j + 1) % 3, (j + 2) % 3
                    gained[body, j] += impulse * (position[body, m] - place[body, m]) * push[n]
                    gained[body, j] -= impulse * (position[body, n] - place[body, n]) * push[m]


@inner
def _turn(bodies, label, turns, gained, after):
    """Turn the bodies of each group label (R,) in `turns` (R,) bool so that what they gained (R,7) of angular momentum
    goes, but for that of their common centre, which is left as what the body named like the group gained.

    The rest of their motion beside that as a whole is made as much slower or faster as leaves the kinetic energy that
    they had before they gained.
    """
    position, orientation, twist = after
    count, mass = label.size, np.zeros(label.size)
    # Of each group: mass times place and velocity of its centre, what its bodies gained, inertia and angular momentum
    # about its centre, kinetic energy beside that of its centre.
    places, speeds, total = np.zeros((count, 3)), np.zeros((count, 3)), np.zeros((count, 7))
    whole, spin, energy = np.zeros((count, 3, 3)), np.zeros((count, 3)), np.zeros(count)
    acts, turn = np.zeros(count, np.bool_), np.empty((count, 7))
    for i in range(count):
        g = label[i]
        if not turns[g]:
            continue
        mass[g] += bodies.mass[i]
        for j in range(3):
            places[g, j] += bodies.mass[i] * position[i, j]
            speeds[g, j] += bodies.mass[i] * twist[i, j]
        for j in range(7):
            total[g, j] += gained[i, j]
            acts[g] = acts[g] or gained[i, j] != 0.0
            gained[i, j] = 0.0
    for i in range(count):
        if acts[label[i]]:
            g = label[i]
            arm, u = _from_centre(position, places, mass, i, g), _from_centre(twist, speeds, mass, i, g)
            energy[g] += _add_inertia(bodies, i, orientation, (arm, u, part(twist, i, 3)), whole[g], spin[g])
    for g in range(count):
        if acts[g]:
            velocity, shift = scale(row(speeds, g), 1.0 / mass[g]), part(total, g, 3)
            left = cross(shift, velocity)
            put(gained, g, 0, left)
            put(gained, g, 3, shift)
            first, more, faster = _change(whole[g], row(spin, g), sub(row(total, g), left), (energy[g], total[g, 6]))
            put(turn, g, 0, first)
            put(turn, g, 3, more)
            turn[g, 6] = faster
    for i in range(count):
        if not acts[label[i]]:
            continue
        g = label[i]
        arm, u = _from_centre(position, places, mass, i, g), _from_centre(twist, speeds, mass, i, g)
        first, more, faster = row(turn, g), part(turn, g, 3), turn[g, 6]
        w = part(twist, i, 3)
        beside, spins = sub(u, cross(first, arm)), sub(w, first)
        put(twist, i, 0, add(row(twist, i), along(cross(more, arm), beside, faster)))
        put(twist, i, 3, add(w, along(more, spins, faster)))


@inner
def _from_centre(own, sums, mass, i, g):
    """Of body i, its first three numbers in own (R,n) beside those of the centre of group g, sums (R,3) over mass."""
    return (own[i, 0] - sums[g, 0] / mass[g], own[i, 1] - sums[g, 1] / mass[g], own[i, 2] - sums[g, 2] / mass[g])


@inner
def _add_inertia(bodies, i, orientation, motion, whole, spin):
    """Kinetic energy of body i; adds its inertia to whole (3,3) and its angular momentum to spin (3,).

    motion: its place and velocity beside those of a centre, and its angular velocity.
    """
    (arm, u, w), mass, R, own = motion, bodies.mass[i], np.empty((1, 3, 3)), np.empty((1, 3, 3))
    rotation_matrices(orientation[i : i + 1], R)
    rotate_tensors(R, bodies.inertia[i : i + 1], own)
    square = dot(arm, arm)
    for j in range(3):
        for c in range(3):
            whole[j, c] += own[0, j, c] - mass * arm[j] * arm[c]
        whole[j, j] += mass * square
    turning = dot(row(own[0], 0), w), dot(row(own[0], 1), w), dot(row(own[0], 2), w)
    momentum = add(scale(cross(arm, u), mass), turning)
    for j in range(3):
        spin[j] += momentum[j]
    return 0.5 * (mass * dot(u, u) + dot(w, turning))


@inner
def _change(whole, spin, gained, energy):
    """(angular velocity of a group as a whole, what is to be added to it, which part of itself the motion beside it is
    to gain) so that the group loses the angular momentum and the kinetic energy that it gained.

    whole (3,3), spin, energy: inertia, angular momentum and kinetic energy about its centre, that and what it gained.
    """
    (energy, extra), after = energy, sub(spin, gained)
    first, then = _angular_velocity(whole, spin), _angular_velocity(whole, after)
    more, beside = 0.5 * (dot(after, then) - dot(spin, first)) + extra, energy - 0.5 * dot(spin, first)
    # Where less moves so than is to be made up for, the group moves as a whole, and energy changes.
    return first, sub(then, first), sqrt(1.0 - more / beside) - 1.0 if abs(more) < beside else 0.0


@inner
def _angular_velocity(whole, spin):
    """The angular velocity with an inertia (3,3) that gives an angular momentum."""
    # The columns of an inverse are crossed rows over the determinant: LAPACK is in no library of kernels.
    x, y, z = row(whole, 0), row(whole, 1), row(whole, 2)
    yz, zx, xy = cross(y, z), cross(z, x), cross(x, y)
    turned = add(add(scale(yz, spin[0]), scale(zx, spin[1])), scale(xy, spin[2]))
    return scale(turned, 1.0 / dot(x, yz))
