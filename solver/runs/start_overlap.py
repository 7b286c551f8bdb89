"""Bodies that overlap before the first step: found, and said by name."""

from functools import cache

import numpy as np

from ..base.late import late
from ..base.wording import as_length
from ..collision.contacts import among, chosen, merged
from ..collision.depths import near_pairs, pair_depths
from ..collision.pipeline import find_contacts
from ..dynamics.projection import smaller_size
from ..dynamics.rotation import matrix
from ..meshes.solid_field import SolidField
from ..shapes import Mesh

search = late("..dynamics.elastic.surface_search", __package__)

# An overlap below this part of the smaller body is not worth a sentence.
WORTH_SAYING = 1e-3
# Pairs named one by one; of more only the number is said.
NAMED = 5
# Corners of a body of which one or another is inside what it begins deep in.
LOOKED_AT = 64


def told_at_start(scene, model, state, workers=1):
    """(Sentences about overlap at the start, [[name, name]] of sunk_at_start); model, state: see states_at_start."""
    still = np.zeros_like(state.twist)
    contacts = find_contacts(model.collision, state.position, state.orientation, still, 0.0, workers=workers)
    return start_notes(model, state, contacts, workers), sunk_at_start(scene, model, state, contacts, workers)


def start_overlaps(model, state, contacts, workers=1):
    """Return [(depth [m], name, name)], deepest first, of pairs with contacts that overlap by more than 1e-3 of the
    smaller body; of others tells sunk_at_start. contacts: those of rigid bodies."""
    if state.nodes is not None:
        still, x, none = np.zeros_like(state.twist), state.nodes.position, np.zeros(model.body_count)
        place = state.position, state.orientation
        own = search.find(model, *place, still, x, np.zeros_like(x), none, 0.0, workers).contacts
        soft = model.soft[own.body_a] | model.soft[own.body_b]
        contacts, _ = merged([contacts, chosen(own, soft & (own.body_a != own.body_b))])
    deepest = {}
    for k in np.flatnonzero(-contacts.gap > WORTH_SAYING * smaller_size(model, contacts)):
        pair = int(contacts.body_a[k]), int(contacts.body_b[k])
        deepest[pair] = max(deepest.get(pair, 0.0), float(-contacts.gap[k]))
    return sorted(((depth, model.names[a], model.names[b]) for (a, b), depth in deepest.items()), reverse=True)


def start_notes(model, state, contacts, workers=1):
    """Return the sentences about overlap at the start, an empty list where there is none; contacts: of rigid bodies."""
    found = start_overlaps(model, state, contacts, workers)
    notes = [
        f"{a!r} and {b!r} overlap by {as_length(depth)} at the start; they are pushed apart slowly, without "
        "velocity: move them apart if that is not meant"
        for depth, a, b in found[:NAMED]
    ]
    if len(found) > NAMED:
        notes.append(f"{len(found) - NAMED} more pairs of bodies overlap at the start, by less")
    return notes


def sunk_at_start(scene, model, state, contacts, workers=1):
    """Return [[name, name]] of rigid bodies of which one begins so deep in the other that no contact tells of it: what
    holds bodies apart are surfaces, as far in as half of a wall; one that is open has no inside. contacts: of rigid
    bodies there."""
    rigid, position, orientation = ~model.soft, state.position, state.orientation
    _, near = near_pairs(model.collision, position, orientation, np.zeros_like(state.twist), 0.0,
                         rigid & (model.inverse_mass > 0))  # fmt: skip
    pairs = np.unique(np.sort(model.collision.geometry.body[near].astype(np.int64), axis=1), axis=0)
    pairs = pairs[rigid[pairs].all(axis=1)]
    told = -contacts.gap > WORTH_SAYING * smaller_size(model, contacts)
    pairs = pairs[~among(model.body_count, contacts.body_a[told], contacts.body_b[told])(*pairs.T)]
    if not len(pairs):
        return []
    wanted = among(model.body_count, *pairs.T)
    depths = pair_depths(model.collision, position, orientation, model.inverse_mass > 0, workers, wanted)
    size = np.where(model.inverse_mass > 0, model.size, np.inf)
    deep = depths.depth > WORTH_SAYING * np.minimum(size[depths.body_a], size[depths.body_b])
    crossing = among(model.body_count, depths.body_a[deep], depths.body_b[deep])
    shapes = {body.name: body.shape for body in scene.bodies}
    turns, found = matrix(orientation), []

    @cache
    def placed(i):
        """(Vertices (V,3) [m] of body i in the world, its triangles (F,3), corners (2,3) [m] of the box around it)."""
        vertices, triangles = shapes[model.names[i]].surface()
        vertices = (vertices - model.center_of_mass[i]) @ turns[i].T + position[i]
        return vertices, triangles, np.array([vertices.min(axis=0), vertices.max(axis=0)])

    @cache
    def field(i):
        """The SolidField that the surface of body i bounds, None for an open one."""
        shape = shapes[model.names[i]]
        return SolidField(*placed(i)[:2]) if not isinstance(shape, Mesh) or shape.prepared.report.closed else None

    def is_within(i, j):
        """Whether a vertex of body i is inside body j."""
        points, (low, high) = placed(i)[0], placed(j)[2]
        points = points[((points >= low) & (points <= high)).all(axis=1)]
        return len(points) > 0 and _is_within(points, field(j), WORTH_SAYING * min(size[i], size[j]))

    for a, b in pairs.tolist():
        if model.names[a] in shapes and model.names[b] in shapes and (
            crossing(a, b) or is_within(a, b) or is_within(b, a)
        ):
            found.append([model.names[a], model.names[b]])
    return found


def _is_within(points, field, least):
    """Whether one of some points (P,3) is inside a SolidField, if any, further from its surface than `least` [m]."""
    if field is None:
        return False
    points = points[:: len(points) // LOOKED_AT + 1]
    # Of a part that is open little more than a half is no inside.
    within = field.winding(points) > 0.9
    return bool(within.any()) and field.distance(points[within]).max() > least
