"""The motion of the bodies over the rest of a step where it is not that of their velocities: bounces and overlaps.

Bodies that bounce first close their gap: a displacement problem with friction. Overlap is pushed out by one more
problem, which keeps the friction impulses: with a friction law of its own it would often have no answer. Of two
contacts that wedge a body one has to give way and the other does not let it, and overlaps in a pile stay for ever.
"""

from math import sqrt

import numpy as np

from ..jit import kernel
from ..mechanisms import off
from ..methods.accelerated.turn_kernels import FIRST_SWEEPS
from ..methods.counted import improve_within
from ..options import changed
from ..residuals import block_residuals
from .contact_step import columns_of_step, times_of
from .goals import on_blocks, only, step_goals
from .projection import parts_of_way
from .rigid import with_change
from .step_kernels import MOST_TURNED, gap_at_start, smaller_moving

# How exactly overlaps are pushed out, in parts of the fastest push of an island.
PUSHED = 0.003
# Overlap that comes of smooth motion goes at this part of the rate, so that a disk that rolls keeps the order of the
# scheme; what is as deep as the most that is foreseen goes at the whole rate: it came with a blow, or badly foreseen.
GENTLE = 0.4


@kernel
def push_velocities(bodies, step, times, hit, limits, push):
    """See _push; limits: overlap that is let be, rate and largest push, parts of a body's size and of the overlap;
    returns True if there is anything to push. What bounces is pushed by the overlap that it had at the start alone: to
    be lifted would give it height."""
    tolerance, rate, largest = limits
    found = False
    for k in range(hit.size):
        size, gap = smaller_moving(bodies, step.contacts, k), step.contacts.gap[k]
        bounces = hit[k] and step.restitution[k] > 0.0
        overlap = max(-(gap_at_start(step, times.elapsed, k) if bounces else gap) - tolerance * size, 0.0)
        share = GENTLE + (1.0 - GENTLE) * min(1.0, overlap / (MOST_TURNED * size))
        push[k] = min(share * rate * overlap, largest * size) / (times.step - times.elapsed)
        found = found or push[k] > 0.0
    return found


@kernel
def ask_roughly(label, push, part, goals):
    """Make the goals (B,) of blocks, tolerance, patience and effort, those of a push: what is left of an overlap is
    pushed in the next step, so `part` of how fast overlaps of the island are to go will do, and a first turn of sweeps
    with as much again of Newton steps. What that does not push, and not patience either, has no answer: bodies that are
    locked in each other would take all effort in every step. label (B,): island of each block; push (C,) [m/s]: of the
    first of them."""
    (tolerance, patience, effort), size = goals, np.zeros(label.max() + 1, np.int64)
    fastest = np.zeros(size.size)
    for k in range(label.size):
        size[label[k]] += 1
        if k < push.size:
            fastest[label[k]] = max(fastest[label[k]], push[k])
    for k in range(label.size):
        i = label[k]
        if fastest[i] > 0.0:
            tolerance[k] = max(tolerance[k], part * fastest[i])
            effort[k] = min(effort[k], max(patience[k], np.int64(2.0 * FIRST_SWEEPS) * size[i]))


@kernel
def displacement_b(step, row_start, times, hit, push, b):
    """Make b (K,), that of the rows, the one of the displacement problem, whose velocity moves the bodies over the
    remaining time of the step; step: StepColumns, times: StepTimes.

    Contacts that are hit may close their gap but not pass through, and what the first half of the step took them
    through is closed again; overlap is pushed out with velocity `push` (C,).
    """
    for k in range(hit.size):
        gap = step.contacts.gap[k]
        if hit[k]:
            way = (gap - min(0.0, gap_at_start(step, times.elapsed, k))) / (times.step - times.elapsed)
        else:
            way = max(gap, 0.0) / times.horizon
        b[row_start[k]] += way - push[k]


@kernel
def wild_islands(bodies, moved, twist, remaining, islands, row_start, asked):
    """Islands (R,) bool out of which bodies fly: that move over the remaining time [s] far beyond their velocity, with
    `moved` for twist (R,6), and that much faster than the displacement problem asks for beyond the velocity problem,
    asked (K,) [m/s] of each row; islands: label (B,) of each block, (R,) of each body."""
    (of_block, of_body), count = islands, moved.shape[0]
    wild, demand, speed, change = np.zeros(count, np.bool_), np.zeros(count), np.zeros(count), np.empty(6)
    flies = np.zeros(count, np.bool_)
    for i in range(count):
        if bodies.inverse_mass[i] > 0.0:
            for j in range(6):
                change[j] = moved[i, j] - twist[i, j]
            speed[i] = sqrt(change[0] ** 2 + change[1] ** 2 + change[2] ** 2)
            speed[i] += bodies.size[i] * sqrt(change[3] ** 2 + change[4] ** 2 + change[5] ** 2)
            # Less than a fiftieth of its size beyond its velocity is no flight.
            flies[i] = remaining * speed[i] > 0.02 * bodies.size[i]
    if not flies.any():
        return wild
    for k in range(of_block.size):
        for i in range(row_start[k], row_start[k + 1]):
            demand[of_block[k]] = max(demand[of_block[k]], abs(asked[i]))
    for i in range(count):
        # So many times faster than the demands of its island it is where the problem has no answer but a wild one.
        if flies[i] and speed[i] > 20.0 * demand[of_body[i]]:
            wild[of_body[i]] = True
    return wild


@kernel
def hold_push_back(bodies, islands, remaining, most, meets, before, after):
    """Make velocities (R,6) and impulses (K,) of a push, `after`, those of a part of it, between `before` and it, where
    it moves a body of an island by more than `most` of its size over the remaining time [s]: out of a narrow cone
    overlap goes by a way many times as long, on which nothing was searched for. Not in islands with blocks that `meets`
    (B,) bool, whose gaps it closes, too. islands: label (B,) of each block, (R,) of each body, row_start (B+1,).
    """
    (of_block, of_body, row_start), (base, moved) = islands, (before[0], after[0])
    way, part = np.empty(of_body.size), np.empty(of_body.size)
    parts_of_way(bodies, moved - base, remaining, of_body, most, way, part)
    for k in range(of_block.size):
        if meets[k]:
            part[of_block[k]] = 1.0
    for i in range(of_body.size):
        if part[of_body[i]] < 1.0:
            for j in range(6):
                moved[i, j] = base[i, j] + part[of_body[i]] * (moved[i, j] - base[i, j])
    for k in range(of_block.size):
        if part[of_block[k]] < 1.0:
            for i in range(row_start[k], row_start[k + 1]):
                after[1][i] = before[1][i] + part[of_block[k]] * (after[1][i] - before[1][i])


def motion_to_end(model, poses, solution, settings):
    """(velocities (R,6) that move the bodies over the remaining time, impulses (K,) that give them): not those of the
    solution where contacts bounce or overlap."""
    if off("bounce_displacement"):
        solution = changed(solution, hit=np.zeros_like(solution.hit))
    push = _push(model, poses, solution, settings)
    if push is None and not solution.hit.any():
        return solution.twist, solution.impulse
    settings.events.some("bounce_displacement", model, solution.step.contacts, solution.hit)
    if push is not None:
        settings.events.some("penetration_correction", model, solution.step.contacts, push > 0.0)
    return _displaced(model, poses, solution, push, settings)


def _displaced(model, poses, solution, push, settings):
    """Velocities (R,6) that move the bodies over the remaining time, and impulses (K,) that give them.

    push (C,) [m/s]: how fast overlap is to go; None where there is nothing to push. Islands whose bodies fly where gaps
    are closed do without it; what is pushed goes no further than hold_push_back says. Where the velocities did not
    converge, gaps are closed without friction. Islands in which nothing bounces or overlaps move with their velocities.
    """
    step, impulse, islands, moved = solution.step, solution.impulse, solution.islands, solution.twist
    goals, times = step_goals(model, poses.before, step, settings, patient=False), times_of(poses, settings.time_step)

    def asking(push):
        return _asking(solution, times, push)

    bouncing = islands.any(on_blocks(step, solution.hit))
    if bouncing.any():
        residual = block_residuals(solution.problem, solution.answer)
        solved = bouncing & ~islands.any(residual > goals.tolerance)
        if solved.any():
            problem = asking(np.zeros(step.contacts.count))
            after = _improved(problem, impulse, settings, only(goals, solved), solved)
            moved, impulse, wild = _limited(model, poses, solution, problem, (impulse, after), solved)
            bouncing = (bouncing & ~solved) | wild
            settings.events.count("unbounded_response", np.count_nonzero(wild))
    asked = bouncing if push is None else bouncing | islands.any(on_blocks(step, push > 0.0))
    if asked.any():
        problem = asking(np.zeros(step.contacts.count) if push is None else push)
        if push is not None:
            ask_roughly(islands.of_block, push, PUSHED, (goals.tolerance, goals.patience, goals.effort))
        before, goals = (moved, impulse), only(goals, asked)
        after = _pushed(problem, step, impulse, settings, goals, asked)
        moved, impulse, wild = _limited(model, poses, solution, problem, (impulse, after), bouncing)
        settings.events.count("unbounded_response", np.count_nonzero(wild))
        blocks = islands.of_block, islands.of_body, problem.row_start
        hold_push_back(model.bodies, blocks, poses.remaining, settings.largest_push, bouncing, before, (moved, impulse))
    return moved, impulse


def closing_impulses(model, poses, solution, settings, wanted):
    """Impulses (K,) whose velocities close the gaps of what bounces until the end of the step, on the islands of blocks
    `wanted` (B,); those of the solution on others."""
    goals = step_goals(model, poses.before, solution.step, settings, patient=False)
    problem = _asking(solution, times_of(poses, settings.time_step), np.zeros(solution.step.contacts.count))
    return _improved(problem, solution.impulse, settings, only(goals, wanted), wanted)


def _asking(solution, times, push):
    """The displacement problem of a StepSolution; push (C,) [m/s]."""
    problem = solution.step.problem
    b = problem.b.copy()
    displacement_b(columns_of_step(solution.step), problem.row_start, times, solution.hit, push, b)
    return problem.with_b(b)


def _push(model, poses, solution, settings):
    """Velocity (C,) [m/s] that takes a part of the overlap away over the remaining time, capped by the body size; None
    where there is none."""
    if settings.overlap != "soft" or off("penetration_correction"):
        return None
    push, step, times = np.zeros(len(solution.hit)), solution.step, times_of(poses, settings.time_step)
    limits = settings.overlap_tolerance, settings.push_rate, settings.largest_push
    return push if push_velocities(model.bodies, columns_of_step(step), times, solution.hit, limits, push) else None


def _motion(model, poses, step, impulse):
    return with_change(model, poses.free, step.problem.velocity_change(impulse))


def _improved(problem, impulse, settings, goals, wanted):
    """Impulses (K,) that meet the demands of `problem` on blocks `wanted` (B,), from those given; others stay."""
    better = impulse.copy()
    improve_within(problem, better, settings, goals)
    return np.where(np.repeat(wanted, np.diff(problem.row_start)), better, impulse)


def _pushed(problem, step, impulse, settings, goals, wanted):
    """Impulses (K,) with normal ones that meet the demands of `problem`, and the friction of those given."""
    friction = impulse.copy()
    friction[step.first] = 0.0
    friction[step.contact_rows :] = 0.0
    normal = _improved(problem.with_friction_given(friction), impulse - friction, settings, goals, wanted)
    return np.where(np.repeat(wanted, np.diff(problem.row_start)), friction + normal, impulse)


def _limited(model, poses, solution, problem, impulses, wanted):
    """(velocities (R,6), their impulses (K,), wild (B,): of the blocks `wanted` (B,) those of islands that bodies would
    fly out of); impulses: (before, an answer to `problem`), the first on islands that are wild.
    """
    before, after = impulses
    moved, islands = _motion(model, poses, solution.step, after), solution.islands
    wild = np.zeros(problem.block_count, dtype=bool)
    if not off("unbounded_response"):
        wild = wild_islands(model.bodies, moved, solution.twist, poses.remaining, tuple(islands), problem.row_start,
                            problem.b - solution.problem.b)[islands.of_block] & wanted  # fmt: skip
    if not wild.any():
        return moved, after, wild
    limited = np.where(np.repeat(wild, np.diff(problem.row_start)), before, after)
    return _motion(model, poses, solution.step, limited), limited, wild
