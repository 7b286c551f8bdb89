"""The energy of impacts: with friction Newton's law of restitution may give some; then less restitution is asked."""

import numpy as np

from ..jit import kernel
from ..mechanisms import off
from ..methods.base import Goals, Status
from ..methods.counted import improve_some, most_work
from ..options import changed
from ..problem import Block
from ..residuals import block_residuals
from .contact_step import bounces, columns_of_step, times_of
from .displacement import closing_impulses
from .goal_kernels import label_count, of_islands
from .jointed.solution import both
from .onset import let_part
from .rigid import with_change
from .step_kernels import add_velocity_targets, fast


@kernel
def impact_works(step, times, threshold, row_start, answer, tolerance):
    """(works (I,) [J] of the impulses of all contacts of each island in which something bounces, the most (I,) that
    gravity may give beyond them, see add_falls, how much (I,) its tolerance leaves); 0 for others.

    The work of a row is impulse (v- + v+)/2. Where a bounce slows a fall, gravity gives what its target velocity lacks,
    see contact_step.bounces, and that if no other contact stops the bodies. step: StepColumns;
    answer: the island of each block, contacts hit (C,), impulses (K,), velocities (K,) of the rows after them;
    tolerance (B,) [m/s].
    """
    label, hit, impulse, velocity = answer
    count = label_count(label)
    works, most, left = np.zeros(count), np.zeros(count), np.zeros(count)
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
                most[label[k]] += max(0.0, load * (a * begins - min(a, 0.0) * ends) / (after - before))
    return works, most, left


@kernel
def add_falls(bodies, h, after, moved, of_body, works):
    """Add to works (I,) [J] of the islands, of_body (R,), what gravity gives their bodies beyond the potential energy
    of the way that they move in a step of h [s]: m g.(u+ - motion) h/2. after, moved (R,6): velocities u+, motion."""
    for i in range(of_body.size):
        if bodies.inverse_mass[i] > 0.0 and of_body[i] < works.size:
            for j in range(3):
                fall = 0.5 * h * (after[i, j] - moved[i, j])
                works[of_body[i]] += bodies.gravity[j] * fall / bodies.inverse_mass[i]


def without_gain(model, poses, solution, settings, goals, last=True):
    """The StepSolution whose impacts give no energy: where they did, all restitution of the island is less, in the one
    proportion in which its impulses do no work, to what its tolerance leaves of that. Where there are no impulses, or
    those found miss velocities by more than bounces would give, nothing bounces: of contacts that jam between two
    bodies none may make all part. goals: Goals of the blocks; last: whether no more effort is to come: before that an
    island that may have impulses keeps its problem.

    Without restitution they give none, so that false position between none and all of it has a bracket; the end that
    gives nothing is the answer.
    """
    step, hit, label, given = solution.step, solution.hit, solution.islands.of_block, solution.impulse
    if not hit.any() or off("bounded_restitution"):
        return solution
    columns, row_start = columns_of_step(step), solution.problem.row_start
    times, threshold = times_of(poses, settings.time_step), settings.bounce_threshold

    def twist_of(impulse):
        return with_change(model, poses.free, step.problem.velocity_change(impulse))

    def works_of(impulse):
        answer = label, hit, impulse, step.problem.velocity(impulse)
        return impact_works(columns, times, threshold, row_start, answer, solution.tolerance)

    work, most, left = works_of(given)
    unsolved, bounces_here, dead = _unsolved(solution, goals, (times, threshold), len(work))
    unsolved &= last | bounces_here
    asking = (work + most > left) & ~unsolved
    if not (asking | unsolved).any():
        return solution
    jammed = _jammed(solution, unsolved, settings)
    dead |= jammed
    waiting = dead & ~jammed & (not last)
    moved = twist_of(closing_impulses(model, poses, solution, settings, asking[label]) if asking.any() else given)

    def add_falls_of(impulse, work):
        add_falls(model.bodies, settings.time_step, twist_of(impulse), moved, solution.islands.of_body, work)

    add_falls_of(given, work)
    asking = asking & (work > left) | dead
    if not asking.any():
        return solution
    settings.events.some("bounded_restitution", model, step.contacts, hit & (asking & ~waiting)[label[: len(hit)]])
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
    if dead.any():
        # Their impulses have grown until the limit of work; those of all others were accepted.
        trial = np.where(np.repeat(dead[label], np.diff(row_start)), solution.held, trial)
        status = solved.outcome.status if (waiting | unsolved & ~dead).any() else Status.ACCEPTABLE
        solved = solved._replace(outcome=solved.outcome._replace(status=status))
    # As often as a bisection would need.
    for _ in range(np.finfo(float).nmant):
        blocks = np.flatnonzero(asking[label])
        tried = with_part(part)
        trial -= solution.held
        solved = both(solved, improve_some(solution.problem.with_b(tried), trial, blocks, settings, goals))
        trial += solution.held
        work, _, left = works_of(trial)
        add_falls_of(trial, work)
        loses = work <= left
        own = np.repeat((asking & (loses | (part == 0.0)))[label], np.diff(row_start))
        impulse[own], b = trial[own], np.where(own & ~np.repeat(waiting[label], np.diff(row_start)), tried, b)
        asking &= np.where(loses, work < -left, part > 0.0) & ~dead
        if not asking.any() or settings.work.spent:
            break
        # The end that stays for a second time counts half, or it would stay for ever.
        above = np.where(loses, np.where(side < 0.0, 0.5 * above, above), work)
        below = np.where(loses, work, np.where(side > 0.0, 0.5 * below, below))
        lower, upper, side = np.where(loses, part, lower), np.where(loses, upper, part), np.where(loses, -1.0, 1.0)
        part = np.where(asking, lower + (upper - lower) * below / np.where(asking, below - above, 1.0), part)
    twist = twist_of(impulse)
    return changed(solution, problem=solution.problem.with_b(b), impulse=impulse, twist=twist, motion=twist,
                   solved=solved.unjudged)  # fmt: skip


def _unsolved(solution, goals, given, count):
    """(True (I,) for the islands of a solve whose residual stayed above what is acceptable, (I,) for those in which
    something bounces, and (I,) for those of both in which it is more than all that bounces give); given: StepTimes and
    the speed of an impact that bounces [m/s]."""
    worst, most = np.zeros(count), np.zeros(count)
    if not solution.solved.outcome.status.accepted:
        goals, label = Goals(*goals), solution.islands.of_block
        residual = block_residuals(solution.problem, solution.answer)
        aim = np.maximum(goals.tolerance, goals.acceptable) * (1.0 + 1e-6)
        np.maximum.at(worst, label, np.where(residual > aim, residual, 0.0))
        hit, (_, target) = solution.hit, bounces(solution.step, *given)
        np.maximum.at(most, label[: len(hit)], np.where(hit, target, 0.0))
    return worst > 0.0, most > 0.0, (worst > most) & (most > 0.0)


def _jammed(solution, unsolved, settings):
    """True (I,) for those of the islands `unsolved` (I,) of which no impulses give what is asked, as the blocks show
    whose impulses are the largest: as many as a solve has work for."""
    found, problem = np.zeros_like(unsolved), solution.problem
    for island in np.flatnonzero(unsolved):
        blocks = np.flatnonzero(solution.islands.of_block == island)
        largest = np.argsort(-np.abs(solution.answer[problem.row_start[blocks]]), kind="stable")
        pushing = np.sort(blocks[largest[: int(np.cbrt(most_work(problem, settings)))]])
        settings.work.solve(len(pushing) ** 3)
        found[island] = push_each_other(problem.restrict(pushing)[0])
    return found


def push_each_other(problem):
    """Whether contacts and joints can push each other so that no body feels it, and against what b asks for: then no
    impulses give that, and those of any method grow without a bound (a theorem of the alternative)."""
    # Here, for runs in which everything is solved do without it.
    from scipy.linalg import block_diag
    from scipy.optimize import nnls

    pushes = block_diag(*_pushes(problem))
    sums = np.vstack([(pushes @ _felt(problem)).T, -pushes @ problem.b])
    largest = np.abs(sums).max(axis=1, initial=0.0)
    if largest[-1] == 0.0:
        return False
    scaled = sums[largest > 0.0] / largest[largest > 0.0, None]
    try:
        left = nnls(scaled, np.append(np.zeros(len(scaled) - 1), 1.0))[1]
    except RuntimeError:
        # It came to no end within three rounds for each push: none is known.
        return False
    return left < np.sqrt(np.finfo(float).eps)


def _felt(problem):
    """(W J^T)^T (K, N), dense."""
    dense, rows = np.zeros((problem.row_count, problem.dof_count)), problem.G
    for k, (first, last) in enumerate(zip(problem.row_start, problem.row_start[1:], strict=False)):
        for s in range(rows.indptr[k], rows.indptr[k + 1]):
            numbers = rows.data[rows.offset[s] :][: (last - first) * rows.size[s]]
            dense[first:last, rows.start[s] : rows.start[s] + rows.size[s]] = numbers.reshape(last - first, -1)
    return dense


def _pushes(problem):
    """Of each block the impulses (n, m) by sums of which, of none less than nothing, it may grow: of stiff contacts,
    joints and limits; friction in eight directions."""
    at, first, parts = np.arange(8) * np.pi / 4.0, problem.row_start, []
    for k, kind in enumerate(problem.kind):
        own = np.eye(first[k + 1] - first[k])
        if kind == Block.BILATERAL:
            own = np.vstack([own, -own])
        elif kind == Block.CONTACT and len(own) > 1:
            across = np.outer(problem.mu[k, 0] * np.cos(at), own[1]) + np.outer(problem.mu[k, 1] * np.sin(at), own[2])
            own = own[0] + across
        grows = kind in (Block.CONTACT, Block.BILATERAL, Block.LIMIT) and problem.compliance_offset[k] < 0
        parts.append(own if grows else own[:0])
    return parts
