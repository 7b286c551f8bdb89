"""A step made again, finer, for the bodies that need it: component by component, of a large one its neighbourhoods."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..dynamics.jointed.couplings import with_joined
from ..dynamics.relative import point_speed
from ..dynamics.warm_start import carried_impulses
from .components import components, pairs_near, spread
from .neighbourhood import WORTH, border, coarse_path, coarse_work, ends_of, within, work_on_driven
from .step_parts import Part, of_all, side_by_side
from .step_review import FINEST, GROWN, newly_deep
from .submodel import put_together, state_of, taken

# Bodies are squeezed between others on given paths where the work of these in the fine steps is not that in the whole
# one, by this part of the kinetic energy that there may be, or where there is no answer: the residual is more than this
# part of gravity's velocity in a step, and was ten times less.
SQUEEZED = 0.1
# The part of that energy where more bodies were cut out already: a large pile is not to be stepped finely as a whole.
CRUSHED = 0.3


class Fine(NamedTuple):
    """A component in fine steps: the Part of bodies `own` (B,), of which `cut` (R,) were stepped finely and `held` (R,)
    kept the motion of the coarse step; passed_on [J]: work they took less from these than in the coarse step."""

    part: Part
    own: np.ndarray
    cut: np.ndarray
    held: np.ndarray
    passed_on: float


class Coarse(NamedTuple):
    """The step that is made again for some: group, state before it, settings, parts it may be cut into, Review, Part
    of all bodies, and the function that makes halves (group, state, settings, room, path) -> Part."""

    group: Any
    state: Any
    settings: Any
    room: int
    review: Any
    done: Part
    halves: Any


def refined(coarse):
    """The Part of a group whose bodies review.cut (R,) are stepped in halves, all others as in the coarse step."""
    group, state = coarse.group, coarse.state
    joined, cut, kept = [], coarse.review.cut, {}
    while True:
        label = components(group.moving, *_couplings(coarse, cut), *joined)
        fine = [_component(coarse, label == k, cut, kept) for k in np.unique(label[cut & group.moving])]
        now = np.any([each.cut for each in fine], axis=0)
        after, rows = _united(coarse, fine, now)
        stray, a, b = strays(group, state, after, now, coarse.settings, coarse.room)
        if not np.any(stray):
            break
        # Their impact took bodies to others that were not near, or that kept the coarse step.
        a, b = a[stray], b[stray]
        joined.append((a, b))
        cut = _grown(coarse, now, (a, b))
    if any(np.any(each.held) for each in fine):
        after = _spared(coarse, fine, after)
    return _reported(coarse, fine, now, after, rows)


def strays(group, state, after, fine, settings, room):
    """(mask, a, b): pairs of a body stepped finely (R,) and one that was not, that lie newly deep in each other."""
    moving = group.moving

    def across(a, b):
        return (fine[a] != fine[b]) & moving[a] & moving[b]

    return newly_deep(group, state, after, fine, GROWN * room / FINEST, settings.workers, across)


def _couplings(coarse, cut):
    """Pairs of bodies that touched, touch after the coarse step, or may meet one that is cut (R,)."""
    near = pairs_near(coarse.group, coarse.state, coarse.settings.time_step, cut)
    return near, ends_of(coarse.state.contacts), ends_of(coarse.done.state.contacts)


def _grown(coarse, cut, strays, bodies=None):
    """`cut` (R,) with the bodies near the cut ones and near the pairs `strays`; a whole component where that is most of
    it. bodies (R,): only these; None: all."""
    moving, contacts = coarse.group.moving, coarse.done.state.contacts
    bodies = moving if bodies is None else bodies
    wanted = cut.copy()
    wanted[strays[0]] = wanted[strays[1]] = True
    a, b = (np.concatenate(ends) for ends in zip(ends_of(contacts), strays, strict=True))
    wanted = with_joined(coarse.group.model, within(wanted & bodies, a, b, moving)) & bodies
    label = components(moving, *_couplings(coarse, cut), strays)
    count, now, size = (np.bincount(label[mask & bodies], minlength=len(label)) for mask in (wanted, cut, moving))
    whole = (count > WORTH * size) | (count == now)
    return wanted | (spread(label, wanted) & bodies & whole[label])


def _component(coarse, members, cut, kept):
    """The Fine of one component: members (R,), of which cut (R,) ask for it. kept: what was made before."""
    cut, again = cut & members, False
    while True:
        key = members.tobytes(), cut.tobytes()
        if key not in kept:
            kept[key] = _fine(coarse, cut)
        fine = kept[key]
        if not np.any(fine.held) or np.any(coarse.group.driven) or not _squeezed(coarse, fine, members, again):
            return fine
        cut, again = _grown(coarse, cut, (np.zeros(0, dtype=np.int64),) * 2, members), True


def _fine(coarse, cut):
    """The bodies cut (R,) in halves, between others that move as in the coarse step."""
    group, state, done, review, h = (
        coarse.group, coarse.state, coarse.done, coarse.review, coarse.settings.time_step
    )  # fmt: skip
    near = np.zeros(len(cut), dtype=bool)
    a, b = ends_of(done.state.contacts)
    if np.any((cut[a] != cut[b]) & group.moving[a] & group.moving[b]):
        near = border(group, state, done.state, h, cut)
    own = np.flatnonzero(cut | near | ~group.moving)
    inner = group.of(own, near[own])
    path = coarse_path(state, review.there, review.motion, own, inner.driven) if np.any(near) else None
    halves = coarse.halves(inner, state_of(state, own), coarse.settings, coarse.room, path)
    held = near & group.moving
    passed_on = 0.0
    if np.any(held):
        passed_on = coarse_work(group, done.state, review.there, h, cut, held)
        passed_on -= np.sum(of_all(group, (halves.driving, own))[held])
    return Fine(halves, own, cut, held, passed_on)


def _squeezed(coarse, fine, members, again):
    """True if the fine steps drove bodies into each other; again: more were cut out already because of that."""
    group, h, moving = coarse.group, coarse.settings.time_step, fine.cut & coarse.group.moving
    fall = h * np.linalg.norm(group.model.gravity)
    fast = point_speed(group.reach, coarse.state.twist)[moving] + fall
    energy = 0.5 * np.sum(group.model.mass[moving] * fast**2)
    if abs(fine.passed_on) > (CRUSHED if again else SQUEEZED) * energy:
        return True
    report = fine.part.report
    limit = max(SQUEEZED * fall, 10.0 * coarse.review.residual(members))
    return not report.converged and report.residual > limit


def _united(coarse, fine, cut):
    """(State, rows) of all bodies: the fine ones' and, of the others (not cut (R,)), the coarse step's."""
    others = np.flatnonzero(~cut)
    return put_together(coarse.state, (*((each.part, each.own) for each in fine), (taken(coarse.done, others), others)))


def _spared(coarse, fine, after):
    """The state with the coarse step's impulses at what was squeezed: bodies on a given path may do that without bound,
    and to begin the next step so would spoil it."""
    held = np.any([each.cut | each.held for each in fine if np.any(each.held)], axis=0)
    contacts = after.contacts
    old = carried_impulses(coarse.done.state.contacts, coarse.done.state.impulses, contacts)
    there = held[contacts.body_a] | held[contacts.body_b]
    return replace(after, impulses=np.where(there[:, None], old, after.impulses))


def _reported(coarse, fine, cut, after, rows):
    """The Part of all bodies, with the reports of the fine ones and of the others (not cut (R,))."""
    group, review = coarse.group, coarse.review
    review.cut = cut
    report = review.report(~cut)._replace(unresolved=review.unresolved)
    driving = of_all(
        group, (work_on_driven(group, coarse.done.state, review.there, ~cut), slice(None)),
        *((each.part.driving, each.own) for each in fine),
    )  # fmt: skip
    for each in fine:
        report = side_by_side(report, each.part.report)
    work = report.stabilisation_work + sum(each.passed_on for each in fine)
    report = report._replace(time=after.time, stabilisation_work=work)
    return Part(after, report, rows, np.where(group.driven, driving, 0.0))
