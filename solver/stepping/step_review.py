"""Which bodies a step takes too far: predicted before it, and reviewed after it."""

from functools import cached_property

import numpy as np

from ..collision.contacts import among
from ..collision.depths import depths_between, near_pairs, pair_depths
from ..collision.pipeline import find_contacts
from ..collision.subset import with_movable
from ..dynamics import rotation
from ..dynamics.contact_step import normal_velocity
from ..dynamics.impulses import SEARCH_MARGIN, missed_blocks
from ..dynamics.jointed import tension
from ..dynamics.jointed.solution import erring_bodies
from ..dynamics.jointed.tension import taut_bodies
from ..dynamics.relative import point_speed, relative_travel, unsearched
from ..dynamics.step_kernels import moved_beyond_search
from ..mechanisms import off
from ..options import changed
from .components import NO_PAIRS, ends_of
from .quiet_bounds import locked, quiet_after, quiet_ahead

# An overlap beyond what is allowed is new if it grew by more than this part of it in a whole step.
GROWN = 0.0015
# Most parts of a step, and so many times more for what joints ask for: where a chain cracks its pull is a hundred times
# that of the step before.
FINEST, JOINTED = 128, 8
# The room of a whole step for being subdivided, half as much for each half. Bodies that turn or overlap need more than
# JOINTED, joints more than 1, and more than SOONEST what flies at others where no search has covered its way, at the
# start of a run: so many halvings more, each a step more.
ROOM = FINEST * JOINTED
SOONEST = 2.0**-13
# Most parts of one that is taken back for an overlap alone, and for one that bodies may not have, on the way through
# each other: bodies that are pressed into each other stay so.
FINEST_AGAIN, FINEST_BEYOND = 8, 32

# A body whose turn takes it further off its straight path than this part of what it may overlap does not keep to where
# was searched for it.
TURNS = 0.5

# Bodies that end a step newly in each other by more than this part of what they may overlap make it again, finer.
AGAIN = 0.006

# Way that no search has covered, at the start of a run: part of the smaller body that a surface may be led into another
# one. Convex bodies are met where they first touch, however far ahead.
UNSEEN = 1e-4

# Deeper than this part of the smaller body, and opened by less than this part of it in a step: bodies that are locked.
LOCKED, STAYS = 1e-3, 0.05


class Review:
    """Review of a step before it is reported: which bodies keep it, and which pairs stay too deep.

    former: twist (R,6) at the end of the step before; room: that of the step, see ROOM. After the call, fine (R,) bool:
    bodies that are to make the step again, finer, and in_turn (R,) those of them that bounce one after the other;
    report: see steppers.py.
    """

    def __init__(self, group, start, former, settings, room):
        self.group, self.start, self.former, self.settings, self.room = group, start, former, settings, room
        self.fine = self.in_turn = self.report = self._deep = self._new = None
        self._after = self._there = self._solution = self._remaining = None

    def __call__(self, after, there, solution, report):
        """Review a step: which bodies (R,) keep it; see steppers.py for the arguments."""
        group, start, h = self.group, self.start, self.settings.time_step
        self._there, self._solution, self.report = there, solution, report
        self._remaining = after.time - there.time
        grown = GROWN * self.room / ROOM
        self.fine = np.zeros(len(group.reach), dtype=bool)
        if self.room > JOINTED and solution.step.late.any() and not off("halved_bounces"):
            self._mark("halved_bounces", self._met_in_turn(), *ends_of(solution.step.contacts))
        self.in_turn = self.fine & group.moving
        self.fine = self.in_turn.copy()
        if self.room > 1:
            taut = taut_bodies(group.model, after, h, tension.BACK)
            part = (self.room / ROOM) ** 0.5
            erring = erring_bodies(group.model, there.twist, self.former, solution, part)
            for name, asking in (("halved_tension", taut), ("halved_constraint_work", erring)):
                found = asking & self._answered
                if not off(name):
                    self.fine |= found
                    self.settings.events.bodies(name, group.model, found)
        self._after, self._new = after, NO_PAIRS
        if self._quiet(after, solution, grown):
            self._deep = NO_PAIRS
            return ~self.fine
        suspects = self._suspects(after, solution.searched_with, grown)
        of_interest = group.moving & (len(suspects[0]) > 0)
        wanted = among(len(group.reach), *suspects)
        deep, a, b, beyond = newly_deep(group, start, after, of_interest, grown, self.settings, wanted)
        own, other = self._passed()
        a, b = np.append(a, own), np.append(b, other)
        deep, beyond = (np.append(mask, np.ones(len(own), dtype=bool)) for mask in (deep, beyond))
        contacts, moved = after.contacts, changed(there, twist=solution.motion)
        e = np.maximum(excursion(group, start, h), excursion(group, after, h))
        e = np.maximum(e, excursion(group, moved, self._remaining))
        if self.room > JOINTED:
            ends = ends_of(contacts)
            turned = too_far(group, e, *ends)
            self._mark("halved_turning", turned, *ends)
        if self.room > ROOM // FINEST_BEYOND:
            deeper = (deep if self.room > ROOM // FINEST_AGAIN else beyond) & ~self._left_open(a, b, grown)
            self._mark("halved_overlap", deeper, a, b)
        self.fine &= group.moving
        self._deep, self._new = (a[beyond], b[beyond]), (a[deep], b[deep])
        return ~self.fine

    def _mark(self, name, mask, a, b):
        """Mark both bodies of the pairs a, b (P,) in mask (P,) for halves, by the mechanism `name`."""
        if not off(name):
            self.settings.events.pairs(name, self.group.model, a[mask], b[mask])
            self.fine[a[mask]] = self.fine[b[mask]] = True

    @cached_property
    def _answered(self):
        """Bodies (R,) outside of islands whose problem was left without its answer, as those of halves would be: joints
        that contradict each other have none, and their impulses say nothing of what they bear."""
        group, solution = self.group, self._solution
        if solution.solved.outcome.status.accepted:
            return group.moving
        missed = missed_blocks(group.model, self._there.twist, solution, self.settings)
        return group.moving if missed is None else group.moving & ~solution.islands.bodies(missed)

    def _met_in_turn(self):
        """Open contacts (C,) that only the bounces of others closed, nearly elastic ones, whose gap takes longer than
        the finest part of the step: one impact after the other leaves other velocities than all at once."""
        step, h = self._solution.step, self.settings.time_step
        speed = np.linalg.norm(self._solution.twist[:, :3], axis=1)
        speed = np.maximum(*(speed[end] for end in ends_of(step.contacts)))
        way = speed * h * JOINTED / self.room
        # What flies for a few steps only after a bounce, or loses more by it than balls of steel do, soon rests
        # whatever the order is; and heaps of such bodies would go in parts all the time.
        flies = speed > 4.0 * np.linalg.norm(self.group.model.gravity) * h * ROOM / self.room
        return step.late & (step.restitution > 0.98) & (step.contacts.gap > way) & flies

    def _quiet(self, after, solution, grown):
        """Whether nothing happened in the step that needs a closer review."""
        group, limits = self.group, (grown, 0.5 * self.group.least[0], SEARCH_MARGIN)
        twists = self.start.twist, solution.twist, solution.searched_with[-1]
        if any(astray.any() for *_, astray in self._astray):
            return False
        return quiet_after(group.model.bodies, (group.reach, group.allowed), after.position, twists, after.contacts,
                           self.settings.time_step, limits)  # fmt: skip

    @cached_property
    def _astray(self):
        """Velocities (R,6), for how long [s], and the bodies (R,) that these take to where no search covers: those of
        the solution, and those that moved the bodies to the end of the step, where they are others."""
        solution, bodies, h = self._solution, self.group.model.bodies, self.settings.time_step
        ways = [(solution.twist, h)]
        if solution.motion is not solution.twist:
            ways.append((solution.motion, self._remaining))
        searched = solution.searched_with[-1]
        return [(way, t, moved_beyond_search(bodies, searched, way, t, SEARCH_MARGIN)) for way, t in ways]

    def _passed(self):
        """Pairs a, b (P,) of bodies that what moved them to the end of the step, otherwise than their velocities, took
        into each other on a way that no search covers, and by more than is thick: at its end they may lie apart."""
        group, solution, t = self.group, self._solution, self._remaining
        astray, size = self._astray[-1][-1], group.model.size
        if solution.motion is solution.twist or not astray.any():
            return NO_PAIRS
        moved = changed(self._there, twist=solution.motion)
        a, b = _near(group, moved, t, astray, self.settings.memory)
        twists = (*solution.searched_with, solution.motion)
        far = relative_travel(size, moved.position, solution.motion, t, a, b) > np.minimum(
            group.thickness[a], group.thickness[b])  # fmt: skip
        far &= unsearched(size, moved.position, twists, t, SEARCH_MARGIN, a, b)
        if not far.any():
            return NO_PAIRS
        a, b, gap = _meeting(group, moved, t, (a[far], b[far]), self.settings)
        through = gap < -group.allows(a, b)
        return a[through], b[through]

    def with_unresolved(self, report, kept):
        """The StepReport with the pairs of bodies that keep the step (R,) and stay too deep: new ones, and those that
        are locked; with the overlap of what is newly deep, which it may have no contacts of."""
        new = tuple(ends[kept[self._new[0]] & kept[self._new[1]]] for ends in self._new)
        if len(new[0]):
            report = report._replace(overlap=max(report.overlap, self._depths(*new).max()))
        locked = self._locked()
        if len(self._deep[0]) == len(locked[0]) == 0:
            return report
        ends = [np.concatenate(ends) for ends in zip(self._deep, locked, strict=True)]
        pairs = np.unique(np.sort(np.stack(ends), axis=0), axis=1)
        pairs = pairs[:, kept[pairs[0]] & kept[pairs[1]]]
        report = report._replace(unresolved=pairs.shape[1])
        if pairs.shape[1] == 0 or (report.worst_body >= 0 and not report.converged):
            return report
        a, b = (int(body) for body in pairs[:, 0])
        return report.where(a, b) if self.group.moving[a] else report.where(b, a)

    def _locked(self):
        """Pairs a, b (P,) of bodies whose overlap the step was to remove and did not: no motion of rigid bodies answers
        what presses them together, as in a vise that closes further than what it holds is wide."""
        contacts = self._solution.step.contacts
        if self.settings.overlap == "none":
            return NO_PAIRS
        stays = locked(self.group.model.bodies, contacts, self._solution.motion, self._there.position,
                       self.settings.time_step, (LOCKED, STAYS))  # fmt: skip
        a, b = contacts.body_a[stays], contacts.body_b[stays]
        still = self._depths(a, b) > 0.0  # What turns away opens otherwise than along the normal.
        return a[still], b[still]

    def _depths(self, a, b):
        """Depth (P,) [m] at the end of the step of the deepest contact of pairs a, b (P,) of bodies."""
        place = self._after.position, self._after.orientation
        return depths_between(self.group.model.collision, *place, (a, b), self.settings.workers)

    def _left_open(self, a, b, grown):
        """Which pairs of bodies a, b (P,) the motion of the solution itself closes, along their normals, by more than
        counts as new, the part `grown` of what they allow: the problem was left without its answer, and so would those
        of halves be. Not so where they bounce and were solved: in halves fewer of them do at once."""
        contacts, model, h = self._solution.step.contacts, self.group.model, self.settings.time_step
        room = np.maximum(contacts.gap, 0.0) * h / self._remaining
        closed = -h * normal_velocity(self._solution.motion, self._there.position, contacts) - room
        own, other = ends_of(contacts)
        bounces = self._solution.hit & (self._solution.step.restitution > 0.0) & self._answered[own]
        closed = (closed > grown * self.group.allows(own, other)) & ~bounces
        return among(model.body_count, own[closed], other[closed])(a, b)

    def _suspects(self, after, searched_with, grown):
        """Pairs a, b (P,) of bodies that may lie newly deep in each other: that met and moved against each other, turn
        far, or were sent by what they met to that no search covers."""
        group, start, h = self.group, self.start, self.settings.time_step
        reach, x = group.model.size, after.position
        a, b = after.contacts.body_a, after.contacts.body_b
        way = np.maximum(*(relative_travel(reach, x, state.twist, h, a, b) for state in (start, after)))
        met = way > grown * group.allows(a, b)
        pairs = [(a[met], b[met]), _may_turn(group, after, h, self.settings.memory)]
        for way, t, astray in self._astray:
            if astray.any():
                a, b = _near(group, after, 0.0, astray, self.settings.memory)
                lost = unsearched(reach, x, (*searched_with, way), t, SEARCH_MARGIN, a, b)
                pairs.append((a[lost], b[lost]))
        return tuple(np.concatenate(ends) for ends in zip(*pairs, strict=True))


def excursion(group, state, h):
    """How far (R,) [m] turning takes points of the bodies off their straight paths in h seconds: r (w h)^2 / 2."""
    spin = state.twist[:, 3:]
    square = np.einsum("ij,ij->i", spin, spin)
    if np.any(group.axis):
        axis = np.einsum("bij,bj->bi", rotation.matrix(state.orientation), group.axis)
        square = np.maximum(0.0, square - np.einsum("ij,ij->i", spin, axis) ** 2)
    return 0.5 * group.reach * square * h**2


def turns_off(group, state, h):
    """Moving bodies (R,) that turn off their straight paths in h seconds by a good part of what a pair may overlap."""
    return group.moving & (excursion(group, state, h) > TURNS * group.allowed)


def too_far(group, e, a, b):
    """Which pairs of bodies a, b (P,) turn further off their straight paths than they may overlap."""
    return e[a] + e[b] > group.allows(a, b)


def look_ahead(group, state, settings, room):
    """Moving bodies (R,) that would turn or fly too far in the coming step, or swing across the pull of joints; room:
    see ROOM."""
    h = settings.time_step
    bodies = np.zeros(len(group.reach), dtype=bool)
    if room > 1 and not off("halved_tension"):
        bodies = taut_bodies(group.model, state, h, tension.AHEAD)
        settings.events.bodies("halved_tension", group.model, bodies)
    turn, fly = group.least
    if group.surfaces.any() and (_begins(state, h) & group.surfaces).any():
        fly = min(fly, UNSEEN * float(moving_size(group).min(initial=np.inf)))
    # Half a step more: a midpoint scheme searches from the middle of the step.
    if quiet_ahead(group.reach, state.twist, 1.5 * h, 0.5 * turn, 0.5 * fly):
        return bodies
    for name, ahead, least in (("halved_turning", _turning, JOINTED), ("halved_flying", _flying, SOONEST)):
        if room > least and not off(name):
            a, b = ahead(group, state, settings)
            settings.events.pairs(name, group.model, a, b)
            bodies[a] = bodies[b] = True
    return bodies & group.moving


def _near(group, state, h, of_interest, memory):
    """Pairs a, b (P,) of bodies that come near each other within h seconds, one of_interest (R,), one that moves."""
    if not np.any(of_interest):
        return NO_PAIRS
    collision = group.model.collision
    _, pairs = near_pairs(collision, state.position, state.orientation, state.twist, h, of_interest, memory)
    a, b = collision.geometry.body[pairs].astype(np.int64).T
    meet = group.moving[a] | group.moving[b]
    return a[meet], b[meet]


def _may_turn(group, state, h, memory):
    """Pairs whose boxes come near and that would turn too far if their surfaces do."""
    e = excursion(group, state, h)
    # Half a step more: a midpoint scheme searches from the middle of the step.
    a, b = _near(group, state, 1.5 * h, e > 0.5 * group.allowed.min(), memory)
    far = too_far(group, e, a, b)
    return a[far], b[far]


def _turning(group, state, settings):
    """Pairs that turn too far for how near they may come: boxes tell little of how far apart jacks are."""
    h = settings.time_step
    a, b = _may_turn(group, state, h, settings.memory)
    e, size = excursion(group, state, h), group.model.size
    if len(a) == 0:
        return NO_PAIRS
    way = e[a] + e[b] + relative_travel(size, state.position, state.twist, 1.5 * h, a, b)
    # Others, that come further than half the smaller body, may meet wherever they are: to measure so far costs more
    # than needless substeps.
    tell = way < 0.5 * np.minimum(size[a], size[b])
    if not np.any(tell):
        return a, b
    still = np.zeros_like(state.twist)
    found = find_contacts(
        group.model.collision, state.position, state.orientation, still, h, float(way[tell].max()),
        workers=settings.workers, memory=settings.memory, wanted=among(len(e), a[tell], b[tell]),
    )  # fmt: skip
    near = ~tell
    near[tell] = among(len(e), found.body_a, found.body_b)(a[tell], b[tell])
    return a[near], b[near]


def _begins(state, h):
    """Bodies (R,) whose way to the middle of the step no search has covered: at a start, after a shorter step."""
    if len(state.horizon):
        return state.horizon < 0.5 * (1.0 - 1e-9) * h
    return np.ones(len(state.position), dtype=bool)


def moving_size(group):
    """Sizes (R,) [m] of the bodies that move freely, infinite for others."""
    return np.where(group.moving, group.model.size, np.inf)


def _flying(group, state, settings):
    """Pairs that would meet and could pass through each other before the middle of the step, where the search is.

    The last step saw to it that nothing does as far as it searched, along straight paths: not at a start, not all the
    way after a shorter step, and not for a body that turns far or whose velocity is given. At a start pairs must not
    even begin to overlap: what they lose by it, removing the overlap would have to give them.
    """
    h = settings.time_step
    way = 0.5 * h * point_speed(group.reach, state.twist)
    size, starts = moving_size(group), _begins(state, h)
    unseen, begins = starts | turns_off(group, state, h) | ~group.moving, starts & group.surfaces
    limit = np.minimum(group.thickness, np.where(begins, UNSEEN * size, np.inf))
    a, b = _near(group, state, 0.5 * h, unseen & (way > 0.5 * limit.min()), settings.memory)
    thin = way[a] + way[b] > np.minimum(limit[a], limit[b])
    if not np.any(thin):
        return NO_PAIRS
    a, b, gap = _meeting(group, state, 0.5 * h, (a[thin], b[thin]), settings)
    allowed = np.where(begins[a] | begins[b], UNSEEN * np.minimum(size[a], size[b]), group.allows(a, b))
    return a[gap < -allowed], b[gap < -allowed]


def _meeting(group, state, h, pairs, settings):
    """(a, b, gap): contacts (C,) of pairs of bodies that close, and the gap [m] that they would have in h seconds on
    straight paths."""
    model, involved = group.model, np.zeros(len(state.position), dtype=bool)
    involved[pairs[0]] = involved[pairs[1]] = True
    collision = with_movable(model.collision, involved & group.moving)
    found = find_contacts(
        collision, state.position, state.orientation, state.twist, h, workers=settings.workers,
        memory=settings.memory, wanted=among(len(involved), *pairs),
    )  # fmt: skip
    speed = normal_velocity(state.twist, state.position, found)
    closes = speed < 0.0
    return found.body_a[closes], found.body_b[closes], (found.gap + h * speed)[closes]


def newly_deep(group, before, after, of_interest, grown, settings, wanted=None):
    """(mask, a, b, beyond): pairs (P,) of bodies, one of_interest (R,), that overlap, which of them newly, and which of
    these beyond what they may.

    New is more than AGAIN of what the bodies allow, where they did not have it before, but for the part `grown` of what
    they allow. wanted: see find_contacts.
    """
    if not np.any(of_interest):
        return np.zeros(0, dtype=bool), *NO_PAIRS, np.zeros(0, dtype=bool)
    collision, workers, memory = group.model.collision, settings.workers, settings.memory

    found = pair_depths(collision, after.position, after.orientation, of_interest, workers, wanted, memory,
                        lambda a, b: AGAIN * group.allows(a, b))  # fmt: skip
    a, b = found.body_a, found.body_b
    limit = group.allows(a, b)
    deep = found.depth > AGAIN * limit
    if np.any(deep):
        involved = np.zeros(len(group.reach), dtype=bool)
        involved[a[deep]] = involved[b[deep]] = True
        same = among(len(involved), a[deep], b[deep])
        old = pair_depths(collision, before.position, before.orientation, involved, workers, same, memory)
        known = {(i, j): d for i, j, d in zip(old.body_a, old.body_b, old.depth, strict=True)}
        start = np.array([known.get(pair, 0.0) for pair in zip(a, b, strict=True)])
        deep &= found.depth > start + grown * limit
    return deep, a, b, deep & (found.depth > limit)
