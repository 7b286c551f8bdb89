"""Steps of scenes with deformable bodies.

Bodies that a deformable one touches, directly or through others, make an island with it and are stepped with it, each
island alone: contacts at the start of the step (of the midpoint scheme in its middle), velocities and elastic forces
at its end. Attachments and joints couple as contacts do. All other bodies are stepped as if there were no deformable
ones.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ...collision.contacts import chosen, merged
from ...collision.search_memory import SearchMemory
from ...dynamics import kinematic
from ...dynamics.contact_step import carried_impulses, four_columns
from ...dynamics.elastic.island import Island
from ...dynamics.elastic.island_step import (
    Crushed,
    carried_on,
    held_impulses,
    normal_impulses,
    solve_island,
)
from ...dynamics.elastic.nodes import center_of, rigid_part, with_looseness
from ...dynamics.elastic.pins import pin_targets
from ...dynamics.elastic.schemes.middle import in_the_middle, kept_in_touch
from ...dynamics.elastic.surface_search import Stencils, find
from ...dynamics.goals import couplings
from ...dynamics.impulses import Poses
from ...dynamics.jointed.projection import closed_poses, with_momentum
from ...dynamics.jointed.solution import after_step
from ...dynamics.jointed.state import joints_of
from ...dynamics.rigid import free_twist, kicked_twist, velocities_at_end
from ...mechanisms import off
from ...problems.islands import body_islands
from ..step_parts import Part, apart, in_parts, together
from ..submodel import model_of, part_of, renumbered, state_of
from .late_contacts import SEARCHES, moved_on, poses_after, with_late_contacts
from .parts import (
    FINEST,
    MOST_DRIFTED,
    MOST_TURNED,
    closing_speeds,
    counts_of_components,
    drifted_in,
    passed_straight,
    struck_fast,
    thickness_of,
    turned_in_the_middle,
    turned_inside_out,
    wave_parts,
)
from .report import island_report


def advance(step, known, model, state, settings, demands, parts):
    """The Part of a step that is one of `parts` of a whole one; divided where something is struck fast or turned inside
    out, or where waves of an impact cross a body within it."""
    h = settings.time_step
    state = kinematic.driven(model, state, h)
    targets = pin_targets(model, state, h)
    starts, there, horizon = {}, state, h
    coupled = np.concatenate([model.joints.coupled, model.attachments.couples()])
    able = np.where(model.soft, 1.0, model.inverse_mass)
    if demands.middle:
        try:
            starts, there = in_the_middle(model, state, targets, demands.rho, h, parts)
        except Crushed:
            if parts >= MOST_TURNED or off("soft_subdivision"):
                raise
            # Nobody knows yet what touches what.
            return _divided(step, known, model, state, settings, demands, parts, np.full(model.body_count, 2))
        if parts < FINEST and not off("soft_subdivision"):
            turned = turned_in_the_middle(model, starts) if parts < MOST_DRIFTED else None
            fast, pairs = passed_straight(model, state, state.twist, there.nodes.velocity, 0.5 * h,
                                          _thickness(known, model), settings, coupled, turned)  # fmt: skip
            if fast.any():
                count = counts_of_components(able, pairs, np.where(fast, 2, 1))
                return _divided(step, known, model, state, settings, demands, parts, count)
        # Until contacts are searched for again.
        horizon = 0.5 * (h + _following(settings))
    free = free_twist(model, there.twist, h) if demands.middle else kicked_twist(model, state, there.orientation, h)
    velocity, twist, node_speed = _foreseen(model, there, free, targets, starts, h)
    search = find(
        model, there.position, there.orientation, twist, there.nodes.position, velocity, node_speed,
        horizon, settings.workers, coupled, settings.memory,
    )  # fmt: skip
    search, there = kept_in_touch(model, search, starts, there)
    if parts < FINEST and search.contacts.count and not off("soft_subdivision"):
        thickness = _thickness(known, model)
        closing = closing_speeds(model, search, there.position, twist, velocity)
        fast = struck_fast(model, search, closing, thickness, h)
        wanted = np.where(fast | (demands.middle and drifted_in(model, search, state, there, h, parts)), 2, 1)
        if parts == 1 and demands.middle:
            wanted = np.maximum(wanted, wave_parts(model, search, closing, node_speed, h))
        if (wanted > 1).any():
            count = counts_of_components(able, np.concatenate([search.pairs, coupled]), wanted)
            return _divided(step, known, model, state, settings, demands, parts, count)
    carried = carried_impulses(state.contacts, state.impulses, search.contacts, model.size)
    label = _labels(model, able, search)
    frame = _Frame(model, state, there, free, search, carried, label, targets, h, horizon, parts, starts)
    frame, done, turned = _solved_to_the_end(frame, able, settings, demands, coupled)
    label, pairs = frame.label, np.concatenate([frame.search.pairs, coupled])
    if demands.middle and parts < FINEST and not off("soft_subdivision"):
        fast, met = _passed_to_the_end(frame, done, _thickness(known, model), settings, coupled)
        turned, pairs = turned | fast, np.concatenate([pairs, met])
    if turned.any():
        count = counts_of_components(able, pairs, np.where(turned, 2, 1))
        return _divided(step, known, model, state, settings, demands, parts, count)
    moving, with_soft = able > 0, np.zeros(model.body_count + 1, dtype=bool)
    with_soft[label[model.soft]] = True
    inside = with_soft[label] & moving
    moving[list(model.kinematic)] = True
    rest = np.flatnonzero(~inside) if (moving & ~inside).any() else ()
    made = [(_island_stepped(frame, *one, demands.middle, settings.log), one[-1]) for one in done]
    if len(rest):
        made.append((_rest_stepped(step, known, model, state, settings, rest), rest))
    part = together(state, made, model)
    return part._replace(state=replace(part.state, rest=state.rest, present=state.present))


def _labels(model, able, search):
    """Island (R,) of each body able (R,) to move, by its contacts, joints and attachments; what joints hold goes with a
    deformable body before they touch, for only with its joints is it known where it goes."""
    a, b = couplings(model, search.contacts)
    if not (model.joints.count or model.attachments.count):
        return body_islands(able, a, b)
    held, pairs = model.attachments.body, search.pairs
    jointed = np.isin(np.arange(model.body_count), model.joints.per_joint.ends)
    near = pairs[(model.soft[pairs] & jointed[pairs[:, ::-1]]).any(axis=1)]
    return body_islands(able, *(np.concatenate([own, held[:, k], near[:, k]]) for k, own in enumerate((a, b))))


def _solved_to_the_end(frame, able, settings, demands, coupled):
    """(_Frame, [(Solved, Island, its bodies)] of all islands with deformable bodies, bodies (R,) for which the step is
    too long); what is found to overlap where the step ends is solved for, too."""
    model, done = frame.model, []
    wanted = np.unique(frame.label[model.soft])
    for search in range(SEARCHES + 1):
        solved, turned = _solved(frame, wanted, settings, demands)
        done = done + solved
        if turned.any():
            break
        end = poses_after(model, frame.there, frame.free, done, frame.remaining, frame.h, bool(frame.starts))
        found, bodies, deep = with_late_contacts(model, frame.search, frame.there, end, settings, coupled)
        if search == SEARCHES:
            turned |= deep & (frame.parts < MOST_TURNED)
            break
        label = _labels(model, able, found)
        wanted = np.intersect1d(label[bodies[able[bodies] > 0]], label[model.soft])
        if len(wanted) == 0 or off("soft_late_contacts"):
            break
        settings.events.count("soft_late_contacts", len(wanted))
        carried = _carried_from(done, found.contacts, model)
        known = {bodies[part.number]: (part.v, solved.again) for solved, _, bodies in done for part in solved.parts}
        frame = frame._replace(search=found, label=label, carried=carried, known=known)
        done = [entry for entry in done if label[entry[2][entry[0].parts[0].number]] not in wanted]
    if frame.starts and not turned.any():
        turned |= _overdone(frame, done)
    return frame, done, turned


def _passed_to_the_end(frame, done, thickness, settings, coupled):
    """passed_straight of the second half of a step."""
    model, twist, velocity = frame.model, frame.free.copy(), frame.there.nodes.velocity.copy()
    for solved, island, bodies in done:
        twist[bodies] = solved.twist
        for part in solved.parts:
            velocity[island.spans[part.number]] = part.v
    return passed_straight(model, frame.there, twist, velocity, frame.remaining, thickness, settings, coupled)


def _overdone(frame, done):
    """Bodies (R,) bool for which the step is too long: it made more energy than can be taken from how they vibrate."""
    overdone = np.zeros(frame.model.body_count, dtype=bool)
    for solved, _, bodies in done:
        normal = normal_impulses(solved)
        for part in solved.parts:
            part.finish(frame.model.gravity, normal[part.span])
            if part.overdone or part.least <= 0.0:
                solved.settled, solved.restless = False, part.number
            if part.overdone:
                overdone[bodies[part.number]] = frame.parts < MOST_DRIFTED
    return overdone


def _carried_from(done, contacts, model):
    """Impulses (C,5) for contacts from those of islands that were solved."""
    sets = [renumbered(island.contacts, bodies) for _, island, bodies in done]
    old, order = merged(sets)
    impulses = np.concatenate([carried_on(solved) for solved, _, _ in done])[order]
    return carried_impulses(old, impulses, contacts, model.size)


def _solved(frame, wanted, settings, demands):
    """([(Solved, Island, its bodies)] of the islands labelled `wanted`, bodies (R,) for which the step is too long)."""
    done, turned = [], np.zeros(frame.model.body_count, dtype=bool)
    for k in wanted:
        island, bodies = _island(frame, k)
        try:
            done.append((solve_island(island, settings, demands._replace(parts=frame.parts)), island, bodies))
        except Crushed as crushed:
            if frame.parts >= MOST_TURNED:
                raise
            turned[bodies[crushed.number]] = True
    if frame.parts < MOST_TURNED:
        turned |= turned_inside_out(frame.model, done, frame.h)
    return done, turned


def _thickness(known, model):
    """thickness_of the model, made once."""
    if known.get("whole") is not model:
        known.update(whole=model, thickness=thickness_of(model))
    return known["thickness"]


def _divided(step, known, model, state, settings, demands, parts, count):
    """The Part of a step that each body makes in count (R,) parts, one number for all that it may touch."""
    settings.events.count("soft_subdivision")

    def divided(number, bodies):
        own, start, of_some, has = model, state, settings, known
        if len(bodies) < model.body_count:
            own, start, has = part_of(model, bodies), state_of(state, bodies, model), {}
            # What searches remember is that of all bodies.
            of_some = replace(settings, memory=SearchMemory())
            if start.nodes is None:
                return Part(*step(own, start, of_some))
        if number == 1:
            return advance(step, has, own, start, of_some, demands, parts)
        return in_parts(lambda state, settings: advance(step, has, own, state, settings, demands, int(number) * parts),
                        start, of_some, int(number), _following(settings) if demands.middle else None)  # fmt: skip

    return apart(state, count, model.soft | (model.inverse_mass > 0), divided, model)


def _following(settings):
    """Length [s] of the step after this one."""
    return settings.time_step if settings.next_step is None else settings.next_step


class _Frame(NamedTuple):
    """What the islands of one step have in common: see advance; there: the State where contacts were found; known:
    (velocities (n,3) of its nodes, whether it was struck) of each deformable body in a solve with fewer contacts;
    horizon [s]: until contacts are searched for again; starts: MidpointPart of each deformable body, where they are
    found in the middle."""

    model: Any
    state: Any
    there: Any
    free: np.ndarray
    search: Any
    carried: np.ndarray
    label: np.ndarray
    targets: dict
    h: float
    horizon: float
    parts: int
    starts: dict = {}
    known: dict = {}

    @property
    def remaining(self):
        """From where contacts were found to the end of the step [s]."""
        return 0.5 * self.h if self.starts else self.h


def _foreseen(model, state, free, targets, starts, h):
    """(velocities (N,3) of the nodes as far as known before the step, twists (R,6) of all bodies with the rigid part of
    these, how fast (R,) [m/s] nodes move relative to that at most)."""
    velocity, twist = state.nodes.velocity + h * model.gravity, free.copy()
    node_speed = np.zeros(model.body_count)
    for number in np.flatnonzero(model.soft):
        body, span = model.elastic[number], model.span(number)
        x, v = state.nodes.position[span], velocity[span]
        if number in targets:
            pinned = starts[number].filtered if starts else (targets[number] - x) / h
            v[body.pinned] = pinned[body.pinned]
        twist[number], node_speed[number] = with_looseness(body, x, v)
    return velocity, twist, node_speed


def _island(frame, k):
    """(Island, its bodies ascending): those labelled k, and bodies they touch that do not move freely."""
    model, state, there, label, search = frame.model, frame.state, frame.there, frame.label, frame.search
    contacts = search.contacts
    moving = np.where(model.soft, 1.0, model.inverse_mass) > 0
    ends = np.where(moving[contacts.body_a], contacts.body_a, contacts.body_b)
    own = np.flatnonzero(label[ends] == k)
    member = moving & (label == k)
    core = member.copy()
    member[contacts.body_a[own]] = member[contacts.body_b[own]] = True
    for pairs in (model.joints.coupled, model.attachments.body):
        member[pairs[core[pairs].any(axis=1)]] = True
    bodies = np.flatnonzero(member)
    number = np.full(model.body_count, -1, dtype=np.int64)
    number[bodies] = np.arange(len(bodies))
    part = part_of(model, bodies, touching=False)
    soft = [(int(i), int(number[i])) for i in bodies[model.soft[bodies]]]
    still = np.where(model.soft, 0.0, 1.0)[bodies, None]
    poses = Poses(there.position[bodies], there.orientation[bodies], still * there.twist[bodies],
                  still * frame.free[bodies], frame.remaining, frame.horizon)  # fmt: skip
    island = Island(
        part, replace(state, position=state.position[bodies], orientation=state.orientation[bodies]), poses,
        renumbered(chosen(contacts, own), number), Stencils(*(column[own] for column in search.stencils)),
        frame.carried[own], state.nodes, {j: model.span(i) for i, j in soft},
        {j: bool(state.nodes.remembers[i] == frame.parts) and not (i in frame.known and frame.known[i][1])
         for i, j in soft},
        {j: frame.targets[i] for i, j in soft if i in frame.targets}, state.time + frame.h,
        {j: frame.known[i][0] for i, j in soft if i in frame.known}, {j: frame.starts.get(i) for i, j in soft},
        joints_of(state).of(bodies, model.body_count),
    )  # fmt: skip
    _attach(frame, island, np.flatnonzero(core[model.attachments.body[:, 0]]), number)
    return island, bodies


def _attach(frame, island, which, number):
    """Give the Island its attachments, `which` (A,) of the scene's; number (R,): of the bodies in it."""
    model, there = frame.model, frame.there
    attached = model.attachments.chosen(which)
    if attached.count == 0:
        return
    first, second = attached.points(there.position, there.orientation, there.nodes.position, model.node_start)
    # What nodes go outward, straight to the middle of a step in which they turn with a rigid body, they go back in it;
    # those of a body of a few modes turn as it does.
    own, other = attached.body.T
    straight = (attached.hold[:, 0] < 0) & np.array([model.elastic[body].reduced is None for body in own])
    spin = np.where(straight[:, None], there.twist[other, 3:], 0.0)
    second += 0.25 * frame.h**2 * np.cross(spin, np.cross(spin, second - there.position[other])) * bool(frame.starts)
    node, weight = np.full((attached.count, 2, 3), -1), np.zeros((attached.count, 2, 3))
    node[:, 0, 0], weight[:, 0, 0] = attached.node, 1.0
    node[:, 1], weight[:, 1] = attached.hold, attached.weight
    island.attached = attached._replace(body=number[attached.body])
    island.attached_number, island.attached_at, island.attached_gap = which, second, second - first
    island.attached_stencils = node, weight


def _rest_stepped(step, known, model, state, settings, rest):
    """The Part of the bodies `rest` (B,) alone."""
    key = rest.tobytes()
    if known.get("key") != key or known.get("model") is not model:
        known.update(key=key, model=model, part=model_of(model, rest), memory=SearchMemory())
    return Part(*step(known["part"], state_of(state, rest), replace(settings, memory=known["memory"])))


def _island_stepped(frame, solved, island, bodies, middle, log):
    """The Part of an island's bodies (B,) after its step; middle: whether contacts were found there; log: SubstepLog or
    None."""
    h, poses, own = frame.h, island.poses, state_of(frame.state, bodies, frame.model)
    free, nodes = island.model.inverse_mass > 0, own.nodes.copy()
    end = moved_on(island.model, poses.position, poses.orientation, solved.twist, poses.remaining, middle)
    joints = after_step(island.model, island.joints, solved, h)
    *closed, value = closed_poses(island.model, joints, *end[:2])
    acts = poses.position, poses.position
    spun = velocities_at_end(island.model.bodies, end, end[1], closed[1], closed[1])
    closed.append(with_momentum(island.model, solved, island.joints, acts, end, (*closed, spun),
                                (solved.twist, solved.impulse, None, poses.remaining)))  # fmt: skip
    given = own.position, own.orientation, own.twist
    position, orientation, twist = (np.where(free[:, None], *pair) for pair in zip(closed, given, strict=True))
    nodes.before, nodes.velocity_before = own.nodes.position, own.nodes.velocity
    for soft in solved.parts:
        number, span = soft.number, soft.span
        if middle:
            nodes.credit[number] = soft.owed
        nodes.position[span], nodes.velocity[span] = soft.position(h), soft.after
        nodes.remembers[number] = frame.parts if middle or island.remembers[number] else 0
        position[number] = center_of(soft.body, nodes.position[span])
        twist[number] = rigid_part(soft.body, nodes.position[span], soft.after)
    if island.attached.count:
        nodes.held[:] = held_impulses(solved)
    after = replace(
        own, time=own.time + h, position=position, orientation=orientation, twist=twist, contacts=island.contacts,
        impulses=carried_on(solved), horizon=np.zeros(len(bodies)), since=np.zeros(len(bodies)), nodes=nodes,
        joints=replace(joints, value=value) if joints.tables.count else joints,
    )  # fmt: skip
    if log is not None and middle:
        log.add_island(island, solved, own, after, (own.time, h, 0.5 * h, frame.horizon))
    report = island_report(island, solved, end, closed, after.time, h)
    return Part(after, report, four_columns(solved.impulse, solved.step.rows))
