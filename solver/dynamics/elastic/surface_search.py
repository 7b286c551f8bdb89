"""Contacts of the surfaces of deformable bodies: with rigid ones, with each other, with themselves."""

from typing import NamedTuple

import numpy as np

from ...collision.broadphase.geometry import CAPSULE, MESH
from ...collision.broadphase.placement_kernels import allocate_placement, place_and_sweep
from ...collision.contact_keys import MESH_BITS, numpy_pair_salt
from ...collision.contacts import ContactSet, empty_contacts
from ...collision.convex.narrow_kernels import RELATIVE_MARGIN, Contacts
from ...collision.mesh.mesh_round_kernels import ROUND_EDGE, ROUND_FACE, ROUND_VERTEX
from ...collision.pipeline import Step, boxes_that_meet, convex_contacts, joined, mesh_contacts
from ...collision.search_memory import SearchMemory
from . import search_kernels as kernels
from .self_contact import self_contacts
from .surfaces import place_surfaces


class Stencils(NamedTuple):
    """Where contacts (C,) touch the nodes of deformable bodies: node (C,2,3) among those of the body of each side, -1
    for none; weight (C,2,3), their sum 1 where there are any."""

    node: np.ndarray
    weight: np.ndarray


class Search(NamedTuple):
    """A search for the contacts of deformable bodies: contacts; stencils of these; joined (R,) bool: bodies that are
    deformable, or that such bodies touch or may touch, directly or through others; pairs (P,2) of bodies whose boxes
    meet within the step."""

    contacts: ContactSet
    stencils: Stencils
    joined: np.ndarray
    pairs: np.ndarray


def swept_boxes(model, position, orientation, twist, x, v, h):
    """(Placement, low (C,3), high (C,3)) of all colliders; nodes at x (N,3) move with v (N,3)."""
    geometry = model.collision.geometry
    place = allocate_placement(geometry, position, twist)
    low, high = (np.empty((len(geometry.kind), 3)) for _ in range(2))
    place_and_sweep(geometry, orientation, place, h, model.collision.inflation, low, high)
    kernels.sweep_surfaces(model.surface_tables, model.node_start, model.collision.colliders, x, v, h, low, high)
    return place, low, high


def find(model, position, orientation, twist, x, v, node_speed, h, workers=1, coupled=None, memory=None):
    """The Search at these poses: contacts of deformable bodies, and of rigid ones joined with them, within h [s].

    twist (R,6): rigid motion of every body; x, v (N,3): nodes and their velocities; node_speed (R,) [m/s]: how
    fast nodes of each body move relative to its rigid motion at most; coupled (P,2): pairs of bodies that something
    else joins; memory: the run's SearchMemory, in which surfaces are moved.
    """
    memory = SearchMemory() if memory is None else memory
    collision, geometry = memory.with_own_meshes(model.collision), model.collision.geometry
    orientation = np.ascontiguousarray(orientation, dtype=float)
    place, low, high = swept_boxes(model, position, orientation, twist, x, v, h)
    meeting = boxes_that_meet(collision, low, high, collision.allowed, memory)
    pairs = np.empty_like(meeting)
    pairs = pairs[: kernels.in_reach(model.surface_tables, collision.colliders, collision.inflation, low, high, meeting,
                                     pairs)]  # fmt: skip
    bodies, soft, near = geometry.body[pairs].astype(np.int64), model.soft, model.soft.copy()
    joined_by = bodies if coupled is None else np.concatenate([bodies, coupled])
    kernels.join(*joined_by.T, soft | (model.inverse_mass > 0), near)
    with_soft = soft[bodies].any(axis=1)
    rigid = ~with_soft & near[bodies].any(axis=1)
    own = [number for number in np.flatnonzero(soft) if model.elastic[number].self_contact]
    if not (with_soft.any() or rigid.any() or own):
        return Search(empty_contacts(), Stencils(*_no_stencils(0)), near, bodies)
    place_surfaces(model, collision.meshes, position, orientation, x)
    step = Step(place, orientation, h, -1.0, workers)
    found, features = _surface_contacts(collision, step, pairs[with_soft], node_speed)
    found, features = _with_vertices(model, step, pairs[with_soft], x, v, node_speed, found, features)
    found, features = _needed_edges(model, collision.meshes, found, features)
    parts = [(found, _stencils(model, found, features, x))]
    if rigid.any():
        others = _rigid_contacts(collision, step, pairs[rigid])
        parts.append((others, _no_stencils(len(others.gap))))
    parts.extend(_self_contacts(model, number, x, v, h) for number in own)
    contacts = joined([contacts for contacts, _ in parts])
    order = np.lexsort((contacts.key, contacts.body_b, contacts.body_a))
    stencils = Stencils(*(np.concatenate(part)[order] for part in zip(*(part for _, part in parts), strict=True)))
    return Search(ContactSet(*(column[order] for column in contacts)), stencils, near, bodies)


def _no_stencils(count):
    """The columns of Stencils of contacts between rigid bodies."""
    return np.full((count, 2, 3), -1), np.zeros((count, 2, 3))


def _self_contacts(model, number, x, v, h):
    """(Contacts, Stencils) of a deformable body with itself."""
    span = model.span(number)
    found, node, weight = self_contacts(int(number), model.elastic[number], x[span], v[span], h)
    return found, Stencils(np.where(weight != 0.0, node, -1), weight)


def _rigid_contacts(collision, step, pairs):
    with_mesh = (collision.geometry.kind[pairs] == MESH).any(axis=1)
    parts = [convex_contacts(collision, step, pairs[~with_mesh])]
    if np.any(with_mesh):
        parts.append(mesh_contacts(collision, step, pairs[with_mesh], None, False))
    return joined(parts)


def _surface_contacts(collision, step, pairs, node_speed):
    """(Contacts, (kind (C,), first feature, second feature)) of collider pairs with a deformable body."""
    room, capacity = 1024, max(1024, 64 * len(pairs))
    while True:
        numbers = np.empty((6, capacity), dtype=np.int64)
        out = *numbers[:2], np.empty((capacity, 3)), np.empty((capacity, 3)), np.empty(capacity), *numbers[2:]
        used, most = kernels.surface_contacts(
            collision.meshes, collision.colliders, (step.place, step.orientation), np.ascontiguousarray(pairs),
            node_speed, step.h, room, out,
        )  # fmt: skip
        if used <= capacity and most <= room:
            break
        room, capacity = max(room, most), max(capacity, 2 * used)
    out = [column[:used] for column in out]
    return Contacts(*out[:6]), tuple(out[6:])


def _needed_edges(model, pool, contacts, features):
    """The contacts and features of _with_vertices without those of edges that are not sharp where the corners at their
    ends touch the same body, or where neither edge is sharp: they say the same in more contacts. Without any of them
    a blade's edge would pass a flat surface between its corners."""
    kept = np.empty(len(contacts.gap), dtype=bool)
    kernels.needed(pool, model.surface_tables, contacts.body_a, contacts.body_b, *features, kept)
    return Contacts(*(column[kept] for column in contacts)), tuple(column[kept] for column in features)


def _with_vertices(model, step, pairs, x, v, node_speed, contacts, features):
    """The contacts and features of _surface_contacts with those of balls and capsules and every vertex they press.

    The mesh's own search sees a ball against what lies nearest to its middle. In the dent that it presses, that is
    now the corners and now the insides of faces, and what the last step's contacts held would slip out of the search.
    Faces and edges between pressed corners that are short beside the ball are left out.
    """
    geometry, body = model.collision.geometry, model.collision.geometry.body
    pairs = pairs[(geometry.kind[pairs] <= CAPSULE).any(axis=1)]
    if not len(pairs):
        return contacts, features
    parts, kinds, kept = [contacts], list(features), np.ones(len(contacts.gap), dtype=bool)
    for a, b in pairs:
        ball, soft = (a, b) if geometry.kind[a] <= CAPSULE else (b, a)
        surface, nodes = model.surfaces[body[soft]], model.node_start[body[soft]]
        margin = RELATIVE_MARGIN * min(geometry.extent[a], geometry.extent[b]) + step.h * node_speed[body[[a, b]]].sum()
        span = slice(nodes, nodes + model.elastic[body[soft]].node_count)
        which, position, normal, gap = _vertices_on_round(geometry, step, ball, surface, x[span], v[span], margin)
        own = (contacts.body_a == body[a]) & (contacts.body_b == body[b])
        # Edges of a quarter of the radius dent by less than a hundredth of it between two of their corners.
        kept[own] &= ~_carried_by(surface, x[span], which, gap <= margin, features[0][own], features[1][own],
                                  0.25 * geometry.radius[ball])  # fmt: skip
        key = (ROUND_VERTEX << 2 * MESH_BITS) | (which << MESH_BITS)
        key ^= numpy_pair_salt(geometry.salt[a], geometry.salt[b])
        ends = np.tile(body[[a, b]].astype(np.int64)[:, None], len(which))
        parts.append(Contacts(*ends, position, normal if soft == a else -normal, gap, key))
        for i, value in enumerate((np.full(len(which), ROUND_VERTEX), which, which)):
            kinds[i] = np.concatenate([kinds[i], value])
    kept = np.pad(kept, (0, len(kinds[0]) - len(kept)), constant_values=True)
    return Contacts(*(column[kept] for column in joined(parts))), tuple(column[kept] for column in kinds)


def _carried_by(surface, x, which, touches, kind, feature, short):
    """Which contacts (C,) of a ball with features of a Surface its vertices `which` (k,) make superfluous: those of
    themselves, and faces and edges no longer than `short` [m] whose corners all touch (k,) it."""
    there, on = np.zeros(len(x), dtype=bool), np.zeros(len(x), dtype=bool)
    there[surface.nodes[which]], on[surface.nodes[which[touches]]] = True, True
    dropped = np.zeros(len(kind), dtype=bool)
    for code, table in ((ROUND_VERTEX, surface.nodes[:, None]), (ROUND_EDGE, surface.edges),
                        (ROUND_FACE, surface.triangles)):  # fmt: skip
        of = np.flatnonzero(kind == code)
        nodes = table[feature[of]]
        length = np.linalg.norm(x[nodes] - x[np.roll(nodes, 1, axis=1)], axis=2).max(axis=1, initial=0.0)
        dropped[of] = there[nodes[:, 0]] if code == ROUND_VERTEX else on[nodes].all(axis=1) & (length <= short)
    return dropped


def _vertices_on_round(geometry, step, ball, surface, x, v, margin):
    """(numbers (k,) of vertices of a Surface that a ball or capsule touches or comes to in the step, positions (k,3),
    normals (k,3) towards its middle, gaps (k,)); x, v (n,3): all nodes of the body and their velocities; margin [m]:
    also those that are no further off."""
    radius, motion, at = geometry.radius[ball], step.place.motion[geometry.body[ball]], x[surface.nodes]
    start, along = step.place.frame[ball, :3], np.zeros(3)
    if geometry.kind[ball] == CAPSULE:
        low = geometry.vertex_start[ball]
        start, along = step.place.vertex[low], step.place.vertex[low + 1] - step.place.vertex[low]
    share = np.clip((at - start) @ along / max(along @ along, 1e-300), 0.0, 1.0)
    middle = start + share[:, None] * along
    away = middle - at
    distance = np.sqrt((away**2).sum(axis=1))
    near = np.flatnonzero((distance > 1e-9 * radius) & (distance < 2.0 * radius + margin))
    normal = away[near] / distance[near, None]
    speed = motion[3:6] + np.cross(motion[6:9], middle[near] - motion[:3]) - v[surface.nodes[near]]
    gap, move = distance[near] - radius, step.h * speed
    # One that comes by from aside is the swept search's: along another normal than that of now.
    straight = (move**2).sum(axis=1) <= (0.5 * radius) ** 2
    comes = (gap <= margin) | (straight & (gap + np.einsum("ki,ki->k", normal, move) <= 0.0))
    outward = np.zeros_like(x)
    corners = x[surface.triangles]
    of_face = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    for j in range(3):
        np.add.at(outward, surface.triangles[:, j], of_face)
    # Not those of the far side of a thin wall.
    comes &= np.einsum("ki,ki->k", normal, outward[surface.nodes[near]]) > 0.0
    which, normal, gap = near[comes], normal[comes], gap[comes]
    reach = np.where(gap > margin, radius, radius + 0.5 * gap)
    return which, middle[which] - reach[:, None] * normal, normal, gap


def _stencils(model, contacts, features, x):
    """Stencils of contacts with deformable bodies."""
    node, weight = np.empty((len(contacts.gap), 2, 3), dtype=np.int64), np.empty((len(contacts.gap), 2, 3))
    kernels.stencils(model.surface_tables, model.node_start, x, contacts[:5], features, node, weight)
    return Stencils(node, weight)
