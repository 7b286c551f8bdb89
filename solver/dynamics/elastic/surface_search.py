"""Contacts of the surfaces of deformable bodies: with rigid ones, with each other, with themselves."""

from typing import NamedTuple

import numpy as np

from ...collision.broadphase.geometry import CAPSULE, MESH
from ...collision.broadphase.placement_kernels import allocate_placement, place_and_sweep
from ...collision.contact_keys import MESH_BITS, mesh_features, numpy_pair_salt
from ...collision.contacts import ContactSet, empty_contacts
from ...collision.convex.narrow_kernels import RELATIVE_MARGIN, Contacts
from ...collision.mesh.mesh_kernels import EDGE_EDGE, EDGE_VERTEX, FACE_VERTEX, VERTEX_EDGE, VERTEX_FACE, VERTEX_VERTEX
from ...collision.mesh.mesh_round_kernels import ROUND_EDGE, ROUND_FACE, ROUND_VERTEX
from ...collision.mesh.pierce_kernels import depths_within
from ...collision.pipeline import Step, boxes_that_meet, convex_contacts, joined, mesh_contacts
from ...collision.search_memory import SearchMemory
from ...collision.surface.mesh_pool import FIRST_EDGE, FLAT_ANGLE, INWARD, SHEET, SIDE
from .. import rotation
from . import search_kernels as kernels
from .self_contact import self_contacts
from .surfaces import place_surfaces

FACE, EDGE, VERTEX, NONE = range(4)
# What the first and the second collider of a pair meet with, by the kind of contact in its key.
SIDES = {
    FACE_VERTEX: (FACE, VERTEX), VERTEX_FACE: (VERTEX, FACE), EDGE_EDGE: (EDGE, EDGE), EDGE_VERTEX: (EDGE, VERTEX),
    VERTEX_EDGE: (VERTEX, EDGE), VERTEX_VERTEX: (VERTEX, VERTEX), ROUND_FACE: (FACE, FACE), ROUND_EDGE: (EDGE, EDGE),
    ROUND_VERTEX: (VERTEX, VERTEX),
}  # fmt: skip
# Kinds of contacts in which the first or the second collider touches with a corner.
CORNERS = tuple([kind for kind, met in SIDES.items() if met[side] == VERTEX] for side in range(2))


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
    for number, surface in enumerate(model.surfaces):
        if surface is not None:
            nodes = model.node_start[number] + surface.nodes
            now, then = x[nodes], x[nodes] + h * v[nodes]
            spare = 0.5 * RELATIVE_MARGIN * geometry.extent[surface.collider]
            low[surface.collider] = np.minimum(now.min(axis=0), then.min(axis=0)) - spare
            high[surface.collider] = np.maximum(now.max(axis=0), then.max(axis=0)) + spare
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
    pairs = _in_reach(model, low, high, boxes_that_meet(collision, low, high, collision.allowed, memory))
    a, b = geometry.body[pairs].astype(np.int64).T
    soft = model.soft
    more = np.zeros((0, 2), dtype=np.int64) if coupled is None else coupled
    joined_a, joined_b = np.concatenate([a, more[:, 0]]), np.concatenate([b, more[:, 1]])
    near = joined_bodies(soft, model.soft | (model.inverse_mass > 0), joined_a, joined_b)
    with_soft = soft[a] | soft[b]
    rigid = ~with_soft & (near[a] | near[b])
    own = [number for number in np.flatnonzero(soft) if model.elastic[number].self_contact]
    if not (with_soft.any() or rigid.any() or own):
        return Search(empty_contacts(), Stencils(*_no_stencils(0)), near, np.stack([a, b], axis=1))
    place_surfaces(model, collision.meshes, position, orientation, x)
    step = Step(place, orientation, h, -1.0, workers)
    found, features = _surface_contacts(collision, step, pairs[with_soft], node_speed)
    found, features = _with_vertices(model, step, pairs[with_soft], x, v, node_speed, found, features)
    found, features = _needed_edges(model, collision.meshes, found, features)
    others = _rigid_contacts(collision, step, pairs[rigid])
    own = [_self_contacts(model, number, x, v, h) for number in own]
    contacts = joined([found, others, *(entry[0] for entry in own)])
    order = np.lexsort((contacts.key, contacts.body_b, contacts.body_a))
    stencils = _stencils(model, found, features, x)
    parts = zip(stencils, _no_stencils(len(others.gap)), *(entry[1] for entry in own), strict=True)
    stencils = Stencils(*(np.concatenate(part)[order] for part in parts))
    return Search(ContactSet(*(column[order] for column in contacts)), stencils, near, np.stack([a, b], axis=1))


def _in_reach(model, low, high, pairs):
    """Those of the pairs (P,2) of colliders whose boxes low, high (C,3) are within the pair's own margin of each other:
    a box of the ground is moved out as the largest body of the scene asks, which is nothing to the others."""
    geometry, spare = model.collision.geometry, model.collision.inflation.copy()
    half = 0.5 * RELATIVE_MARGIN * geometry.extent
    soft = np.array([surface.collider for surface in model.surfaces if surface is not None], dtype=np.int64)
    spare[soft] = half[soft]
    a, b = pairs.T
    apart = np.maximum(low[a] - high[b], low[b] - high[a]).max(axis=1) + spare[a] + spare[b]
    return pairs[apart <= 2.0 * np.minimum(half[a], half[b])]


def _no_stencils(count):
    """The columns of Stencils of contacts between rigid bodies."""
    return np.full((count, 2, 3), -1), np.zeros((count, 2, 3))


def _self_contacts(model, number, x, v, h):
    """(Contacts, Stencils) of a deformable body with itself."""
    span = model.span(number)
    found, node, weight = self_contacts(int(number), model.elastic[number], x[span], v[span], h)
    return found, Stencils(np.where(weight != 0.0, node, -1), weight)


def joined_bodies(seeds, moving, a, b):
    """Which moving bodies (R,) are seeds (R,), or joined with one by pairs of moving bodies a, b (P,)."""
    both = moving[a] & moving[b]
    a, b, near = a[both], b[both], seeds.copy()
    while True:
        touched = near[a] | near[b]
        more = near.copy()
        more[a[touched]] = more[b[touched]] = True
        if np.array_equal(more, near):
            return near
        near = more


def _rigid_contacts(collision, step, pairs):
    with_mesh = (collision.geometry.kind[pairs] == MESH).any(axis=1)
    parts = [convex_contacts(collision, step, pairs[~with_mesh])]
    if np.any(with_mesh):
        parts.append(mesh_contacts(collision, step, pairs[with_mesh], None, False))
    return joined(parts)


def _surface_contacts(collision, step, pairs, node_speed):
    """(Contacts, (kind (C,), first feature, second feature)) of collider pairs with a deformable body."""
    geometry = collision.geometry
    body, least = geometry.body[pairs], RELATIVE_MARGIN * geometry.extent[pairs].min(axis=1)
    margin = least + step.h * node_speed[body].sum(axis=1)
    room, capacity = 1024, max(1024, 64 * len(pairs))
    while True:
        out = (np.empty((capacity, 3)), np.empty((capacity, 3)), np.empty(capacity), np.empty(capacity, np.int64),
               np.empty(capacity, np.int64))  # fmt: skip
        used, most = kernels.surface_contacts(
            collision.meshes, collision.colliders, (step.place, step.orientation), np.ascontiguousarray(pairs), margin,
            step.h, room, out,
        )  # fmt: skip
        if used <= capacity and most <= room:
            break
        room, capacity = max(room, most), max(capacity, 2 * used)
    position, normal, gap, key, pair = (column[:used] for column in out)
    kind, first, second = mesh_features(key)
    # A ball has no features: what the key names first is that of the surface, whichever collider it is.
    ball = np.isin(kind, (ROUND_FACE, ROUND_EDGE, ROUND_VERTEX))
    second = np.where(ball, first, second)
    salt = numpy_pair_salt(geometry.salt[pairs[pair, 0]], geometry.salt[pairs[pair, 1]])
    contacts = Contacts(*(body[pair, k].astype(np.int64) for k in range(2)), position, normal, gap, key ^ salt)
    kept = _nearest_way_out(collision, step, pairs[pair], contacts, kind, least[pair])
    return Contacts(*(column[kept] for column in contacts)), tuple(column[kept] for column in (kind, first, second))


def _nearest_way_out(collision, step, pairs, contacts, kind, least):
    """Which contacts (C,) of collider pairs (C,2) are none of vertices deeper than `least` (C,) [m] behind a face that
    are less than half as deep within that surface, and none of such edges that are outside it: where it is bent, thin
    or pressed thin it ends before the depth that the search allows for, which is that of the rest, and what goes over
    a rim is behind the face on the other side of it. What is so deep behind a sheet, which has no inside, has the sheet
    inside it: the upper side of a foot that stands on one has not."""
    kept, geometry, sheet = np.ones(len(contacts.gap), dtype=bool), collision.geometry, collision.meshes.mesh_int
    # The kind, on whose surface, where the other one's point is, in parts of the gap from the contact's position along
    # the normal, how deep it has to be in parts of the overlap: edges that cross may lie in a face; whether of a sheet.
    for code, side, other, share, of_sheet in (
        (FACE_VERTEX, 0, 0.5, 0.9, False), (VERTEX_FACE, 1, -0.5, 0.9, False), (EDGE_EDGE, 0, 0.5, -0.1, False),
        (EDGE_EDGE, 1, -0.5, -0.1, False), (FACE_VERTEX, 1, -0.5, 0.1, True), (VERTEX_FACE, 0, 0.5, 0.1, True),
    ):  # fmt: skip
        of = np.flatnonzero((kind == code) & (contacts.gap < -least) & kept)
        of = of[sheet[geometry.mesh[pairs[of, side]], SHEET] == 0]
        if of_sheet:
            of = of[sheet[geometry.mesh[pairs[of, 1 - side]], SHEET] > 0]
        mesh, body = geometry.mesh[pairs[of, side]], (contacts.body_a, contacts.body_b)[side][of]
        gap, depth = contacts.gap[of], np.empty(len(of))
        at = contacts.position[of] + other * gap[:, None] * contacts.normal[of] - step.place.motion[body, :3]
        at = np.einsum("cji,cj->ci", rotation.matrix(step.orientation[body]), at)
        depths_within(collision.meshes, mesh.astype(np.int64), at, depth)
        kept[of] = depth >= -share * gap
    return kept


def _needed_edges(model, pool, contacts, features):
    """The contacts and features of _with_vertices without those of edges that are not sharp where the corners at their
    ends touch the same body, or where neither edge is sharp: they say the same in more contacts. Without any of them
    a blade's edge would pass a flat surface between its corners."""
    kind, *feature = features
    of = np.flatnonzero((kind == EDGE_EDGE) | (kind == ROUND_EDGE))
    ends = contacts.body_a, contacts.body_b
    blunt, dull, carried = np.ones(len(of), dtype=bool), np.zeros(len(of), dtype=bool), np.zeros(len(of), dtype=bool)
    for side, (body, other) in enumerate((ends, ends[::-1])):
        blunt &= model.soft[body[of]]
        for number in np.unique(body[of][model.soft[body[of]]]):
            surface, own = model.surfaces[number], np.flatnonzero(body[of] == number)
            edge, count = feature[side][of[own]], len(surface.nodes)
            flat = ~_sharp(pool, pool.mesh_int[surface.mesh, FIRST_EDGE] + edge)
            blunt[own] &= flat
            dull[own] |= flat
            held = (other * count + feature[side])[np.isin(kind, CORNERS[side]) & (body == number)]
            two = other[of[own]][:, None] * count + np.searchsorted(surface.nodes, surface.edges[edge])
            carried[own] |= np.isin(two, held).all(axis=1)
    kept = ~np.isin(np.arange(len(kind)), of[blunt | (dull & carried)])
    return Contacts(*(column[kept] for column in contacts)), tuple(column[kept] for column in features)


def _sharp(pool, edges):
    """Which edges (E,) of the pool have faces that fall away from each other."""
    side, left, right = (pool.edge_real[edges, first : first + 3] for first in (SIDE, INWARD, INWARD + 3))
    falls = -np.einsum("ei,ei->e", np.cross(side, left), right)
    return falls > FLAT_ANGLE * np.linalg.norm(side, axis=1)


def _with_vertices(model, step, pairs, x, v, node_speed, contacts, features):
    """The contacts and features of _surface_contacts with those of balls and capsules and every vertex they press.

    The mesh's own search sees a ball against what lies nearest to its middle. In the dent that it presses, that is
    now the corners and now the insides of faces, and what the last step's contacts held would slip out of the search.
    Faces and edges between pressed corners that are short beside the ball are left out.
    """
    geometry, body = model.collision.geometry, model.collision.geometry.body
    parts, kinds, kept = [contacts], list(features), np.ones(len(contacts.gap), dtype=bool)
    for a, b in pairs[(geometry.kind[pairs] <= CAPSULE).any(axis=1)]:
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
    count = len(contacts.gap)
    node, weight = np.full((count, 2, 3), -1), np.zeros((count, 2, 3))
    kind, *feature = features
    for side, body in enumerate((contacts.body_a, contacts.body_b)):
        met = np.array([SIDES.get(k, (NONE, NONE))[side] for k in range(16)])[kind]
        # Each side is touched on its own surface, half a gap from the contact's position.
        at = contacts.position + (side - 0.5) * contacts.gap[:, None] * contacts.normal
        for number in np.unique(body[model.soft[body]]):
            of = np.flatnonzero(body == number)
            surface, points = model.surfaces[number], x[model.node_start[number] : model.node_start[number + 1]]
            triangle = _triangles_of(surface, met[of], feature[side][of], points, at[of])
            weights = np.empty((len(of), 3))
            kernels.triangle_weights(points, triangle, np.ascontiguousarray(at[of]), weights)
            node[of, side], weight[of, side] = triangle, weights
    return Stencils(np.where(weight > 0.0, node, -1), np.where(weight > 0.0, weight, 0.0))


def _triangles_of(surface, met, feature, points, at):
    """Nodes (C,3) of what contacts meet: a face, an edge (its second node twice) or a vertex (three times)."""
    triangle = np.empty((len(met), 3), dtype=np.int64)
    face, edge, vertex, none = (met == k for k in range(4))
    triangle[face] = surface.triangles[feature[face]]
    triangle[edge] = surface.edges[feature[edge]][:, [0, 1, 1]]
    triangle[vertex] = surface.nodes[feature[vertex]][:, None]
    if np.any(none):
        nearest = np.empty(np.count_nonzero(none), dtype=np.int64)
        kernels.nearest_triangle(points, surface.triangles, np.ascontiguousarray(at[none]), nearest)
        triangle[none] = surface.triangles[nearest]
    return triangle

