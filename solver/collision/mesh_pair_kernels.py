"""Narrow phase of the pairs with a triangle mesh."""

import numpy as np

from ..jit import inner, kernel
from .colliders import BODY, EXTENT, FIRST_VERTEX, KIND, LAST_VERTEX, MESH_NUMBER, RADIUS, SALT
from .geometry import CAPSULE, MESH
from .mesh_kernels import mesh_pair
from .mesh_round_kernels import capsule_mesh, sphere_mesh
from .mesh_vectors import add, cross, scale, sub
from .narrow_kernels import RELATIVE_MARGIN, append_kept
from .pair_kernels import triple, turn_around
from .placement_kernels import CENTER, POSITION, SPIN, VELOCITY


@inner
def load_raw(raw, count, position, normal, gap, key):
    """Copy a pair's contacts into the buffer of the reduction."""
    for c in range(count):
        for i in range(3):
            raw.place[c, i] = position[c, i]
            raw.place[c, 3 + i] = normal[c, i]
        raw.place[c, 6] = gap[c]
        raw.key[c] = key[c]


@inner
def round_with_mesh(pool, place, orientation, colliders, vertex, mesh, ball, h, margin, position, normal, gap, key):
    """Contacts of a mesh and a sphere or capsule, normals from the mesh; returns how many there are."""
    a, b = colliders.index[mesh, BODY], colliders.index[ball, BODY]
    number, radius = colliders.index[mesh, MESH_NUMBER], colliders.size[ball, RADIUS]
    x, u = place.motion[a, CENTER : CENTER + 3], place.motion[a, VELOCITY : SPIN + 3]
    center = triple(place.frame, ball, POSITION)
    spin = triple(place.motion, b, SPIN)
    arm = sub(center, triple(place.motion, b, CENTER))
    velocity = add(triple(place.motion, b, VELOCITY), cross(spin, arm))
    twist = (velocity[0], velocity[1], velocity[2], spin[0], spin[1], spin[2])
    if colliders.index[ball, KIND] == CAPSULE:
        half = scale(sub((vertex[1, 0], vertex[1, 1], vertex[1, 2]), (vertex[0, 0], vertex[0, 1], vertex[0, 2])), 0.5)
        return capsule_mesh(
            pool, number, x, orientation[a], u, center, half, radius, twist, h, margin, position, normal, gap, key
        )
    return sphere_mesh(pool, number, x, orientation[a], u, center, radius, twist, h, margin, position, normal, gap, key)


@inner
def surfaces(pool, place, orientation, colliders, a, b, h, margin, position, normal, gap, key):
    """Contacts of two colliders by their surfaces, normals from a to b; returns how many there are."""
    i, j = colliders.index[a, BODY], colliders.index[b, BODY]
    return mesh_pair(
        pool, colliders.index[a, MESH_NUMBER], place.motion[i, CENTER : CENTER + 3], orientation[i],
        place.motion[i, VELOCITY : SPIN + 3], colliders.index[b, MESH_NUMBER], place.motion[j, CENTER : CENTER + 3],
        orientation[j], place.motion[j, VELOCITY : SPIN + 3], h, margin, position, normal, gap, key,
    )  # fmt: skip


@inner
def contacts_with_mesh(pool, place, orientation, colliders, a, b, h, margin, raw, position, normal, gap, key):
    """Contacts of a pair with a mesh into raw, normals from a to b; returns how many, written if there is room."""
    if colliders.index[a, KIND] <= CAPSULE or colliders.index[b, KIND] <= CAPSULE:
        swapped = colliders.index[a, KIND] != MESH
        mesh, ball = (b, a) if swapped else (a, b)
        ends = place.vertex[colliders.index[ball, FIRST_VERTEX] : colliders.index[ball, LAST_VERTEX]]
        count = round_with_mesh(
            pool, place, orientation, colliders, ends, mesh, ball, h, margin, position, normal, gap, key
        )
    else:
        swapped = False
        count = surfaces(pool, place, orientation, colliders, a, b, h, margin, position, normal, gap, key)
    if count <= len(gap):
        load_raw(raw, count, position, normal, gap, key)
        if swapped:
            turn_around(raw, count)
    return count


@kernel
def mesh_chunk(pool, colliders, place, orientation, pairs, first, last, h, given_margin, raw, out):
    """Contacts of pairs[first:last], each with a mesh, into out; see narrow_chunk."""
    index, size = colliders.index, colliders.size
    room = len(raw.key)
    position, normal = np.empty((room, 3)), np.empty((room, 3))
    gap, key = np.empty(room), np.empty(room, np.int64)
    choice = np.empty((3, room), np.int64)
    used, most = 0, 0
    for p in range(first, last):
        a, b = np.int64(pairs[p, 0]), np.int64(pairs[p, 1])
        margin = given_margin if given_margin >= 0.0 else RELATIVE_MARGIN * min(size[a, EXTENT], size[b, EXTENT])
        count = contacts_with_mesh(
            pool, place, orientation, colliders, a, b, h, margin, raw, position, normal, gap, key
        )
        most = max(most, count)
        if count > 0 and count <= room:
            salt = index[a, SALT] ^ (index[b, SALT] >> 1)
            used = append_kept(raw, choice, count, margin, salt, index[a, BODY], index[b, BODY], out, used)
    return used, most
