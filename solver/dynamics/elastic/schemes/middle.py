"""The middle of a step of the midpoint scheme, where contacts are found: what all deformable bodies of a scene do
there."""

from dataclasses import replace

import numpy as np

from ...cholesky.factor import NotPositive
from ...reduced.part import ReducedPart
from ...rigid import drifted
from ..crushed import crushed
from ..nodes import center_of
from . import touch_kernels as kernels
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
    # Rigid bodies keep their velocities.
    closing, still = np.empty(contacts.count), np.zeros((model.body_count, 6))
    touch, on = contacts[:5], (*search.stencils, model.node_start)
    kernels.closing(touch, *on, change, (there.position, still, model.soft), closing)
    shut = (contacts.gap <= 0.0) & (closing > 0.0)
    if not shut.any():
        return search, there
    pressed, weights = np.zeros_like(change), np.zeros(len(change))
    kernels.press(touch, *on, shut, pressed, weights)
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
    at, gap = np.empty_like(contacts.position), np.empty_like(contacts.gap)
    kernels.shift(touch, *on, moved_by, at, gap)
    search = search._replace(contacts=contacts._replace(position=at, gap=gap))
    return search, replace(there, position=position, nodes=nodes)


def _copied(nodes):
    """Nodes whose places and velocities may be written."""
    return replace(nodes, position=nodes.position.copy(), velocity=nodes.velocity.copy())

