"""Substeps: a time step is subdivided where searching straight paths does not do, and taken back where it went wrong.

Contacts are found with straight paths, so a body that turns by an angle w h within a step h comes to lie up to
r (w h)^2 / 2 beside where it was expected, r its reach. Where that is more than a pair may overlap, both bodies are
taken out of the step, together with their component (components.py): all that may come near them in it, directly or
through others. These make two steps of half the length. The same is done afterwards with bodies that their impact made
turn too fast, and with bodies that lie deeper in each other than they may and did before. Halves are subdivided again
where that is not enough. All other components make one step. A component is never stepped in pieces of different
lengths: what its bodies give each other in the one would not be what they get in the other, and momentum would be lost.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..collision.search_memory import SearchMemory
from ..dynamics import kinematic
from ..dynamics.jointed.after_kernels import snapped
from ..dynamics.jointed.tension import parts_of
from ..mechanisms import off
from ..state import check_speeds
from .body_groups import whole_group
from .components import NO_PAIRS, components, ends_of, largest, pairs_near, spread
from .step_parts import Part, apart, in_parts, together
from .step_review import ROOM, SOONEST, Review, look_ahead, turns_off
from .submodel import state_of, taken


def within_work(step):
    """`step` as one piece of work; its report says how much that was, and whether it was all that a step may take."""

    def advance(model, state, settings):
        settings.work.begin()
        settings.events.begin()
        after, report, rows = step(model, state, settings)
        work, events = settings.work, settings.events.taken(model)
        return after, report._replace(work=work.used, spent=work.spent, events=events), rows

    return advance


def fixed_substeps(step, count):
    """`step` in `count` equal parts for all bodies."""

    def advance(model, state, settings):
        def part(state, settings):
            return Part(*step(model, state, settings))

        return in_parts(part, state, settings, count)

    return advance if count > 1 else step


def adaptive_substeps(step, quiet=None):
    """`step` subdivided only where bodies need it; quiet: QuietSteps of the scheme, which try first."""
    known, ways = [], Ways(step, quiet, None if quiet is None else type(quiet)())

    def advance(model, state, settings):
        if not known or known[0].model is not model:
            known[:] = [whole_group(model)]
        part = None if quiet is None else quiet.step(model, state, settings)
        if part is not None:
            return part
        return _advance(ways, known[0], state, settings, ROOM)

    return advance


class Ways(NamedTuple):
    """How bodies are stepped: by a scheme, and its QuietSteps, which try whole steps and parts first; None for none."""

    step: Any
    wholes: Any
    parts: Any


def _quiet_part(ways, group, state, settings, room):
    """The Part of a part of a step, or of a step of some bodies, as a quiet one; None where it is not."""
    if ways.parts is None or settings.work.spent:
        return None
    return ways.parts.step(group.model, state, settings, group, room, _kept(group, settings))


def _quiet_parts(ways, group, state, settings, room, most):
    """What QuietSteps.parts makes of at most so many parts of a step; None where it makes none."""
    if ways.parts is None or settings.work.spent:
        return None
    return ways.parts.parts(group.model, state, settings, most, group, room, _kept(group, settings))


def _kept(group, settings):
    """A function (Made) -> whether quiet parts keep to the work that is left; bodies too fast in one are an error."""
    work, used = settings.work, settings.work.used

    def keeps(made):
        if work.spent:
            work.used = used
            return False
        check_speeds(group.model, np.abs(made.poses[:, :, 7:10]).max(axis=0), work.fastest)
        return True

    return keeps


def _advance(ways, group, state, settings, room):
    """One step of a group; room: see ROOM in step_review.py."""
    part = _quiet_part(ways, group, state, settings, room) if room < ROOM else None
    if part is not None:
        return part
    known = _asking(ways, group, state, settings, room)
    if known is not None:
        return _split(ways, group, state, settings, room, *known)
    if room > SOONEST and not settings.work.spent:
        fine = look_ahead(group, kinematic.driven(group.model, state, settings.time_step), settings, room)
        if fine.any():
            return _split(ways, group, state, settings, room, (fine, np.zeros_like(fine)))
    return _reviewed(ways, group, state, settings, room)


def _asking(ways, group, state, settings, room):
    """(what asks for halves of a step, see _split: bodies for their joints; pairs that meet in it) where its try as a
    quiet one has shown that, so that it need not be made once more only to be reviewed; else None."""
    quiet = ways.parts if room < ROOM else ways.wholes
    found = quiet.asking(group.model, state, settings) if quiet is not None and room > 1 else None
    if found is None:
        return None
    asking, island, relaxed = found
    settings.work.solve(relaxed)
    for name, bodies in zip(("halved_tension", "halved_constraint_work"), asking.T, strict=True):
        settings.events.bodies(name, group.model, bodies)
    some = asking.any(axis=1)
    return (some, np.zeros_like(some)), (np.arange(len(island)), island)


def _reviewed(ways, group, state, settings, room):
    """The step of a group in one; components for which it turns out to have gone wrong make it again in halves."""
    start = kinematic.driven(group.model, state, settings.time_step)
    review = Review(group, start, state.twist, settings, room)
    after, report, rows = ways.step(group.model, start, settings, review)
    broke = snapped(state.joints.broken, after.joints.broken, after.joints.strain)
    if broke.any() and not settings.work.spent and not off("snapped_joints"):
        settings.events.count("snapped_joints", broke.sum())
        if settings.log is not None:
            settings.log.pop()
        joints = replace(state.joints, broken=state.joints.broken | broke)
        return _advance(ways, group, replace(state, joints=joints), settings, room)
    if settings.work.spent:
        # What is left to do is left, and said: of all bodies.
        report = (review.report(None) if review.fine.any() else report)._replace(converged=False)
        review.fine[:] = False
    if not review.fine.any():
        return Part(after, review.with_unresolved(report, ~review.fine), rows)
    log = settings.log
    substep = None if log is None else log.pop()

    def kept(mask):
        bodies = np.flatnonzero(mask)
        own = review.with_unresolved(review.report(mask), mask)
        if log is not None:
            log.push(substep.of(log.numbers(group.model)[bodies]))
        return Part(*taken((after, own.among(bodies), rows), bodies)), bodies

    return _split(ways, group, state, settings, room, (review.fine, review.in_turn), ends_of(after.contacts), kept)


def _split(ways, group, state, settings, room, asking, met=NO_PAIRS, kept=None):
    """The step of a group whose components with bodies that ask for it go in halves and all others in one step.

    asking: these bodies (R,), and those of them that bounce one after the other; met: pairs of bodies that meet in the
    step. kept(mask (R,)) -> (Part, numbers of its bodies) of those in mask, in one step, where that was made already.
    """
    near = _near(group, kinematic.driven(group.model, state, settings.time_step), settings, group.moving)
    fine, in_turn = asking
    fine = spread(components(group.moving, near, ends_of(state.contacts), met), fine)
    if np.all(fine[group.moving]):
        return _halves(ways, group, state, settings, room, in_turn)
    of_some = _apart(settings)
    own, rest = np.flatnonzero(fine | ~group.moving), np.flatnonzero(~fine)
    halves = _halves(ways, group.of(own), state_of(state, own), of_some, room, in_turn[own])
    if kept is not None:
        return together(state, ((halves, own), kept(~fine)))
    given = ways, group.of(rest), state_of(state, rest), of_some, room
    whole = _quiet_part(*given) or _reviewed(*given)
    return together(state, ((halves, own), (whole, rest)))


def _near(group, state, settings, bodies):
    return pairs_near(group, state, settings.time_step, bodies, settings.memory)


def _apart(settings):
    """Settings for some of the bodies: what is remembered of all is left as it is."""
    return replace(settings, memory=SearchMemory())


def _halves(ways, group, state, settings, room, in_turn):
    """The step of a group in two halves; in as many parts at once as joints and contacts ask for by their pull.

    Bodies that turn are not where a straight path takes them far ahead: they would be hit by nothing, and their
    components do not search beyond the last part. Nor do those with bodies `in_turn` (R,): what they hit later would
    be hit at once.
    """
    following = settings.time_step if settings.next_step is None else settings.next_step
    ahead = kinematic.driven(group.model, state, settings.time_step)
    most = 2 if off("halved_tension") else room
    count = parts_of(group.model, ahead, settings.time_step, most)
    turning = turns_off(group, ahead, following) | in_turn
    if np.any(turning) or np.any(count > 2):
        label = components(group.moving, _near(group, ahead, settings, group.moving), ends_of(state.contacts))
        count, turning = largest(label, count), spread(label, turning)

    def made(parts, bodies):
        some = len(bodies) < len(turning)
        own, start = (group.of(bodies), state_of(state, bodies)) if some else (group, state)
        parts, far = abs(parts), parts > 0

        def one(state, settings):
            return _advance(ways, own, state, settings, room / parts)

        def several(state, settings, most):
            return _quiet_parts(ways, own, state, settings, room / parts, most)

        return in_parts(one, start, settings, parts, following if far else None, several)

    part = apart(state, np.where(turning, -count, count), group.moving, made)
    return part._replace(state=kinematic.followed(group.model, ahead, part.state, settings.time_step, following))
