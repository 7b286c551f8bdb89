"""Substeps: a time step is cut where a straight look ahead does not do, and taken back where it went wrong.

Contacts are found with straight paths, so a body that turns by an angle w h within a step h comes to lie up to
r (w h)^2 / 2 beside where it was expected, r its reach. Where that is more than a pair may overlap, both bodies are
cut out of the step, together with all that touches them, and make two steps of half the length. The same is done
afterwards with bodies that their impact made turn too fast, and with bodies that lie deeper in each other than they may
and did before. Halves are cut again where that is not enough. All other bodies make one step.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .body_form import body_form
from .collision import find_contacts
from .collision.contacts import among
from .collision.depths import near_pairs, pair_depths
from .dynamics import kinematic, rotation
from .dynamics.contact_step import normal_velocity
from .dynamics.impulses import SEEN_MARGIN
from .dynamics.relative import relative_travel, unseen
from .dynamics.step_kernels import moved_unseen
from .islands import joined_with
from .submodel import model_of, put_together, state_of, taken

# What a pair may newly overlap in a step: the least of these parts of its thinner and of its smaller body.
OF_THICKNESS = 0.5
OF_SIZE = 0.05
# An overlap beyond that is new if it grew by more than this part of it in a whole step.
GROWN = 0.05
# Most parts of a step.
FINEST = 128
# Most parts of one that is taken back for an overlap alone: bodies that are pressed into each other stay so.
FINEST_AGAIN = 8


@dataclass(frozen=True)
class Group:
    """Bodies that are stepped together: their Model and what of their form matters.

    reach, thickness (R,) [m], axis (R,3): see BodyForm; allowed (R,) [m]: what each body lets a pair overlap.
    """

    model: Any
    reach: np.ndarray
    axis: np.ndarray
    thickness: np.ndarray
    allowed: np.ndarray

    def of(self, bodies):
        """The group of some of its bodies."""
        columns = (self.reach, self.axis, self.thickness, self.allowed)
        return Group(model_of(self.model, bodies), *(column[bodies] for column in columns))

    def allows(self, a, b):
        """What pairs of bodies a, b (P,) may overlap [m]."""
        return np.minimum(self.allowed[a], self.allowed[b])

    @property
    def moving(self):
        """Which bodies (R,) move freely."""
        return self.model.inverse_mass > 0


def whole_group(model):
    """Group of all bodies of a model."""
    form = body_form(model.collision)
    size = np.where(model.inverse_mass > 0, model.size, np.inf)
    allowed = np.minimum(OF_THICKNESS * form.thickness, OF_SIZE * size)
    return Group(model, np.minimum(form.reach, model.size), form.axis, form.thickness, allowed)


def fixed_substeps(step, count):
    """`step` cut into `count` equal parts for all bodies."""

    def advance(model, state, settings):
        return in_parts(step, model, state, settings, count)

    return advance if count > 1 else step


def adaptive_substeps(step):
    """`step` cut only where bodies need it."""
    known = []

    def advance(model, state, settings):
        if not known or known[0].model is not model:
            known[:] = [whole_group(model)]
        return _advance(step, known[0], state, settings, FINEST)

    return advance


def in_parts(step, model, state, settings, count):
    """`count` steps of a part of the step each; the impulses are those of the last, as if all had been like it."""
    part = replace(settings, time_step=settings.time_step / count)
    state, reports = replace(state, impulses=state.impulses / count), []
    for _ in range(count):
        state, report, rows = step(model, state, part)
        reports.append(report)
    return replace(state, impulses=count * state.impulses), in_turn(reports), count * rows


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
    fine = np.zeros(len(group.reach), dtype=bool)
    if room > 1:
        fine = _look_ahead(group, state, settings.time_step, settings.workers)
    if not np.any(fine):
        return _reviewed(step, group, state, settings, room)
    if np.all(fine[group.moving]):
        return _halves(step, group, state, settings, room)
    rest = np.flatnonzero(~fine)
    coarse = _reviewed(step, group.of(rest), state_of(state, rest), settings, room)
    return _with_fine(step, group, state, settings, room, fine, coarse)


def _halves(step, group, state, settings, room):
    """The step of a group in two halves."""

    def half(_, state, settings):
        return _advance(step, group, state, settings, room // 2)

    return in_parts(half, group.model, state, settings, 2)


def _reviewed(step, group, state, settings, room):
    """The step of a group in one; what turns out to have gone wrong is made again in halves if there is room."""
    review = Review(group, state, settings, room)
    after, report, rows = step(group.model, state, settings, review)
    report = report._replace(unresolved=review.unresolved)
    if np.all(review.kept):
        return after, report, rows
    if not np.any(review.kept & group.moving):
        return _halves(step, group, state, settings, room)
    coarse = taken((after, report, rows), np.flatnonzero(review.kept))
    return _with_fine(step, group, state, settings, room, ~review.kept, coarse)


def _with_fine(step, group, state, settings, room, fine, coarse):
    """The step of a group whose bodies `fine` (R,) are stepped in halves; coarse: the step of all others."""
    own, others = np.flatnonzero(fine | ~group.moving), np.flatnonzero(~fine)
    halves = _halves(step, group.of(own), state_of(state, own), settings, room)
    after, rows = put_together(state, ((halves, own), (coarse, others)))
    if np.any(_newly_deep(group, state, after, fine, GROWN * room / FINEST, settings.workers, across=fine)[0]):
        # Their impact took bodies to others, that were not near: nobody can be stepped alone.
        return _halves(step, group, state, settings, room)
    return after, side_by_side(coarse[1], halves[1])._replace(time=after.time), rows


class Review:
    """Looks at a step before it is reported: which bodies keep it, and which pairs stay too deep.

    room: into how many parts the step may still be cut.
    """

    def __init__(self, group, start, settings, room):
        self.group, self.start, self.settings, self.room = group, start, settings, room
        self.kept = np.ones(len(group.reach), dtype=bool)
        self.unresolved = 0

    def __call__(self, after, looks):
        group, start, h = self.group, self.start, self.settings.time_step
        grown = GROWN * self.room / FINEST
        suspects = self._suspects(after, looks, grown)
        of_interest = group.moving if len(suspects[0]) else np.zeros(len(group.reach), dtype=bool)
        wanted = among(len(group.reach), *suspects)
        deep, a, b = _newly_deep(group, start, after, of_interest, grown, self.settings.workers, wanted=wanted)
        contacts = after.contacts
        e = np.maximum(excursion(group, start, h), excursion(group, after, h))
        turned = too_far(group, e, contacts.body_a, contacts.body_b)
        seeds = np.concatenate([turned & (self.room > 1), deep & (self.room > FINEST // FINEST_AGAIN)])
        if np.any(seeds):
            ends = np.concatenate([contacts.body_a, a]), np.concatenate([contacts.body_b, b])
            self.kept = ~joined_with(seeds, *ends, group.moving)
        self.unresolved = int(np.count_nonzero(deep & self.kept[a] & self.kept[b]))
        return self.kept

    def _suspects(self, after, looks, grown):
        """Pairs a, b (P,) of bodies that may lie newly deep in each other: that met and moved against each other, turn
        far, or were sent by what they met to where no search looked."""
        group, start, h = self.group, self.start, self.settings.time_step
        reach, x = group.model.size, after.position
        a, b = after.contacts.body_a, after.contacts.body_b
        way = np.maximum(*(relative_travel(reach, x, state.twist, h, a, b) for state in (start, after)))
        met = way > grown * group.allows(a, b)
        pairs = [(a[met], b[met]), _turning(group, after, h)]
        astray = moved_unseen(group.model.bodies, looks[-1], after.twist, h, SEEN_MARGIN)
        if np.any(astray):
            a, b = _near(group, after, 0.0, astray)
            lost = unseen(reach, x, (*looks, after.twist), h, SEEN_MARGIN, a, b)
            pairs.append((a[lost], b[lost]))
        return tuple(np.concatenate(ends) for ends in zip(*pairs, strict=True))


def travel(group, state, h):
    """How far (R,) [m] points of the bodies may move in h seconds."""
    return h * (np.linalg.norm(state.twist[:, :3], axis=1) + np.linalg.norm(state.twist[:, 3:], axis=1) * group.reach)


def excursion(group, state, h):
    """How far (R,) [m] turning takes points of the bodies off their straight paths in h seconds: r (w h)^2 / 2."""
    spin = state.twist[:, 3:]
    square = np.einsum("ij,ij->i", spin, spin)
    if np.any(group.axis):
        axis = np.einsum("bij,bj->bi", rotation.matrix(state.orientation), group.axis)
        square = np.maximum(0.0, square - np.einsum("ij,ij->i", spin, axis) ** 2)
    return 0.5 * group.reach * square * h**2


def too_far(group, e, a, b):
    """Which pairs of bodies a, b (P,) turn further off their straight paths than they may overlap."""
    return e[a] + e[b] > group.allows(a, b)


def _look_ahead(group, state, h, workers):
    """Bodies (R,) to be cut out of the coming step, with all they touch: they would turn or fly too far in it."""
    pairs = [pair for pair in (_turning(group, state, h), _flying(group, state, h, workers)) if len(pair[0])]
    if not pairs:
        return np.zeros(len(group.reach), dtype=bool)
    a, b = (np.concatenate(ends) for ends in zip(*pairs, strict=True))
    seeds = np.arange(len(a) + state.contacts.count) < len(a)
    a, b = np.concatenate([a, state.contacts.body_a]), np.concatenate([b, state.contacts.body_b])
    return joined_with(seeds, a, b, group.moving)


NO_PAIRS = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)


def _near(group, state, h, of_interest):
    """Pairs a, b (P,) of bodies that come near each other within h seconds, one of_interest (R,), one that moves."""
    if not np.any(of_interest):
        return NO_PAIRS
    collision = group.model.collision
    _, pairs = near_pairs(collision, state.position, state.orientation, state.twist, h, of_interest)
    a, b = collision.geometry.body[pairs].astype(np.int64).T
    meet = group.moving[a] | group.moving[b]
    return a[meet], b[meet]


def _turning(group, state, h):
    """Pairs that turn too far for how near they are."""
    e = excursion(group, state, h)
    # Half a step more: a midpoint scheme looks ahead from the middle of the step.
    a, b = _near(group, state, 1.5 * h, e > 0.5 * group.allowed.min())
    far = too_far(group, e, a, b)
    return a[far], b[far]


def _flying(group, state, h, workers):
    """Pairs that would meet and could pass through each other before the middle of the step, where they are looked for.

    Velocities are such that nothing does, but after a start, a shorter step, or a jump of keyed poses.
    """
    way = travel(group, state, 0.5 * h)
    a, b = _near(group, state, 0.5 * h, way > 0.5 * group.thickness.min())
    thin = way[a] + way[b] > np.minimum(group.thickness[a], group.thickness[b])
    if not np.any(thin):
        return NO_PAIRS
    model, involved = group.model, np.zeros(len(way), dtype=bool)
    involved[a[thin]] = involved[b[thin]] = True
    collision = replace(model.collision, allowed=model.collision.allowed._replace(movable=involved & group.moving))
    found = find_contacts(collision, state.position, state.orientation, state.twist, 0.5 * h, workers=workers)
    closing = normal_velocity(state.twist, state.position, found)
    a, b = found.body_a, found.body_b
    hit = found.gap + 0.5 * h * closing < -group.allows(a, b)
    return a[hit], b[hit]


def _newly_deep(group, before, after, of_interest, grown, workers, across=None, wanted=None):
    """(mask, a, b): pairs (P,) of bodies, one of_interest (R,), that overlap, and which of them do so too deeply.

    Too deep is what the bodies do not allow and did not have before, but for the part `grown` of it.
    across (R,): only pairs with one body of these; wanted: see find_contacts.
    """
    if not np.any(of_interest):
        return np.zeros(0, dtype=bool), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    collision = group.model.collision
    found = pair_depths(collision, after.position, after.orientation, of_interest, workers, wanted)
    a, b = found.body_a, found.body_b
    limit = group.allows(a, b)
    deep = found.depth > limit
    if across is not None:
        deep &= (across[a] != across[b]) & group.moving[a] & group.moving[b]
    if np.any(deep):
        involved = np.zeros(len(group.reach), dtype=bool)
        involved[a[deep]] = involved[b[deep]] = True
        same = among(len(involved), a[deep], b[deep])
        old = pair_depths(collision, before.position, before.orientation, involved, workers, same)
        known = {(i, j): d for i, j, d in zip(old.body_a, old.body_b, old.depth, strict=True)}
        start = np.array([known.get(pair, 0.0) for pair in zip(a, b, strict=True)])
        deep &= found.depth > start + grown * limit
    return deep, a, b
