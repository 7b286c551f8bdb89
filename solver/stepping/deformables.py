"""Steps of scenes with deformable bodies.

Bodies that a deformable one touches, directly or through others, make an island with it and are stepped with it, each
island alone: contacts at the start of the step, velocities and elastic forces at its end. All other bodies are stepped
as if there were no deformable ones.
"""

from dataclasses import replace

import numpy as np

from ..collision.contacts import chosen, merged
from ..dynamics import kinematic, rotation
from ..dynamics.elastic.island_step import Demands, Island, carried_on, solve_island
from ..dynamics.elastic.nodes import Nodes, center_of, moved_with, rigid_part
from ..dynamics.elastic.surfaces import Stencils, find
from ..dynamics.rigid import free_twist, moved
from ..dynamics.warm_start import carried_impulses, four_columns
from ..problems.islands import body_islands
from .elastic_report import island_report
from .step_parts import side_by_side
from .submodel import PER_BODY, model_of, renumbered, state_of


def with_deformables(step, demands=None):
    """`step` for scenes with deformable bodies, too; demands: Demands of their steps."""
    demands, known = Demands() if demands is None else demands, {}

    def advance(model, state, settings):
        if state.nodes is None:
            return step(model, state, settings)
        return _advance(step, known, model, state, settings, demands)

    return advance


def _advance(step, known, model, state, settings, demands):
    h = settings.time_step
    state = kinematic.driven(model, state, h)
    free = free_twist(model, state, state.orientation, h)
    targets = _targets(model, state, h)
    velocity, twist, beside = _foreseen(model, state, free, targets, h)
    search = find(
        model, state.position, state.orientation, twist, state.nodes.position, velocity, beside, h, settings.workers
    )
    carried = carried_impulses(state.contacts, state.impulses, search.contacts)
    able = np.where(model.soft, 1.0, model.inverse_mass)
    label = body_islands(able, search.contacts.body_a, search.contacts.body_b)
    wanted = np.unique(label[model.soft])
    done = []
    for k in wanted:
        island, bodies, own = _island(model, state, free, search, carried, label, k, targets)
        done.append((solve_island(island, settings, demands), island, bodies, own))
    inside = np.isin(label, wanted) & (able > 0)
    rest = np.flatnonzero(~inside)
    after = _rest_stepped(step, known, model, state, settings, rest)
    return _together(model, state, settings, after, rest, done)


def _targets(model, state, h):
    """Where pinned nodes go, by number of their body: with the body's keyed poses, or where they rest."""
    targets = {}
    for number in np.flatnonzero(model.soft):
        body, keys = model.elastic[number], model.keys[number]
        if not body.pinned.any():
            continue
        target = body.rest
        if keys is not None:
            then, turn = kinematic.pose_at(keys, state.time + h)
            first, start = kinematic.pose_at(keys, 0.0)
            spin = rotation.matrix(np.stack([turn, start]))
            target = then + (body.rest - first) @ (spin[0] @ spin[1].T).T
        targets[int(number)] = target
    return targets


def _foreseen(model, state, free, targets, h):
    """(velocities (N,3) of the nodes as far as known before the step, twists (R,6) of all bodies with the rigid part of
    these, how fast (R,) [m/s] nodes move beside that at most)."""
    velocity, twist = state.nodes.velocity + h * model.gravity, free.copy()
    beside = np.zeros(model.body_count)
    for number in np.flatnonzero(model.soft):
        body, span = model.elastic[number], model.span(number)
        x, v = state.nodes.position[span], velocity[span]
        if number in targets:
            v[body.pinned] = ((targets[number] - x) / h)[body.pinned]
        twist[number] = rigid_part(body, x, v)
        off = v - moved_with(twist[number], center_of(body, x), x)
        beside[number] = np.sqrt((off[body.surface_nodes] ** 2).sum(axis=1).max())
    return velocity, twist, beside


def _island(model, state, free, search, carried, label, k, targets):
    """(Island, its bodies ascending, its contacts): those labelled k, and bodies they touch that do not move freely."""
    contacts = search.contacts
    moving = np.where(model.soft, 1.0, model.inverse_mass) > 0
    ends = np.where(moving[contacts.body_a], contacts.body_a, contacts.body_b)
    own = np.flatnonzero(label[ends] == k)
    member = moving & (label == k)
    member[contacts.body_a[own]] = member[contacts.body_b[own]] = True
    bodies = np.flatnonzero(member)
    number = np.full(model.body_count, -1, dtype=np.int64)
    number[bodies] = np.arange(len(bodies))
    part = island_model(model, bodies)
    soft = [(int(i), int(number[i])) for i in bodies[model.soft[bodies]]]
    still = np.where(model.soft, 0.0, 1.0)[bodies, None]
    island = Island(
        part, state.position[bodies], state.orientation[bodies], still * state.twist[bodies], still * free[bodies],
        renumbered(chosen(contacts, own), number), Stencils(*(column[own] for column in search.stencils)), carried[own],
        state.nodes, {j: model.span(i) for i, j in soft}, {j: bool(state.nodes.remembers[i]) for i, j in soft},
        {j: targets[i] for i, j in soft if i in targets},
    )  # fmt: skip
    return island, bodies, own


def island_model(model, bodies):
    """Model of `bodies` (B,) ascending, without what is needed to find contacts."""
    columns = {}
    for name in PER_BODY:
        column = getattr(model, name)
        columns[name] = tuple(column[i] for i in bodies) if isinstance(column, tuple) else column[bodies]
    return replace(model, **columns, collision=None)


def _rest_stepped(step, known, model, state, settings, rest):
    """What `step` returns for the bodies `rest` (B,) alone, None where there are none."""
    if len(rest) == 0:
        return None
    key = rest.tobytes()
    if known.get("key") != key or known.get("model") is not model:
        known.update(key=key, model=model, part=model_of(model, rest))
    return step(known["part"], state_of(state, rest), replace(settings, memory=type(settings.memory)()))


def _together(model, state, settings, rest_done, rest, done):
    """(State, StepReport, impulses (C,4)) of all bodies."""
    h, nodes = settings.time_step, state.nodes
    position, orientation, twist = state.position.copy(), state.orientation.copy(), state.twist.copy()
    seen = np.zeros(model.body_count)
    after = Nodes(nodes.position.copy(), nodes.velocity.copy(), nodes.position, nodes.velocity, nodes.remembers.copy())
    sets, impulses, rows, report = [], [], [], None
    if rest_done is not None:
        part, report, part_rows = rest_done
        position[rest], orientation[rest], twist[rest] = part.position, part.orientation, part.twist
        seen[rest] = part.seen if len(part.seen) else 0.0
        sets.append(renumbered(part.contacts, rest))
        impulses.append(part.impulses)
        rows.append(part_rows)
    for solved, island, bodies, _ in done:
        own = replace(state, position=island.position, orientation=island.orientation)
        x, q = moved(own, solved.twist, h)
        free = island.model.inverse_mass > 0
        position[bodies[free]], orientation[bodies[free]] = x[free], q[free]
        twist[bodies[free]] = solved.twist[free]
        for soft in solved.parts:
            number, span = bodies[soft.number], island.spans[soft.number]
            after.position[span], after.velocity[span] = soft.position(h), soft.v
            after.remembers[number] = island.remembers[soft.number]
            position[number] = center_of(soft.body, after.position[span])
            twist[number] = rigid_part(soft.body, after.position[span], soft.v)
        sets.append(renumbered(island.contacts, bodies))
        impulses.append(carried_on(solved))
        rows.append(four_columns(solved.impulse, solved.step.rows))
        added = island_report(island, solved, x, q, state.time + h, h)
        report = added if report is None else side_by_side(report, added)
    contacts, order = merged(sets)
    new = replace(
        state, time=state.time + h, position=position, orientation=orientation, twist=twist, contacts=contacts,
        impulses=np.concatenate(impulses)[order], seen=seen, nodes=after,
    )  # fmt: skip
    return new, report._replace(time=new.time), np.concatenate(rows)[order]
