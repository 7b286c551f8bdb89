"""Narrow phase of the pairs with a triangle mesh."""

import math

import numpy as np

from ...base.vectors import add, cross, quaternion_rows, row, scale, sub
from ...jit import inner, kernel
from ..broadphase.colliders import BODY, EXTENT, FIRST_VERTEX, KIND, MESH_NUMBER, RADIUS, SALT
from ..broadphase.geometry import CAPSULE, CYLINDER
from ..broadphase.placement_kernels import CENTER, POSITION, SPIN, VELOCITY
from ..contact_keys import pair_salt
from ..convex.cylinder_kernels import flat_height
from ..convex.narrow_kernels import RELATIVE_MARGIN, append_kept, append_ring, pair_motion, salt_and_reduce
from ..convex.pair_kernels import as_cylinder, triple, turn_around
from ..manifold.patch_kernels import patch_middle
from ..surface.mesh_patch_kernels import is_on_surface
from .mesh_cylinder_kernels import put_on_cylinder
from .mesh_kernels import NEAR, meshes_meet, no_leaves, search_tables
from .mesh_memory_kernels import CLOSE, COLUMNS, COMPLETE, SEARCHED, Remembered, keep_list, leaves_of, make_list
from .mesh_output import Contacts as MeshContacts
from .mesh_round_kernels import round_mesh
from .mesh_traversal import MeshPair, relative_motion, search_reach


@inner
def load_raw(raw, count, found):
    """Copy a pair's contacts into the buffer of the reduction."""
    for c in range(count):
        for i in range(3):
            raw.place[c, i] = found.position[c, i]
            raw.place[c, 3 + i] = found.normal[c, i]
        raw.place[c, 6] = found.gap[c]
        raw.key[c] = found.key[c]


@inner
def ball_and_mesh(pool, place, orientation, colliders, ends, h, margin, out):
    """Contacts of a mesh and a sphere or capsule, the two colliders `ends`, normals from the mesh; returns how many
    there are."""
    first, second = ends
    swapped = colliders.index[first, KIND] <= CAPSULE
    mesh, ball = (second, first) if swapped else (first, second)
    a, b = colliders.index[mesh, BODY], colliders.index[ball, BODY]
    number, radius = colliders.index[mesh, MESH_NUMBER], colliders.size[ball, RADIUS]
    pose = triple(place.motion, a, CENTER), orientation[a], place.motion[a, VELOCITY : SPIN + 3]
    center = triple(place.frame, ball, POSITION)
    spin = triple(place.motion, b, SPIN)
    arm = sub(center, triple(place.motion, b, CENTER))
    velocity = add(triple(place.motion, b, VELOCITY), cross(spin, arm))
    twist = (velocity[0], velocity[1], velocity[2], spin[0], spin[1], spin[2])
    half = (0.0, 0.0, 0.0)
    if colliders.index[ball, KIND] == CAPSULE:
        low, high = colliders.index[ball, FIRST_VERTEX], colliders.index[ball, FIRST_VERTEX] + 1
        half = scale(sub(row(place.vertex, high), row(place.vertex, low)), 0.5)
    return round_mesh(pool, number, pose, (center, half, radius, twist), h, margin, out)


@inner
def pair_of_meshes(pool, index, place, orientation, a, b, h):
    """MeshPair of colliders a and b; index: of Colliders."""
    motion, i, j = place.motion, index[a, BODY], index[b, BODY]
    ra, rb = quaternion_rows(orientation[i]), quaternion_rows(orientation[j])
    rel = relative_motion(
        motion[i, CENTER : CENTER + 3], ra, motion[i, VELOCITY : SPIN + 3],
        motion[j, CENTER : CENTER + 3], rb, motion[j, VELOCITY : SPIN + 3], h,
    )  # fmt: skip
    return MeshPair(pool, index[a, MESH_NUMBER], index[b, MESH_NUMBER], rel, (ra, triple(motion, i, CENTER)))


@inner
def is_filled(pool, colliders, place, orientation, ends, point, n, gap):
    """True if the surfaces of both colliders `ends` (those that are meshes) go through a point of a patch."""
    a, b = ends
    # How near a surface passes by a point of a patch that lies on it, relative to the smaller extent, beyond the
    # gap.
    tolerance = abs(gap) + 1e-4 * min(colliders.size[a, EXTENT], colliders.size[b, EXTENT])
    for c in (a, b):
        body, number = colliders.index[c, BODY], colliders.index[c, MESH_NUMBER]
        if number >= 0:
            x = triple(place.motion, body, CENTER)
            if not is_on_surface(pool, number, x, orientation[body], point, n, tolerance):
                return False
    return True


@inner
def curved_radius(colliders, c):
    """Radius [m] of a collider that is a cylinder, else 0."""
    return colliders.size[c, RADIUS] if colliders.index[c, KIND] == CYLINDER else 0.0


@inner
def on_cylinder(pool, place, orientation, colliders, ends, found, count):
    """Put the contacts of a mesh and a cylinder, colliders `ends`, onto the cylinder; returns how many are left."""
    first = colliders.index[ends[0], KIND] == CYLINDER
    own, other = ends if first else (ends[1], ends[0])
    body = colliders.index[other, BODY]
    mesh = colliders.index[other, MESH_NUMBER], orientation[body], triple(place.motion, body, CENTER)
    flat = flat_height(colliders.size[own, EXTENT])
    cylinder = as_cylinder(place, colliders, own, (0.0, 0.0, 0.0))
    return put_on_cylinder(pool, mesh, first, cylinder, flat, found, count)


@kernel
def mesh_chunk(pool, colliders, place, orientation, pairs, first, last, h, given_margin, old, known, keep, raw, out):
    """Contacts of pairs[first:last], each with a mesh, into out; see narrow_chunk.

    old: Remembered of earlier pairs; known (P,): row in it of each pair or -1, or empty if nothing is remembered;
    keep: whether the pairs of this search are to be. Returns (contacts, most raw contacts of a pair, Remembered of
    these pairs).
    """
    index, size = colliders.index, colliders.size
    room, rows = len(raw.key), last - first if keep and len(known) > 0 else 0
    found = MeshContacts(np.empty((room, 3)), np.empty((room, 3)), np.empty(room), np.empty(room, np.int64))
    choice = np.empty((3, room), np.int64)
    pose, start, nodes = np.zeros((rows, COLUMNS)), np.zeros(rows + 1, np.int64), np.empty((32 * rows, 3), np.int32)
    used, most, held = 0, 0, np.int64(0)
    nothing, tables = no_leaves(), search_tables()
    for p in range(first, last):
        a, b = np.int64(pairs[p, 0]), np.int64(pairs[p, 1])
        margin = given_margin if given_margin >= 0.0 else RELATIVE_MARGIN * min(size[a, EXTENT], size[b, EXTENT])
        at = p - first
        if index[a, KIND] <= CAPSULE or index[b, KIND] <= CAPSULE:
            count = ball_and_mesh(pool, place, orientation, colliders, (a, b), h, margin, found)
            if rows > 0:
                pose[at, COMPLETE] = -math.inf
        else:
            pair, leaves = pair_of_meshes(pool, index, place, orientation, a, b, h), nothing
            # Sides of the prism that stands for a cylinder are within it by this part of the radius, 1 - cos(pi/32).
            wider = margin + 0.005 * max(curved_radius(colliders, a), curved_radius(colliders, b))
            k = known[p] if len(known) > 0 else np.int64(-1)
            if k >= 0:
                leaves = leaves_of(pair, old.pose, k, old.nodes, old.start[k], old.start[k + 1])
            if rows > 0:
                was_close, near = False, NEAR * wider
                wide = near
                if k >= 0:
                    was_close, wide = old.pose[k, CLOSE] > 0.0, max(near, old.pose[k, SEARCHED])
                if search_reach(leaves, wide) <= leaves.complete:
                    nodes, held = keep_list(old, k, pose, at, nodes, held)
                else:
                    begin = held
                    nodes, held = make_list(pair, (near, wide), was_close, tables, pose, at, nodes, held)
                    leaves = leaves_of(pair, pose, at, nodes, begin, held)
            count, searched = np.int64(0), NEAR * wider
            if leaves.last > leaves.first or search_reach(leaves, NEAR * wider) > leaves.complete:
                count, searched = meshes_meet(pair, wider, leaves, tables, found)
                if wider > margin and count <= room:
                    count = on_cylinder(pool, place, orientation, colliders, (a, b), found, count)
            if rows > 0:
                pose[at, SEARCHED] = searched
                if count > 0:
                    pose[at, CLOSE] = 1.0
        if rows > 0:
            start[at + 1] = held
        most = max(most, count)
        if 0 < count <= room:
            load_raw(raw, count, found)
            if index[a, KIND] <= CAPSULE:
                turn_around(raw, count)
            salt = pair_salt(index[a, SALT], index[b, SALT])
            small = a if size[a, EXTENT] < size[b, EXTENT] else b
            moved = pair_motion(place.motion, index[a, BODY], index[b, BODY], h)
            salt_and_reduce(raw, choice, count, margin, salt, place.frame[small], moved)
            used = append_kept(raw, choice, count, index[a, BODY], index[b, BODY], out, used)
            flat, middle, n, gap = patch_middle(raw, choice, count, margin, salt, 0)
            if flat and is_filled(pool, colliders, place, orientation, (a, b), middle, n, gap):
                bodies, first_of_ring = (index[a, BODY], index[b, BODY]), used
                used = append_ring(
                    raw, choice, count, margin, place.frame[small], middle, n, gap, bodies, out, used
                )
                # Between teeth and over slots there is no surface that could bear.
                for k in range(first_of_ring, min(used, len(out.gap))):
                    at = row(out.position, k)
                    if not is_filled(pool, colliders, place, orientation, (a, b), at, n, out.gap[k]):
                        used = first_of_ring
                        break
    return used, most, Remembered(pose, start, nodes[:held])
