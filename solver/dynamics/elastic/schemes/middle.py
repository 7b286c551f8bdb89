"""The middle of a step of the midpoint scheme, where contacts are found: what all deformable bodies of a scene do
there."""

from dataclasses import replace

import numpy as np

from ...cholesky.factor import NotPositive
from ...reduced.part import ReducedPart
from ...rigid import drifted
from ..crushed import crushed
from ..nodes import center_of
from .midpoint import MidpointPart, unit
from .multistep import MIDPOINT

# Contacts of a node whose normals add up to less than this part of their number press it from several sides.
ONE_SIDE = 0.99


def in_the_middle(model, state, targets, rho, h, parts):
    """({body: MidpointPart or ReducedPart} of all deformable bodies, the State half a step of h [s] later); targets:
    where pinned nodes go, by body; rho: see midpoint.py; parts: into how many parts a whole step is divided. Raises
    Crushed."""
    starts, nodes = {}, _copied(state.nodes)
    attached = model.attachments.held_nodes(model.node_start)
    position, orientation, twist = drifted(model, state.position, state.orientation, state.twist, 0.5 * h)
    for number in map(int, np.flatnonzero(model.soft)):
        body, span = model.elastic[number], model.span(number)
        x = nodes.position[span].copy()
        try:
            if body.reduced is not None:
                part = ReducedPart(body, h, rho, x, nodes.velocity[span].copy(), attached[span], MIDPOINT)
            else:
                part = MidpointPart(body, h, rho, x, nodes.velocity[span].copy(), np.zeros_like(x),
                                    body.pinned | attached[span], float(nodes.credit[number]),
                                    body.pressure_at(state.time + h))  # fmt: skip
                known = nodes.remembers[number]
                if body.goals is not None:
                    part.aim = body.goals.aim(state.time, h)
                part.begin(targets.get(number), h * parts / known if known else 0.0)
        except NotPositive:
            raise crushed(model.names[number], state.time + h, number) from None
        nodes.position[span], nodes.velocity[span] = part.y, part.filtered
        position[number], orientation[number] = center_of(body, part.y), state.orientation[number]
        starts[number] = part
    return starts, replace(state, position=position, orientation=orientation, twist=twist, nodes=nodes)


def kept_in_touch(model, search, starts, there):
    """(Search, State) in the middle of a step where the filter closes no contact that touches: else stiff bodies at
    rest would be damped against what they lie on, and bodies would be pushed into each other."""
    contacts = search.contacts
    if not starts or contacts.count == 0:
        return search, there
    change = np.zeros_like(there.nodes.velocity)
    for number, part in starts.items():
        change[model.span(number)] = part.filtered - part.u
    shut = (contacts.gap <= 0.0) & (_closing(model, search, change) > 0.0)
    if not shut.any():
        return search, there
    pressed, weights = np.zeros_like(change), np.zeros(len(change))
    for _, node, weight, sign in _sides(model, search):
        node, weight = node[shut], weight[shut]
        np.add.at(pressed, node, sign * weight[:, :, None] * contacts.normal[shut][:, None])
        np.add.at(weights, node, weight)
    moved_by = np.zeros_like(change)
    nodes, position = _copied(there.nodes), there.position.copy()
    for number, part in starts.items():
        span = model.span(number)
        if not weights[span].any():
            continue
        from_sides = np.linalg.norm(pressed[span], axis=1) < ONE_SIDE * weights[span]
        part.held = part.held | from_sides
        before = part.y
        part.drift(unit(pressed[span]))
        moved_by[span] = part.y - before
        nodes.position[span], nodes.velocity[span] = part.y, part.filtered
        position[number] = center_of(part.body, part.y)
    gap, at = contacts.gap - _closing(model, search, moved_by), contacts.position.copy()
    for _, node, weight, _ in _sides(model, search):
        at += 0.5 * np.einsum("cj,cjk->ck", weight, moved_by[node])
    search = search._replace(contacts=contacts._replace(position=at, gap=gap))
    return search, replace(there, position=position, nodes=nodes)


def _copied(nodes):
    """Nodes whose places and velocities may be written."""
    return replace(nodes, position=nodes.position.copy(), velocity=nodes.velocity.copy())


def _sides(model, search):
    """(bodies (C,), nodes (C,3) among all, their weights (C,3), sign of the velocity) of both sides of the contacts."""
    contacts = search.contacts
    for side, (body, sign) in enumerate(((contacts.body_a, -1.0), (contacts.body_b, 1.0))):
        node = search.stencils.node[:, side]
        on = node >= 0
        yield (body, np.where(on, node + model.node_start[body][:, None], 0),
               np.where(on, search.stencils.weight[:, side], 0.0), sign)  # fmt: skip


def _closing(model, search, velocity):
    """How fast (C,) the contacts close by velocities (N,3) of nodes."""
    closing = np.zeros(search.contacts.count)
    for _, node, weight, sign in _sides(model, search):
        closing -= sign * np.einsum("cj,cjk,ck->c", weight, velocity[node], search.contacts.normal)
    return closing
