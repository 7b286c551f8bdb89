"""The energy of impacts: with friction Newton's law of restitution may give some; then less restitution is asked."""

import numpy as np

from ..jit import kernel
from ..mechanisms import off
from ..methods.base import Goals, Status
from ..methods.counted import improve_some
from ..options import changed
from ..residuals import block_residuals
from .contact_step import bounces, columns_of_step, times_of
from .goal_kernels import label_count, of_islands
from .jointed.solution import both
from .onset import let_part
from .rigid import with_change
from .step_kernels import add_velocity_targets, fast


@kernel
def impact_works(step, times, threshold, row_start, answer, tolerance):
    """(works (I,) [J] of the impulses of all contacts of each island in which something bounces, how much (I,) of them
    its tolerance leaves); 0 and 0 for others.

    The work of a row is impulse (v- + v+)/2. That of a bounce is less what its target velocity has for what gravity
    gives within the step, see contact_step.bounces. step: StepColumns; answer: the island of each block, contacts hit
    (C,), impulses (K,), velocities (K,) of the rows after them; tolerance (B,) [m/s].
    """
    label, hit, impulse, velocity = answer
    works, left = np.zeros(label_count(label)), np.zeros(label_count(label))
    bouncing = of_islands(label, hit & (step.restitution > 0.0))
    for k in range(hit.size):
        first = row_start[k]
        for i in range(row_start[k + 1] - first if bouncing[k] else 0):
            load, before, after = impulse[first + i], step.before[k, i], velocity[first + i]
            works[label[k]] += 0.5 * load * (before + after)
            left[label[k]] += tolerance[k] * abs(load)
            if i == 0 and hit[k] and before < -fast(step, k, threshold) and after > before:
                a, gap = (step.free[k, 0] - before) / times.step, step.contacts.gap[k]
                begins = max(0.0, gap - times.elapsed * before)
                ends = max(0.0, gap + (times.step - times.elapsed) * step.free[k, 0])
                works[label[k]] += load * (a * begins - min(a, 0.0) * ends) / (after - before)
    return works, left


def without_gain(model, poses, solution, settings, goals):
    """The StepSolution whose impacts give no energy: where they did, all restitution of the island is less, in the one
    proportion in which its impulses do no work, to what its tolerance leaves of that. Where no impulses were found,
    nothing bounces: of contacts that jam between two bodies no impulses may make all part. goals: Goals of the blocks.

    Without restitution they give none, so that false position between none and all of it has a bracket; the end that
    gives nothing is the answer.
    """
    step, hit, label, given = solution.step, solution.hit, solution.islands.of_block, solution.impulse
    if not hit.any() or off("bounded_restitution"):
        return solution
    columns, row_start = columns_of_step(step), solution.problem.row_start
    times, threshold = times_of(poses, settings.time_step), settings.bounce_threshold

    def works_of(impulse):
        answer = label, hit, impulse, step.problem.velocity(impulse)
        return impact_works(columns, times, threshold, row_start, answer, solution.tolerance)

    work, left = works_of(given)
    jammed = _unsolved(solution, goals, len(work))
    asking = (work > left) | jammed
    if not asking.any():
        return solution
    settings.events.some("bounded_restitution", model, step.contacts, hit & asking[label[: len(hit)]])
    _, target = bounces(step, times, threshold)
    let_part(columns, threshold, label, hit, target)

    def with_part(part):
        """b (K,) with a part (I,) of the restitution."""
        b = solution.problem.b.copy()
        for sign, own in ((1.0, part[label[: len(hit)]]), (-1.0, np.ones(len(hit)))):
            terms = np.zeros_like(b)
            scaled = columns._replace(tangential_restitution=own * columns.tangential_restitution)
            add_velocity_targets(row_start, scaled, times.horizon, hit, own * target, terms)
            b += sign * terms
        return b

    count = len(work)
    part, lower, upper, below, above = np.zeros(count), np.zeros(count), np.ones(count), work, work
    side, trial, impulse, b, solved = np.zeros(count), given.copy(), given.copy(), solution.problem.b, solution.solved
    if jammed.any():
        # Their impulses have grown until the limit of work; those of all others were accepted.
        trial = np.where(np.repeat(jammed[label], np.diff(row_start)), solution.held, trial)
        solved = solved._replace(outcome=solved.outcome._replace(status=Status.ACCEPTABLE))
    # As often as a bisection would need.
    for _ in range(np.finfo(float).nmant):
        blocks = np.flatnonzero(asking[label])
        tried = with_part(part)
        trial -= solution.held
        solved = both(solved, improve_some(solution.problem.with_b(tried), trial, blocks, settings, goals))
        trial += solution.held
        work, left = works_of(trial)
        loses = work <= left
        own = np.repeat((asking & (loses | (part == 0.0)))[label], np.diff(row_start))
        impulse[own], b = trial[own], np.where(own, tried, b)
        asking &= np.where(loses, work < -left, part > 0.0) & ~jammed
        if not asking.any() or settings.work.spent:
            break
        # The end that stays for a second time counts half, or it would stay for ever.
        above = np.where(loses, np.where(side < 0.0, 0.5 * above, above), work)
        below = np.where(loses, work, np.where(side > 0.0, 0.5 * below, below))
        lower, upper, side = np.where(loses, part, lower), np.where(loses, upper, part), np.where(loses, -1.0, 1.0)
        part = np.where(asking, lower + (upper - lower) * below / np.where(asking, below - above, 1.0), part)
    twist = with_change(model, poses.free, step.problem.velocity_change(impulse))
    return changed(solution, problem=solution.problem.with_b(b), impulse=impulse, twist=twist, motion=twist,
                   solved=solved.unjudged)  # fmt: skip


def _unsolved(solution, goals, count):
    """True (I,) for the islands of a solve whose residual stayed above what is acceptable."""
    found = np.zeros(count, dtype=bool)
    if not solution.solved.outcome.status.accepted:
        goals, answer = Goals(*goals), solution.impulse - solution.held
        aim = np.maximum(goals.tolerance, goals.acceptable) * (1.0 + 1e-6)
        found[solution.islands.of_block[block_residuals(solution.problem, answer) > aim]] = True
    return found
