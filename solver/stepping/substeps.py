"""Substeps: a time step is cut where a straight look ahead does not do, and taken back where it went wrong.

Contacts are found with straight paths, so a body that turns by an angle w h within a step h comes to lie up to
r (w h)^2 / 2 beside where it was expected, r its reach. Where that is more than a pair may overlap, both bodies are
cut out of the step, together with all that touches them, and make two steps of half the length. The same is done
afterwards with bodies that their impact made turn too fast, and with bodies that lie deeper in each other than they may
and did before. Halves are cut again where that is not enough. All other bodies make one step. Of a large pile only a
neighbourhood is cut out, see neighbourhood.py.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..collision.pair_memory import PairMemory
from ..collision.pipeline import find_contacts
from ..dynamics import kinematic
from ..dynamics.relative import point_speed
from ..dynamics.warm_start import carried_impulses
from .body_groups import whole_group
from .neighbourhood import WORTH, border, coarse_path, coarse_work, within, work_on_driven
from .step_review import FINEST, GROWN, NO_PAIRS, Review, look_ahead, newly_deep, turns_off
from .submodel import put_together, state_of, taken

# Bodies are squeezed between others on given paths where the work of these in the fine steps is not that in the whole
# one, by this part of the kinetic energy that there may be, or where there is no answer: the residual is more than this
# part of gravity's velocity in a step, and was ten times less.
SQUEEZED = 0.1
# The part of that energy where more bodies were cut out already: a large pile is not to be stepped finely as a whole.
CRUSHED = 0.3


class Part(NamedTuple):
    """What became of bodies in some time: State, StepReport, impulses (C,4) of the contacts, and the work (R,) [J] that
    driven bodies took."""

    state: Any
    report: Any
    rows: np.ndarray
    driving: np.ndarray


def fixed_substeps(step, count):
    """`step` cut into `count` equal parts for all bodies."""

    def advance(model, state, settings):
        def part(state, settings):
            return Part(*step(model, state, settings), np.zeros(model.body_count))

        return in_parts(part, state, settings, count)[:3]

    return advance if count > 1 else step


def adaptive_substeps(step):
    """`step` cut only where bodies need it."""
    known = []

    def advance(model, state, settings):
        if not known or known[0].model is not model:
            known[:] = [whole_group(model)]
        return _advance(step, known[0], state, settings, FINEST)[:3]

    return advance


def in_parts(part_of, state, settings, count, following=None, path=None):
    """The Part of a whole step from `count` equal ones, part_of(state, settings), along a Path of driven bodies.

    Its impulses are those of the last, as if all had been like it. following [s]: length of the step after the last
    part, None for that of a part. Without it bodies would close in one part what they have to close in a longer step,
    which would find them deep in each other.
    """
    each = replace(settings, time_step=settings.time_step / count, next_step=None)
    state, reports, driving = replace(state, impulses=state.impulses / count), [], 0.0
    for k in range(count):
        if path is not None:
            state = path.in_half(state, k)
        last = replace(each, next_step=following) if k == count - 1 else each
        state, report, rows, work = part_of(state, last)
        reports.append(report)
        driving = driving + work
    return Part(replace(state, impulses=count * state.impulses), in_turn(reports), count * rows, driving)


def in_turn(reports):
    """One StepReport of parts that follow each other: works are sums, overlap and residual the largest."""
    return reports[-1]._replace(
        overlap=max(report.overlap for report in reports), residual=max(report.residual for report in reports),
        converged=all(report.converged for report in reports),
        unresolved=max(report.unresolved for report in reports),
        **{name: sum(getattr(report, name) for report in reports) for name in (*WORKS, "substeps")},
    )  # fmt: skip


# Fields of a StepReport that add up over parts of a step and over groups of bodies.
WORKS = ("friction_work", "impact_loss", "stabilisation_work", "iterations", "solve_s", "damping_work")


def side_by_side(first, second):
    """One StepReport of two groups of bodies over the same time."""
    sums = (*WORKS, "contact_count", "kinetic", "potential", "unresolved", "elastic")
    return first._replace(
        overlap=max(first.overlap, second.overlap), residual=max(first.residual, second.residual),
        converged=first.converged and second.converged, substeps=max(first.substeps, second.substeps),
        rounds=max(first.rounds, second.rounds),
        **{name: getattr(first, name) + getattr(second, name) for name in sums},
    )  # fmt: skip


def _advance(step, group, state, settings, room):
    """One step of a group; `room`: into how many parts it may still be cut."""
    state = kinematic.driven(group.model, state, settings.time_step)
    cut = np.zeros(len(group.reach), dtype=bool)
    if room > 1:
        cut = look_ahead(group, state, settings.time_step, settings.workers)
    if not np.any(cut) or _touched(cut, state.contacts, group.moving) or _will_meet(group, state, settings, cut):
        return _reviewed(step, group, state, settings, room, cut)
    if np.all(cut[group.moving]):
        return _halves(step, group, state, settings, room)
    rest = np.flatnonzero(~cut)
    coarse = _reviewed(step, group.of(rest), state_of(state, rest), _apart(settings), room, cut[rest])
    return _with_fine(step, group, state, settings, room, cut, coarse)


def _across(cut, moving):
    """A function (a, b) -> (P,) bool: which pairs are of a moving body that is cut (R,) and one that is not."""

    def across(a, b):
        return (cut[a] != cut[b]) & moving[a] & moving[b]

    return across


def _touched(cut, contacts, moving):
    """True if moving bodies that are not cut (R,) touch some that are."""
    return bool(np.any(_across(cut, moving)(contacts.body_a, contacts.body_b)))


def _will_meet(group, state, settings, cut):
    """True if bodies that are cut (R,) may touch moving ones that are not, in the coming step: the last one looked no
    further than into its first half."""
    moving = group.moving
    found = find_contacts(
        group.model.collision, state.position, state.orientation, state.twist, settings.time_step,
        workers=settings.workers, memory=settings.memory, wanted=_across(cut, moving), of_interest=cut & moving,
    )  # fmt: skip
    return found.count > 0


def _apart(settings):
    """Settings for some of the bodies: what is remembered of all is left as it is."""
    return replace(settings, memory=PairMemory())


def _halves(step, group, state, settings, room, path=None):
    """The step of a group in two halves."""

    def half(state, settings):
        after = _advance(step, group, state, settings, room // 2)
        if settings.next_step is None or not np.any(turns_off(group, after.state, settings.next_step)):
            return after
        # Far ahead a body that turns is not where its straight path takes it: it would be hit by nothing.
        if after.state.seen.max(initial=0.0) > 0.5 * settings.time_step:
            after = _advance(step, group, state, replace(settings, next_step=None), room // 2)
        return after

    following = settings.time_step if settings.next_step is None else settings.next_step
    if np.any(turns_off(group, state, following)):
        following = None
    return in_parts(half, state, settings, 2, following, path)


def _reviewed(step, group, state, settings, room, cut):
    """The step of a group in one; bodies known to need it, cut (R,), and those for which it turns out to have gone
    wrong make it again in halves if there is room."""
    review = Review(group, state, settings, room, cut)
    after, report, rows = step(group.model, state, settings, review)
    return _with_cut(step, group, state, settings, room, review, Part(after, report, rows, None))


def _with_cut(step, group, state, settings, room, review, done):
    """The step of a group whose bodies review.cut (R,) are stepped in halves, all others as in the coarse one, a Part
    without the work."""
    if np.any(review.cut) and np.all(review.cut[group.moving]):
        return _halves(step, group, state, settings, room)
    driving = work_on_driven(group, done.state, review.there, ~review.cut)
    done = done._replace(report=done.report._replace(unresolved=review.unresolved), driving=driving)
    if not np.any(review.cut):
        return done
    if _touched(review.cut, done.state.contacts, group.moving):
        return _with_neighbourhood(step, group, state, settings, room, review, done)
    others = np.flatnonzero(~review.cut)
    coarse = Part(*taken(done, others), driving[others])
    return _with_fine(step, group, state, settings, room, review.cut, coarse)


def _with_fine(step, group, state, settings, room, fine, coarse):
    """The step of a group whose bodies `fine` (R,), which touch no others, are stepped in halves; coarse: the Part of
    all others."""
    own, others = np.flatnonzero(fine | ~group.moving), np.flatnonzero(~fine)
    halves = _halves(step, group.of(own), state_of(state, own), _apart(settings), room)
    after, rows = put_together(state, ((halves, own), (coarse, others)))
    if np.any(_strays(group, state, after, fine, settings, room)[0]):
        # Their impact took bodies to others, that were not near: nobody can be stepped alone.
        return _halves(step, group, state, settings, room)
    report = side_by_side(coarse.report, halves.report)._replace(time=after.time)
    return Part(after, report, rows, _of_all(group, (halves.driving, own), (coarse.driving, others)))


def _with_neighbourhood(step, group, state, settings, room, review, done):
    """The step of a group whose bodies review.cut (R,) are stepped in halves, others near them as in the coarse step,
    which is `done`: the Part of all, the work that of bodies that keep it."""
    cut, there, h = review.cut, review.there, settings.time_step
    near = border(group, state, done.state, h, cut)
    own, others = np.flatnonzero(cut | near | ~group.moving), np.flatnonzero(~cut)
    inner = group.of(own, near[own])
    path = coarse_path(state, there, review.motion, own, inner.driven)
    halves = _halves(step, inner, state_of(state, own), _apart(settings), room, path)
    driving = _of_all(group, (halves.driving, own), (done.driving, slice(None)))
    held = near & group.moving
    passed_on = coarse_work(group, done.state, there, h, cut, held) - np.sum(driving[held])
    share = CRUSHED if review.again else SQUEEZED
    if not np.any(group.driven) and _squeezed(group, state, h, cut, share, passed_on, halves.report, done.report):
        return _with_more(step, group, state, settings, room, review, done, NO_PAIRS)
    after, rows = put_together(state, ((halves, own), (taken(done, others), others)))
    stray, a, b = _strays(group, state, after, cut, settings, room)
    if np.any(stray):
        return _with_more(step, group, state, settings, room, review, done, (a[stray], b[stray]))
    # Bodies on a given path may squeeze others without bound; to begin the next step with that would spoil it.
    after = replace(after, impulses=carried_impulses(done.state.contacts, done.state.impulses, after.contacts))
    report = side_by_side(done.report, halves.report)
    report = report._replace(time=after.time, stabilisation_work=report.stabilisation_work + passed_on)
    return Part(after, report, rows, np.where(group.driven, driving, 0.0))


def _squeezed(group, state, h, cut, share, passed_on, fine, coarse):
    """True if the fine steps drove bodies `cut` (R,) into each other.

    share: of their kinetic energy that may be passed_on [J], which is how much less work they took from the others
    there than in the whole step of h s; fine, coarse: the StepReports of both.
    """
    moving = cut & group.moving
    fast = point_speed(group.reach, state.twist)[moving] + h * np.linalg.norm(group.model.gravity)
    if abs(passed_on) > share * 0.5 * np.sum(group.model.mass[moving] * fast**2):
        return True
    limit = max(SQUEEZED * h * np.linalg.norm(group.model.gravity), 10.0 * coarse.residual)
    return not fine.converged and fine.residual > limit


def _with_more(step, group, state, settings, room, review, done, strays):
    """The step with more bodies cut out: those near the ones that were, and near the pairs `strays`."""
    cut, contacts = review.cut, done.state.contacts
    wanted = cut.copy()
    wanted[strays[0]] = wanted[strays[1]] = True
    a, b = (np.concatenate(ends) for ends in zip((contacts.body_a, contacts.body_b), strays, strict=True))
    wanted = within(wanted & group.moving, a, b, group.moving)
    count = np.count_nonzero(wanted)
    if count == np.count_nonzero(cut) or count > WORTH * np.count_nonzero(group.moving):
        return _halves(step, group, state, settings, room)
    review.cut, review.again = wanted, True
    return _with_cut(step, group, state, settings, room, review, done._replace(report=review.report(~wanted)))


def _strays(group, state, after, fine, settings, room):
    """(mask, a, b): pairs of a body stepped finely (R,) and one that was not, that lie newly deep in each other."""
    across = _across(fine, group.moving)
    return newly_deep(group, state, after, fine, GROWN * room / FINEST, settings.workers, across)


def _of_all(group, *parts):
    """Sums (R,) for all bodies of a group from parts (numbers (B,), bodies (B,))."""
    whole = np.zeros(len(group.driven))
    for values, bodies in parts:
        whole[bodies] += values
    return whole
