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

from .body_groups import whole_group
from .collision import PairMemory
from .dynamics import kinematic
from .neighbourhood import (
    WORTH,
    Received,
    added,
    border,
    coarse_path,
    handed_over,
    nothing_received,
    received,
    within,
)
from .step_review import FINEST, GROWN, Review, look_ahead, newly_deep
from .submodel import put_together, state_of, taken


class Part(NamedTuple):
    """What became of bodies in some time: State, StepReport, impulses (C,4) of the contacts, and what driven bodies
    received."""

    state: Any
    report: Any
    rows: np.ndarray
    received: Received


def fixed_substeps(step, count):
    """`step` cut into `count` equal parts for all bodies."""

    def advance(model, state, settings):
        def part(state, settings):
            return Part(*step(model, state, settings), nothing_received(model.body_count))

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
    state, reports, got = replace(state, impulses=state.impulses / count), [], None
    for k in range(count):
        if path is not None:
            state = path.in_half(state, k)
        last = replace(each, next_step=following) if k == count - 1 else each
        state, report, rows, more = part_of(state, last)
        reports.append(report)
        got = more if got is None else added(got, more)
    return Part(replace(state, impulses=count * state.impulses), in_turn(reports), count * rows, got)


def in_turn(reports):
    """One StepReport of parts that follow each other: works are sums, overlap and residual the largest."""
    return reports[-1]._replace(
        overlap=max(report.overlap for report in reports), residual=max(report.residual for report in reports),
        converged=all(report.converged for report in reports),
        unresolved=max(report.unresolved for report in reports),
        **{name: sum(getattr(report, name) for report in reports) for name in (*WORKS, "substeps")},
    )  # fmt: skip


# Fields of a StepReport that add up over parts of a step and over groups of bodies.
WORKS = ("friction_work", "impact_loss", "stabilisation_work", "iterations", "solve_s")


def side_by_side(first, second):
    """One StepReport of two groups of bodies over the same time."""
    sums = (*WORKS, "contact_count", "kinetic", "potential", "unresolved")
    return first._replace(
        overlap=max(first.overlap, second.overlap), residual=max(first.residual, second.residual),
        converged=first.converged and second.converged, substeps=max(first.substeps, second.substeps),
        **{name: getattr(first, name) + getattr(second, name) for name in sums},
    )  # fmt: skip


def _advance(step, group, state, settings, room):
    """One step of a group; `room`: into how many parts it may still be cut."""
    state = kinematic.driven(group.model, state, settings.time_step)
    cut = np.zeros(len(group.reach), dtype=bool)
    if room > 1:
        cut = look_ahead(group, state, settings.time_step, settings.workers)
    if not np.any(cut) or _touched(cut, state.contacts, group.moving):
        return _reviewed(step, group, state, settings, room, cut)
    if np.all(cut[group.moving]):
        return _halves(step, group, state, settings, room)
    rest = np.flatnonzero(~cut)
    coarse = _reviewed(step, group.of(rest), state_of(state, rest), _apart(settings), room, cut[rest])
    return _with_fine(step, group, state, settings, room, cut, coarse)


def _touched(cut, contacts, moving):
    """True if moving bodies that are not cut (R,) touch some that are."""
    a, b = contacts.body_a, contacts.body_b
    return bool(np.any((cut[a] != cut[b]) & moving[a] & moving[b]))


def _apart(settings):
    """Settings for some of the bodies: what is remembered of all is left as it is."""
    return replace(settings, memory=PairMemory())


def _halves(step, group, state, settings, room, path=None):
    """The step of a group in two halves."""

    def half(state, settings):
        return _advance(step, group, state, settings, room // 2)

    following = settings.time_step if settings.next_step is None else settings.next_step
    return in_parts(half, state, settings, 2, following, path)


def _reviewed(step, group, state, settings, room, cut):
    """The step of a group in one; bodies known to need it, cut (R,), and those for which it turns out to have gone
    wrong make it again in halves if there is room."""
    review = Review(group, state, settings, room, cut)
    done = step(group.model, state, settings, review)
    after, report, rows = done
    report = report._replace(unresolved=review.unresolved)
    if not np.any(review.cut):
        return Part(after, report, rows, received(group, after, review.there, ~review.cut))
    if np.all(review.cut[group.moving]):
        return _halves(step, group, state, settings, room)
    if _touched(review.cut, after.contacts, group.moving):
        return _with_neighbourhood(step, group, state, settings, room, review, (after, report, rows))
    others = np.flatnonzero(~review.cut)
    got = received(group, after, review.there, ~review.cut).of(others)
    return _with_fine(step, group, state, settings, room, review.cut, Part(*taken((after, report, rows), others), got))


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
    return Part(after, report, rows, _received_by_all(group, (halves.received, own), (coarse.received, others)))


def _with_neighbourhood(step, group, state, settings, room, review, done):
    """The step of a group whose bodies review.cut (R,) are stepped in halves, others near them as in the coarse step,
    which is `done`: (State, StepReport, impulses) of all."""
    cut, there, h = review.cut, review.there, settings.time_step
    near = border(group, state, done[0], h, cut)
    own, others = np.flatnonzero(cut | near | ~group.moving), np.flatnonzero(~cut)
    inner = group.of(own, near[own])
    path = coarse_path(state, there, review.motion, own, inner.driven)
    halves = _halves(step, inner, state_of(state, own), _apart(settings), room, path)
    after, rows = put_together(state, ((halves, own), (taken(done, others), others)))
    stray, a, b = _strays(group, state, after, cut, settings, room)
    if np.any(stray):
        return _with_more(step, group, state, settings, room, cut, done[0].contacts, (a[stray], b[stray]))
    coarse = received(group, done[0], there, ~cut)
    got = _received_by_all(group, (halves.received, own), (coarse, np.arange(len(cut))))
    held = near & group.moving
    after.twist, work = handed_over(group, done[0], there, h, after, cut, held, got)
    after.seen[held] = 0.0
    report = side_by_side(done[1], halves.report)
    report = report._replace(time=after.time, stabilisation_work=report.stabilisation_work + work)
    return Part(after, report, rows, got)


def _with_more(step, group, state, settings, room, cut, contacts, strays):
    """The step made again with more bodies cut out: those near the pairs `strays`."""
    wanted = cut.copy()
    wanted[strays[0]] = wanted[strays[1]] = True
    a, b = (np.concatenate(ends) for ends in zip((contacts.body_a, contacts.body_b), strays, strict=True))
    wanted = within(wanted & group.moving, a, b, group.moving)
    if np.count_nonzero(wanted) > WORTH * np.count_nonzero(group.moving):
        return _halves(step, group, state, settings, room)
    return _reviewed(step, group, state, settings, room, wanted)


def _strays(group, state, after, fine, settings, room):
    """(mask, a, b): pairs of a body stepped finely (R,) and one that was not, that lie newly deep in each other."""

    def across(a, b):
        return (fine[a] != fine[b]) & group.moving[a] & group.moving[b]

    return newly_deep(group, state, after, fine, GROWN * room / FINEST, settings.workers, across)


def _received_by_all(group, *parts):
    """What all bodies of a group received, from parts (Received, bodies (B,))."""
    whole = nothing_received(len(group.driven))
    for got, bodies in parts:
        whole.momentum[bodies] += got.momentum
        whole.work[bodies] += got.work
    return whole
