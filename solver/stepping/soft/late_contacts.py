"""Contacts of deformable bodies that nobody could foresee: within a step elastic forces bring nodes to a surface whose
neighbours were nearer to it, or turn what they touch. They are found where the step ends, and solved for with the rest.
"""

from typing import NamedTuple

import numpy as np

from ...collision.contacts import ContactSet, chosen
from ...dynamics.elastic.nodes import center_of, with_looseness
from ...dynamics.elastic.schemes import touch_kernels as kernels
from ...dynamics.elastic.surface_search import Stencils, find
from ...dynamics.rigid import drifted, moved_poses

# Overlap at the end of a step, in parts of the smaller body, from which on a contact is solved for in the same step.
LATE = 3e-4
# The same from which on the step is too long, where it is left after all searches.
TOO_DEEP = 3e-3
# Searches at the end of a step at most.
SEARCHES = 4


class Poses(NamedTuple):
    """Where all is: position (R,3) [m], orientation (R,4) of the bodies, nodes (N,3) [m]; node_speed (R,) [m/s]: how
    fast nodes move relative to the rigid motion of their body at most."""

    position: np.ndarray
    orientation: np.ndarray
    nodes: np.ndarray
    node_speed: np.ndarray


def moved_on(model, position, orientation, twist, time, middle):
    """(position (R,3), orientation (R,4), twist (R,6)) of rigid bodies `time` [s] after contacts were found: those of
    schemes that find them in the `middle` turn freely, as in a step without deformable bodies; others straight on."""
    if middle:
        return drifted(model, position, orientation, twist, time)
    return *moved_poses(position, orientation, twist, time), twist


def poses_after(model, there, free, done, time, h, middle):
    """Poses at the end of a step of h [s]; there: the State where contacts were found, `time` [s] before; free (R,6):
    how bodies move that are in no island; done: (Solved, Island, bodies) of the islands; middle: see moved_on."""
    twist = free.copy()
    for solved, _, bodies in done:
        twist[bodies] = solved.twist
    position, orientation, _ = moved_on(model, there.position, there.orientation, twist, time, middle)
    nodes, node_speed = there.nodes.position.copy(), np.zeros(model.body_count)
    for solved, island, bodies in done:
        for part in solved.parts:
            span = island.spans[part.number]
            nodes[span] = part.position(h)
            body, x = bodies[part.number], nodes[span]
            position[body], orientation[body] = center_of(part.body, x), there.orientation[body]
            node_speed[body] = with_looseness(part.body, x, part.v)[1]
    return Poses(position, orientation, nodes, node_speed)


def with_late_contacts(model, search, there, end, settings, coupled):
    """(the Search with what is deeper at the Poses `end` than at the State `there`, bodies (K,) that it is of, those
    (R,) bool that are too deep); coupled (P,2): pairs of bodies that something else joins."""
    rest, still = np.zeros((model.body_count, 6)), np.zeros((len(end.nodes), 3))
    late = find(model, end.position, end.orientation, rest, end.nodes, still, end.node_speed,
                settings.time_step, settings.workers, coupled, settings.memory)  # fmt: skip
    if not late.contacts.count:
        return search, np.zeros(0, dtype=np.int64), np.zeros(model.body_count, dtype=bool)
    now = _as_before(model, late, there, end)
    size = np.minimum(model.size[now.body_a], model.size[now.body_b])
    which = np.flatnonzero(late.contacts.gap < np.minimum(now.gap, 0.0) - LATE * size)
    ends, deep = np.stack([now.body_a[which], now.body_b[which]], axis=1), np.zeros(model.body_count, dtype=bool)
    deep[ends[-late.contacts.gap[which] > TOO_DEEP * size[which]]] = True
    return (_added(search, late, now, which) if len(which) else search), np.unique(ends), deep


def _as_before(model, late, there, end):
    """The contacts of a Search at the Poses `end` between the same points and along the same normals, at `there`."""
    contacts = late.contacts
    points = [points_before(model, late, side, there, end) for side in range(2)]
    gap = np.einsum("ci,ci->c", points[1] - points[0], contacts.normal)
    return contacts._replace(position=0.5 * (points[0] + points[1]), gap=gap)


def points_before(model, late, side, there, end):
    """Points (C,3) that touch on this side, where they are at `there`."""
    points = np.empty_like(late.contacts.position)
    kernels.points_before(
        late.contacts[:5], *late.stencils, model.node_start, side,
        (there.position, there.orientation, there.nodes.position), (end.position, end.orientation), points,
    )  # fmt: skip
    return points


def _added(search, late, now, which):
    """The Search with contacts `which` (L,) of another, as they are `now`; they replace those of the same features."""
    old = search.contacts
    names = [np.stack([c.body_a, c.body_b, c.key], axis=1) for c in (old, chosen(now, which))]
    replaced = (names[0][:, None] == names[1][None]).all(axis=2).any(axis=1)
    kept = np.flatnonzero(~replaced)
    contacts = [np.concatenate([a[kept], b[which]]) for a, b in zip(old, now, strict=True)]
    stencils = [np.concatenate([a[kept], b[which]]) for a, b in zip(search.stencils, late.stencils, strict=True)]
    order = np.lexsort((contacts[5], contacts[1], contacts[0]))
    pairs = np.stack([now.body_a[which], now.body_b[which]], axis=1)
    return search._replace(
        contacts=ContactSet(*(column[order] for column in contacts)),
        stencils=Stencils(*(column[order] for column in stencils)), pairs=np.concatenate([search.pairs, pairs]),
    )  # fmt: skip
