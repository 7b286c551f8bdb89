"""Overlap taken away by positions alone at the end of a step: the first-order world of the PROX paper.

Bodies obey M dq = J^T lambda (eq. 44), so that displacements are shared out by mass, and lambda solves
0 <= lambda  perp  J W J^T lambda + g >= 0 (eq. 49), g the gaps. It is the contact problem without friction, in metres
instead of metres a second, and every method solves it. Velocities are left alone: no kinetic energy comes of it.
"""

from dataclasses import replace
from math import sqrt
from typing import NamedTuple

import numpy as np

from .. import methods
from ..collision.contacts import ContactSet, empty_contacts
from ..collision.pipeline import find_contacts
from ..jit import inner, kernel
from ..mechanisms import off
from ..methods.counted import improve_within
from ..methods.second_order.jointed_kernels import asks_nothing
from ..options import changed
from ..problem import ContactProblem
from ..problems.islands import body_islands
from ..problems.label_kernels import label_islands
from ..problems.problem_kernels import add_velocity_change, diagonal_of, row_velocity
from ..problems.residual_kernels import natural_map
from .assembly_kernels import Motion, StepArrays, assembled, contact_arrays
from .contact_step import columns_of_step, problem_of
from .goal_kernels import add_for_size, farthest, island_of_bodies, moving_ends
from .goals import DOUBLES, couplings
from .jointed.block_kernels import rows_to_close, with_blocks
from .jointed.momentum_kernels import nothing_closed
from .jointed.projection import closed_poses
from .jointed.state import joints_of
from .report_kernels import NEWLY_DEEP, Limits, deep_islands
from .step_kernels import add_change, move, smaller_moving
from .tables import PairTables


class Round(NamedTuple):
    """One look at overlap: moves (R,) bool, bodies of islands with overlap to close; label (R,): the island of each;
    their contacts (C), and island (C,) of each; the StepArrays of the problem whose row velocities are the gaps after
    the displacement; tolerance (R,) [m] of each island, as exact as its smallest body asks for; effort (R,) of its
    solve."""

    moves: np.ndarray
    label: np.ndarray
    island: np.ndarray
    contacts: ContactSet
    arrays: StepArrays
    tolerance: np.ndarray
    effort: np.ndarray


@inner
def islands_to_close(bodies, contacts, coupled, limits, wanted, labels, smallest):
    """Moving bodies (R,) bool of islands with an overlap to close and one of the bodies `wanted` (R,); fills labels,
    the island of each body (R,) and contact (C,), and the size [m] of the smallest body of each island, (R,). coupled
    (P,2): by joints."""
    (label, island), count = labels, wanted.size
    island_of_bodies(bodies.inverse_mass, contacts, coupled, label)
    moving_ends(bodies.inverse_mass, contacts.body_a, contacts.body_b, island)
    deep, asked = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    for k in range(island.size):
        island[k] = own = label[island[k]]
        size = smaller_moving(bodies, contacts, k)
        deep[own] |= -contacts.gap[k] > limits.let_be * size
        smallest[own] = min(smallest[own], size)
    for i in range(count):
        asked[label[i]] |= wanted[i]
    moves = np.empty(count, np.bool_)
    for i in range(count):
        own = label[i]
        moves[i] = bodies.inverse_mass[i] > 0.0 and deep[own] and asked[own]
    return moves


@inner
def place_of(contacts, a, b, key):
    """Where a contact stands in a ContactSet in its order, -1 if it does not."""
    first, last = 0, contacts.gap.size
    while first < last:
        k = (first + last) // 2
        one, other = contacts.body_a[k], contacts.body_b[k]
        if (one, other, contacts.key[k]) < (a, b, key):
            first = k + 1
        else:
            last = k
    found = first < contacts.gap.size and contacts.body_a[first] == a and contacts.body_b[first] == b
    return first if found and contacts.key[first] == key else -1


@inner
def with_earlier(contacts, earlier):
    """The contacts, and behind them the earlier ones whose features have none now."""
    more = np.empty(earlier.gap.size, np.bool_)
    for k in range(more.size):
        more[k] = place_of(contacts, earlier.body_a[k], earlier.body_b[k], earlier.key[k]) < 0
    return ContactSet(
        np.concatenate((contacts.body_a, earlier.body_a[more])),
        np.concatenate((contacts.body_b, earlier.body_b[more])),
        np.concatenate((contacts.position, earlier.position[more])),
        np.concatenate((contacts.normal, earlier.normal[more])),
        np.concatenate((contacts.gap, earlier.gap[more])),
        np.concatenate((contacts.key, earlier.key[more])),
    )


@kernel
def look_at_overlap(bodies, pairs, contacts, earlier, coupled, poses, limits, wanted):
    """The Round of contacts between bodies at poses (R,3), (R,4); wanted (R,) bool: only islands with one of these;
    coupled (P,2): by joints.

    earlier: contacts of the round before. They stay, with the gaps that its displacement left, where features have none
    now: else bodies slide from facet to facet, each of which is closed as if there were no other.
    """
    (position, orientation), contacts = poses, with_earlier(contacts, earlier)
    count, used = bodies.mass.size, 0
    label, island, index = np.empty(count, np.int64), np.empty_like(contacts.body_a), np.empty_like(contacts.body_a)
    smallest = np.full(count, np.inf)
    moves = islands_to_close(bodies, contacts, coupled, limits, wanted, (label, island), smallest)
    for k in range(index.size):
        if moves[contacts.body_a[k]] or moves[contacts.body_b[k]]:
            index[used] = k
            used += 1
    index = index[:used]
    own = ContactSet(contacts.body_a[index], contacts.body_b[index], contacts.position[index], contacts.normal[index],
                     contacts.gap[index], contacts.key[index])  # fmt: skip
    still, island = np.zeros((count, 6)), island[index]
    frictionless = PairTables(np.zeros_like(pairs.mu), pairs.restitution, pairs.law)
    arrays = assembled(bodies, frictionless, own, Motion(position, orientation, still, still))
    for k in range(used):
        # Beyond a tenth of the smaller body the linear gap means little.
        arrays.b[k] = max(own.gap[k], -0.1 * smaller_moving(bodies, own, k))
    efforts, effort = np.full(used, limits.effort), np.zeros(count, np.int64)
    add_for_size(island, farthest(bodies.inverse_mass, own, coupled, label), limits.doubles, efforts)
    for k in range(used):
        effort[island[k]] = efforts[k]
    # A tenth of the overlap that is let be.
    return Round(moves, label, island, own, arrays, 0.1 * limits.tolerance * smallest, effort)


@kernel
def closing_problem(t, bodies, joints, poses, look, sides):
    """(Arrays of the problem of a Round at poses (R,3), (R,4), with the joints of its bodies behind its contacts;
    island (B,) of each block); joints: broken (J,), and values (F,) a moment ago, of Tables t."""
    p, (broken, value) = contact_arrays(look.arrays, look.arrays.b, sides), joints
    if value.size == 0:
        return p, look.island
    joined = rows_to_close(t, bodies, broken, value, poses, look.moves)
    if joined.blocks.size == 0:
        return p, look.island
    return with_blocks(t, p, look.contacts, joined, joined.b), np.concatenate((look.island, look.label[joined.bodies]))


@inner
def parts_of_way(bodies, shift, time, label, most, way, part):
    """Fill way (R,), how far each body goes in parts of its size with velocities shift (R,6) over a time [s], and what
    part (R,) of it the islands label (R,) may go so that none goes further than `most`."""
    part[:] = 1.0
    for i in range(way.size):
        way[i] = sqrt(shift[i, 0] ** 2 + shift[i, 1] ** 2 + shift[i, 2] ** 2) / bodies.size[i]
        way[i] += sqrt(shift[i, 3] ** 2 + shift[i, 4] ** 2 + shift[i, 5] ** 2)
        way[i] *= time
        if way[i] > most:
            part[label[i]] = min(part[label[i]], most / way[i])


@kernel
def close_overlap(bodies, p, look, impulse, limits, poses, wanted, moved):
    """Move poses (R,3), (R,4), in place, by displacements dq = W J^T lambda (eq. 45) of a Round with impulses lambda
    (K,) of its Arrays p, and add them to moved, see nothing_closed. wanted (R,) bool becomes what is to be looked at
    again, and the gaps of the Round what they are then.
    """
    (total, joined, held), contacts, pressed = moved, look.contacts, look.island.size
    count, change = wanted.size, np.zeros(6 * np.count_nonzero(bodies.dof_of_body >= 0))
    shift, stays, way, part = np.zeros((count, 6)), np.zeros(count, np.bool_), np.empty(count), np.empty(count)
    residual, (offset, diagonal) = np.empty(p.kind.size), diagonal_of(p)
    add_velocity_change(p, impulse, change)
    add_change(bodies.dof_of_body, change, shift)
    natural_map(p, offset, diagonal, impulse, change, residual)
    left = np.zeros(impulse.size)
    row_velocity(p, impulse, change, left)
    for k in range(pressed):
        # The judge's residual may be above the one that ended a solve by round-off.
        if not limits.whole and residual[k] > 2.0 * look.tolerance[look.island[k]]:
            stays[look.island[k]] = True
    # Of more than that the linear gap tells little: a part of the way, which opens as much in part.
    parts_of_way(bodies, shift, 1.0, look.label, limits.way, way, part)
    for i in range(count):
        shift[i] *= part[look.label[i]]
    (position, orientation), ends = poses, (np.empty((count, 3)), np.empty((count, 4)))
    move(position, orientation, shift, 1.0, ends[0], ends[1])
    for i in range(count):
        moves = look.moves[i] and not stays[look.label[i]]
        # The square of what little bodies move by, which the linear gap lacks, is let be.
        wanted[i] = limits.whole or (moves and way[i] ** 2 > limits.tolerance)
        if moves:
            position[i], orientation[i] = ends[0][i], ends[1][i]
            for j in range(6):
                total[i, j] += shift[i, j]
    for k in range(pressed):
        # What a cluster of joints holds is asked for nothing.
        if not stays[look.island[k]] and not asks_nothing(p, k):
            contacts.gap[k] += part[look.island[k]] * (left[k] - p.b[k])
    pushes = np.flatnonzero(impulse[:pressed] > 0.0)
    a, b, used = np.empty(count + pushes.size, np.int64), np.empty(count + pushes.size, np.int64), count
    for i in range(count):
        a[i], b[i] = i, joined[i]
    for k in pushes:
        one, other = contacts.body_a[k], contacts.body_b[k]
        free = other if bodies.inverse_mass[one] == 0.0 else one
        if stays[look.label[free]]:
            continue
        held[free] |= bodies.inverse_mass[one] == 0.0 or bodies.inverse_mass[other] == 0.0
        a[used], b[used] = one, other
        used += 1
    label_islands(bodies.inverse_mass, a[:used], b[:used], joined)


@kernel
def opened_by(contacts, shift):
    """Contacts (C,) bool that overlap, of bodies that a shift (R,6) moves."""
    found = np.empty(contacts.gap.size, np.bool_)
    for k in range(found.size):
        moves = shift[contacts.body_a[k]].any() or shift[contacts.body_b[k]].any()
        found[k] = contacts.gap[k] < 0.0 and moves
    return found


def limits_of(settings):
    """The Limits of a step under StepSettings. Methods that split no loads close nothing at the end of steps, nor do
    other treatments than "soft" and "projection"."""
    tolerance, whole = settings.overlap_tolerance, settings.overlap == "projection"
    solving = 8, whole, getattr(settings.method_options, "effort", 0), DOUBLES
    if whole:
        return Limits(tolerance, tolerance, np.inf, *solving)
    soft = settings.overlap == "soft" and not off("penetration_correction")
    closes = soft and getattr(settings.method_options, "even_loads", 0) > 0
    return Limits(NEWLY_DEEP * tolerance if closes else np.inf, tolerance, settings.largest_push, *solving)


def closed_at_end(model, there, after, solution, settings):
    """(State after, StepSolution) with overlap closed by positions alone; there: the State where contacts were found.

    All of it under the treatment "projection"; under "soft" that of islands in which it is deep, see deep_islands.
    """
    limits, wanted = limits_of(settings), np.ones(model.body_count, dtype=bool)
    if not limits.whole:
        poses, half = ((there.position, there.orientation), (after.position, after.orientation)), settings.time_step / 2
        wanted = deep_islands(model.bodies, columns_of_step(solution.step), solution.islands.of_block, limits, half,
                              *poses)  # fmt: skip
    if not wanted.any():
        return after, solution
    closed, moved = projected(model, after, settings, limits, wanted)
    shift, *coupled = moved
    if not shift.any():
        return after, solution
    contacts = solution.step.contacts
    settings.events.some("penetration_correction", model, contacts, opened_by(contacts, shift))
    motion = solution.motion + shift / (after.time - there.time)
    return closed, changed(solution, motion=motion, closed=tuple(coupled))


def projected(model, state, settings, limits, wanted):
    """(`state` with its overlap removed, what closing it did, see nothing_closed): positions and orientations change,
    nothing else.

    Overlap below what Limits let be of the smaller body is let be, and so is an island without any other, or without a
    body `wanted` (R,). What eight rounds leave stays for the next step, whose StepReport says how deep it is.
    """
    still, moved, wanted = np.zeros_like(state.twist), nothing_closed(len(wanted)), wanted.copy()
    poses, given = (state.position.copy(), state.orientation.copy()), settings.method_options
    earlier, joints, coupled = empty_contacts(), joints_of(state), model.joints.coupled
    # The gap is linearised: what is left, or new, goes in another round.
    for _ in range(limits.rounds):
        near = coupled_with(wanted, model.inverse_mass, couplings(model, earlier))
        contacts = find_contacts(model.collision, *poses, still, 0.0, workers=settings.workers, wanted=near)
        look = look_at_overlap(model.bodies, model.pairs, contacts, earlier, coupled, poses, limits, wanted)
        if not look.moves.any():
            break
        held = joints.broken, joints.value
        p, island = closing_problem(model.joint_tables, model.bodies, held, poses, look, ContactProblem.sides)
        problem, count = problem_of(look.arrays, look.arrays.b), len(island)
        if count > len(look.island):
            problem = problem.derive(**{name: getattr(p, name) for name in p._fields if name != "sides"})
        impulse, patience = np.zeros(len(p.b)), np.full(count, getattr(given, "patience", 0))
        goals = methods.Goals(look.tolerance[island], np.zeros(count), patience, look.effort[island])
        improve_within(problem, impulse, settings, goals)
        close_overlap(model.bodies, p, look, impulse, limits, poses, wanted, moved)
        if joints.tables.count:
            *poses, value = closed_poses(model, joints, *poses)
            poses, joints = tuple(poses), replace(joints, value=value)
        if not wanted.any():
            break
        earlier = look.contacts
    after = replace(state, position=poses[0], orientation=poses[1])
    return replace(after, joints=joints) if joints.tables.count else after, moved


def coupled_with(wanted, inverse_mass, known):
    """find_contacts' `wanted`: pairs of bodies whose boxes meet that may be in an island with one of the bodies
    `wanted` (R,); known: bodies (P,), (P,) that are coupled besides. None where all that move are wanted."""
    moving, (one, other) = inverse_mass > 0, known
    if wanted[moving].all():
        return None

    def coupled(a, b):
        label = body_islands(inverse_mass, np.append(a, one), np.append(b, other))
        asked = np.zeros(len(label), dtype=bool)
        asked[label[wanted & moving]] = True
        return asked[label[np.where(moving[a], a, b)]]

    return coupled


def smaller_size(model, contacts):
    """Size (C,) [m] of the smaller moving body of each contact."""
    size = np.where((model.inverse_mass > 0) | model.soft, model.size, np.inf)
    return np.minimum(size[contacts.body_a], size[contacts.body_b])
