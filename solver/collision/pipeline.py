"""From shapes and poses to contacts: prepare once, then find_contacts every step."""

import functools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from .broad import overlapping_pairs
from .colliders import Colliders, pack_colliders
from .contacts import ContactSet, empty_contacts
from .geometry import Geometry, build_geometry
from .narrow_kernels import RELATIVE_MARGIN, Contacts, allocate_contacts, narrow_chunk
from .placement_kernels import allocate_placement, place_colliders, swept_boxes
from .scratch import allocate_raw, allocate_work

# Pairs a chunk: fixed, so that the number of threads cannot change the answer.
CHUNK = 256


@dataclass(frozen=True)
class CollisionModel:
    """What find_contacts needs to know of the bodies: constant during a run."""

    geometry: Geometry
    colliders: Colliders
    movable: np.ndarray
    group: np.ndarray
    most_edges: int
    most_corners: int


def prepare(shapes, centers, movable, groups=None):
    """Return the CollisionModel of R bodies.

    shapes: R shapes; centers (R,3) [m] centre of mass in the shape frame; movable (R,) bool: two bodies that
    cannot move never collide; groups (R,) int: two bodies of one non-zero group never collide.
    """
    count = len(shapes)
    geometry, _ = build_geometry(shapes, np.asarray(centers, dtype=float).reshape(count, 3))
    group = np.zeros(count, np.int64) if groups is None else np.asarray(groups, dtype=np.int64)
    edges = np.diff(geometry.core_edge_start)
    corners = np.diff(geometry.loop_start)
    return CollisionModel(
        geometry=geometry,
        colliders=pack_colliders(geometry),
        movable=np.asarray(movable, dtype=bool).reshape(count),
        group=group,
        most_edges=int(edges.max(initial=0)),
        most_corners=int(corners.max(initial=0)),
    )


def find_contacts(collision, position, orientation, twist, h, margin=None, workers=1):
    """Return the ContactSet of the bodies at the given poses.

    position (R,3) [m] centres of mass, orientation (R,4) w,x,y,z, twist (R,6) [m/s, rad/s]: v of the centre of
    mass and omega, world frame. Contacts are those that overlap, touch, or may touch within h [s] under this
    motion: gap < margin + h * closing speed. margin [m]: None means 1 % of the smaller collider's bounding radius.
    workers: threads; the answer has the same bits for any number. Raises ValueError for poses that are not finite.
    """
    geometry = collision.geometry
    if len(geometry.kind) == 0:
        return empty_contacts()
    place = allocate_placement(geometry, position, twist)
    place_colliders(geometry, np.ascontiguousarray(orientation, dtype=float), place)
    low, high = np.empty((len(geometry.kind), 3)), np.empty((len(geometry.kind), 3))
    swept_boxes(geometry, place, float(h), box_inflation(collision, margin), low, high)
    pairs = overlapping_pairs(low, high, geometry.body, collision.movable, collision.group)
    found = narrow_phase(collision, place, pairs, float(h), -1.0 if margin is None else float(margin), workers)
    return as_contact_set(geometry, pairs, found)


def box_inflation(collision, margin):
    """How far (C,) [m] each collider's box is moved out so that boxes of a pair overlap if its gap is in the margin.

    Every pair has a movable body, so no box needs more than the largest movable one asks for.
    """
    geometry = collision.geometry
    if margin is not None:
        return np.full(len(geometry.kind), 0.5 * float(margin))
    half = 0.5 * RELATIVE_MARGIN * geometry.extent
    movable = collision.movable[geometry.body]
    return np.minimum(half, half[movable].max(initial=0.0))


def narrow_phase(collision, place, pairs, h, margin, workers):
    """Contacts of all collider pairs in the order of the pairs, computed chunk by chunk."""
    firsts = range(0, len(pairs), CHUNK)

    def run(first):
        return one_chunk(collision, place, pairs, first, min(first + CHUNK, len(pairs)), h, margin)

    if workers > 1 and len(pairs) > CHUNK:
        parts = list(thread_pool(workers).map(run, firsts))
    else:
        parts = [run(first) for first in firsts]
    if not parts:
        return allocate_contacts(0)
    return Contacts(*(np.concatenate(column) for column in zip(*parts, strict=True)))


@functools.cache
def thread_pool(workers):
    """The pool of that many threads, made once."""
    return ThreadPoolExecutor(workers, thread_name_prefix="contacts")


def one_chunk(collision, place, pairs, first, last, h, margin):
    """Contacts of pairs[first:last]; repeated with more room until everything fits."""
    work = allocate_work(collision.most_edges, collision.most_corners)
    room, capacity = max(256, 2 * collision.most_corners + 8), 8 * (last - first)
    while True:
        raw, out = allocate_raw(room), allocate_contacts(capacity)
        used, most = narrow_chunk(collision.colliders, place, pairs, first, last, h, margin, work, raw, out)
        if used <= capacity and most <= room:
            return Contacts(*(column[:used] for column in out))
        room, capacity = max(room, most), max(capacity, used)


def as_contact_set(geometry, pairs, found):
    """ContactSet in lexicographic order of bodies and key."""
    body_a = geometry.body[pairs[found.pair, 0]].astype(np.int64)
    body_b = geometry.body[pairs[found.pair, 1]].astype(np.int64)
    columns = (body_a, body_b, found.position, found.normal, found.gap, found.key)
    if len(geometry.kind) > geometry.body[-1] + 1:
        order = np.lexsort((found.key, body_b, body_a))
        columns = tuple(column[order] for column in columns)
    return ContactSet(*columns)
